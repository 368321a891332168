"""A grid without sockets or time: honest, slow, dying, lying and colluding nodes on pages that stay, change, differ
by country or are new for everybody. What decides about the nodes are the server's own rules."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ronda.trust import rules, voting
from ronda.trust.rules import Mark, ProbeResult, Score, State
from ronda.trust.voting import Copy, Likeness

BLOCK_URLS = 100
HOSTS = 60
PAGES_PER_HOST = 50
ERROR_RATE = 0.03
WAIT_SECONDS = 5.0
# A page that changes does so about once in this long: of two copies minutes apart, a few in a hundred differ.
CHANGES_EVERY_SECONDS = 3600.0


class Kind(StrEnum):
    STAYING = "staying"
    CHANGING = "changing"
    BY_COUNTRY = "by country"
    NEW_FOR_EVERYBODY = "new for everybody"


class Lie(StrEnum):
    """How a liar lies."""

    MADE_UP = "made up"
    # With its beginning, and then nothing more.
    CUT = "cut off"
    # Reads the same, and runs somebody else's script.
    INJECTED = "injected"
    # Says that there is nothing to be had.
    FAILURE = "failure"


# What a probe answered like this proves.
PROBED = {
    Lie.MADE_UP: ProbeResult.FAILED,
    Lie.CUT: ProbeResult.UNREACHED,
    Lie.INJECTED: ProbeResult.FAILED,
    Lie.FAILURE: ProbeResult.UNREACHED,
}

MIX = (Kind.STAYING,) * 11 + (Kind.CHANGING,) * 4 + (Kind.BY_COUNTRY,) * 2 + (Kind.NEW_FOR_EVERYBODY,) * 3


@dataclass(frozen=True)
class Habits:
    """How a machine and its owner behave. `lies_together`: all with the same word tell the same lie."""

    seconds_per_url: float = 0.2
    lie_share: float = 0.0
    lies_from: int = 0
    lies_together: str = ""
    lie: Lie = Lie.MADE_UP
    dies_in_block: float = 0.0
    # How many uploads lack a part, of any size, that chance has put last.
    is_interrupted: float = 0.0
    # Knows the canary, and does not bring what stands there.
    skips_probes: bool = False
    # Says of the canary that it cannot be reached.
    denies_probes: bool = False
    # Knows the canary, and is honest there and nowhere else.
    is_honest_to_probes: bool = False
    # Takes a new machine whenever the one it has is given less than at first.
    registers_again: bool = False
    kinds: tuple[Kind, ...] = MIX


HONEST = Habits()
ON_DYNAMIC_PAGES = Habits(kinds=(Kind.NEW_FOR_EVERYBODY,) * 6 + (Kind.CHANGING,) * 3 + (Kind.BY_COUNTRY,))
SLOW = Habits(seconds_per_url=8.0)
DYING = Habits(dies_in_block=0.05)
INTERRUPTED = Habits(is_interrupted=0.3)
LIAR = Habits(lie_share=1.0)


@dataclass
class Machine:
    owner: int
    country: str
    habits: Habits
    score: Score = field(default_factory=Score)
    answered: int = 0
    checking_cost: int = 0
    # After each block: how many answers so far, and what checking them cost.
    history: list[tuple[int, int]] = field(default_factory=list)
    caught_after: int | None = None
    lies_told: int = 0
    undecided: int = 0
    is_over: bool = False

    @property
    def is_honest(self) -> bool:
        return self.habits.lie_share == 0

    def cost_after(self, urls: int) -> float:
        """Fetches made to check this machine, per URL it answered beyond its first `urls`."""
        start = next(point for point in self.history if point[0] >= urls)
        return (self.checking_cost - start[1]) / (self.answered - start[0])


@dataclass
class Task:
    """A URL to fetch: a client's, or a further copy of one."""

    host: int
    page: int
    kind: Kind
    copies: list[Brought] = field(default_factory=list)
    spared: int | None = None


@dataclass(frozen=True)
class Brought:
    machine: Machine
    content: str


