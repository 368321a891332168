"""Thousands of grids with liars among them, by the server's own rules: liars are caught, the honest never are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ronda.trust.rules import Score, State, state_of
from tests.trust.simulator import (
    DYING,
    HONEST,
    INTERRUPTED,
    LIAR,
    ON_DYNAMIC_PAGES,
    SLOW,
    Habits,
    Kind,
    Lie,
    Machine,
    Simulation,
)

Record = Callable[[str, object], None]
SKIPPING = replace(LIAR, skips_probes=True)
HONEST_TO_PROBES = replace(LIAR, is_honest_to_probes=True)


def crowd(*others: Habits) -> list[Machine]:
    """Honest people of two countries, and some others among them."""
    habits = [HONEST, HONEST, SLOW, DYING, ON_DYNAMIC_PAGES, INTERRUPTED, HONEST, HONEST, *others]
    return [
        Machine(owner=number, country=("CL", "DE")[number % 2], habits=habit)
        for number, habit in enumerate(habits)
    ]


def run(machines: list[Machine], seed: int, urls: int, has_probes: bool = True) -> list[Machine]:
    Simulation(machines, seed=seed, has_probes=has_probes).run(urls)
    return machines


def share(flags: list[bool]) -> float:
    return sum(flags) / len(flags)


def test_no_honest_node_is_quarantined_in_1000_runs(record_property: Record) -> None:
    together = Habits(lie_share=1.0, lies_together="the same lie")
    caught_within_60, trusted = [], []
    for seed in range(1000):
        machines = run(crowd(LIAR, together, together, SKIPPING), seed, 120)
        for machine in machines:
            if machine.is_honest:
                assert not machine.score.caught_by, f"run {seed}: {machine}"
                trusted.append(state_of(machine.score) is State.TRUSTED)
            else:
                caught_within_60.append(machine.caught_after is not None and machine.caught_after <= 60)
    record_property("liars caught within 60 of their URLs", share(caught_within_60))
    record_property("honest nodes trusted after 120 URLs", share(trusted))
    assert share(caught_within_60) >= 0.95
    assert share(trusted) > 0.8


def test_without_probes_votes_alone_catch_liars_and_nobody_else(record_property: Record) -> None:
    """The operator gave no canary address: second copies are all there is."""
    caught = []
    for seed in range(150):
        people = [*crowd(), *(Machine(100 + n, "CL", HONEST) for n in range(3)), Machine(200, "CL", LIAR)]
        machines = run(people, seed, 300, has_probes=False)
        assert not any(m.score.caught_by for m in machines if m.is_honest), f"run {seed}"
        caught.append(bool(machines[-1].score.caught_by))
    record_property("liars caught by votes alone", share(caught))
    assert share(caught) >= 0.9


@pytest.mark.parametrize("country", ["CL", "TV", ""])
@pytest.mark.parametrize("others", [0, 1, 3])
@pytest.mark.parametrize("registers_again", [False, True])
def test_liars_who_leave_the_probes_out(
    record_property: Record, country: str, others: int, registers_again: bool
) -> None:
    """With whom they could be compared or without, and also if they come again and again under the same name."""
    habits = replace(SKIPPING, registers_again=registers_again)
    lies = []
    for seed in range(100):
        honest = [Machine(n, "CL", HONEST, WELL_KNOWN) for n in range(others)]
        liar = Machine(9, country, habits)
        simulation = Simulation([*honest, liar], seed=seed)
        simulation.run(4000, until_caught=liar)
        caught = [machine for machine in simulation.machines if machine.score.caught_by]
        assert [machine.owner for machine in caught] == [9], f"run {seed}"
        lies.append(sum(machine.answered for machine in simulation.machines if machine.owner == 9))
    record_property("URLs until caught, at most", max(lies))
    assert share([number <= 60 for number in lies]) >= 0.95


@pytest.mark.parametrize("country", ["CL", "TV", ""])
def test_liars_who_deny_the_probes_are_caught_by_two(record_property: Record, country: str) -> None:
    """Two cannot be believed against one that passes its probes; against one that never does, they are."""
    urls = []
    for seed in range(100):
        honest = [Machine(n, "CL", HONEST, WELL_KNOWN) for n in range(2)]
        liar = Machine(9, country, replace(LIAR, denies_probes=True))
        walled = Machine(8, country, replace(HONEST, denies_probes=True))
        Simulation([*honest, liar, walled], seed=seed).run(4000, until_caught=liar)
        assert not any(machine.score.caught_by for machine in (*honest, walled)), f"run {seed}"
        assert liar.caught_after is not None, f"run {seed}"
        urls.append(liar.caught_after)
    record_property("URLs until caught, at most", max(urls))
    assert share([number <= 60 for number in urls]) >= 0.95


def test_interrupted_nodes_of_one_person_are_never_caught(record_property: Record) -> None:
    """Twenty short-lived machines of one person, each stopped in the middle of something every other time."""
    worst = []
    for seed in range(50):
        habits = replace(INTERRUPTED, is_interrupted=0.5, dies_in_block=0.1)
        machines = run([Machine(1, "CL", HONEST), *(Machine(2, "CL", habits) for _ in range(20))], seed, 200)
        assert not any(machine.score.caught_by for machine in machines), f"run {seed}"
        worst.append(min(machine.score.luck for machine in machines))
    record_property("the worst luck of all", min(worst))


WELL_KNOWN = Score(replicated=50, checked=50, passed=50, consecutive_valid=50, agreed=50)
LIARS = {
    "alone in its country": ("TV", LIAR),
    "of no known country": ("", LIAR),
    "cuts every answer off": ("CL", Habits(lie_share=1.0, lie=Lie.CUT)),
    "injects scripts": ("CL", Habits(lie_share=1.0, lie=Lie.INJECTED)),
    "claims failures": ("CL", Habits(lie_share=1.0, lie=Lie.FAILURE)),
    "claims failures alone in its country": ("TV", Habits(lie_share=1.0, lie=Lie.FAILURE)),
    "honest to probes": ("CL", HONEST_TO_PROBES),
    "honest to probes alone in its country": ("TV", HONEST_TO_PROBES),
    "honest to probes and of no known country": ("", HONEST_TO_PROBES),
    "injects scripts and is honest to probes": ("CL", replace(HONEST_TO_PROBES, lie=Lie.INJECTED)),
    "claims failures and is honest to probes": ("TV", replace(HONEST_TO_PROBES, lie=Lie.FAILURE)),
}


@pytest.mark.parametrize("has_probes", [True, False])
@pytest.mark.parametrize("name", LIARS)
def test_ways_to_lie(record_property: Record, name: str, has_probes: bool) -> None:
    """Three honest people of Chile who are trusted, and a newcomer who always lies."""
    country, habits = LIARS[name]
    within_60 = []
    for seed in range(100):
        honest = [Machine(n, "CL", HONEST, WELL_KNOWN) for n in range(3)]
        liar = Machine(9, country, habits)
        Simulation([*honest, liar], seed=seed, has_probes=has_probes).run(4000, until_caught=liar)
        assert not any(machine.score.caught_by for machine in honest), f"run {seed}"
        within_60.append(liar.caught_after is not None and liar.caught_after <= 60)
    record_property("caught within 60 of its URLs", share(within_60))
    assert share(within_60) >= 0.95


@pytest.mark.parametrize("country", ["CL", "TV", ""])
def test_liars_honest_to_probes_where_everybody_is_new(record_property: Record, country: str) -> None:
    """Nobody is trusted yet: the honest come to be by each other's answers, and then they outvote it."""
    within_60 = []
    for seed in range(30):
        liar = Machine(50, country, HONEST_TO_PROBES)
        machines = [*crowd(), liar]
        Simulation(machines, seed=seed).run(1000, until_caught=liar)
        assert not any(machine.score.caught_by for machine in machines if machine.is_honest), f"run {seed}"
        within_60.append(liar.caught_after is not None and liar.caught_after <= 60)
    record_property("caught within 60 of its URLs", share(within_60))
    assert share(within_60) >= 0.95


