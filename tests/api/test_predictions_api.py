"""Outlooks, groups, notifications in, traces and simulations through the API, as programs use it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.jobs import services as jobs
from ronda.rounds import planning
from ronda.rounds.models import Simulation, Source, VisitOutcome
from ronda.rounds.predictor_names import DEFAULT, PREDICTORS
from tests.api.test_sources_api import Caller
from tests.people import person_with
from tests.rounds.sources import SITE, followed, own_archive, visited, watched

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_files(db: None, tmp_path: Path) -> Iterator[None]:
    with own_archive(tmp_path):
        yield


@pytest.fixture
def ana() -> Person:
    return person_with(Role.SUBSCRIBER, Role.DIRECTOR)


@pytest.fixture
def call(ana: Person) -> Caller:
    return Caller(ana)


@pytest.fixture
def source(ana: Person) -> Source:
    source = followed(ana, predictor="cho_irregular")
    watched(source, days=40, changes_every=2)
    planning.plan_next(visited(source, VisitOutcome.UNCHANGED), VisitOutcome.UNCHANGED)
    return source


def test_outlook(call: Caller, source: Source) -> None:
    status, found = call("GET", f"/sources/{source.pk}/outlook")
    assert status == 200
    assert (found["predictor"], found["chosen"], found["chosen_by"]) == (
        "cho_irregular",
        "cho_irregular",
        "source",
    )
    assert 0 < found["next_visit_chance"] < 1
    assert "%(" not in found["next_visit_because"]
    assert found["next_visit_at"] > timezone.now().isoformat()
    record = found["record"]
    assert (record["changes"], record["visits"], record["group"]) == (20, 42, "medium")
    assert record["best_predictor"] is None
    other = call("GET", f"/sources/{source.pk}/outlook?predictor=fixed:9")[1]
    assert other["predictor"] == "fixed:9"
    assert other["predicted_at"] > found["predicted_at"]
    assert call("GET", f"/sources/{source.pk}/outlook?predictor=nobody")[0] == 422


def test_an_outlook_on_what_was_never_visited(call: Caller, ana: Person) -> None:
    status, found = call("GET", f"/sources/{followed(ana).pk}/outlook")
    assert (status, found["record"]) == (200, None)


def test_predictor_and_weight_of_a_source(call: Caller) -> None:
    status, made = call("POST", "/sources", {"url": SITE, "predictor": "auto", "weight": 2.5})
    assert (status, made["predictor"], made["weight"]) == (201, "auto", 2.5)
    status, changed = call("PATCH", f"/sources/{made['id']}", {"predictor": "simple"})
    assert (changed["predictor"], changed["weight"]) == ("simple", 2.5)
    for wrong in ({"predictor": "nobody"}, {"weight": 0}, {"weight": 1000}, {"predictor": "a b"}):
        assert call("PATCH", f"/sources/{made['id']}", wrong)[0] == 422, wrong


def test_predictors_of_collections_and_topics(call: Caller) -> None:
    assert call("GET", "/predictors") == (200, {"names": list(PREDICTORS), "default": DEFAULT})
    assert call("PUT", "/collections/cultural/predictor", {"predictor": "simple"})[0] == 200
    assert call("PUT", "/topics/301/predictor", {"predictor": "auto"})[0] == 200
    assert call("PUT", "/topics/301/predictor", {"predictor": ""}) == (200, {"predictor": ""})
    assert call("PUT", "/collections/nowhere/predictor", {"predictor": "simple"})[0] == 404
    assert call("PUT", "/topics/9999/predictor", {"predictor": "simple"})[0] == 422
    assert call("PUT", "/collections/cultural/predictor", {"predictor": "nobody"})[0] == 422
    reader = Caller(person_with(Role.READER, email="r@example.org"))
    assert reader("PUT", "/collections/cultural/predictor", {"predictor": "simple"})[0] == 403


def test_groups(call: Caller, source: Source, ana: Person) -> None:
    watched(followed(ana, "https://quiet.example/"), days=100, changes_every=1000)
    sums = call("GET", "/groups")[1]
    assert {one["name"]: one["sources"] for one in sums["by_frequency"]} == {"medium": 1, "low": 1}
    assert {one["name"] for one in sums["by_behaviour"]} == {"steady", "silent"}
    assert sums["all"]["visits"] == 42 + 101
    assert sums["all"]["needless_share"] == pytest.approx(sums["all"]["needless"] / sums["all"]["site_days"])
    rows = call("GET", "/groups/sources?group=medium&sort=-changes")[1]["items"]
    assert [row["url"] for row in rows] == [SITE]
    assert rows[0]["frequency"] == pytest.approx(0.5, abs=0.03)
    assert call("GET", "/groups/sources?group=huge")[0] == 422
    assert call("GET", "/groups?collection=scientific")[1]["all"]["sources"] == 0


def test_notify(call: Caller, source: Source) -> None:
    status, heard = call("POST", "/notify", {"url": SITE + "page"})
    assert (status, heard[0]["source"], heard[0]["is_news"]) == (202, str(source.pk), True)
    assert call("POST", "/notify", {"url": SITE + "page"})[1][0]["is_news"] is False
    status, problem = call("POST", "/notify", {"url": "https://nobody.example/"})
    assert (status, "No source" in problem["detail"]) == (404, True)
    assert call("POST", "/notify", {"url": "no url"})[0] == 422
    assert call("PUT", "/settings/most_notifications", {"value": 1})[0] == 200
    assert call("POST", "/notify", {"url": SITE})[0] == 429


def test_simulations(call: Caller, source: Source) -> None:
    status, made = call(
        "POST",
        "/simulations",
        {"scenario": {"name": "halfdays", "sources": 5, "days": 30}, "predictors": ["simple"]},
    )
    assert (status, made["state"], made["result"]) == (202, "queued", None)
    simulation = Simulation.objects.get()
    assert simulation.job
    jobs.run(job_id=simulation.job.pk, worker="here", stopping=threading.Event())
    done = call("GET", f"/simulations/{made['id']}")[1]
    assert (done["state"], done["result"]["sources"], len(done["result"]["fixed"])) == ("succeeded", 5, 30)
    assert call("GET", "/simulations")[1]["total"] == 1
    status, problem = call("POST", "/simulations", {"trace": "source,changed_at\na,yesterday\n"})
    assert (status, "Line 2" in problem["detail"]) == (422, True)
    assert call("POST", "/simulations", {})[0] == 422
