"""What can be asked about differences: of a page between any two times, of a source between any two versions."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_noop

from ronda.accounts.models import Person
from ronda.archive.models import Capture
from ronda.archive.queries import visible_captures
from ronda.change.pages import PageChange, compare
from ronda.errors import InvalidInput, Unavailable
from ronda.frontier.services import digest_of
from ronda.rounds.diff_models import VersionDiff
from ronda.rounds.errors import NoSuchState, NoSuchVersion, NotOneSource
from ronda.rounds.looks import news_of
from ronda.rounds.models import Version, VisitPage
from ronda.rounds.page_states import page_of
from ronda.rounds.queries import source_seen, version_seen, visible_versions
from ronda.rounds.site_diffs import diff_between
from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE
from ronda_node.urls import canonicalise

# A moment as archives write it: 20260501120000.
_MOMENT_DIGITS = 14
# In place of a version: the one the actor looked at last.
SEEN = "seen"


@dataclass(frozen=True)
class ComparedPage:
    url: str
    before: Capture
    after: Capture
    change: PageChange


def compare_page(*, actor: Person | None, url: str, a: str = "", b: str = "") -> ComparedPage:
    """`a` and `b`: a version's id, a capture's, or a time. Without: the newest state, and the last other one."""
    try:
        canonical = canonicalise(url, ANYWHERE).text
    except UrlRefused as error:
        raise InvalidInput(str(error), field="url") from None
    states = (
        visible_captures(actor)
        .filter(url_digest=digest_of(canonical))
        .select_related("file", "refers_to__file")
    )
    after = _state(actor, states, b) if b else _newest(states)
    before = _state(actor, states, a) if a else _one_before(states, after)
    try:
        return ComparedPage(canonical, before, after, compare(page_of(before), page_of(after)))
    except (OSError, EOFError):
        raise Unavailable("What was kept of this page cannot be read on this machine now.") from None


def _newest(states: QuerySet[Capture]) -> Capture:
    found = states.order_by("-fetched_at", "-pk").first()
    if found is None:
        raise NoSuchState()
    return found


def _one_before(states: QuerySet[Capture], after: Capture) -> Capture:
    """The last one that is not the same; if all are, the last one before it, or itself when it is alone."""
    older = (
        states.filter(fetched_at__lte=after.fetched_at).exclude(pk=after.pk).order_by("-fetched_at", "-pk")
    )
    return older.exclude(digest=after.digest).first() or older.first() or after


def _state(actor: Person | None, states: QuerySet[Capture], word: str) -> Capture:
    try:
        return _of_version(actor, states, uuid.UUID(word))
    except ValueError:
        pass
    if word.isascii() and word.isdigit() and len(word) < _MOMENT_DIGITS:
        found = states.filter(pk=int(word)).first()
    else:
        found = states.filter(fetched_at__lte=_moment(word)).order_by("-fetched_at", "-pk").first()
    if found is None:
        raise NoSuchState(gettext_noop("Nothing is kept of this URL at “{word}”."), values={"word": word})
    return found


def _of_version(actor: Person | None, states: QuerySet[Capture], version_id: uuid.UUID) -> Capture:
    """What the version's own visit kept, or what it found unchanged: the last one kept until then."""
    version = version_seen(actor, version_id)
    own = states.filter(visit=version.visit_id).order_by("-fetched_at").first()
    if own:
        return own
    url_digest = states.values("url_digest")[:1]
    is_part = VisitPage.objects.filter(visit=version.visit_id, url_digest__in=url_digest, is_unchanged=True)
    earlier = states.filter(source=version.source_id, fetched_at__lte=version.ended_at)
    found = earlier.order_by("-fetched_at").first() if is_part.exists() else None
    if found is None:
        raise NoSuchState(
            gettext_noop("This URL is not part of version {number}."), values={"number": version.number}
        )
    return found


def _moment(word: str) -> datetime:
    """ISO 8601, or the digits of a moment as archives write them; UTC where no zone is told."""
    try:
        if word.isascii() and word.isdigit() and len(word) == _MOMENT_DIGITS:
            return datetime.strptime(word, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        found = parse_datetime(word) or datetime.fromisoformat(word)
    except ValueError:
        raise InvalidInput(
            f"Say a version's id, a capture's number or a time such as 2026-05-01T12:00, not “{word[:60]}”."
        ) from None
    return found if found.tzinfo else timezone.make_aware(found, UTC)


def version_diff(*, actor: Person | None, before_id: uuid.UUID, after_id: uuid.UUID) -> VersionDiff:
    """Older and newer, however they were named."""
    found = version_seen(actor, before_id), version_seen(actor, after_id)
    before, after = sorted(found, key=lambda version: version.number)
    if before.source_id != after.source_id:
        raise NotOneSource()
    if before == after:
        raise InvalidInput("Choose two different versions.", field="other")
    return diff_between(before, after)


def source_diff(
    *, actor: Person | None, source_id: uuid.UUID, a: str = "", b: str = ""
) -> VersionDiff | None:
    """`a` and `b`: versions by number or id; without, the newest and the one before it. None: there is no version.

    `a` may also be `seen`: the version the actor looked at last. None, then, if nothing is new.
    """
    source = source_seen(actor, source_id)
    versions = visible_versions(actor).filter(source=source).order_by("-number")
    after = _version(versions, b) if b else versions.first()
    if after is None:
        return None
    if a == SEEN:
        seen = news_of(actor=actor, source=source).seen
        if seen and seen.number >= after.number:
            return None
        a = str(seen.pk) if seen else ""
    before = _version(versions, a) if a else versions.filter(number__lt=after.number).first()
    if before is None:
        return diff_between(None, after)
    return version_diff(actor=actor, before_id=before.pk, after_id=after.pk)


def _version(versions: QuerySet[Version], word: str) -> Version:
    is_number = word.isascii() and word.isdigit() and len(word) < 10
    try:
        found = versions.filter(number=int(word)) if is_number else versions.filter(pk=uuid.UUID(word))
    except ValueError:
        raise InvalidInput("Say a version by its number or its id.", field="a") from None
    version = found.first()
    if version is None:
        raise NoSuchVersion()
    return version
