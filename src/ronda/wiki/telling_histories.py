"""Statistics of articles for whoever is logged in: one, two beside each other, many summed up; diffs of revisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.change.texts import Row, compare_lines
from ronda.database.named_sql import named_sql
from ronda.errors import Conflict, InvalidInput, NotFound
from ronda.lake.reading import reading
from ronda.wiki.answers_kept import kept
from ronda.wiki.errors import NoSuchArticle
from ronda.wiki.models import Article
from ronda.wiki.queries import article as article_seen
from ronda.wiki.statistics.edits import Stored, edits_of
from ronda.wiki.statistics.summary import Summary, summary_of

MAX_ARTICLES = 500
MAX_EDITS = 500_000


class TooManyEdits(Conflict):
    """These articles have too many revisions to be summed up at once."""


class NoSuchRevision(NotFound):
    """There is no such revision here."""


class NoText(NotFound):
    """The text of this revision is not here: it is hidden, or its article was extracted without texts."""


@dataclass(frozen=True)
class Side:
    """A revision of a comparison."""

    wiki: str
    pageid: int
    title: str
    revid: int
    user: str | None
    at: str
    comment: str | None
    size: int | None
    text: str


@dataclass(frozen=True)
class Diff:
    before: Side
    after: Side
    rows: tuple[Row, ...]


def statistics_of(*, actor: Person | None, article_id: int) -> tuple[Article, Summary]:
    found = article_seen(actor=actor, article_id=article_id)
    return found, _summary([found])


def compared(
    *, actor: Person | None, a: int, b: int
) -> tuple[tuple[Article, Summary], tuple[Article, Summary], list[str]]:
    """Two articles, and who edited both (by the number of their edits, of the best hundred of each)."""
    one = statistics_of(actor=actor, article_id=a)
    other = statistics_of(actor=actor, article_id=b)
    return one, other, _shared(one[0], other[0])


def _shared(one: Article, other: Article) -> list[str]:
    sql = named_sql("ronda.wiki", "shared_editors")
    values = {
        **{"wiki_a": one.wiki.key, "pageid_a": one.pageid},
        **{"wiki_b": other.wiki.key, "pageid_b": other.pageid},
    }
    with reading() as lake:
        return [str(row[0]) for row in lake.execute(sql, values).fetchall()]


def summed_up(*, actor: Person | None, article_ids: Iterable[int]) -> tuple[list[Article], Summary]:
    """Several articles as if they were one history."""
    require(actor)
    wanted = set(article_ids)
    if not 1 <= len(wanted) <= MAX_ARTICLES:
        raise InvalidInput(f"Name 1 to {MAX_ARTICLES} articles by their ids.", field="articles")
    found = list(Article.objects.select_related("wiki").filter(pk__in=wanted).order_by("title", "pk"))
    if len(found) < len(wanted):
        missing = sorted(wanted - {article.pk for article in found})
        raise NoSuchArticle(f"There is no article {missing[0]}.")
    return found, _summary(found)


def _summary(articles: list[Article]) -> Summary:
    by_wiki: dict[str, list[int]] = defaultdict(list)
    for article in articles:
        by_wiki[article.wiki.key].append(article.pageid)
    asked = tuple(sorted((wiki, tuple(sorted(pages))) for wiki, pages in by_wiki.items()))
    with reading() as lake:

        def make() -> Summary:
            rows: list[Stored] = []
            for wiki, pages in asked:
                values = {"wiki": wiki, "pageids": list(pages)}
                cursor = lake.execute(named_sql("ronda.wiki", "edits"), values)
                while batch := cursor.fetchmany(50_000):
                    rows.extend(Stored(*row) for row in batch)
                    if len(rows) > MAX_EDITS:
                        raise TooManyEdits(hint=f"At most {MAX_EDITS:,}: name fewer articles, or ask /query.")
            return summary_of(edits_of(rows))

        return kept(lake, ("summary", asked), make)


def diff(*, actor: Person | None, a: int, b: int, wiki: str = "") -> Diff:
    """Two revisions of one wiki, line by line and word by word; b = 0: a against its parent."""
    require(actor)
    if b == 0:
        b, a = a, _parent(a, wiki)
    before, after = _side(a, wiki), _side(b, wiki)
    return Diff(before, after, compare_lines(before.text.splitlines(), after.text.splitlines()))


def _parent(revid: int, wiki: str) -> int:
    with reading() as lake:
        row = lake.execute(
            "SELECT parentid FROM revisions WHERE revid = ? AND (? = '' OR wiki = ?) ORDER BY wiki LIMIT 1",
            [revid, wiki, wiki],
        ).fetchone()
    if row is None:
        raise NoSuchRevision(f"There is no revision {revid} here.")
    if not row[0]:
        raise NoSuchRevision(f"Revision {revid} is the first of its article: there is nothing before it.")
    return int(row[0])


def _side(revid: int, wiki: str) -> Side:
    with reading() as lake:
        rows = lake.execute(
            named_sql("ronda.wiki", "revision_with_text"), {"revid": revid, "wiki": wiki}
        ).fetchall()
    if not rows:
        raise NoSuchRevision(f"There is no revision {revid} here.")
    if len(rows) > 1:
        wikis = ", ".join(str(row[0]) for row in rows)
        raise InvalidInput(f"Several wikis have a revision {revid}: {wikis}. Say which.", field="wiki")
    key, pageid, title, _revid, user, at, comment, size, text = rows[0]
    if text is None:
        raise NoText(f"The text of revision {revid} is not here: hidden, or extracted without texts.")
    return Side(key, pageid, title, revid, user, at.isoformat(), comment, size, text)
