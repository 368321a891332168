"""Changes in a sentence: "3 paragraphs added, 1 removed; 2 links added; 1 image replaced"."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ronda.change.pages import PageChange, Reading
from ronda.rounds.diff_models import PageDiff, VersionDiff


def page_sentence(change: PageChange) -> str:
    if change.is_same:
        return _("nothing changed")
    if change.reading == Reading.DIGEST:
        return _("replaced; its content cannot be compared")
    return counts_sentence(vars(change.counts))


def counts_sentence(counts: Mapping[str, int]) -> str:
    """`counts`: the numbers of `ronda.change.pages.Counts`, those that are zero may be missing."""

    def number(name: str) -> int:
        return counts.get(name, 0)

    added, removed, changed = number("lines_added"), number("lines_removed"), number("lines_changed")
    lines = [
        ngettext("%(n)d paragraph added", "%(n)d paragraphs added", added) % {"n": added} if added else "",
        ngettext("%(n)d paragraph removed", "%(n)d paragraphs removed", removed) % {"n": removed}
        if removed
        else "",
        ngettext("%(n)d paragraph rewritten", "%(n)d paragraphs rewritten", changed) % {"n": changed}
        if changed
        else "",
    ]
    parts = [_together(lines), _together(_links(counts)), _together(_assets(counts))]
    said = "; ".join(part for part in parts if part)
    return said or _elements(counts)


def differing_sentence(page: PageDiff) -> str:
    """Of a page of two versions; nothing was counted in what has no text."""
    if page.share is None:
        return page.reason
    if not page.counts and page.share == 1:
        return _("replaced; its content cannot be compared")
    return counts_sentence(page.counts)


def _links(counts: Mapping[str, int]) -> list[str]:
    added, removed = counts.get("links_added", 0), counts.get("links_removed", 0)
    return [
        ngettext("%(n)d link added", "%(n)d links added", added) % {"n": added} if added else "",
        ngettext("%(n)d link removed", "%(n)d links removed", removed) % {"n": removed} if removed else "",
    ]


def _assets(counts: Mapping[str, int]) -> list[str]:
    added, removed = counts.get("assets_added", 0), counts.get("assets_removed", 0)
    changed = counts.get("assets_changed", 0)
    return [
        ngettext("%(n)d asset added", "%(n)d assets added", added) % {"n": added} if added else "",
        ngettext("%(n)d asset removed", "%(n)d assets removed", removed) % {"n": removed} if removed else "",
        ngettext("%(n)d asset replaced", "%(n)d assets replaced", changed) % {"n": changed}
        if changed
        else "",
    ]


def _elements(counts: Mapping[str, int]) -> str:
    number = sum(counts.get(f"elements_{what}", 0) for what in ("added", "removed", "moved"))
    if not number:
        return _("only its markup changed, nothing to be seen")
    return ngettext("%(n)d element changed", "%(n)d elements changed", number) % {"n": number}


def _together(parts: list[str]) -> str:
    return ", ".join(part for part in parts if part)


def site_sentence(diff: VersionDiff) -> str:
    if diff.before_id is None:
        return ngettext("first version: %(n)d document", "first version: %(n)d documents", diff.added) % {
            "n": diff.added
        }
    changed, added, removed = diff.changed, diff.added, diff.removed
    failed, missed = diff.failed, diff.missed
    parts = [
        ngettext("%(n)d document changed", "%(n)d documents changed", changed) % {"n": changed}
        if changed
        else "",
        ngettext("%(n)d added", "%(n)d added", added) % {"n": added} if added else "",
        ngettext("%(n)d removed", "%(n)d removed", removed) % {"n": removed} if removed else "",
        ngettext("%(n)d not seen this time", "%(n)d not seen this time", failed) % {"n": failed}
        if failed
        else "",
        ngettext("%(n)d not captured before", "%(n)d not captured before", missed) % {"n": missed}
        if missed
        else "",
    ]
    return _together(parts) or _("nothing changed")