@pytest.mark.parametrize("country", ["TV", ""])
def test_honest_node_alone_in_its_country_is_never_caught(record_property: Record, country: str) -> None:
    """Though one page in ten looks otherwise there, or one in three; and though it may not reach the canary."""
    trusted = []
    many = Habits(kinds=(Kind.STAYING,) * 6 + (Kind.BY_COUNTRY,) * 3 + (Kind.NEW_FOR_EVERYBODY,))
    for seed in range(1000):
        has_probes = seed % 4 > 1
        habits = replace(many if seed % 2 else HONEST, denies_probes=has_probes)
        alone = Machine(9, country, habits)
        people = [*(Machine(n, "CL", HONEST, WELL_KNOWN) for n in range(3)), alone]
        run(people, seed, 300, has_probes=has_probes)
        assert not any(machine.score.caught_by for machine in people), f"run {seed}"
        trusted += [] if has_probes else [state_of(alone.score) is State.TRUSTED]
    record_property("trusted after 300 URLs", share(trusted))


def test_two_who_lie_together_cannot_have_an_honest_node_caught() -> None:
    """Both trusted, as they lied to nobody but about this one's pages; without probes to betray them."""
    together = Habits(lie_share=0.5, lies_together="the same lie")
    for seed in range(150):
        machines = run(
            [Machine(1, "CL", HONEST), Machine(2, "CL", together), Machine(3, "CL", together)],
            seed, 300, has_probes=False,
        )  # fmt: skip
        assert not machines[0].score.caught_by


def test_checking_stays_cheap(record_property: Record) -> None:
    costs = []
    for seed in range(12):
        for machine in run(crowd(HONEST), seed, 4000):
            assert not machine.score.caught_by
            if machine.habits in (HONEST, ON_DYNAMIC_PAGES):
                costs.append((machine.habits is HONEST, machine.cost_after(1000)))
    honest = [cost for is_ordinary, cost in costs if is_ordinary]
    dynamic = [cost for is_ordinary, cost in costs if not is_ordinary]
    record_property("cost of checking after 1,000 URLs", sum(honest) / len(honest))
    record_property("the same on dynamic pages", sum(dynamic) / len(dynamic))
    assert sum(honest) / len(honest) <= 0.06
    assert sum(dynamic) / len(dynamic) <= 0.06


@pytest.mark.parametrize(("lie_share", "lies_from"), [(0.1, 0), (0.1, 1000), (0.5, 0), (1.0, 1000)])
def test_what_a_sometimes_liar_costs(record_property: Record, lie_share: float, lies_from: int) -> None:
    """Caught as well, later; what it told until then is the price."""
    urls, lies = [], []
    for seed in range(40):
        machines = crowd(Habits(lie_share=lie_share, lies_from=lies_from))
        liar = machines[-1]
        Simulation(machines, seed=seed).run(8000, until_caught=liar)
        assert liar.caught_after is not None, f"run {seed}"
        urls.append(liar.caught_after - lies_from)
        lies.append(liar.lies_told)
    urls.sort()
    record_property("URLs until caught, median and 95 %", (urls[len(urls) // 2], urls[int(len(urls) * 0.95)]))
    record_property("lies told until then, on average", sum(lies) / len(lies))
    assert urls[len(urls) // 2] < 1500
