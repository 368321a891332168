"""list=recentchanges, categorymembers and allpages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from ronda.demo.wiki.answer import Answer, Json
from ronda.demo.wiki.articles import Article
from ronda.demo.wiki.chronicle import Revision, WikiChronicle
from ronda.demo.wiki.errors import ApiError
from ronda.demo.wiki.history import Part
from ronda.demo.wiki.parameters import Parameters, as_integer, iso_stamp, plain_stamp
from ronda.demo.wiki.revision_rows import Shape, revision_row, tags_at
from ronda.demo.wiki.revisions import bad_continue
from ronda.demo.wiki.selection import normal_title

LIMIT = 500
RECENT_SPAN = timedelta(days=90)  # $wgRCMaxAge
RECENT_PROPS = ("title", "timestamp", "ids", "user", "userid", "comment", "flags", "sizes", "tags", "sha1")
SHOWN: dict[str, Callable[[Revision], bool]] = {
    "bot": lambda revision: revision.edit.editor.is_bot,
    "minor": lambda revision: revision.edit.is_minor,
    "anon": lambda revision: revision.edit.editor.is_anonymous,
}


def add_recent_changes(wiki: WikiChronicle, answer: Answer, moment: datetime) -> None:
    parameters = answer.parameters
    props = frozenset(
        parameters.options("rcprop", "recentchanges", RECENT_PROPS, ("title", "timestamp", "ids"))
    )
    limit = parameters.limit("rclimit", "recentchanges", LIMIT)
    rows = answer.query.setdefault("recentchanges", [])
    for count, revision in enumerate(_recent(wiki, parameters, moment)):
        row = _recent_row(wiki, revision, props, moment) if count < limit else {}
        if count >= limit or not answer.fits(row):
            answer.stop("rccontinue", f"{plain_stamp(revision.at)}|{revision.number}")
            return
        rows.append(row)


def _recent(wiki: WikiChronicle, parameters: Parameters, moment: datetime) -> Sequence[Revision]:
    is_newer = parameters.choice("rcdir", ("older", "newer")) == "newer"
    since, until = ("rcstart", "rcend") if is_newer else ("rcend", "rcstart")
    oldest, newest = moment - RECENT_SPAN, moment
    if parameters.text(since):
        oldest = max(oldest, parameters.stamp(since, moment) - timedelta(seconds=1))  # both ends belong to it
    if parameters.text(until):
        newest = min(newest, parameters.stamp(until, moment))
    namespaces = parameters.integers("rcnamespace")
    known = [*SHOWN, *(f"!{name}" for name in SHOWN)]
    tests = _shown_tests(parameters.options("rcshow", "recentchanges", known, ()))
    found = [
        revision
        for revision in wiki.stored(oldest, newest)
        if (not namespaces or revision.article.namespace in namespaces)
        and all(test(revision) for test in tests)
    ]
    if given := parameters.text("rccontinue"):
        cursor = _cursor(given)
        found = [
            revision
            for revision in found
            if (revision.number >= cursor if is_newer else revision.number <= cursor)
        ]
    return found if is_newer else found[::-1]


def _cursor(given: str) -> int:
    try:
        return as_integer("rccontinue", given.partition("|")[2])
    except ApiError:
        raise bad_continue() from None


def _shown_tests(wanted: Sequence[str]) -> list[Callable[[Revision], bool]]:
    return [_negated(SHOWN[name[1:]]) if name.startswith("!") else SHOWN[name] for name in wanted]


def _negated(test: Callable[[Revision], bool]) -> Callable[[Revision], bool]:
    return lambda revision: not test(revision)


def _recent_row(wiki: WikiChronicle, revision: Revision, props: frozenset[str], moment: datetime) -> Json:
    row: Json = {"type": "edit" if revision.parent_id else "new"}
    if "title" in props:
        row |= {"ns": revision.article.namespace, "title": revision.article.title}
    if "ids" in props:
        row |= {"pageid": revision.article.page_id, "revid": revision.id}
        row |= {"old_revid": revision.parent_id, "rcid": revision.number + 1}
    row |= revision_row(
        wiki, revision, Shape(props & {"user", "userid", "comment", "timestamp"}, True, moment)
    )
    if "flags" in props:
        row["bot"] = revision.edit.editor.is_bot
        row |= {"new": revision.parent_id == 0, "minor": revision.edit.is_minor}
    if "sizes" in props:
        parent = wiki.revision(revision.parent_id, moment)
        row["oldlen"] = wiki.digest(parent).size_bytes if parent else 0
        row["newlen"] = wiki.digest(revision).size_bytes
    if "tags" in props:
        row["tags"] = tags_at(revision, moment)
    if "sha1" in props:
        is_hidden = Part.TEXT in revision.edit.hidden
        row |= {"sha1hidden": True} if is_hidden else {"sha1": wiki.digest(revision).sha1_hex}
    return row


def add_category_members(wiki: WikiChronicle, answer: Answer, moment: datetime) -> None:
    parameters = answer.parameters
    title = normal_title(parameters.text("cmtitle"))
    if not title:
        raise ApiError("missingparam", 'One of the parameters "cmtitle" and "cmpageid" is required.')
    prefix, _, name = title.partition(":")
    if prefix != "Category":
        raise ApiError("invalidcategory", "The category name you entered is not valid.")
    props = parameters.options("cmprop", "categorymembers", ("ids", "title", "timestamp"), ("ids", "title"))
    members = [article for article in wiki.articles if name in article.categories]
    rows = answer.query.setdefault("categorymembers", [])
    for article in _page_slice(
        answer, "cm", "categorymembers", members, lambda article: str(article.page_id)
    ):
        row: Json = {"pageid": article.page_id} if "ids" in props else {}
        if "title" in props:
            row |= {"ns": article.namespace, "title": article.title}
        if "timestamp" in props:
            row["timestamp"] = iso_stamp(wiki.revisions(article, moment)[0].at)
        rows.append(row)


def add_all_pages(wiki: WikiChronicle, answer: Answer) -> None:
    parameters = answer.parameters
    namespace = parameters.integer("apnamespace") if parameters.text("apnamespace") else 0
    start, prefix = normal_title(parameters.text("apfrom")), normal_title(parameters.text("apprefix"))
    wants = parameters.choice("apfilterredir", ("all", "redirects", "nonredirects"))
    pages = [
        article
        for article in sorted(wiki.articles, key=_sort_key)
        if article.namespace == namespace
        and _sort_key(article) >= start.replace(" ", "_")
        and article.title.partition(":")[2 if namespace else 0].startswith(prefix)
        and (wants == "all" or (article.redirect_to is not None) == (wants == "redirects"))
    ]
    rows = answer.query.setdefault("allpages", [])
    for article in _page_slice(answer, "ap", "allpages", pages, _sort_key):
        rows.append({"pageid": article.page_id, "ns": article.namespace, "title": article.title})


def _sort_key(article: Article) -> str:
    return article.title.replace(" ", "_").partition(":")[2 if article.namespace else 0]


def _page_slice(
    answer: Answer, prefix: str, module: str, pages: Sequence[Article], cursor: Callable[[Article], str]
) -> Sequence[Article]:
    """The pages of this request; the cursor of the first page left out goes into the continuation."""
    limit = answer.parameters.limit(f"{prefix}limit", module, LIMIT)
    first = 0
    if given := answer.parameters.text(f"{prefix}continue"):
        first = next((place for place, page in enumerate(pages) if cursor(page) == given), -1)
        if first < 0:
            raise bad_continue()
    if first + limit < len(pages):
        answer.stop(f"{prefix}continue", cursor(pages[first + limit]))
    return pages[first : first + limit]
