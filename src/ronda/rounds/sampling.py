"""Pages behind the entry that a probe looks at, too: those that change often, and others by chance, a few each time."""

from __future__ import annotations

import uuid

from django.db.models import Count, TextField, Value
from django.db.models.functions import MD5, Cast, Concat

from ronda.rounds.diff_models import PageDiff, PageFate
from ronda.rounds.models import PageRole, PageState, Source, Version, Visit, VisitPage

# Of a site, an eighth of its pages; where a sitemap or feed tells of changes, hardly any.
SHARE = 8
LEAST, MOST = 4, 20
WHERE_TOLD = 2


def sample_of(visit: Visit, before: Version, *, is_told: bool) -> list[VisitPage]:
    """`is_told`: the site has a sitemap or a feed. Every visit draws another lot."""
    pages = before.visit.pages.filter(
        role=PageRole.PAGE, state=PageState.DONE, status__lt=300, capture__isnull=False
    )
    size = WHERE_TOLD if is_told else min(MOST, max(LEAST, pages.count() // SHARE))
    lot = MD5(Concat(Cast("url_digest", TextField()), Value(str(visit.pk)), output_field=TextField()))
    restless = list(pages.filter(url_digest__in=_restless(visit.source, size // 2)))
    drawn = pages.exclude(pk__in=[page.pk for page in restless]).order_by(lot, "pk")
    return [*restless, *drawn[: size - len(restless)]]


def _restless(source: Source, number: int) -> list[uuid.UUID]:
    """Those that changed in most versions."""
    changed = PageDiff.objects.filter(
        diff__after__source=source, role=PageRole.PAGE, fate=PageFate.CHANGED, score__gt=0
    )
    often = changed.values("url_digest").annotate(times=Count("pk")).order_by("-times", "url_digest")
    return [row["url_digest"] for row in often[:number]]
