"""The same data in another order, in other batches, sent twice, over two connections: the same answers, to the byte."""

from __future__ import annotations

import itertools
import random
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ronda.accounts.models import Person
from tests.analysis.asking import Caller, rows_csv, work_off

ROWS = [(f"n{number % 37}\n, é", (number * 7919) % 1000 - 300) for number in range(200)]


def _csv(rows: list[tuple[str, int]]) -> bytes:
    return rows_csv(*((f'"{name}"', score) for name, score in rows))


def _digests(caller: Caller, session: str) -> dict[str, str]:
    answers = caller.answers(session)
    assert all(answer["complete"] for answer in answers.values())
    assert answers["total"]["used"] == {"scores": len(ROWS)}
    return {name: answer["digest"] for name, answer in answers.items()}


@pytest.mark.django_db
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 1 << 30),
    cuts=st.lists(st.integers(1, len(ROWS) - 1), max_size=8, unique=True),
    twice=st.booleans(),
    is_shuffled=st.booleans(),
)
def test_same_answers(home: Path, seed: int, cuts: list[int], twice: bool, is_shuffled: bool) -> None:
    chance = random.Random(seed)
    caller = Caller(f"{uuid.uuid4()}@example.org")
    rows = chance.sample(ROWS, len(ROWS)) if is_shuffled else ROWS
    borders = [0, *sorted(cuts), len(ROWS)]
    bodies = [_csv(rows[start:end]) for start, end in itertools.pairwise(borders)]
    session = caller.open(is_live=False)
    numbers = [*range(1, len(bodies) + 1)] * (2 if twice else 1)
    chance.shuffle(numbers)
    for number in numbers:
        assert caller.put(session, number, bodies[number - 1])[0] in (200, 201)
    assert caller.close(session, scores=len(bodies))[0] == 200
    work_off()
    found = _digests(caller, session)
    whole = caller.open(is_live=False)
    caller.put(whole, 1, _csv(ROWS))
    caller.close(whole, scores=1)
    work_off()
    assert found == _digests(caller, whole)


@pytest.mark.django_db(transaction=True)
def test_two_connections_that_send_the_same(home: Path) -> None:
    """All batches twice, at the same time: each is kept once, whoever was first."""
    caller = Caller()
    session = caller.open(is_live=False)
    bodies = [_csv(ROWS[start : start + 20]) for start in range(0, len(ROWS), 20)]

    def send(seed: int) -> list[int]:
        chance = random.Random(seed)
        numbers = chance.sample(range(1, len(bodies) + 1), len(bodies))
        try:
            return [caller.put(session, number, bodies[number - 1])[0] for number in numbers]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        statuses = [status for sent in threads.map(send, range(4)) for status in sent]
    assert sorted(set(statuses)) == [200, 201]
    assert statuses.count(201) == len(bodies)
    assert caller.close(session, scores=len(bodies))[0] == 200
    work_off()
    assert _digests(caller, session)
    assert sorted(path.name for path in (home / "sessions" / session / "scores").iterdir()) == sorted(
        f"{number}.parquet" for number in range(1, len(bodies) + 1)
    )
    Person.objects.filter(pk=caller.person.pk).delete()
