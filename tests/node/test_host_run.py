"""A host's list: spaced from the end of each fetch, ended by deadlines, busy or dead hosts, and the owner."""

from __future__ import annotations

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path

import pytest

from ronda_node.allowance import Allowance
from ronda_node.deadline import Deadline
from ronda_node.exchange import Exchanger
from ronda_node.fetcher import Fetched, Fetcher
from ronda_node.host_run import HostReport, HostRun, HostWork, Pace, Stop, retry_after_seconds, run_hosts
from ronda_node.kill_switch import KillSwitch
from ronda_node.limits import Limits
from ronda_node.network import Network
from ronda_node.outcomes import Exchange, Failure, FetchRequest
from ronda_node.policy import ANYWHERE
from ronda_node.reasons import Reason
from ronda_node.resolution import SystemLookup
from ronda_node.resting import Resting
from ronda_node.slots import Slots
from ronda_node.status import Status
from tests.node.origin import Origin, Script, Visitor, answering, exchanging, page, resolution, run, serve

AT_ONCE = Pace(delay_seconds=0.0)


def requests_for(base: str, count: int) -> tuple[FetchRequest, ...]:
    return tuple(FetchRequest(str(number), f"{base}/{number}") for number in range(count))


def work_for(base: str, count: int = 3, *, pace: Pace = AT_ONCE, seconds: float = 20.0, **given) -> HostWork:
    given.setdefault("requests", requests_for(base, count))
    return HostWork(host=base, pace=pace, deadline=Deadline(seconds), **given)


class Seen:
    """Closes what it gets, as the block file does."""

    def __init__(self) -> None:
        self.fetched: list[Fetched] = []

    async def __call__(self, fetched: Fetched) -> None:
        self.fetched.append(fetched)
        fetched.close()


def run_one(
    script: Script, *, limits: Limits | None = None, **given
) -> tuple[HostReport, list[Fetched], Origin]:
    async def scenario() -> tuple[HostReport, list[Fetched], Origin]:
        seen = Seen()
        async with serve(script) as origin, exchanging(limits=limits) as exchanger:
            work = work_for(origin.url(""), **given)
            host_run = HostRun(work, fetcher=Fetcher(exchanger, ANYWHERE), slots=Slots(1), on_fetched=seen)
            return await host_run.run(), seen.fetched, origin

    return run(scenario())


def test_whole_list_in_order() -> None:
    report, fetched, origin = run_one(answering(page()), count=5)
    assert report.stop is Stop.DONE
    assert report.fetched_count == 5
    assert not report.given_back
    assert origin.paths == ["/0", "/1", "/2", "/3", "/4"]
    assert [one.request.id for one in fetched] == ["0", "1", "2", "3", "4"]
    assert len(origin.visitors) == 1


def test_delay_counts_from_the_end_of_a_fetch() -> None:
    asked_at: list[float] = []
    answered_at: list[float] = []

    async def slowly(visitor: Visitor) -> None:
        loop = asyncio.get_running_loop()
        while await visitor.request():
            asked_at.append(loop.time())
            await asyncio.sleep(0.03)
            answered_at.append(loop.time())
            await visitor.send(page())

    run_one(slowly, pace=Pace(delay_seconds=0.05))
    for answered, asked in zip(answered_at, asked_at[1:], strict=False):
        assert asked - answered >= 0.05
    asked_at.clear()
    answered_at.clear()
    run_one(slowly, pace=Pace(delay_seconds=0.01, latency_factor=2.0))
    for answered, asked in zip(answered_at, asked_at[1:], strict=False):
        assert asked - answered >= 0.06


def test_pace() -> None:
    pace = Pace(delay_seconds=1.0, latency_factor=5.0, longest_delay_seconds=10.0)
    assert pace.delay_after(0.1) == 1.0
    assert pace.delay_after(1.0) == 5.0
    assert pace.delay_after(60.0) == 10.0
    # What the host asked for is never cut short.
    assert Pace(delay_seconds=30.0, longest_delay_seconds=10.0).delay_after(0.1) == 30.0


def test_redirects_keep_the_delay() -> None:
    asked_at: list[float] = []

    async def script(visitor: Visitor) -> None:
        while head := await visitor.request():
            asked_at.append(asyncio.get_running_loop().time())
            is_first = head.startswith(b"GET /0 ")
            await visitor.send(page(b"", b"Location: /x", status=b"302 Found") if is_first else page())

    report, fetched, origin = run_one(script, count=2, pace=Pace(delay_seconds=0.05))
    assert origin.paths == ["/0", "/x", "/1"]
    assert report.stop is Stop.DONE
    assert [len(one.exchanges) for one in fetched] == [2, 1]
    assert all(later - earlier >= 0.05 for earlier, later in pairwise(asked_at))


def test_what_nobody_wants_any_more_is_left_out() -> None:
    """Cancelled while it waited for its turn: neither asked for nor waited for."""
    report, fetched, origin = run_one(
        answering(page()), count=4, is_wanted=lambda request: request.id in ("0", "3")
    )
    assert report.stop is Stop.DONE
    assert [one.request.id for one in fetched] == ["0", "3"]
    assert origin.paths == ["/0", "/3"]


