"""A machine without a network says so of itself, and nothing of the hosts it could not reach."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from ronda_node import network
from ronda_node.allowance import Allowance
from ronda_node.clock import utc_now
from ronda_node.fetcher import Fetched, Fetcher
from ronda_node.held_block import HeldBlock, left_behind
from ronda_node.kill_switch import KillSwitch
from ronda_node.network import NO_NETWORK, Network
from ronda_node.outcomes import Failure, FetchRequest
from ronda_node.policy import ANYWHERE
from ronda_node.reasons import Reason
from ronda_node.resting import Resting
from ronda_node.slots import Slots
from ronda_node.status import Status
from tests.node.origin import answering, exchanging, page, run, serve
from tests.node.test_held_block import SERVER, held


def unreached(host: str, reason: Reason = Reason.DNS) -> Fetched:
    url = f"http://{host}/"
    return Fetched(
        FetchRequest("1", url), (Failure(url=url, reason=reason, detail="", started_at=utc_now()),)
    )


class Names:
    """A name server that can be cut off."""

    is_there = True

    async def __call__(self, name: str) -> Sequence[str]:
        if not self.is_there:
            raise OSError("no name server")
        return ["192.0.2.7"]


async def blamed(found: Network, *hosts: str) -> list[bool]:
    return [await found.is_to_blame(unreached(host)) for host in hosts]


def test_host_after_host_fails_and_there_is_no_way_into_the_world() -> None:
    async def scenario() -> None:
        found = Network(Names(), has_route=lambda: False)
        assert await blamed(found, "a.example", "a.example", "b.example") == [False] * 3, "it may be theirs"
        assert await blamed(found, "c.example", "d.example") == [True, True]

    run(scenario())


def test_dead_hosts_are_told_as_dead_where_there_is_a_network() -> None:
    async def scenario() -> None:
        found = Network(Names(), has_route=lambda: True)
        assert not any(await blamed(found, *(f"h{n}.example" for n in range(50))))
        refused = [unreached(f"h{n}.example", Reason.REFUSED_ADDRESS) for n in range(9)]
        offline = Network(Names(), has_route=lambda: False)
        assert not any([await offline.is_to_blame(one) for one in refused])

    run(scenario())


def test_names_that_led_somewhere_lead_nowhere_until_it_is_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(network, "LOOK_AGAIN_SECONDS", 0.01)

    async def scenario() -> None:
        names = Names()
        found = Network(names, has_route=lambda: True)
        async with serve(answering(page())) as origin, exchanging() as exchanger:
            answered = await Fetcher(exchanger, ANYWHERE).fetch(
                FetchRequest("1", origin.url("/", "good.example"))
            )
            assert not await found.is_to_blame(answered)
            answered.close()
            names.is_there = False
            assert (await blamed(found, "a.example", "b.example", "c.example"))[-1]
            slots, status = Slots(1), Status()
            resting = Resting(
                switch=KillSwitch(tmp_path / "stop"),
                allowance=Allowance(tmp_path / "usage.json"),
                slots=slots,
                exchanger=exchanger,
                status=status,
                network=found,
                look_seconds=0.005,
            )
            resting.look()
            assert (status.resting_because, slots.closed_because) == (NO_NETWORK, NO_NETWORK)
            watching = [asyncio.create_task(doing) for doing in (found.watch(), resting.watch())]
            names.is_there = True
            await resting.until_awake()
            for task in watching:
                task.cancel()
            assert not status.resting_because

    run(scenario())


def test_what_it_could_not_ask_is_given_back_as_never_begun(tmp_path: Path) -> None:
    request = FetchRequest("0", "http://a.example/0")
    block: HeldBlock
    with held(tmp_path) as block:
        block.begin(request)
        block.give_back(request)
        assert (block.pending, block.interrupted) == (2, [])
    [delivery] = left_behind(tmp_path, server=SERVER)
    assert delivery.interrupted == []
