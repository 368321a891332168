"""Hosts of one address that nobody knows yet: a node does not ask all of them for their robots.txt at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from ronda_node.address_gate import AddressGate
from ronda_node.deadline import Deadline
from ronda_node.dialling import dial
from ronda_node.fetcher import Fetcher
from ronda_node.host_run import HostWork, Pace, Stop, run_hosts
from ronda_node.outcomes import FetchRequest
from ronda_node.policy import ANYWHERE
from ronda_node.slots import Slots
from tests.node.origin import Visitor, exchanging, page, resolution, run, serve
from tests.node.test_host_run import Seen


class Crowd:
    """An origin that keeps count of how many ask it at the same moment."""

    def __init__(self) -> None:
        self.now = self.most = self.asked = 0

    async def __call__(self, visitor: Visitor) -> None:
        while await visitor.request():
            self.now += 1
            self.asked += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.01)
            self.now -= 1
            await visitor.send(page())


async def _dial_the_first(make, address, port, tls, name):
    """One machine has all of these addresses."""
    return await dial(make, "127.0.0.1", port, tls, name)


def asked_at_once(
    *, most: int, path: str = "/robots.txt", addresses: Sequence[str] = ("127.0.0.1",)
) -> Crowd:
    """20 hosts by name, of which the n-th has the n-th of these addresses, and so on again; 8 slots."""
    crowd = Crowd()

    async def look_up(name: str) -> list[str]:
        return [addresses[int(name[1:].partition(".")[0]) % len(addresses)]]

    async def scenario() -> None:
        async with (
            serve(crowd) as origin,
            exchanging(resolution=resolution(lookup=look_up), dial=_dial_the_first) as exchanger,
        ):
            fetcher = Fetcher(exchanger, ANYWHERE)
            gate = AddressGate(fetcher)
            works = [
                HostWork(
                    host=f"h{number}.example",
                    requests=(FetchRequest(str(number), f"http://h{number}.example:{origin.port}{path}"),),
                    pace=Pace(delay_seconds=0.0),
                    deadline=Deadline(20.0),
                    place_for=lambda request: gate.place(request, most),
                )
                for number in range(20)
            ]
            reports = await run_hosts(works, fetcher=fetcher, slots=Slots(8), on_fetched=Seen())
            assert {report.stop for report in reports} == {Stop.DONE}

    run(scenario())
    assert crowd.asked == 20
    return crowd


@pytest.mark.parametrize("most", [1, 2, 3])
def test_new_hosts_of_one_address_wait_for_each_other(most: int) -> None:
    assert asked_at_once(most=most).most == most


def test_hosts_of_several_addresses_do_not() -> None:
    assert asked_at_once(most=1, addresses=[f"127.0.0.{n}" for n in range(1, 6)]).most == 5


def test_what_the_server_gates_itself_does_not_wait_here() -> None:
    assert asked_at_once(most=1, path="/page").most == 8


def test_servers_of_older_releases_say_nothing_of_it() -> None:
    assert asked_at_once(most=0).most == 8


def test_a_name_that_leads_nowhere_keeps_nobody_waiting() -> None:
    async def look_up(name: str) -> list[str]:
        raise OSError("no such name")

    async def scenario() -> None:
        async with exchanging(resolution=resolution(lookup=look_up)) as exchanger:
            gate = AddressGate(Fetcher(exchanger, ANYWHERE))
            request = FetchRequest("1", "http://gone.example/robots.txt")
            async with gate.place(request, 1), gate.place(request, 1):
                pass

    run(scenario())


def test_who_is_cancelled_while_it_waits_lets_the_next_one_in() -> None:
    async def scenario() -> None:
        async with exchanging() as exchanger:
            gate = AddressGate(Fetcher(exchanger, ANYWHERE))
            request = FetchRequest("1", "http://127.0.0.1/robots.txt")
            entered: list[int] = []

            async def enter(number: int) -> None:
                async with gate.place(request, 1):
                    entered.append(number)

            async with gate.place(request, 1):
                waiting = [asyncio.create_task(enter(number)) for number in range(3)]
                while sum(map(len, gate._waiting.values())) < 3:
                    await asyncio.sleep(0)
            # Called, and cancelled before it came.
            waiting[0].cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            assert entered == [1, 2]
            assert not gate._taken, "nothing is kept of an address that nobody asks"

    run(scenario())
