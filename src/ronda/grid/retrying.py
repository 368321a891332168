"""Which answers end a URL, and which are tried again: later, or by somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ronda.frontier.blocks import EndedRequest, Retry
from ronda.frontier.models import Request
from ronda.grid import listening
from ronda.grid.answer_records import Answer
from ronda.grid.models import Node
from ronda.grid.policies import FIRST_RETRY_SECONDS, MOST_ATTEMPTS
from ronda.grid.presence import at_work
from ronda.policies.queries import value_of


@dataclass
class Plan:
    """`elsewhere`: of the retries, those that this person is not asked for again. `put_off`: denials among them."""

    done: list[int] = field(default_factory=list)
    retries: list[Retry] = field(default_factory=list)
    elsewhere: list[int] = field(default_factory=list)
    put_off: list[EndedRequest] = field(default_factory=list)


class _Asked(NamedTuple):
    """Of a request, what its answer is judged by."""

    id: int
    batch_id: int
    url: str
    copy: str
    attempts: int
    not_owners: list[int] | None
    country: str

    @property
    def as_ended(self) -> EndedRequest:
        return EndedRequest(self.id, self.batch_id, self.url, self.copy, self.attempts)


def plan_for(node: Node, answers: Mapping[str, Answer], stale: frozenset[str]) -> Plan:
    """`stale`: asked again at once, and this time for everything."""
    plan = Plan()
    numbers = [int(key) for key in answers if key.isdigit()]
    fields = ("pk", "batch_id", "url", "copy", "attempts", "not_owners", "country")
    rows = Request.objects.filter(pk__in=numbers).values_list(*fields)
    asked = {row[0]: _Asked._make(row) for row in rows}
    others = _others(node) if any(answer.is_denial for answer in answers.values()) else set()
    most, first_seconds = int(value_of(MOST_ATTEMPTS)), float(value_of(FIRST_RETRY_SECONDS))
    for number in numbers:
        answer, request = answers[str(number)], asked.get(number)
        tried = (request.attempts if request else 0) + 1
        is_elsewhere = bool(request and answer.is_denial and _is_for_others(request, others))
        if str(number) in stale and tried < most:
            plan.retries.append(Retry(number, 0.0))
        elif is_elsewhere or (answer.is_worth_another_try and tried < most):
            wait = first_seconds * 2.0 ** (tried - 1) if answer.is_worth_another_try else 0.0
            plan.retries.append(Retry(number, wait))
            plan.elsewhere += [number] if is_elsewhere else []
            if request and answer.is_denial:
                plan.put_off.append(request.as_ended)
        else:
            plan.done.append(number)
    return plan


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
