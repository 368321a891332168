"""Sources that are visited otherwise than by fetching their pages. A room above registers how."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from ronda.rounds.models import Source, Visit
from ronda.rounds.schedule import Forecast
from ronda_node.urls import CanonicalUrl

# Of a source: by its pages, through the frontier.
BY_ITS_PAGES = ""


@dataclass(frozen=True)
class Visitor:
    """`begin` is called in the transaction that opens a visit; whoever it starts calls `closing.end` in the end.

    `forecast`: when to come back, where the visitor knows more than its visits tell (None: it does not).
    `sources_at`: which of its sources a URL belongs to.
    """

    name: str
    begin: Callable[[Visit], None]
    cancel: Callable[[Visit], None]
    forecast: Callable[[Source, str, datetime], Forecast | None]
    sources_at: Callable[[CanonicalUrl], Iterable[Source]]


_visitors: dict[str, Visitor] = {}


def register_visitor(visitor: Visitor) -> None:
    if visitor.name in _visitors:
        raise ValueError(f"visitor {visitor.name} is registered twice")
    _visitors[visitor.name] = visitor


def visitor_of(source: Source) -> Visitor | None:
    return _visitors[source.visitor] if source.visitor != BY_ITS_PAGES else None


def sources_at(url: CanonicalUrl) -> list[Source]:
    return [source for visitor in _visitors.values() for source in visitor.sources_at(url)]
