"""What a director does to a host, and that it stays on record."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.errors import Forbidden, InvalidInput
from ronda.frontier import hosts, queries
from ronda.frontier.errors import NoSuchHost
from ronda.frontier.hosts import HostChoices
from ronda.frontier.models import Host, HostChange
from ronda.frontier.queries import HostGroup
from tests.frontier.queueing import claim, put
from tests.people import person_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def director() -> Person:
    return person_with(Role.DIRECTOR)


def test_change_holds_at_once_and_is_on_record(director: Person) -> None:
    put("http://a.example/1", "http://a.example/2")
    choices = HostChoices(delay_seconds=7.5, max_nodes=1, is_delay_per_node=True)
    hosts.change_host(actor=director, name="a.example", choices=choices, note="its owner asked")
    _, [leased] = claim()
    assert leased.delay_seconds == 7.5
    assert queries.host(actor=director, name="a.example").pace_seconds == 7.5  # type: ignore[attr-defined]
    noted = {c.field: (c.former, c.value, c.note, c.changed_by) for c in HostChange.objects.all()}
    assert noted == {
        "delay_seconds": ("", "7.5", "its owner asked", director),
        "is_delay_per_node": ("False", "True", "its owner asked", director),
    }
    hosts.change_host(actor=director, name="a.example", choices=choices)
    assert HostChange.objects.count() == 2, "the same again is no change"


@pytest.mark.parametrize(
    "choices",
    [
        HostChoices(-1, 1, False),
        HostChoices(86_401, 1, False),
        HostChoices(float("nan"), 1, False),
        HostChoices(None, 0, False),
        HostChoices(None, 101, False),
    ],
)
def test_senseless_choices_change_nothing(director: Person, choices: HostChoices) -> None:
    put("http://a.example/")
    with pytest.raises(InvalidInput):
        hosts.change_host(actor=director, name="a.example", choices=choices)
    assert not HostChange.objects.exists()


def test_rest_is_ended_by_hand(director: Person) -> None:
    put("http://a.example/")
    Host.objects.update(backoff_until=timezone.now() + timedelta(hours=1), backoff_count=4)
    assert claim()[1] == []
    hosts.end_backoff(actor=director, name="a.example")
    assert len(claim()[1]) == 1
    assert Host.objects.get().backoff_count == 0
    [change] = queries.changes(actor=director, host_name="a.example")
    assert (change.field, change.value) == ("backoff_until", "")


def test_robots_txt_is_asked_for_again(director: Person) -> None:
    put("http://a.example/")
    hosts.ask_robots_again(actor=director, name="a.example")
    _, [leased] = claim()
    assert leased.is_robots


def test_directors_only_and_known_hosts_only(director: Person) -> None:
    client = person_with(Role.CLIENT, email="c@example.org")
    put("http://a.example/")
    for refused in (
        lambda: queries.hosts(actor=client),
        lambda: queries.host(actor=client, name="a.example"),
        lambda: queries.changes(actor=client),
        lambda: hosts.end_backoff(actor=client, name="a.example"),
        lambda: hosts.ask_robots_again(actor=client, name="a.example"),
        lambda: hosts.change_host(actor=client, name="a.example", choices=HostChoices(1, 1, False)),
    ):
        with pytest.raises(Forbidden):
            refused()
    with pytest.raises(NoSuchHost):
        hosts.end_backoff(actor=director, name="b.example")
    with pytest.raises(NoSuchHost):
        queries.host(actor=director, name="b.example")


def test_hosts_are_found_by_name_and_by_state(director: Person) -> None:
    put("http://a.example/", "http://b.example/", "http://c.example/")
    claim()
    Host.objects.filter(name="b.example").update(backoff_until=timezone.now() + timedelta(hours=1))
    Host.objects.filter(name="c.example").update(blocked_reason="no", queued=0, has_work=False)

    def names(**wanted: object) -> set[str]:
        return {host.name for host in queries.hosts(actor=director, **wanted)}  # type: ignore[arg-type]

    assert names(search="A.EX") == {"a.example"}
    assert names(search="%") == set(), "a percent sign is no wildcard"
    assert names(group=HostGroup.RESTING) == {"b.example"}
    assert names(group=HostGroup.OPTED_OUT) == {"c.example"}
    assert names(group=HostGroup.QUEUED) == {"a.example", "b.example"}
    assert names(group=HostGroup.HELD) == {"a.example", "b.example", "c.example"}
    assert names(group=HostGroup.UNREACHABLE) == set()
