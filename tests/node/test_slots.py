"""Slots: first come first served, of changing number, and found by climbing."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda_node.bandwidth import Bandwidth
from ronda_node.climbing import Climber, climb
from ronda_node.slots import Slots, SlotsClosed
from tests.node.origin import run


def test_first_come_first_served() -> None:
    async def scenario() -> list[int]:
        slots, order = Slots(1), []

        async def work(number: int) -> None:
            async with slots.slot():
                await asyncio.sleep(0)
                order.append(number)

        await asyncio.gather(*(work(number) for number in range(5)))
        assert slots.taken == 0
        return order

    assert run(scenario()) == [0, 1, 2, 3, 4]


def test_hosts_that_were_begun_go_first() -> None:
    async def scenario() -> list[str]:
        slots, order = Slots(1), []

        async def work(name: str, *, is_returning: bool) -> None:
            await slots.take(is_returning=is_returning)
            order.append(name)
            slots.give_back()

        await slots.take()
        working = [
            asyncio.create_task(work(name, is_returning=name.startswith("old")))
            for name in ("new 1", "old 1", "new 2", "old 2")
        ]
        await asyncio.sleep(0)
        slots.give_back()
        await asyncio.gather(*working)
        return order

    assert run(scenario()) == ["old 1", "old 2", "new 1", "new 2"]


def test_resizing_while_in_use() -> None:
    async def scenario() -> None:
        slots = Slots(1)
        await slots.take()
        waiting = [asyncio.create_task(slots.take()) for _ in range(3)]
        await asyncio.sleep(0)
        assert slots.has_been_full
        slots.resize(3)
        await asyncio.sleep(0)
        assert [task.done() for task in waiting] == [True, True, False]
        slots.resize(1)
        slots.give_back()
        slots.give_back()
        await asyncio.sleep(0)
        assert not waiting[2].done()
        slots.give_back()
        await waiting[2]
        assert slots.taken == 1

    run(scenario())


def test_cancelled_waiters_take_nothing_along() -> None:
    async def scenario() -> None:
        slots = Slots(1)
        await slots.take()
        first, second = asyncio.create_task(slots.take()), asyncio.create_task(slots.take())
        await asyncio.sleep(0)
        slots.give_back()
        # Handed its turn and cancelled in the same moment: the turn goes on to the next.
        first.cancel()
        await second
        assert first.cancelled()
        assert slots.taken == 1

    run(scenario())


def test_closing() -> None:
    async def scenario() -> None:
        slots = Slots(1)
        await slots.take()
        waiting, resting = asyncio.create_task(slots.take()), asyncio.create_task(slots.rest(60))
        await asyncio.sleep(0)
        slots.close("the owner said so")
        for task in (waiting, resting):
            with pytest.raises(SlotsClosed, match="owner"):
                await task
        with pytest.raises(SlotsClosed):
            await slots.take()
        slots.open()
        slots.give_back()
        await slots.take()

    run(scenario())


def climbed(rate_of, rounds: int = 400, **given: int) -> list[int]:  # type: ignore[no-untyped-def]
    climber = Climber(**given)
    return [climber.observe(rate_of(climber.size), was_full=True) for _ in range(rounds)]


def test_more_is_asked_for_when_hardly_anybody_waits() -> None:
    """As many may wait as there are slots: enough to go on with while the next block is on its way, and no more."""

    async def scenario() -> None:
        slots = Slots(2)
        working = [asyncio.create_task(slots.take()) for _ in range(5)]
        await asyncio.sleep(0)
        asking = asyncio.create_task(slots.wait_for_room())
        await asyncio.sleep(0)
        assert not asking.done(), "two are at work, and three wait"
        slots.give_back()
        await asking
        await slots.wait_for_room()
        slots.give_back()
        slots.give_back()
        await asyncio.gather(*working)

    run(scenario())


def test_climbs_to_where_it_stops_helping() -> None:
    sizes = climbed(lambda size: min(size, 60))
    assert 40 <= sorted(sizes[20:])[len(sizes[20:]) // 2] <= 90


def test_comes_down_when_more_is_worse() -> None:
    sizes = climbed(lambda size: size if size < 20 else max(1.0, 40.0 - size), size=38)
    assert 10 <= sorted(sizes[100:])[150] <= 27


def test_stays_where_slots_are_not_the_limit() -> None:
    climber = Climber(size=8)
    assert [climber.observe(5.0, was_full=False) for _ in range(10)] == [8] * 10


@given(st.lists(st.tuples(st.floats(0, 1e6), st.booleans()), max_size=200), st.integers(1, 64))
def test_never_leaves_its_bounds(observed: list[tuple[float, bool]], size: int) -> None:
    climber = Climber(size=size, least=1, most=64)
    for rate, was_full in observed:
        assert 1 <= climber.observe(rate, was_full=was_full) <= 64


def test_climbing_moves_the_slots() -> None:
    async def scenario() -> int:
        slots, count = Slots(1), 0
        climbing = asyncio.create_task(climb(slots, Climber(size=2), lambda: count, round_seconds=0.005))
        while slots.size < 10:
            count += slots.size * 10
            slots.has_been_full = True
            await asyncio.sleep(0.001)
        climbing.cancel()
        await asyncio.wait([climbing])
        return slots.size

    assert run(scenario()) >= 10


def test_bandwidth() -> None:
    now = [0.0]
    bandwidth = Bandwidth(1000, burst_seconds=1.0, clock=lambda: now[0])
    assert bandwidth.take(1000) == 0
    assert bandwidth.take(500) == 0.5
    now[0] = 0.5
    assert bandwidth.take(0) == 0
    now[0] = 100.0
    assert bandwidth.take(3000) == 2.0
    assert bandwidth.total_bytes == 4500
    assert Bandwidth().take(10**9) == 0
