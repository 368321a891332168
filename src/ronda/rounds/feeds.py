"""Outgoing Atom feeds (RFC 4287): the versions of a source or of a collection, with what changed."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ronda.accounts.authentication import actor_of
from ronda.archive.queries import visible_collections
from ronda.errors import NotFound
from ronda.rounds.change_wording import site_sentence
from ronda.rounds.feed_keys import person_of_feed_token
from ronda.rounds.messages import diff_of, page_line, shown_pages
from ronda.rounds.models import Version
from ronda.rounds.queries import source_seen, visible_versions

if TYPE_CHECKING:
    from ronda.accounts.models import Person

ENTRIES = 50
# XML 1.0 has no way to say these.
_UNSPEAKABLE = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535))


@require_safe
def source_feed(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    reader = _reader(request)
    source = source_seen(reader, source_id)
    versions = visible_versions(reader).filter(source=source)
    return _feed(request, str(source), source.url, versions, reverse("source", args=[source.pk]))


@require_safe
def collection_feed(request: HttpRequest, slug: str) -> HttpResponse:
    reader = _reader(request)
    collection = visible_collections(reader).filter(slug=slug).first()
    if collection is None:
        raise NotFound()
    versions = visible_versions(reader).filter(source__collection=collection)
    page = reverse("collection", args=[slug])
    return _feed(request, _(collection.name), collection.description, versions, page)


def _reader(request: HttpRequest) -> Person:
    """Whom the token in the address belongs to, or who is logged in."""
    if "token" not in request.GET:
        return actor_of(request)
    person = person_of_feed_token(request.GET["token"])
    if person is None:
        raise NotFound("This address leads nowhere any more. Copy a new one from the console.")
    return person


def _feed(
    request: HttpRequest, title: str, subtitle: str, versions: QuerySet[Version], page: str
) -> HttpResponse:
    """`page`: where the console shows the same."""
    home = settings.RONDA.console_url
    newest = list(versions.select_related("source").order_by("-ended_at", "-number")[:ENTRIES])
    feed = Atom1Feed(
        title=_spoken(title),
        link=f"{home}{page}",
        description="",
        subtitle=_spoken(subtitle),
        # Without the token: what readers store and share must let nobody in.
        feed_url=f"{home}{request.path}",
        feed_guid=f"{home}{request.path}",
        language=get_language(),
        author_name="Ronda",
    )
    for version in newest:
        _add(feed, version)
    response = HttpResponse(feed.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")
    response.headers["Cache-Control"] = "private, max-age=300"
    return response


def _add(feed: Atom1Feed, version: Version) -> None:
    diff = diff_of(version)
    said = site_sentence(diff) if diff else ""
    pages = [page_line(page) for page in shown_pages(diff)] if diff and diff.before_id else []
    link = f"{settings.RONDA.console_url}{reverse('source-diff', args=[version.source_id])}?b={version.pk}"
    feed.add_item(
        title=_spoken(
            _("%(source)s: version %(number)d") % {"source": version.source, "number": version.number}
        ),
        link=link,
        # Marked-up text to feed readers: what sites are called must not become markup.
        description="<br>".join(escape(_spoken(line)) for line in [said, *pages]),
        unique_id=f"urn:uuid:{version.pk}",
        pubdate=version.started_at,
        updateddate=version.ended_at,
    )


def _spoken(text: str) -> str:
    return text.translate(_UNSPEAKABLE)
