"""Which pages a query is about: titles, page ids or revision ids, normalised, with redirects followed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from ronda.demo.wiki.answer import Json
from ronda.demo.wiki.articles import NAMESPACES, Article, namespace_of
from ronda.demo.wiki.chronicle import Revision, WikiChronicle
from ronda.demo.wiki.errors import ApiError
from ronda.demo.wiki.parameters import Parameters

INVALID_IN_TITLES = re.compile(r"[<>\[\]{}|#\x00-\x1f]")


@dataclass
class Selection:
    """What was found, what was not, and how titles were understood."""

    articles: list[Article] = field(default_factory=list)
    revisions: list[Revision] = field(default_factory=list)
    absent: list[Json] = field(default_factory=list)
    notes: Json = field(default_factory=dict)
    by_revision: bool = False

    def note(self, name: str, row: Json) -> None:
        self.notes.setdefault(name, []).append(row)

    def add(self, article: Article) -> None:
        if article not in self.articles:
            self.articles.append(article)


def select_pages(wiki: WikiChronicle, parameters: Parameters, moment: datetime) -> Selection:
    ways = [name for name in ("titles", "pageids", "revids") if parameters.text(name)]
    if len(ways) > 1:
        raise ApiError("invalidparammix", f"The parameters {' and '.join(ways)} can not be used together.")
    follows_redirects = parameters.has("redirects")
    selection = Selection(by_revision="revids" in ways)
    if selection.by_revision:
        _by_revision_ids(wiki, parameters.integers("revids"), selection, moment)
    for page_id in parameters.integers("pageids"):
        if article := wiki.article_by_id(page_id):
            selection.add(_followed(wiki, article, selection, follows_redirects))
        else:
            selection.absent.append({"pageid": page_id, "missing": True})
    _by_titles(wiki, parameters.several("titles"), selection, follows_redirects)
    selection.articles.sort(key=lambda article: article.page_id)
    return selection


def normal_title(title: str) -> str:
    """Underscores are spaces, ends are trimmed, the first letter is a capital; namespaces likewise."""
    title = re.sub(r"[ _]+", " ", title).strip()
    prefix, colon, rest = title.partition(":")
    for name in NAMESPACES.values():
        if colon and name and prefix.strip().lower() == name.lower():
            return f"{name}:{_capital(rest.strip())}"
    return _capital(title)


def _why_invalid(title: str) -> str:
    if not title:
        return "The requested page title is empty or contains only a namespace prefix."
    bad = INVALID_IN_TITLES.search(title)
    return f'The requested page title contains invalid characters: "{bad[0]}".' if bad else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _by_titles(
    wiki: WikiChronicle, titles: Iterable[str], selection: Selection, follows_redirects: bool
) -> None:
    for given in titles:
        title = normal_title(given)
        if reason := _why_invalid(title):
            selection.absent.append({"title": given, "invalidreason": reason, "invalid": True})
            continue
        if title != given:
            selection.note("normalized", {"fromencoded": False, "from": given, "to": title})
        if article := wiki.article(title):
            selection.add(_followed(wiki, article, selection, follows_redirects))
        else:
            selection.absent.append({"ns": namespace_of(title), "title": title, "missing": True})


def _followed(wiki: WikiChronicle, article: Article, selection: Selection, follows: bool) -> Article:
    target = wiki.article(article.redirect_to) if follows and article.redirect_to else None
    if target is None:
        return article
    selection.note("redirects", {"from": article.title, "to": target.title})
    return target


def _by_revision_ids(wiki: WikiChronicle, ids: Iterable[int], selection: Selection, moment: datetime) -> None:
    bad: Json = {}
    for revision_id in ids:
        if revision := wiki.revision(revision_id, moment):
            selection.revisions.append(revision)
            selection.add(revision.article)
        else:
            bad[str(revision_id)] = {"revid": revision_id, "missing": True}
    if bad:
        selection.notes["badrevids"] = bad
