"""Everything at the same time: nodes that bring, one that lies, checks judged, lies taken back, credits moved."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Sum
from django.test import override_settings
from django.utils import timezone

from ronda.accounts.roles import Role
from ronda.credits import pricing
from ronda.credits.ledger import account, balance_of
from ronda.credits.models import AccountKind, Entry
from ronda.credits.services import top_up
from ronda.frontier.models import Request
from ronda.grid import fetches
from ronda.grid.models import AnswerState, Fetch, FetchAnswer
from ronda.policies.services import change_setting
from ronda.trust import judging, services
from ronda.trust.models import Canary, Standing
from tests.people import person_with
from tests.running import wait_for
from tests.trust.crowd import CANARY, Contributor, a_lie, make_everything_due, the_truth

URLS = 240


@pytest.fixture
def grid(transactional_db: None, own_archive: Path) -> Iterator[None]:
    without_files = [name for name in settings.MIDDLEWARE if not name.endswith("StaticFilesMiddleware")]
    with override_settings(MIDDLEWARE=without_files, RONDA=replace(settings.RONDA, canary_urls=CANARY)):
        Canary.objects.create(url=CANARY, worked_at=timezone.now())
        yield
    _empty_the_ledger()


def _empty_the_ledger() -> None:
    """The database refuses it; only who owns the tables may tell it not to, and a test has to clean up."""
    with transaction.atomic(), connection.cursor() as cursor:
        for table in ("credits_entry", "credits_transfer"):
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute("TRUNCATE credits_entry, credits_transfer")
        for table in ("credits_entry", "credits_transfer"):
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def test_everybody_at_once(grid: None) -> None:
    boss = person_with(Role.DIRECTOR, email="boss@example.org")
    client = person_with(Role.CLIENT, email="client@example.org")
    change_setting(actor=boss, name="price_per_thousand", value="28")
    for name in ("delay_floor_seconds", "delay_latency_factor"):
        change_setting(actor=boss, name=name, value="0")
    top_up(actor=boss, email=client.email, amount=Decimal("100"))
    honest = [Contributor(name) for name in ("ana", "bob", "cem", "dia")]
    # She begins to lie when she is trusted, and not always.
    eve = Contributor("eve")
    Standing.objects.create(
        node=eve.node, passed=50, agreed=50, consecutive_valid=50, replicated=50, state="trusted"
    )
    eve.says = lambda url: a_lie(url) if hash(url) % 2 else the_truth(url)
    eve.visits_canary = False
    made = [
        fetches.create_fetch(
            actor=client, urls=[f"http://h{number}.example/{part}" for number in range(URLS // 3)]
        )
        for part in range(3)
    ]
    make_everything_due()
    stopping = threading.Event()
    troubles: list[BaseException] = []

    def repeat(work: Callable[[], object]) -> None:
        try:
            while not stopping.is_set():
                work()
                stopping.wait(0.01)
        except BaseException as error:  # noqa: BLE001  (shown below)
            troubles.append(error)
        finally:
            connection.close()

    def bring(person: Contributor) -> None:
        work = person.ask(slots=random.choice([1, 2, 4]))
        if work["hosts"]:
            assert person.bring(work)[0] in (200, 409)

    works = [
        *[lambda person=person: bring(person) for person in (*honest, eve)],
        lambda: judging.judge_ready_checks(0.2),
        services.take_back_answers_of_liars,
        pricing.close_ended_fetches,
    ]
    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        wait_for(
            lambda: troubles or (not Request.objects.exists() and all(_is_settled(f) for f in made)),
            "all to be fetched",
        )
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
    assert not troubles, troubles
    services.take_back_answers_of_liars()
    counting = FetchAnswer.objects.exclude(state=AnswerState.VOID)
    assert counting.count() == URLS
    assert counting.values("fetch", "url").distinct().count() == URLS
    pricing.close_ended_fetches()
    assert balance_of(account(AccountKind.RESERVED, client)) == 0
    assert balance_of(account(AccountKind.BALANCE, client)) == 100_000_000 - URLS * 28_000
    assert balance_of(account(AccountKind.PENDING, eve.person)) >= 0
    assert Entry.objects.aggregate(total=Sum("micros"))["total"] == 0


def _is_settled(fetch: Fetch) -> bool:
    return Fetch.objects.select_related("batch").get(pk=fetch.pk).is_done and not Standing.objects.filter(
        is_to_be_voided=True
    )
