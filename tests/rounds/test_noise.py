"""Noise of the demo web is learnt within a few looks, and makes no more versions; what changed still does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ronda.demo import DemoClock, DemoServer, DemoWorld, Noise
from ronda.rounds.models import NoiseRule, VisitOutcome
from ronda.rounds.noise_models import NoiseState
from tests.rounds.at_hand import Rounds

# Every kind of noise, alone and together; none of these sites tells of changes in a sitemap.
NOISY = ("cumbres", "northfield", "delta", "lamps", "velo", "diario-cobre", "thane-post", "ceramica")
RULES = {
    Noise.CLOCK: "p.clock",
    Noise.VISITOR_COUNTER: "p.counter",
    Noise.ROTATING_BANNER: "p.banner",
    Noise.SESSION_LINKS: "sid",
}


@pytest.mark.parametrize("name", NOISY)
def test_noise_is_learnt_within_a_few_looks(
    rounds: Rounds, demo: DemoServer, world: DemoWorld, clock: DemoClock, name: str
) -> None:
    site = world.site(name)
    source = rounds.follow(demo.base_url(name), scope="page")
    rounds.visit(source)
    outcomes = []
    for _ in range(6):
        before = clock.now()
        clock.advance(timedelta(hours=20))
        is_changed = any(change.path == "/" for change in world.changes(site, before, clock.now()))
        outcomes.append((is_changed, rounds.visit(source).outcome))
    learnt = " ".join(
        NoiseRule.objects.filter(source=source, state=NoiseState.LEARNT).values_list("where", flat=True)
    )
    for noise in site.noise:
        assert RULES[noise] in learnt, f"{noise} of {name}: {learnt}"
    for is_changed, outcome in outcomes:
        assert outcome == (VisitOutcome.CAPTURED if is_changed else VisitOutcome.UNCHANGED), outcomes


def test_a_change_behind_a_noisy_entry_page_is_found(
    rounds: Rounds, demo: DemoServer, world: DemoWorld, clock: DemoClock
) -> None:
    """The entry page has a counter and no sitemap stands beside it: some other pages are looked at on every visit."""
    site = world.site("cumbres")
    source = rounds.follow(demo.base_url(site.name))
    rounds.visit(source)
    rounds.visit(source)
    since = clock.now()
    while not any(change.path != "/" for change in world.changes(site, since, clock.now())):
        clock.advance(timedelta(hours=1))
    outcomes = [rounds.visit(source).outcome for _ in range(12)]
    assert VisitOutcome.CAPTURED in outcomes
    found = outcomes.index(VisitOutcome.CAPTURED)
    assert set(outcomes[found + 1 :]) <= {VisitOutcome.UNCHANGED}, "once"
    assert source.versions.count() == 2
