"""What somebody wishes of a source: one shape for command, page, API and list, and the checks of its values."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from ronda.errors import InvalidInput
from ronda.rounds import intervals, predictor_names
from ronda.rounds.models import Scope, Source
from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE, PUBLIC_WEB
from ronda_node.urls import canonicalise

MOST_DEPTH = 50
MOST_PAGES = 1_000_000
BYTES = 1024, 1024**4
SECONDS = 10, 7 * 86_400
WEIGHTS = 0.01, 100.0
LONGEST_TITLE = 300
LONGEST_NOTES = 10_000
MOST_TAGS, LONGEST_TAG = 20, 40


@dataclass(frozen=True, kw_only=True)
class Wish:
    """`collection` by its short name, empty: what the settings say. No `every_seconds`: Ronda finds it, as `predictor`
    says; without one that of its topic, its collection or the settings does. No `threshold`: that of the settings."""

    url: str
    collection: str = ""
    topic: int | None = None
    title: str = ""
    scope: str = Scope.HOST
    depth: int = 3
    max_pages: int = 1000
    max_bytes: int = 1024**3
    max_seconds: int = 6 * 3600
    is_for_any_node: bool = False
    every_seconds: int | None = None
    predictor: str = ""
    weight: float = 1.0
    threshold: float | None = None
    tags: tuple[str, ...] = ()
    notes: str = ""


def wish_of(source: Source) -> Wish:
    """What would have to be wished to get this very source."""
    return Wish(
        url=source.url,
        collection=source.collection.slug,
        topic=source.topic_id,
        title=source.title,
        scope=source.scope,
        depth=source.depth,
        max_pages=source.max_pages,
        max_bytes=source.max_bytes,
        max_seconds=source.max_seconds,
        is_for_any_node=source.is_for_any_node,
        every_seconds=source.every_seconds,
        predictor=source.predictor,
        weight=source.weight,
        threshold=source.threshold,
        tags=tuple(source.tags),
        notes=source.notes,
    )


def canonical(url: str) -> str:
    """The form in which a URL is followed, as in fetches: private addresses only where they are allowed."""
    policy = ANYWHERE if settings.RONDA.allow_private_networks else PUBLIC_WEB
    try:
        return canonicalise(url, policy).text
    except UrlRefused as refusal:
        raise InvalidInput(str(refusal)[:300], field="url") from None


def check(wish: Wish) -> None:
    """Numbers and words within their bounds; the first that is not is named."""
    if wish.scope not in Scope.values:
        raise InvalidInput("A scope is one of page, prefix, host, domain.", field="scope")
    for value, low, high, refusal in (
        (wish.depth, 0, MOST_DEPTH, InvalidInput("Links are followed 0 to 50 deep.", field="depth")),
        (wish.max_pages, 1, MOST_PAGES, InvalidInput("Take 1 to 1,000,000 pages.", field="max_pages")),
        (wish.max_bytes, *BYTES, InvalidInput("Take from 1 KiB to 1 TiB at most.", field="max_bytes")),
        (wish.max_seconds, *SECONDS, InvalidInput("Take 10 seconds to 7 days.", field="max_seconds")),
    ):
        if not low <= value <= high:
            raise refusal
    if wish.threshold is not None and not 0 <= wish.threshold <= 1:
        raise InvalidInput("A threshold is a number from 0 to 1.", field="threshold")
    if wish.every_seconds is not None:
        intervals.checked(wish.every_seconds)
    predictor_names.checked(wish.predictor)
    if not WEIGHTS[0] <= wish.weight <= WEIGHTS[1]:
        raise InvalidInput("A weight is a number from 0.01 to 100.", field="weight")
    if len(wish.title) > LONGEST_TITLE or not wish.title.isprintable():
        raise InvalidInput("A title has at most 300 printable characters.", field="title")
    if len(wish.notes) > LONGEST_NOTES or "\0" in wish.notes:
        raise InvalidInput("Notes have at most 10,000 characters.", field="notes")


def tidy_tags(tags: tuple[str, ...]) -> list[str]:
    """Without blanks around them, each once, in their order."""
    found = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    if len(found) > MOST_TAGS:
        raise InvalidInput("A source has at most 20 tags.", field="tags")
    if any(len(tag) > LONGEST_TAG or not tag.isprintable() or "," in tag for tag in found):
        raise InvalidInput("A tag has at most 40 printable characters and no comma.", field="tags")
    return found
