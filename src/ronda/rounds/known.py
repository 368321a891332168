"""What the last version holds of a URL, as trusted nodes are told: an unchanged page then costs nothing."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Sequence

from ronda.archive.models import Capture
from ronda.archive.reading import response_field
from ronda.archive.services import archive_folder
from ronda.frontier.blocks import Known
from ronda.frontier.services import digest_of
from ronda.rounds.models import Source, Version, VisitPage

logger = logging.getLogger(__name__)

# The head of a response is never longer than this, and mostly a hundredth of it.
HEAD_BYTES = 72 * 1024
LONGEST_VALIDATOR = 500


def last_version(source: Source) -> Version | None:
    return source.versions.filter(forgotten_at=None).order_by("-number").first()


def known_captures(version: Version | None, urls: Sequence[str]) -> dict[str, Known]:
    """Of these URLs, those whose payload the version holds, whole and good."""
    if version is None or not urls:
        return {}
    pages = VisitPage.objects.filter(
        visit_id=version.visit_id,
        url_digest__in=[digest_of(url) for url in urls],
        capture__voided_at=None,
        capture__forgotten_at=None,
        capture__truncated="",
    ).select_related("capture__file", "capture__refers_to__file")
    return {
        page.url: known_of(page.capture) for page in pages if page.capture and page.capture.url == page.url
    }


def known_of(capture: Capture) -> Known:
    """So that it is answered only if it is another one by now."""
    etag, last_modified = _validators(capture)
    return Known(
        capture_id=capture.refers_to_id or capture.pk,
        digest=capture.digest,
        etag=etag,
        last_modified=last_modified,
    )


def last_modified_of(capture: Capture) -> str:
    """What the answer said of its last change, as it was sent."""
    return _validators(capture)[1]


def _validators(capture: Capture) -> tuple[str, str]:
    """A revisit that the server itself declared has none of its own; those of its target still hold."""
    if capture.status != 200:
        return "", ""
    head = _head_of(capture)
    found = _validator(head, b"etag"), _validator(head, b"last-modified")
    if any(found) or capture.refers_to is None or capture.refers_to.url != capture.url:
        return found
    return _validators(capture.refers_to)


def _head_of(capture: Capture) -> bytes:
    """Only the beginning of the record: the body may be large."""
    try:
        with (archive_folder() / capture.file.name).open("rb") as file:
            file.seek(capture.offset)
            packed = file.read(min(capture.response_length, HEAD_BYTES))
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(packed, HEAD_BYTES)
    except (OSError, zlib.error) as error:
        logger.warning("the record of %s cannot be read: %s", capture, error)
        return b""


def _validator(head: bytes, name: bytes) -> str:
    """As it is to be sent back; what is not plain text, or too long, is not."""
    value = response_field(head, name)
    return value if value.isascii() and value.isprintable() and len(value) <= LONGEST_VALIDATOR else ""
