"""What people do with predictions in the console, as a browser sends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.console import curves
from ronda.console.curves import Point, curve_of
from ronda.console.timelines import LANE, MARK_WIDTH, WIDTH, timeline_of
from ronda.rounds.models import PredictorChoice, Simulation, Source
from tests.rounds.sources import followed, own_archive, watched


@pytest.fixture(autouse=True)
def _own_files(db: None, tmp_path: Path) -> Iterator[None]:
    with own_archive(tmp_path):
        yield


@pytest.fixture
def ana(make_person: Callable[..., Person]) -> Person:
    return make_person("ana@example.org", Role.SUBSCRIBER, Role.DIRECTOR)


@pytest.fixture
def hers(ana: Person, browser_of: Callable[..., Client]) -> Client:
    return browser_of(ana)


def test_what_if(hers: Client, ana: Person) -> None:
    source = followed(ana)
    watched(source, days=60, changes_every=2)
    page = f"/sources/{source.pk}/prediction"
    week = hers.get(f"{page}?days=7&predictor=simple", headers={"HX-Request": "true"}).text
    assert week.lstrip().startswith('<div id="live-retrospect">')
    assert "Fixed, every 7 days" in week
    assert "Dynamic, simple" in week
    assert "Fixed, every day" in hers.get(f"{page}?days=1").text
    for nonsense in ("days=99", "days=x", "predictor=nobody", "objective=fun"):
        assert hers.get(f"{page}?{nonsense}").status_code == 200, nonsense


def test_nothing_to_compare_yet(hers: Client, ana: Person) -> None:
    assert "nothing to compare" in hers.get(f"/sources/{followed(ana).pk}/prediction").text


def test_choose_predictors(hers: Client, ana: Person, browser_of: Callable[..., Client]) -> None:
    hers.post("/collections/cultural/predictor", {"predictor": "simple"})
    hers.post("/topics/301/predictor", {"predictor": "auto"})
    assert set(PredictorChoice.objects.values_list("predictor", flat=True)) == {"simple", "auto"}
    assert '<option value="simple" selected>' in hers.get("/collections/cultural").text
    assert '<option value="auto" selected>' in hers.get("/topics").text
    refused = hers.post("/topics/301/predictor", {"predictor": "nobody"}, follow=True)
    assert "There is no predictor" in refused.text
    hers.post("/topics/301/predictor", {"predictor": ""})
    assert PredictorChoice.objects.count() == 1


def test_a_source_s_own(hers: Client, ana: Person) -> None:
    source = followed(ana)
    form = {
        "url": source.url, "collection": "cultural", "scope": "host", "every": "auto", "depth": 3,
        "max_pages": 1000, "max_bytes": 1024, "max_seconds": 360, "owner": ana.email,
    }  # fmt: skip
    answer = hers.post(f"/sources/{source.pk}/edit", {**form, "predictor": "nutch", "weight": "2.5"})
    assert answer.status_code == 302, answer.context["form"].errors
    source.refresh_from_db()
    assert (source.predictor, source.weight) == ("nutch", 2.5)
    Source.objects.update(predictor="fixed:7")
    assert '<option value="fixed:7" selected>' in hers.get(f"/sources/{source.pk}/edit").text


def test_groups(hers: Client, ana: Person) -> None:
    assert "No source was visited yet" in hers.get("/groups").text
    watched(followed(ana), days=60, changes_every=2)
    watched(followed(ana, "https://quiet.example/"), days=100, changes_every=1000)
    everything = hers.get("/groups?sort=-lost").text
    assert "museum.example" in everything
    assert "quiet.example" in everything
    low = hers.get("/groups?group=low", headers={"HX-Request": "true"}).text
    assert "quiet.example" in low
    assert "museum.example" not in low
    assert "No source matches" in hers.get("/groups?behaviour=bursty").text


def test_simulations(hers: Client) -> None:
    form = {"what": "scenario", "scenario": "poisson", "sources": 5, "days": 30, "seed": 2, "predictors": ["simple"],
            "objective": "versions", "collection": "cultural"}  # fmt: skip
    made = hers.post("/simulations/new", form)
    simulation = Simulation.objects.get()
    assert made.headers["Location"] == f"/simulations/{simulation.pk}"
    assert simulation.scenario == {"name": "poisson", "sources": 5, "days": 30, "seed": 2}
    shown = hers.get(f"/simulations/{simulation.pk}").text
    assert "Queued" in shown
    assert "keep every version" in shown
    assert "poisson" in hers.get("/simulations").text
    file = SimpleUploadedFile("trace.csv", b"source,changed_at\na,2024-01-01\na,soon\n")
    refused = hers.post("/simulations/new", {**form, "what": "trace", "trace": file})
    assert (refused.status_code, "Line 3" in refused.text) == (422, True)
    binary = SimpleUploadedFile("trace.csv", b"\xff\xfe\x00")
    assert "no UTF-8" in hers.post("/simulations/new", {**form, "what": "trace", "trace": binary}).text
    assert "Choose a file" in hers.post("/simulations/new", {**form, "what": "trace"}).text


@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), max_size=8))
def test_dots_lie_within_the_drawing(numbers: list[tuple[float, float]]) -> None:
    points = [Point(str(number), x, y) for number, (x, y) in enumerate(numbers)]
    drawn = curve_of(points, points)
    assert all(0 <= dot.x <= curves.WIDTH and 0 <= dot.y <= curves.HEIGHT for dot in drawn.dots)
    assert len(drawn.path.split()) == len(points)


MOMENTS = st.lists(st.floats(0, 1e6), max_size=50)


@given(MOMENTS, MOMENTS)
def test_marks_lie_within_the_drawing(first: list[float], second: list[float]) -> None:
    drawn = timeline_of(0, 1e6, [{"found": first}, {"lost": second}])
    assert all(0 <= mark.x <= WIDTH - MARK_WIDTH for mark in drawn.marks)
    assert {mark.y for mark in drawn.marks} <= {0, LANE}
    assert len(drawn.marks) <= len(first) + len(second)
    assert drawn.ticks[0].timestamp() == 0
    assert drawn.ticks[-1].timestamp() == 1e6