class Simulation:
    def __init__(self, machines: Iterable[Machine], *, seed: int, has_probes: bool = True) -> None:
        self.chance = random.Random(seed)
        self.machines = list(machines)
        self.has_probes = has_probes
        self.waiting: list[Task] = []
        self.people = {machine.owner for machine in self.machines}
        self._serial = itertools.count()
        self._events: list[tuple[float, int, Iterator[float]]] = []

    def run(self, urls_each: int, until_caught: Machine | None = None) -> None:
        """Until every machine has brought so many answers, died, or been caught; or that one has."""
        for machine in self.machines:
            self._at(self.chance.uniform(0, 5), self._live(machine, urls_each))
        while self._events and not (until_caught and self._is_suspended(until_caught)):
            self.now, _, life = heapq.heappop(self._events)
            pause = next(life, None)
            if pause is not None:
                self._at(self.now + pause, life)

    def _at(self, moment: float, life: Iterator[float]) -> None:
        heapq.heappush(self._events, (moment, next(self._serial), life))

    def _live(self, machine: Machine, urls_each: int) -> Iterator[float]:
        yield from self._work(machine, urls_each)
        machine.is_over = True

    def _work(self, machine: Machine, urls_each: int) -> Iterator[float]:
        habits = machine.habits
        while machine.answered < urls_each and not self._is_suspended(machine):
            size = self._room(machine)
            if size == 0:
                yield WAIT_SECONDS
                continue
            tasks, probes = self._lease(machine, size)
            yield habits.seconds_per_url * (len(tasks) + probes)
            if self._is_suspended(machine):
                return
            if self.chance.random() < habits.dies_in_block:
                self.waiting.extend(task for task in tasks if task.copies)
                return
            self._upload(machine, *self._brought(habits, tasks, probes), len(tasks))
            if habits.registers_again and not machine.score.caught_by:
                self._register_again(machine, urls_each)
                return

    def _is_suspended(self, machine: Machine) -> bool:
        return any(one.score.caught_by for one in self.machines if one.owner == machine.owner)

    def _brought(self, habits: Habits, tasks: list[Task], probes: int) -> tuple[list[Task], int | None]:
        """What is in the upload, probes as a number; None: there were some, and none is in it."""
        if habits.skips_probes:
            return tasks, None if probes else 0
        if self.chance.random() >= habits.is_interrupted:
            return tasks, probes
        left = self.chance.random()
        kept = [task for task in tasks if self.chance.random() > left]
        self.waiting.extend(task for task in tasks if task.copies and task not in kept)
        is_canary_left = self.chance.random() < left
        return kept, (None if probes else 0) if is_canary_left else probes

    def _room(self, machine: Machine) -> int:
        """Who is not trusted waits for comparisons, where there are trusted people to make them."""
        can_be_judged = any(owner != machine.owner for owner, _country in self._present()[1])
        undecided = machine.undecided if can_be_judged else 0
        is_alone = all(owner == machine.owner for owner, _country in self._present()[0])
        room = rules.most_urls(self._beside(machine), undecided, is_alone=is_alone)
        return BLOCK_URLS if room is None else room

    def _beside(self, machine: Machine) -> Score:
        siblings = [one.score for one in self.machines if one.owner == machine.owner and one is not machine]
        return rules.beside(machine.score, siblings)

    def _register_again(self, machine: Machine, urls_each: int) -> None:
        """What it answered so far goes on with the person."""
        another = Machine(machine.owner, machine.country, machine.habits, lies_told=machine.lies_told)
        self.machines.append(another)
        self._at(self.now, self._live(another, urls_each))

    def _lease(self, machine: Machine, size: int) -> tuple[list[Task], int]:
        present = self._present()
        further = [task for task in self.waiting if self._may_copy(machine, task, *present)][:size]
        for task in further:
            self.waiting.remove(task)
        kinds = machine.habits.kinds
        own = [
            Task(
                self.chance.randrange(HOSTS), self.chance.randrange(PAGES_PER_HOST), self.chance.choice(kinds)
            )
            for _ in range(size - len(further))
        ]
        rate = rules.probe_rate(machine.score)
        probes = sum(self.chance.random() < rate for _ in range(size)) if self.has_probes else 0
        if self.has_probes and rules.needs_a_probe(machine.score):
            probes = max(1, probes)
        machine.checking_cost += probes
        return [*further, *own], probes

    def _present(self) -> tuple[voting.Present, voting.Present]:
        there = [machine for machine in self.machines if not machine.is_over]
        trusted = [machine for machine in there if rules.state_of(machine.score) is State.TRUSTED]
        return {(m.owner, m.country) for m in there}, {(m.owner, m.country) for m in trusted}

    def _may_copy(
        self, machine: Machine, task: Task, others: voting.Present, trusted: voting.Present
    ) -> bool:
        owners = [copy.machine.owner for copy in task.copies]
        if machine.owner in owners or machine.owner == task.spared:
            return False
        asked = voting.whom_to_ask(task.copies[0].machine.country, owners, others, trusted)
        is_trusted = rules.state_of(machine.score) is State.TRUSTED
        return asked.country in ("", machine.country) and (is_trusted or not asked.is_for_trusted)

    def _upload(self, machine: Machine, tasks: list[Task], probes: int | None, asked: int) -> None:
        if probes is None:
            machine.score = rules.after_skipping(self._beside(machine), asked, len(tasks))
        for _ in range(probes or 0):
            machine.score = rules.after_probe(machine.score, self._probe(machine))
        machine.answered += sum(not task.copies for task in tasks)
        machine.history.append((machine.answered, machine.checking_cost))
        if machine.score.caught_by:
            self._note_catch(machine)
            return
        for task in tasks:
            self._take(machine, task)

    def _lies(self, machine: Machine) -> bool:
        return (
            machine.answered >= machine.habits.lies_from and self.chance.random() < machine.habits.lie_share
        )

    def _probe(self, machine: Machine) -> ProbeResult:
        if machine.habits.denies_probes:
            return ProbeResult.UNREACHED
        if self._lies(machine) and not machine.habits.is_honest_to_probes:
            return PROBED[machine.habits.lie]
        return ProbeResult.UNREACHED if self.chance.random() < ERROR_RATE else ProbeResult.PASSED

    def _take(self, machine: Machine, task: Task) -> None:
        is_chosen = bool(task.copies) or self.chance.random() < rules.replica_rate(machine.score)
        if not is_chosen and machine.is_honest:
            return
        brought = Brought(machine, self._content(machine, task))
        if task.copies:
            task.copies.append(brought)
            self._judge(task)
        elif is_chosen:
            task.copies.append(brought)
            asked = voting.whom_to_ask(machine.country, [machine.owner], *self._present())
            task.spared = voting.spared(asked.people, next(self._serial))
            machine.score = replace(machine.score, replicated=machine.score.replicated + 1)
            machine.undecided += self._ask_for_another(task)

    def _content(self, machine: Machine, task: Task) -> str:
        """What the machine says it saw; empty: an error."""
        if self._lies(machine):
            machine.lies_told += not task.copies
            if machine.habits.lie is Lie.FAILURE:
                return ""
            together = machine.habits.lies_together
            return f"lie {together} {task.page}" if together else f"lie {machine.owner} {task.page}"
        if self.chance.random() < ERROR_RATE:
            return ""
        match task.kind:
            case Kind.CHANGING:
                phase = (task.page * 977.0) % CHANGES_EVERY_SECONDS
                return f"{task.page} edition {(self.now + phase) // CHANGES_EVERY_SECONDS}"
            case Kind.BY_COUNTRY:
                return f"{task.page} for {machine.country}"
            case Kind.NEW_FOR_EVERYBODY:
                return f"{task.page} visitor {next(self._serial)}"
        return f"{task.page}"

    def _ask_for_another(self, task: Task) -> bool:
        if not self.people - {copy.machine.owner for copy in task.copies}:
            return False
        task.copies[0].machine.checking_cost += 1
        self.waiting.append(task)
        return True

    def _judge(self, task: Task) -> None:
        copies = task.copies
        voters = [_voter(copy) for copy in copies]
        if len(copies) == 2:
            marks = voting.marks_of_two(voters, _likeness(*copies))
            if marks is None:
                if self._ask_for_another(task):
                    return
                marks = Mark.UNCLEAR, Mark.UNCLEAR
            self._mark(task, marks)
            return
        self._mark(
            task,
            voting.marks_of_three(voters, _likeness(copies[0], copies[2]), _likeness(copies[1], copies[2])),
        )

    def _mark(self, task: Task, marks: tuple[Mark, ...]) -> None:
        task.copies[0].machine.undecided -= 1
        for copy, mark in zip(task.copies, marks, strict=True):
            machine = copy.machine
            if machine.score.caught_by:
                continue
            accusers = tuple(c.machine.owner for c in task.copies if c is not copy)
            machine.score = rules.after_check(machine.score, mark, str(task.host), accusers)
            if machine.score.caught_by:
                self._note_catch(machine)

    def _note_catch(self, machine: Machine) -> None:
        machine.caught_after = machine.answered


def _voter(copy: Brought) -> Copy:
    machine = copy.machine
    is_trusted = rules.state_of(machine.score) is State.TRUSTED
    return Copy(machine.owner, machine.country, is_trusted, is_answer=bool(copy.content))


def _likeness(a: Brought, b: Brought) -> Likeness:
    if not a.content or not b.content:
        return Likeness.INCONCLUSIVE
    return Likeness.MATCH if a.content == b.content else Likeness.DIFFER
