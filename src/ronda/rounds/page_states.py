"""A page as a capture kept it, ready to be compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ronda.archive.models import Capture
from ronda.archive.payload import payload_of
from ronda.archive.reading import record_with
from ronda.change.documents import MOST_BYTES
from ronda.change.pages import Page
from ronda.frontier.services import digest_of

# One byte more than is read, so that a longer page is known to be one.
READ_BYTES = MOST_BYTES + 1


def page_of(capture: Capture) -> Page:
    """Raises OSError if its file is not on this machine."""
    holder = capture.holder
    return Page(
        payload=payload_of(record_with(holder, READ_BYTES), READ_BYTES),
        mime=capture.mime or holder.mime,
        url=capture.url,
        digest=capture.digest,
        digests=_digests_around(capture),
    )


def _digests_around(capture: Capture) -> Callable[[Collection[str]], Mapping[str, str]]:
    """What the same visit got for the assets of the page."""

    def known(urls: Collection[str]) -> Mapping[str, str]:
        if capture.visit is None or not urls:
            return {}
        found = Capture.objects.filter(
            visit=capture.visit, url_digest__in=[digest_of(url) for url in urls], status__lt=400
        )
        return dict(found.values_list("url", "digest"))

    return known
