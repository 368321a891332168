"""Predictors compared by a job: on a collection's history, a trace somebody brought, a made-up web."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.errors import InvalidInput
from ronda.jobs import services as jobs
from ronda.jobs.models import State
from ronda.rounds import simulations
from ronda.rounds.errors import NoSuchSimulation
from ronda.rounds.models import Simulation
from ronda.rounds.simulations import Scenario, Wanted
from tests.people import person_with
from tests.rounds.sources import followed, watched

CSV = "source,changed_at,size_bytes\n" + "".join(
    f"a,2024-01-{day:02}T10:00:00Z,1000\n" for day in range(1, 29)
)


@pytest.fixture
def ana(db: None) -> Person:
    return person_with(Role.DIRECTOR, Role.SUBSCRIBER)


def ran(ana: Person, **wanted: Any) -> Simulation:
    made = simulations.start(actor=ana, wanted=Wanted(**wanted))
    assert made.job
    jobs.run(job_id=made.job.pk, worker="here", stopping=threading.Event())
    return simulations.simulation_seen(actor=ana, simulation_id=made.pk)


def test_a_trace(ana: Person) -> None:
    done = ran(ana, trace=CSV, predictors=["simple", "nutch"])
    assert done.result
    assert [row["predictor"] for row in done.result["rows"]] == ["simple", "nutch"]
    assert [row["predictor"] for row in done.result["fixed"]] == [f"fixed:{days}" for days in range(1, 31)]
    every_day = done.result["fixed"][0]
    assert (every_day["changes"], every_day["lost"]) == (27, 0)
    assert done.result["fixed"][29]["visits"] == 0
    assert done.result["rows"][0]["bytes_stored"] == 1000 * done.result["rows"][0]["captured"]


def test_a_made_up_web_within_a_budget(ana: Person) -> None:
    done = ran(
        ana,
        scenario=Scenario("poisson", sources=20, days=60, seed=3),
        predictors=["greedy", "capture_first"],
        objective="freshness",
        visits_per_day=0.5,
    )
    assert done.result
    assert done.result["sources"] == 20
    visits = [row["visits"] for row in done.result["rows"]]
    assert visits[0] == pytest.approx(visits[1], abs=2) == pytest.approx(600, rel=0.05)


def test_a_collection(ana: Person) -> None:
    nothing = ran(ana, collection="cultural")
    assert nothing.result is None
    assert nothing.job
    assert nothing.job.state == State.FAILED
    watched(followed(ana), days=40, changes_every=3)
    done = ran(ana, collection="cultural", predictors=["simple"])
    assert done.result
    assert done.result["rows"][0]["changes"] == 13


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({}, "trace"),
        ({"trace": CSV, "collection": "cultural"}, "trace"),
        ({"trace": CSV, "predictors": []}, "predictors"),
        ({"trace": CSV, "predictors": ["auto"]}, "predictors"),
        ({"trace": CSV, "predictors": ["nobody"]}, "predictor"),
        ({"trace": CSV, "objective": "fun"}, "objective"),
        ({"trace": CSV, "visits_per_day": 0}, "visits_per_day"),
        ({"scenario": Scenario("nowhere")}, "scenario"),
        ({"scenario": Scenario("poisson", sources=10**6, days=10**4)}, "sources"),
        ({"collection": "nowhere"}, "collection"),
    ],
)
def test_what_cannot_be_simulated(ana: Person, wanted: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        simulations.start(actor=ana, wanted=Wanted(**wanted))
    assert refusal.value.field == field
    assert not Simulation.objects.exists()


def test_a_bad_trace_is_refused_with_its_line(ana: Person) -> None:
    with pytest.raises(InvalidInput, match="Line 3"):
        simulations.start(actor=ana, wanted=Wanted(trace="source,changed_at\na,2024-01-01\na,soon\n"))


def test_one_s_own(ana: Person) -> None:
    made = simulations.start(actor=ana, wanted=Wanted(trace=CSV))
    with pytest.raises(NoSuchSimulation):
        simulations.simulation_seen(
            actor=person_with(Role.DIRECTOR, email="b@example.org"), simulation_id=made.pk
        )
