"""The canary sites: which of them work. One that does not proves nothing against anybody."""

from __future__ import annotations

import random
from datetime import timedelta
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.conf import settings
from django.utils import timezone

from ronda.trust import canary_pages
from ronda.trust.canary_site import canary_key
from ronda.trust.models import Canary

# A canary counts while we reached it ourselves so lately. It is tried again after a while, or soon if it did not work.
TRY_AGAIN_AFTER = timedelta(minutes=1)
WORKS_FOR = timedelta(minutes=5)
TRY_TIMEOUT_SECONDS = 3
_chance = random.SystemRandom()


def working_canaries() -> list[str]:
    if not settings.RONDA.canaries:
        return []
    lately = timezone.now() - WORKS_FOR
    return list(
        Canary.objects.filter(url__in=settings.RONDA.canaries, worked_at__gt=lately).values_list(
            "url", flat=True
        )
    )


def try_canaries() -> None:
    """Go there ourselves: what is not reached, or is somebody else's, is no proof against anybody."""
    lately = timezone.now() - TRY_AGAIN_AFTER
    fine = set(Canary.objects.filter(trouble="", worked_at__gt=lately).values_list("url", flat=True))
    for url in (url for url in settings.RONDA.canaries if url not in fine):
        trouble = _trouble_with(url)
        Canary.objects.update_or_create(
            url=url,
            defaults={"trouble": trouble} if trouble else {"trouble": "", "worked_at": timezone.now()},
        )


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        return None


def _trouble_with(url: str) -> str:
    path = canary_pages.settled_path(canary_key(), _chance)
    expected = canary_pages.page_at(canary_key(), path)
    try:
        request = Request(f"{url}{path}", headers={"User-Agent": "RondaBot"})  # noqa: S310  (http or https, see configuration)
        with build_opener(_NoRedirects).open(request, timeout=TRY_TIMEOUT_SECONDS) as response:
            status, body = response.status, response.read(canary_pages.MOST_BYTES)
    except HTTPError as error:
        with error:
            status, body = error.code, error.read(canary_pages.MOST_BYTES)
    except (URLError, OSError) as error:
        return f"It is not reached: {error}."[:300]
    return "" if (status, body) == (expected.status, expected.body) else "Somebody else answers there."
