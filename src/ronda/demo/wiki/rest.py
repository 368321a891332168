"""The REST API's counts: /v1/page/{title}/history/counts/{type}."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from urllib.parse import unquote

from ronda.demo.wiki.answer import Json
from ronda.demo.wiki.chronicle import Revision, WikiChronicle
from ronda.demo.wiki.history import Part
from ronda.demo.wiki.selection import normal_title

COUNTS_PATH = re.compile(r"/v1/page/(?P<title>[^/]+)/history/counts/(?P<type>[a-z]+)")


def answer_rest(wiki: WikiChronicle, path: str, moment: datetime) -> tuple[int, Json]:
    """Status and body for a path below rest.php, still percent-encoded."""
    found = COUNTS_PATH.fullmatch(path)
    if not found:
        return _not_found("rest-no-match", "The requested relative path did not match any known handler")
    count = _COUNTS.get(found["type"])
    if count is None:
        return 400, {
            "httpCode": 400,
            "httpReason": "Bad Request",
            "errorKey": "rest-pagehistorycount-type-invalid",
        }
    title = normal_title(unquote(found["title"]))
    article = wiki.article(title)
    if article is None:
        return _not_found("rest-nonexistent-title", f"The specified title ({title}) does not exist")
    return 200, {"count": count(wiki.revisions(article, moment), moment), "limit": False}


def _not_found(key: str, message: str) -> tuple[int, Json]:
    return 404, {
        "errorKey": key,
        "messageTranslations": {"en": message},
        "httpCode": 404,
        "httpReason": "Not Found",
    }


def _edits(history: Sequence[Revision], moment: datetime) -> int:
    """As MediaWiki counts: without those whose text is hidden."""
    return sum(Part.TEXT not in revision.edit.hidden for revision in history)


def _anonymous(history: Sequence[Revision], moment: datetime) -> int:
    return sum(revision.edit.editor.is_anonymous for revision in history)


def _bot(history: Sequence[Revision], moment: datetime) -> int:
    return sum(revision.edit.editor.is_bot for revision in history)


def _editors(history: Sequence[Revision], moment: datetime) -> int:
    return len({revision.edit.editor.name for revision in history})


def _minor(history: Sequence[Revision], moment: datetime) -> int:
    return sum(revision.edit.is_minor for revision in history)


def _reverted(history: Sequence[Revision], moment: datetime) -> int:
    return sum(1 for revision in history if revision.edit.reverted_at and revision.edit.reverted_at <= moment)


_COUNTS: dict[str, Callable[[Sequence[Revision], datetime], int]] = {
    "edits": _edits,
    "anonymous": _anonymous,
    "bot": _bot,
    "editors": _editors,
    "minor": _minor,
    "reverted": _reverted,
}
