"""Notifications in: whoever may read a source may say that it changed, and it is visited soon, politely."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.collections import make_collection
from ronda.errors import Forbidden, InvalidInput
from ronda.policies.services import change_setting
from ronda.rounds import notifying, observing, planning, services, signals, visiting
from ronda.rounds.errors import NobodyFollowsIt, ToldTooOften
from ronda.rounds.models import Signal, Source, VisitCause, VisitOutcome
from ronda.rounds.prediction_models import SignalKind
from tests.people import person_with
from tests.rounds.sources import followed, visited, watched


@pytest.fixture
def ana(db: None) -> Person:
    return person_with(Role.DIRECTOR, Role.SUBSCRIBER)


def resting(ana: Person, url: str, **wish: object) -> Source:
    """Followed for a while, visited two days ago, not due for a week."""
    source = followed(ana, url, **wish)
    now = timezone.now()
    watched(source, days=20, changes_every=4, until=now - timedelta(days=2))
    Source.objects.filter(pk=source.pk).update(next_visit_at=now + timedelta(days=7))
    return source


def test_scopes_hold_urls(ana: Person) -> None:
    page = resting(ana, "https://a.example/news/today.html", scope="page")
    prefix = resting(ana, "https://a.example/news/", scope="prefix")
    host = resting(ana, "http://a.example/", scope="host")
    domain = resting(ana, "https://www.example.org/", scope="domain")
    resting(ana, "https://b.example/", scope="host")

    def heard(url: str) -> set[str]:
        return {one.source.url for one in notifying.notify(actor=ana, url=url)}

    assert heard("https://a.example/news/today.html") == {page.url, prefix.url, host.url}
    assert heard("https://A.example:443/news/other.html#top") == {prefix.url, host.url}
    assert heard("https://a.example/about") == {host.url}
    assert heard("https://blog.example.org/x") == {domain.url}
    with pytest.raises(NobodyFollowsIt):
        heard("https://c.example/")
    with pytest.raises(InvalidInput) as refusal:
        heard("ftp://a.example/")
    assert refusal.value.field == "url"


def test_visited_soon_and_remembered(ana: Person) -> None:
    source = resting(ana, "https://a.example/", predictor="simple_notified")
    before = timezone.now()
    (heard,) = notifying.notify(actor=ana, url="https://a.example/x")
    assert heard.is_news
    source.refresh_from_db()
    assert before <= source.next_visit_at <= timezone.now()
    assert source.next_visit_because == notifying.BECAUSE[SignalKind.TOLD]
    signal = Signal.objects.get()
    assert (signal.kind, signal.person, signal.url) == ("told", ana, "https://a.example/x")
    assert observing.history_of(source).signals == (signal.at,)

    (again,) = notifying.notify(actor=ana, url="https://a.example/x")
    assert not again.is_news
    assert Signal.objects.count() == 1

    assert visiting.open_due_visits() == 1
    assert source.visits.latest("pk").cause == VisitCause.SIGNAL


def test_politely(ana: Person) -> None:
    source = resting(ana, "https://a.example/")
    just_now = timezone.now() - timedelta(minutes=1)
    Source.objects.filter(pk=source.pk).update(visited_at=just_now)
    (heard,) = notifying.notify(actor=ana, url="https://a.example/")
    assert heard.visit_at == just_now + timedelta(seconds=signals.REST_SECONDS)
    due = timezone.now() - timedelta(hours=1)
    Source.objects.filter(pk=source.pk).update(next_visit_at=due, visited_at=due)
    Signal.objects.all().delete()
    (heard,) = notifying.notify(actor=ana, url="https://a.example/")
    assert heard.visit_at == due, "who is due already stays so"


def test_signals_are_judged_by_the_visit_that_follows(ana: Person) -> None:
    source = resting(ana, "https://a.example/")
    notifying.notify(actor=ana, url="https://a.example/")
    visit = visited(source, VisitOutcome.UNCHANGED, timezone.now() + timedelta(seconds=1))
    signals.judge(source, visit, is_changed=False)
    assert signals.record_of(source, SignalKind.TOLD) == (1, 0)
    later = signals.note(source, SignalKind.TOLD, at=timezone.now() + timedelta(hours=1))
    assert later
    signals.judge(source, visit, is_changed=True)
    assert signals.record_of(source, SignalKind.TOLD) == (1, 0), (
        "what came after the visit waits for the next"
    )


def test_what_comes_during_a_visit_is_for_the_next(ana: Person) -> None:
    source = resting(ana, "https://a.example/")
    opened = timezone.now() - timedelta(minutes=5)
    visit = visited(source, VisitOutcome.CAPTURED, opened)
    notifying.notify(actor=ana, url="https://a.example/")
    planning.plan_next(visit, VisitOutcome.CAPTURED)
    source.refresh_from_db()
    assert source.next_visit_at == visit.ended_at + timedelta(seconds=signals.REST_SECONDS)
    assert signals.record_of(source, SignalKind.TOLD) == (0, 0)


def test_who_may_and_how_often(ana: Person) -> None:
    make_collection(actor=ana, slug="closed", name="Closed", is_public=False)
    resting(ana, "https://a.example/", collection="closed")
    reader = person_with(Role.READER, email="reader@example.org")
    with pytest.raises(NobodyFollowsIt):
        notifying.notify(actor=reader, url="https://a.example/")
    with pytest.raises(Forbidden):
        notifying.notify(actor=person_with(Role.CLIENT, email="c@example.org"), url="https://a.example/")
    change_setting(actor=ana, name="most_notifications", value=2)
    for number in range(2):
        resting(ana, f"https://s{number}.example/")
        notifying.notify(actor=ana, url=f"https://s{number}.example/")
    with pytest.raises(ToldTooOften) as refusal:
        notifying.notify(actor=ana, url="https://s0.example/")
    assert refusal.value.retry_after_seconds
    Signal.objects.update(at=timezone.now() - timedelta(hours=2))
    assert notifying.notify(actor=ana, url="https://s0.example/")


def test_what_is_paused_is_not_visited(ana: Person) -> None:
    source = resting(ana, "https://a.example/")
    services.pause(actor=ana, source_id=source.pk)
    with pytest.raises(NobodyFollowsIt):
        notifying.notify(actor=ana, url="https://a.example/")


def test_old_signals_are_forgotten(ana: Person) -> None:
    source = resting(ana, "https://a.example/")
    now = timezone.now()
    signals.note(source, SignalKind.TOLD, at=now - timedelta(days=500))
    signals.note(source, SignalKind.TOLD, at=now)
    signals.forget_old(now)
    assert Signal.objects.count() == 1
