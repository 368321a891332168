"""The result of a query as it grows: rows until the size cap, the continue protocol, and both JSON formats.

Keys that begin with * hold the text of their object: `*content` is `content` in formatversion 2 and `*` in 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ronda.demo.wiki.errors import ApiError
from ronda.demo.wiki.parameters import Parameters

Json = dict[str, Any]

MAX_RESULT_BYTES = 8_388_608  # $wgAPIMaxResultSize
DOCREF = (
    "See api.php of this wiki for API usage. The demo wiki answers action=query with prop=revisions|info, "
    "list=recentchanges|categorymembers|allpages and meta=siteinfo."
)


@dataclass
class Answer:
    """What a query gives back. A module that stopped early says where with `stop`."""

    parameters: Parameters
    query: Json = field(default_factory=dict)
    pages: list[Json] = field(default_factory=list)
    props: list[str] = field(default_factory=list)
    _stopped: Json = field(default_factory=dict)
    _stopped_props: set[str] = field(default_factory=set)
    _size_bytes: int = 0

    def fits(self, row: Json) -> bool:
        """Take a row into account, or warn that it would make the result too large. Only texts count."""
        size = _text_bytes(row)
        if self._size_bytes + size > MAX_RESULT_BYTES:
            self.parameters.warn(
                "result",
                "This result was truncated because it would otherwise be larger than the limit of "
                f"{MAX_RESULT_BYTES:,} bytes.",
            )
            return False
        self._size_bytes += size
        return True

    def stop(self, name: str, value: str, *, prop: str = "") -> None:
        """A list (or, with its name, a prop) has more: `name` is the parameter that goes on from `value`."""
        self._stopped[name] = value
        if prop:
            self._stopped_props.add(prop)

    def as_json(self, version: int) -> Json:
        result: Json = {}
        if not self._stopped_props:
            result["batchcomplete"] = True
        if self._stopped:
            result["continue"] = {**self._stopped, "continue": self._progress()}
        if self.parameters.warnings:
            result["warnings"] = {
                module: {"*warnings": "\n".join(texts)} for module, texts in self.parameters.warnings.items()
            }
        query = dict(self.query)
        if self.pages:
            query["pages"] = self.pages if version == 2 else _keyed_pages(self.pages)
        if query:
            result["query"] = query
        if self.parameters.limits:
            result["limits"] = self.parameters.limits
        return _object(result, version)

    def _progress(self) -> str:
        """`||info`: the props that need not run again; `-||`: all props are done, only lists go on."""
        if not self._stopped_props:
            return "-||"
        return "||" + "|".join(name for name in self.props if name not in self._stopped_props)


def error_json(error: ApiError, version: int) -> Json:
    body = {"code": error.code, "info": error.info, **error.fields, "*docref": DOCREF}
    return _object({"error": body}, version)


def _keyed_pages(pages: list[Json]) -> Json:
    """formatversion 1 keys pages by id; what has none gets -1, -2 and so on."""
    nameless = iter(range(-1, -len(pages) - 1, -1))
    return {str(page["pageid"] if "pageid" in page else next(nameless)): page for page in pages}


def _formatted(value: Any, version: int) -> Any:
    if isinstance(value, list):
        return [_formatted(item, version) for item in value]
    if isinstance(value, dict):
        return _object(value, version)
    return "" if value is True and version == 1 else value


def _object(value: Json, version: int) -> Json:
    """formatversion 1 says true by an empty text and false by silence."""
    return {
        _key(name, version): _formatted(item, version)
        for name, item in value.items()
        if not (item is False and version == 1)
    }


def _key(name: str, version: int) -> str:
    if not name.startswith("*"):
        return name
    return "*" if version == 1 else name[1:]


def _text_bytes(value: Any) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, dict):
        return sum(map(_text_bytes, value.values()))
    if isinstance(value, list):
        return sum(map(_text_bytes, value))
    return 8
