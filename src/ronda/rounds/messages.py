"""What a notice says: which sources have new versions, what changed, and where to look."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ronda.rounds.change_wording import differing_sentence, site_sentence
from ronda.rounds.delivery import Message
from ronda.rounds.diff_models import PageDiff, PageFate, VersionDiff
from ronda.rounds.models import PageRole, Version
from ronda.rounds.score_models import VersionScore
from ronda.rounds.score_wording import mass_sentence, score_line
from ronda.rounds.site_diffs import ranked

PAGES_SHOWN = 5


def message_of(versions: Sequence[Version]) -> Message:
    if len(versions) == 1:
        title = _("New version of %(source)s") % {"source": versions[0].source}
    else:
        number = len(versions)
        title = ngettext("%(n)d new version", "%(n)d new versions", number) % {"n": number}
    links = _("You asked to hear of this. Change that at %(link)s") % {"link": address("notifications")}
    body = "\n\n".join([*(_paragraph(version) for version in versions), links])
    return Message(" ".join(title.split())[:200], body)


def test_message() -> Message:
    return Message(
        _("A test from Ronda"),
        _("Notices of new versions will arrive here: %(link)s") % {"link": address("overview")},
    )


def address(name: str, *arguments: object) -> str:
    return f"{settings.RONDA.console_url}{reverse(name, args=arguments)}"


def diff_of(version: Version) -> VersionDiff | None:
    """With the version before it; none if that was forgotten since: its pages are not to be named."""
    kept = version.diffs.filter(Q(before=None) | Q(before__forgotten_at=None))
    return kept.order_by("-before__number").first()


def _paragraph(version: Version) -> str:
    diff = diff_of(version)
    when = date_format(version.ended_at, "DATETIME_FORMAT")
    lines = [
        f"{version.source}",
        _("Version %(number)d, %(when)s UTC: %(what)s")
        % {"number": version.number, "when": when, "what": site_sentence(diff) if diff else ""},
    ]
    weight = VersionScore.objects.filter(version=version).first()
    if weight:
        lines.append(score_line(weight))
        lines += [mass_sentence(weight)] if weight.is_mass else []
    if diff and diff.before_id:
        lines += [f"  {page_line(page)}" for page in shown_pages(diff)]
    lines.append(address("source-news", version.source_id))
    return "\n".join(lines)


def shown_pages(diff: VersionDiff) -> list[PageDiff]:
    return list(ranked(diff).exclude(role=PageRole.REQUISITE)[:PAGES_SHOWN])


def page_line(page: PageDiff) -> str:
    """A URL and what became of it, on one line."""
    if page.fate == PageFate.CHANGED and page.share is not None:
        return f"{page.url}: {differing_sentence(page)}"
    return f"{page.url}: {page.get_fate_display()}"
