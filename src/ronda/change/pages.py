"""Two states of a page: what changed in its text, structure, assets and links, and how much of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ronda.change.documents import Asset, Document, Page, is_markup, is_text, read
from ronda.change.texts import Kind, Row, compare_lines, share_of_change

__all__ = ["Page", "PageChange", "compare"]

# How much each side of a change weighs in its share.
TEXT, STRUCTURE, ASSETS, LINKS = 0.7, 0.1, 0.1, 0.1
MOST_PATHS = 200


class Reading(StrEnum):
    """How far the two could be compared."""

    MARKUP = "markup"
    TEXT = "text"
    DIGEST = "digest"


@dataclass(frozen=True)
class Link:
    url: str
    text: str


@dataclass(frozen=True)
class AssetChange:
    """`what`: added, removed, or changed: the same address with another content."""

    what: Kind
    kind: str
    url: str


@dataclass(frozen=True)
class Wording:
    """A title, heading or description that is another one now; empty where there was none."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Structure:
    """`added` and `removed`: path of tags → how many elements more or less; `moved` stand elsewhere as they were."""

    added: Mapping[str, int]
    removed: Mapping[str, int]
    moved: int
    wordings: tuple[Wording, ...]
    headings_added: tuple[str, ...]
    headings_removed: tuple[str, ...]


@dataclass(frozen=True)
class Counts:
    """A change in numbers: what a sentence about it is made from."""

    lines_added: int = 0
    lines_removed: int = 0
    lines_changed: int = 0
    links_added: int = 0
    links_removed: int = 0
    assets_added: int = 0
    assets_removed: int = 0
    assets_changed: int = 0
    elements_added: int = 0
    elements_removed: int = 0
    elements_moved: int = 0


@dataclass(frozen=True)
class PageChange:
    reading: Reading
    is_same: bool
    share: float
    rows: tuple[Row, ...]
    structure: Structure
    assets: tuple[AssetChange, ...]
    links_added: tuple[Link, ...]
    links_removed: tuple[Link, ...]
    size_before_bytes: int
    size_after_bytes: int
    # Longer than what is read: the rest was not looked at.
    is_cut: bool
    counts: Counts


def compare(before: Page, after: Page) -> PageChange:
    """The other way round gives the same change, turned."""
    reading = _reading(before, after)
    is_same = before.payload == after.payload or bool(before.digest and before.digest == after.digest)
    old, new = (read(before), read(after)) if reading != Reading.DIGEST else (Document(), Document())
    rows = compare_lines(old.lines, new.lines)
    structure = _structure(old, new)
    assets = _assets(old, new, before, after)
    links = _links(old, new), _links(new, old)
    counts = _counts(rows, structure, assets, links)
    share = _share(reading, old, new, rows, counts) if not is_same else 0.0
    return PageChange(
        reading=reading,
        is_same=is_same,
        share=share,
        rows=rows,
        structure=structure,
        assets=assets,
        links_removed=links[0],
        links_added=links[1],
        size_before_bytes=len(before.payload),
        size_after_bytes=len(after.payload),
        is_cut=old.is_cut or new.is_cut,
        counts=counts,
    )


def _reading(before: Page, after: Page) -> Reading:
    if is_markup(before.mime) and is_markup(after.mime):
        return Reading.MARKUP
    return Reading.TEXT if is_text(before.mime) and is_text(after.mime) else Reading.DIGEST


def _structure(old: Document, new: Document) -> Structure:
    gone, come = old.elements - new.elements, new.elements - old.elements
    moved = _elsewhere(gone, come)
    added, removed = _by_path(come), _by_path(gone)
    names = sorted(set(old.metas) | set(new.metas))
    wordings = [("title", old.title, new.title)]
    wordings += [(name, old.metas.get(name, ""), new.metas.get(name, "")) for name in names]
    headings = Counter(old.headings), Counter(new.headings)
    return Structure(
        added=dict((added - removed).most_common(MOST_PATHS)),
        removed=dict((removed - added).most_common(MOST_PATHS)),
        moved=moved,
        wordings=tuple(Wording(*wording) for wording in wordings if wording[1] != wording[2]),
        headings_added=tuple((headings[1] - headings[0]).elements()),
        headings_removed=tuple((headings[0] - headings[1]).elements()),
    )


def _elsewhere(gone: Counter[tuple[str, str]], come: Counter[tuple[str, str]]) -> int:
    """How many of those gone have come again under another path; they are taken out of both."""
    places: dict[str, list[tuple[str, str]]] = {}
    for element in come:
        places.setdefault(element[1], []).append(element)
    moved = 0
    for element in list(gone):
        for other in places.get(element[1], []) if element[1] else []:
            number = min(gone[element], come[other])
            gone[element] -= number
            come[other] -= number
            moved += number
            if not gone[element]:
                break
    return moved


def _by_path(elements: Counter[tuple[str, str]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (path, _own), number in elements.items():
        found[path] += number
    return +found


def _assets(old: Document, new: Document, before: Page, after: Page) -> tuple[AssetChange, ...]:
    both = old.assets.keys() & new.assets.keys()
    known_before, known_after = before.digests(both), after.digests(both)

    def is_other(url: str) -> bool:
        return bool({known_before.get(url, "")} - {known_after.get(url, ""), ""}) and url in known_after

    changes = [_asset(Kind.REMOVED, asset) for url, asset in old.assets.items() if url not in both]
    changes += [_asset(Kind.ADDED, asset) for url, asset in new.assets.items() if url not in both]
    changes += [_asset(Kind.CHANGED, new.assets[url]) for url in sorted(both) if is_other(url)]
    return tuple(changes)


def _asset(what: Kind, asset: Asset) -> AssetChange:
    return AssetChange(what, asset.kind, asset.url)


def _links(here: Document, there: Document) -> tuple[Link, ...]:
    """Those of one side that the other has not."""
    return tuple(Link(url, text) for url, text in here.links.items() if url not in there.links)


def _counts(
    rows: tuple[Row, ...],
    structure: Structure,
    assets: tuple[AssetChange, ...],
    links: tuple[tuple[Link, ...], tuple[Link, ...]],
) -> Counts:
    lines = Counter(row.kind for row in rows)
    of_assets = Counter(asset.what for asset in assets)
    return Counts(
        lines_added=lines[Kind.ADDED],
        lines_removed=lines[Kind.REMOVED],
        lines_changed=lines[Kind.CHANGED],
        links_added=len(links[1]),
        links_removed=len(links[0]),
        assets_added=of_assets[Kind.ADDED],
        assets_removed=of_assets[Kind.REMOVED],
        assets_changed=of_assets[Kind.CHANGED],
        elements_added=sum(structure.added.values()),
        elements_removed=sum(structure.removed.values()),
        elements_moved=structure.moved,
    )


def _share(reading: Reading, old: Document, new: Document, rows: tuple[Row, ...], counts: Counts) -> float:
    if reading != Reading.MARKUP:
        return 1.0 if reading == Reading.DIGEST else share_of_change(rows)

    def part(number: int, *totals: int) -> float:
        return min(1.0, number / max(1, sum(totals)))

    elements = counts.elements_added + counts.elements_removed + 2 * counts.elements_moved
    assets = counts.assets_added + counts.assets_removed + 2 * counts.assets_changed
    return (
        TEXT * share_of_change(rows)
        + STRUCTURE * part(elements, old.elements.total(), new.elements.total())
        + ASSETS * part(assets, len(old.assets), len(new.assets))
        + LINKS * part(counts.links_added + counts.links_removed, len(old.links), len(new.links))
    )
