"""Which answers end a URL, and which are tried again: later, or by somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ronda.frontier.blocks import EndedRequest, Retry
from ronda.frontier.models import Request
from ronda.grid import listening
from ronda.grid.answer_records import Answer
from ronda.grid.cut_off import is_cut_by, is_uncapped, uncapped_beside
from ronda.grid.models import Node
from ronda.grid.policies import FIRST_RETRY_SECONDS, MOST_ATTEMPTS
from ronda.grid.presence import at_work
from ronda.policies.queries import value_of


@dataclass
class Plan:
    """`elsewhere`: of the retries, those that this person is not asked for again. `put_off`: denials among them.
    `cut_off`: those for nodes that take more of an answer than this one."""

    done: list[int] = field(default_factory=list)
    retries: list[Retry] = field(default_factory=list)
    elsewhere: list[int] = field(default_factory=list)
    put_off: list[EndedRequest] = field(default_factory=list)
    cut_off: list[int] = field(default_factory=list)


class _Asked(NamedTuple):
    """Of a request, what its answer is judged by."""

    id: int
    batch_id: int
    url: str
    copy: str
    attempts: int
    not_owners: list[int] | None
    country: str
    is_for_trusted: bool

    @property
    def as_ended(self) -> EndedRequest:
        return EndedRequest(self.id, self.batch_id, self.url, self.copy, self.attempts)


def plan_for(node: Node, answers: Mapping[str, Answer], stale: frozenset[str]) -> Plan:
    """`stale`: asked again at once, and this time for everything."""
    plan = Plan()
    numbers = [int(key) for key in answers if key.isdigit()]
    fields = ("pk", "batch_id", "url", "copy", "attempts", "not_owners", "country", "is_for_trusted")
    rows = Request.objects.filter(pk__in=numbers).values_list(*fields)
    asked = {row[0]: _Asked._make(row) for row in rows}
    others = _others(node) if any(answer.is_denial for answer in answers.values()) else set()
    takers = _Takers(node)
    most, first_seconds = int(value_of(MOST_ATTEMPTS)), float(value_of(FIRST_RETRY_SECONDS))
    for number in numbers:
        answer, request = answers[str(number)], asked.get(number)
        tried = (request.attempts if request else 0) + 1
        is_elsewhere = bool(request and answer.is_denial and _is_for_others(request, others))
        if str(number) in stale and tried < most:
            plan.retries.append(Retry(number, 0.0))
        elif request and tried < most and is_cut(node, answer) and takers.has_any_for(request):
            plan.retries.append(Retry(number, 0.0))
            plan.cut_off.append(number)
            plan.elsewhere += [number] if is_uncapped(node) else []
        elif is_elsewhere or (answer.is_worth_another_try and tried < most):
            wait = first_seconds * 2.0 ** (tried - 1) if answer.is_worth_another_try else 0.0
            plan.retries.append(Retry(number, wait))
            plan.elsewhere += [number] if is_elsewhere else []
            if request and answer.is_denial:
                plan.put_off.append(request.as_ended)
        else:
            plan.done.append(number)
    return plan


def is_cut(node: Node, answer: Answer) -> bool:
    return not answer.failure and is_cut_by(node, answer.last)


class _Takers:
    """Who would take what this node cut off; looked for when something was."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @cached_property
    def _present(self) -> list[Node]:
        return list(uncapped_beside(self._node).select_related("owner"))

    @cached_property
    def _trusted(self) -> list[Node]:
        return [node for node in self._present if listening.terms_for(node).is_trusted]

    def has_any_for(self, request: _Asked) -> bool:
        takers = self._trusted if request.is_for_trusted else self._present
        spared = request.not_owners or ()
        return any(
            request.country in ("", taker.country) and taker.owner_id not in spared for taker in takers
        )


def _others(node: Node) -> set[str]:
    """In which countries others could try what this node could not get; nowhere if its word is enough."""
    if listening.terms_for(node).is_trusted:
        return set()
    countries = set(at_work().exclude(owner=node.owner_id).values_list("country", flat=True))
    return countries | {""} if countries else set()


def _is_for_others(request: _Asked, others: set[str]) -> bool:
    """One who is not trusted does not end a URL by a denial, until a second person says the same."""
    has_been = request.attempts > 0 and request.not_owners
    return not has_been and request.country in others
