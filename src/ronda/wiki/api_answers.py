"""What a MediaWiki says through its API, read: revisions with everything it may hide, pages that are gone or led away.

Pure. Shapes are those of formatversion=2 (MediaWiki 1.25 and later); `rvslots` came with 1.32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ronda.wiki.revisions import Revision

Json = dict[str, Any]


class Unreadable(Exception):
    """The answer is JSON, but not what the API says."""


@dataclass(frozen=True)
class PageFound:
    """Which page a title or id leads to. Not `is_there`: the wiki has none."""

    is_there: bool
    title: str
    pageid: int = 0
    ns: int = 0
    last_revision: int = 0
    redirected_from: str = ""
    language: str = ""
    site_name: str = ""
    site_language: str = ""
    generator: str = ""


@dataclass(frozen=True)
class Answered:
    """A piece of a history, and what to send back for the next; nothing when it ended."""

    revisions: tuple[Revision, ...]
    onward: dict[str, str] = field(default_factory=dict)
    title: str = ""
    pageid: int = 0
    is_there: bool = True
    absent: tuple[int, ...] = ()


def page_found(answer: Json, asked: str) -> PageFound:
    query = _object(answer, "query")
    general = query.get("general") or {}
    pages = query.get("pages") or []
    redirects = query.get("redirects") or []
    if not pages:
        return PageFound(is_there=False, title=asked)
    page = pages[0]
    is_there = not (page.get("missing") or page.get("invalid") or page.get("special") or "pageid" not in page)
    return PageFound(
        is_there=is_there,
        title=str(page.get("title", asked)),
        pageid=int(page.get("pageid", 0)),
        ns=int(page.get("ns", 0)),
        last_revision=int(page.get("lastrevid", 0)),
        redirected_from=str(redirects[0].get("from", "")) if redirects else "",
        language=str(page.get("pagelanguage", "")),
        site_name=str(general.get("sitename", "")),
        site_language=str(general.get("lang", "")),
        generator=str(general.get("generator", "")),
    )


def answered(answer: Json) -> Answered:
    """A history page by page; or, asked by revision ids, some of it: those of other pages are told apart by no one."""
    query = _object(answer, "query")
    onward = {str(key): str(value) for key, value in (answer.get("continue") or {}).items()}
    absent = tuple(int(number) for number in (query.get("badrevids") or {}))
    pages = query.get("pages") or []
    if not pages:
        return Answered((), onward, is_there=False, absent=absent)
    page = pages[0]
    raw = page.get("revisions") or []
    try:
        revisions = tuple(revision_of(one) for one in raw)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"a revision without {error}") from error
    return Answered(
        revisions,
        onward,
        title=str(page.get("title", "")),
        pageid=int(page.get("pageid", 0)),
        is_there=not page.get("missing") and "pageid" in page,
        absent=absent,
    )


def revision_of(raw: Json) -> Revision:
    """Hidden parts are absent from the answer, and a key says so."""
    slot = (raw.get("slots") or {}).get("main") or raw
    return Revision(
        revid=int(raw["revid"]),
        parentid=int(raw.get("parentid", 0)),
        timestamp=datetime.fromisoformat(raw["timestamp"]),
        user=raw.get("user"),
        userid=raw.get("userid"),
        size=raw.get("size"),
        sha1=raw.get("sha1"),
        comment=raw.get("comment"),
        parsedcomment=raw.get("parsedcomment"),
        contentmodel=slot.get("contentmodel"),
        contentformat=slot.get("contentformat"),
        tags=tuple(sorted(raw.get("tags") or ())),
        is_minor=bool(raw.get("minor")),
        is_user_hidden=bool(raw.get("userhidden")),
        is_comment_hidden=bool(raw.get("commenthidden")),
        is_text_hidden=bool(raw.get("sha1hidden") or slot.get("texthidden") or raw.get("texthidden")),
        text=slot.get("content"),
    )


def members(answer: Json, name: str) -> tuple[list[Json], dict[str, str]]:
    """A list (categorymembers, recentchanges), and how to go on."""
    onward = {str(key): str(value) for key, value in (answer.get("continue") or {}).items()}
    found: Sequence[Json] = _object(answer, "query").get(name) or []
    return list(found), onward


def _object(answer: Json, name: str) -> Json:
    value = answer.get(name, {})
    if not isinstance(value, dict):
        raise Unreadable(f"{name} is no object")
    return value
