"""The schedule of changes: repeatable, ordered, and shaped as each behaviour promises."""

from __future__ import annotations

import statistics
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ronda.demo import (
    DEFAULT_EPOCH,
    Behaviour,
    Change,
    ChangeKind,
    DemoWorld,
    Noise,
    Quirk,
    RobotsKind,
    UnknownSiteError,
)
from ronda.demo.prose import material
from ronda.demo.sites import FeedKind, Language, SiteKind, Validators

YEAR = timedelta(days=365)
SITE_NAMES = [site.name for site in DemoWorld().sites]
SHARED = DemoWorld(7)


def changes_of(world: DemoWorld, behaviour: Behaviour) -> list[Change]:
    """A year of edits of the first site with this behaviour; redesigns keep no rhythm and are left out."""
    site = next(site for site in world.sites if site.rhythm.behaviour is behaviour)
    found = world.changes(site, world.epoch, world.epoch + YEAR)
    return [change for change in found if not change.is_mass]


def test_the_catalogue_has_sites_of_every_sort() -> None:
    sites = SHARED.sites
    assert len(sites) >= 40
    assert len({site.address for site in sites}) == len({site.name for site in sites}) == len(sites)
    for value, options in (
        (lambda site: {site.kind}, SiteKind),
        (lambda site: {site.language}, Language),
        (lambda site: {site.robots}, RobotsKind),
        (lambda site: {site.validators}, Validators),
        (lambda site: {site.feed}, FeedKind),
        (lambda site: {site.rhythm.behaviour}, Behaviour),
        (lambda site: site.noise, Noise),
        (lambda site: site.quirks, Quirk),
    ):
        assert set().union(*(value(site) for site in sites)) == set(options)


def test_equal_seeds_give_equal_worlds_however_they_are_asked() -> None:
    at_once, in_steps = DemoWorld(3), DemoWorld(3)
    end = at_once.epoch + YEAR
    for name in SITE_NAMES[::5]:
        steps = [at_once.epoch + timedelta(days=days) for days in (0, 1, 40, 41, 365)]
        pieces = [change for a, b in pairwise(steps) for change in in_steps.changes(name, a, b)]
        assert pieces == list(at_once.changes(name, at_once.epoch, end))


def test_another_seed_is_another_world() -> None:
    one, other = DemoWorld(1), DemoWorld(2)
    end = one.epoch + YEAR
    assert list(one.changes("boreal", one.epoch, end)) != list(other.changes("boreal", one.epoch, end))


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(SITE_NAMES),
    days=st.lists(st.floats(min_value=-10, max_value=400), min_size=2, max_size=5),
)
def test_adjoining_spans_share_nothing_and_lose_nothing(name: str, days: list[float]) -> None:
    edges = sorted(SHARED.epoch + timedelta(days=day) for day in days)
    pieces = [change for a, b in pairwise(edges) for change in SHARED.changes(name, a, b)]
    assert pieces == list(SHARED.changes(name, edges[0], edges[-1]))
    assert all(edges[0] < change.at <= edges[-1] for change in pieces)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(SITE_NAMES), seed=st.integers(min_value=0, max_value=2**32))
def test_every_page_changes_at_whole_seconds_one_after_the_other(name: str, seed: int) -> None:
    world = DemoWorld(seed)
    changes = world.changes(name, world.epoch, world.epoch + timedelta(days=60))
    assert all(change.at.microsecond == 0 for change in changes)
    last: dict[str, datetime] = {}
    for change in changes:
        assert change.path not in last or last[change.path] < change.at
        last[change.path] = change.at
    assert set(last) <= {page.path for page in world.pages(name)}


@settings(max_examples=40, deadline=None)
@given(name=st.sampled_from(SITE_NAMES))
def test_every_change_alters_the_state_and_returns_restore_it(name: str) -> None:
    """Between two changes nothing moves; a return shows what was there two changes ago."""
    second = timedelta(seconds=1)
    for page in SHARED.pages(name)[:3]:
        own = [c for c in SHARED.changes(name, SHARED.epoch, SHARED.epoch + YEAR) if c.path == page.path]
        states = [SHARED.snapshot(name, page.path, SHARED.epoch).state]
        for ordinal, change in enumerate(own[:80], 1):
            assert SHARED.snapshot(name, page.path, change.at - second).state == states[-1]
            snapshot = SHARED.snapshot(name, page.path, change.at)
            assert snapshot.state != states[-1]
            assert (snapshot.change_count, snapshot.changed_at) == (ordinal, change.at)
            if change.is_return:
                assert snapshot.state == states[-2]
            states.append(snapshot.state)