def test_refused_urls_cost_no_delay() -> None:
    requests = (
        FetchRequest("0", "gopher://x/"),
        FetchRequest("1", "nonsense"),
        FetchRequest("2", "ftp://y/"),
    )
    report, fetched, _ = run_one(answering(page()), requests=requests, pace=Pace(delay_seconds=60), seconds=5)
    assert report.stop is Stop.DONE
    assert len(fetched) == 3


def test_deadline_gives_back_the_rest() -> None:
    report, fetched, _ = run_one(answering(page()), count=4, pace=Pace(delay_seconds=60), seconds=5)
    assert report.stop is Stop.DEADLINE
    assert len(fetched) == 1
    assert [request.id for request in report.given_back] == ["1", "2", "3"]


def test_fetch_begun_before_the_deadline_may_end_after_it() -> None:
    """The server's guard time is as long as the longest fetch: nobody else asks the host meanwhile."""

    async def slowly(visitor: Visitor) -> None:
        while await visitor.request():
            await asyncio.sleep(0.2)
            await visitor.send(page())

    report, fetched, origin = run_one(slowly, count=3, seconds=0.1, longest_fetch_seconds=10)
    assert report.stop is Stop.DEADLINE
    assert [one.request.id for one in fetched] == ["0"]
    assert origin.paths == ["/0"]


def test_longest_fetch_is_what_the_server_says() -> None:
    async def stuck(visitor: Visitor) -> None:
        await visitor.request()
        await asyncio.Event().wait()

    _, fetched, _ = run_one(stuck, count=1, longest_fetch_seconds=0.1)
    assert isinstance(fetched[0].last, Failure)
    assert fetched[0].last.reason is Reason.TIMEOUT


def test_deadline_moves_with_its_extension() -> None:
    async def scenario() -> HostReport:
        async with serve(answering(page())) as origin, exchanging() as exchanger:
            deadline, begun = Deadline(0.3), []

            def begin(request: FetchRequest) -> None:
                begun.append(request.id)
                deadline.extend(0.3)

            work = HostWork(
                host="a",
                requests=requests_for(origin.url(""), 4),
                pace=Pace(delay_seconds=0.2),
                deadline=deadline,
            )
            report = await HostRun(
                work, fetcher=Fetcher(exchanger, ANYWHERE), slots=Slots(1), on_fetched=Seen(), on_begun=begin
            ).run()
            assert begun == ["0", "1", "2", "3"]
            return report

    assert run(scenario()).stop is Stop.DONE


def test_waits_for_what_others_left() -> None:
    report, fetched, origin = run_one(answering(page()), seconds=5, wait_seconds=60)
    assert report.stop is Stop.DEADLINE
    assert not fetched
    assert not origin.visitors


@pytest.mark.parametrize(
    ("status", "header", "seconds"),
    [(b"429 Too Many", b"120", 120), (b"429 Too Many", b"9" * 400, 86_400), (b"503 Busy", b"0", None)],
)
def test_busy_hosts_are_left_alone(status: bytes, header: bytes, seconds: float | None) -> None:
    answers = answering(page(), page(b"busy", b"Retry-After: " + header, status=status))
    report, fetched, _ = run_one(answers, count=4)
    assert report.stop is Stop.BACK_OFF
    assert report.retry_after_seconds == seconds
    # The answer itself was had, and counts.
    assert len(fetched) == 2
    assert [request.id for request in report.given_back] == ["2", "3"]


def test_retry_after() -> None:
    assert retry_after_seconds(None) is None
    assert retry_after_seconds(b"-5") is None
    assert retry_after_seconds(b"soon") is None
    assert retry_after_seconds(b"9999999999") == 24 * 3600
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < (retry_after_seconds(later.encode()) or 0) <= 90
    assert retry_after_seconds(b"Mon, 01 Jan 2001 00:00:00 GMT") is None


def test_dead_hosts_are_given_up() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{bound.getsockname()[1]}"

        async def scenario() -> tuple[HostReport, int]:
            seen = Seen()
            async with exchanging() as exchanger:
                host_run = HostRun(
                    work_for(base, 6), fetcher=Fetcher(exchanger, ANYWHERE), slots=Slots(1), on_fetched=seen
                )
                return await host_run.run(), len(seen.fetched)

        report, count = run(scenario())
    assert report.stop is Stop.UNREACHABLE
    assert count == 3
    assert len(report.given_back) == 3


def test_names_without_address_are_given_up_at_once() -> None:
    async def nothing(name: str) -> list[str]:
        return []

    async def scenario() -> HostReport:
        async with exchanging(resolution=resolution(lookup=nothing)) as exchanger:
            work = work_for("http://nowhere.example", 6)
            return await HostRun(
                work, fetcher=Fetcher(exchanger, ANYWHERE), slots=Slots(1), on_fetched=Seen()
            ).run()

    report = run(scenario())
    assert report.stop is Stop.UNREACHABLE
    assert len(report.given_back) == 5


