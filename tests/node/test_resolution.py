"""Names are asked for once, all answers are vetted, and the memory of them is short and bounded."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

from ronda_node.policy import ANYWHERE, PUBLIC_WEB
from ronda_node.reasons import Reason
from ronda_node.resolution import Resolved, SystemLookup
from tests.node.origin import resolution, run


class Names:
    def __init__(self, *answers: Sequence[str] | OSError) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, OSError):
            raise answer
        return answer


def test_one_inward_answer_spoils_all() -> None:
    for answers in (["8.8.8.8", "10.0.0.1"], ["10.0.0.1", "8.8.8.8"], ["8.8.8.8", "::ffff:127.0.0.1"]):
        found = run(resolution(PUBLIC_WEB, lookup=Names(answers)).resolve("a.example", within_seconds=1))
        assert found.reason is Reason.REFUSED_ADDRESS
        assert not found.addresses


def test_answers_in_order_without_repeats() -> None:
    names = Names(["8.8.8.8", "2606:4700::1111", "8.8.8.8"])
    found = run(resolution(PUBLIC_WEB, lookup=names).resolve("a.example", within_seconds=1))
    assert found == Resolved(("8.8.8.8", "2606:4700::1111"))


def test_no_address_and_no_name() -> None:
    for answer in ([], socket.gaierror(socket.EAI_NONAME, "Name or service not known")):
        found = run(resolution(lookup=Names(answer)).resolve("a.example", within_seconds=1))
        assert found.reason is Reason.DNS


def test_slow_name_server() -> None:
    async def never(name: str) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    found = run(resolution(lookup=never).resolve("a.example", within_seconds=0.02))
    assert found.reason is Reason.DNS


def test_remembers_for_a_while() -> None:
    times = iter((0.0, 59.0, 61.0, 64.0, 70.0))
    names = Names(["8.8.8.8"], ["10.0.0.1"], ["8.8.4.4"])
    memory = resolution(PUBLIC_WEB, lookup=names, keep_seconds=60, clock=lambda: next(times))

    async def scenario() -> list[Resolved]:
        return [await memory.resolve("a.example", within_seconds=1) for _ in range(5)]

    found = run(scenario())
    assert [resolved.addresses for resolved in found] == [("8.8.8.8",), ("8.8.8.8",), (), (), ("8.8.4.4",)]
    assert len(names.asked) == 3


def test_memory_is_bounded() -> None:
    names = Names(["8.8.8.8"])
    memory = resolution(PUBLIC_WEB, lookup=names, most_names=2)

    async def scenario() -> None:
        for name in ("a.example", "b.example", "c.example", "c.example", "b.example", "a.example"):
            await memory.resolve(name, within_seconds=1)

    run(scenario())
    assert names.asked == ["a.example", "b.example", "c.example", "a.example"]


def test_addresses_need_no_name_server() -> None:
    names = Names(OSError("not to be asked"))
    found = run(resolution(lookup=names).resolve("127.0.0.1", within_seconds=1))
    assert found.addresses == ("127.0.0.1",)
    assert not names.asked
    found = run(resolution(PUBLIC_WEB, lookup=names).resolve("127.0.0.1", within_seconds=1))
    assert found.reason is Reason.REFUSED_ADDRESS


def test_the_machines_own_resolver() -> None:
    lookup = SystemLookup(ANYWHERE)
    try:
        assert set(run(lookup("localhost"))) <= {"127.0.0.1", "::1"}
    finally:
        lookup.close()