def test_mornings_are_of_working_days_and_local() -> None:
    for change in changes_of(SHARED, Behaviour.MORNINGS):
        local = change.at - timedelta(hours=4)
        assert local.weekday() < 5
        assert 8 <= local.hour < 12


def test_what_stopped_is_silent_afterwards_and_silence_is_total() -> None:
    stopped = changes_of(SHARED, Behaviour.STOPPED)
    assert stopped
    assert max(change.at for change in stopped) < SHARED.epoch + timedelta(days=150)
    assert not SHARED.changes("rivers", SHARED.epoch, SHARED.epoch + YEAR)
    blog = SHARED.site("attic-radio")
    assert (blog.kind, blog.rhythm.behaviour) == (SiteKind.BLOG, Behaviour.STOPPED)
    assert not SHARED.changes(blog, SHARED.epoch + timedelta(days=151), SHARED.epoch + 3 * YEAR)


def test_gaps_are_as_regular_as_the_behaviour_says() -> None:
    def variation(behaviour: Behaviour) -> float:
        moments = [change.at for change in changes_of(SHARED, behaviour)]
        gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(moments)]
        return statistics.pstdev(gaps) / statistics.mean(gaps)

    assert 0.8 < variation(Behaviour.STEADY) < 1.25
    assert variation(Behaviour.BURSTY) > 1.7
    assert variation(Behaviour.ERRATIC) > 1.3


def test_seasons_and_newsrooms_keep_their_hours() -> None:
    months = [change.at.month for change in changes_of(SHARED, Behaviour.SEASONAL)]
    high, low = (sum(month in season for month in months) for season in ((1, 2, 3, 8), (4, 5, 6, 11)))
    assert high > 2 * low
    hours = [change.at.hour for change in changes_of(SHARED, Behaviour.NEWSROOM)]
    assert sum(7 <= hour < 20 for hour in hours) > 3 * sum(hour < 5 for hour in hours)


@pytest.mark.parametrize("name", ["boreal", "litoral", "quay-courier", "nightsky", "pollen", "northfield"])
def test_the_pace_is_the_announced_one(name: str) -> None:
    site, days = SHARED.site(name), 3 * 365
    edits = [
        c for c in SHARED.changes(name, SHARED.epoch, SHARED.epoch + timedelta(days=days)) if not c.is_mass
    ]
    assert len(edits) / days == pytest.approx(site.rhythm.changes_per_day, rel=0.15)


def test_kinds_returns_and_mass_changes_all_occur() -> None:
    changes = SHARED.changes("ayuntamiento", SHARED.epoch, SHARED.epoch + 3 * YEAR)
    assert {change.kind for change in changes} == set(ChangeKind)
    single = [change for change in changes if not change.is_mass]
    assert 0.2 < sum(change.is_return for change in single) / len(single) < 0.4
    assert all(0 < change.importance <= 1 for change in changes)
    mass = [change for change in changes if change.is_mass]
    pages = {page.path for page in SHARED.pages("ayuntamiento")}
    for moment in {change.at for change in mass}:
        assert {change.path for change in mass if change.at == moment} == pages


def test_three_years_of_everything_take_about_a_second() -> None:
    """Generous, for machines under load; the figure to remember is below one."""
    world, start = DemoWorld(11), time.perf_counter()
    total = sum(len(world.changes(site, world.epoch, world.epoch + 3 * YEAR)) for site in world.sites)
    assert total > 50_000
    assert time.perf_counter() - start < 6


def test_no_clock_makes_the_world_run_for_ever() -> None:
    world, end = DemoWorld(5), datetime(9999, 1, 1, tzinfo=UTC)
    changes = world.changes("census", world.epoch, end)
    assert changes[-1].at < DEFAULT_EPOCH + timedelta(days=20 * 365)


def test_every_sentence_has_its_number() -> None:
    """What lets two editions of a sentence never be equal."""
    for language in Language:
        words = material(language)
        assert all("{count}" in text for text in (*words.sentences, *words.headlines, *words.wiki.sentences))


def test_unknown_names_and_naive_epochs_are_refused() -> None:
    with pytest.raises(UnknownSiteError, match="nowhere"):
        SHARED.changes("nowhere", SHARED.epoch, SHARED.epoch)
    with pytest.raises(ValueError, match="time zone"):
        DemoWorld(1, datetime(2025, 1, 1))  # noqa: DTZ001