class Crowd:
    """Counts, for many hosts on one server, how many are asked at the same moment."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.by_host: dict[bytes, int] = {}

    async def __call__(self, visitor: Visitor) -> None:
        while head := await visitor.request():
            host = head.split(b"Host: ")[1].split(b"\r")[0]
            self.by_host[host] = self.by_host.get(host, 0) + 1
            assert self.by_host[host] == 1, "two at once on one host"
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.005)
            self.now -= 1
            self.by_host[host] -= 1
            await visitor.send(page())


def test_hosts_share_slots() -> None:
    crowd = Crowd()

    async def scenario() -> list[HostReport]:
        async with serve(crowd) as origin, exchanging() as exchanger:
            works = [work_for(origin.url("", f"h{number}.example"), 3) for number in range(12)]
            return await run_hosts(
                works, fetcher=Fetcher(exchanger, ANYWHERE), slots=Slots(4), on_fetched=Seen()
            )

    reports = run(scenario())
    assert [report.stop for report in reports] == [Stop.DONE] * 12
    assert crowd.most == 4


def test_waiting_hosts_hold_no_slot() -> None:
    """Ten hosts with a long delay each, and one slot: all get their first page at once."""

    async def scenario() -> tuple[list[HostReport], int]:
        slots, seen = Slots(1), Seen()
        async with serve(answering(page())) as origin, exchanging() as exchanger:
            works = [
                work_for(origin.url("", f"h{number}.example"), 2, pace=Pace(delay_seconds=600), seconds=1200)
                for number in range(10)
            ]
            running = asyncio.create_task(
                run_hosts(works, fetcher=Fetcher(exchanger, ANYWHERE), slots=slots, on_fetched=seen)
            )
            while len(seen.fetched) < 10:
                await asyncio.sleep(0.001)
            assert slots.taken == 0
            slots.close("enough")
            return await running, len(seen.fetched)

    reports, count = run(scenario())
    assert count == 10
    assert all(report.stop is Stop.STOPPED and len(report.given_back) == 1 for report in reports)


def test_kill_switch(tmp_path: Path) -> None:
    """Pulled while one host answers slowly, one waits for its delay and one for a slot: all is given back."""
    switch = KillSwitch(tmp_path / "home" / "stop")

    async def scenario() -> tuple[list[HostReport], list[Fetched]]:
        asked = asyncio.Event()

        async def script(visitor: Visitor) -> None:
            while head := await visitor.request():
                if b"Host: stuck" in head:
                    asked.set()
                    await asyncio.Event().wait()
                await visitor.send(page())

        slots, seen = Slots(1), Seen()
        async with serve(script) as origin, exchanging() as exchanger:
            works = [
                work_for(origin.url("", "waits.example"), 2, pace=Pace(delay_seconds=15)),
                work_for(origin.url("", "stuck.example"), 2),
                work_for(origin.url("", "queued.example"), 2),
            ]
            status = Status()
            resting = Resting(
                switch=switch,
                allowance=Allowance(tmp_path / "usage.json"),
                slots=slots,
                exchanger=exchanger,
                status=status,
                network=Network(SystemLookup(ANYWHERE)),
                look_seconds=0.005,
            )
            watching = asyncio.create_task(resting.watch())
            running = asyncio.create_task(
                run_hosts(works, fetcher=Fetcher(exchanger, ANYWHERE), slots=slots, on_fetched=seen)
            )
            await asked.wait()
            switch.pull()
            with resting.at_work():
                reports = await running
                switch.release()
                await asyncio.sleep(0.02)
                assert slots.closed_because, "not before all has ended"
            await resting.until_awake()
            assert not status.resting_because
            watching.cancel()
            again = work_for(origin.url("", "waits.example"), 1)
            [report] = await run_hosts(
                [again], fetcher=Fetcher(exchanger, ANYWHERE), slots=slots, on_fetched=Seen()
            )
            assert report.stop is Stop.DONE
            return reports, seen.fetched

    reports, fetched = run(scenario())
    assert [report.stop for report in reports] == [Stop.STOPPED] * 3
    assert [len(report.given_back) for report in reports] == [1, 2, 2]
    assert len(fetched) == 1
    assert isinstance(fetched[0].last, Exchange)


def test_cancelling_leaves_nothing_behind() -> None:
    async def scenario() -> tuple[int, bool]:
        asked = asyncio.Event()

        async def stuck(visitor: Visitor) -> None:
            await visitor.request()
            asked.set()
            await asyncio.Event().wait()

        slots = Slots(2)
        async with serve(stuck) as origin, exchanging() as exchanger:
            running = asyncio.create_task(_run_two(origin, exchanger, slots))
            await asked.wait()
            running.cancel()
            await asyncio.wait([running])
            return slots.taken, running.cancelled()

    assert run(scenario()) == (0, True)


async def _run_two(origin: Origin, exchanger: Exchanger, slots: Slots) -> None:
    works = [work_for(origin.url("", host)) for host in ("a.example", "b.example")]
    await run_hosts(works, fetcher=Fetcher(exchanger, ANYWHERE), slots=slots, on_fetched=Seen())
