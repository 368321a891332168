"""API of noise: what is ignored on a source's pages, since when and why; rules by hand, undo, and trials."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.change.rules import LONGEST_PATTERN, RuleKind
from ronda.http.inputs import Input
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.rounds import noise
from ronda.rounds.noise_models import NoiseNature, NoiseRule, NoiseState

router = Router(tags=["Noise"])

Where = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_PATTERN, pattern=r"^[^\x00]*$"),
    Field(
        description="A CSS selector, the name of a field of links, or a regular expression, as the kind says."
    ),
]


class NoiseOut(Schema):
    """Something that says nothing. Only what is learnt or written by hand is ignored."""

    id: int
    kind: RuleKind
    where: str
    facet: Annotated[str, Field(description="Of numbers: in what.")]
    nature: NoiseNature
    state: NoiseState
    is_in_force: bool
    is_too_slow: Annotated[
        bool, Field(description="It took too long, and is not used until it is put in force again.")
    ]
    times_at_once: Annotated[int, Field(description="How often it differed between looks within seconds.")]
    examples: Annotated[list[list[str]], Field(description="What stood there on two looks.")]
    found_at: datetime
    since: datetime | None
    used_at: datetime | None
    visits: Annotated[int, Field(description="Visits that met it.")]
    changed_by: str | None

    @staticmethod
    def resolve_changed_by(row: NoiseRule) -> str | None:
        return str(row.changed_by) if row.changed_by else None


class RuleIn(Input):
    kind: RuleKind
    where: Where


class NoiseChange(Input):
    is_in_force: Annotated[bool, Field(description="False undoes it, for good; true ignores it again.")]


class TrialOut(Schema):
    url: str
    score_before: Annotated[
        float, Field(description="Of the change between the last two versions, without the rule.")
    ]
    score_after: Annotated[float, Field(description="The same, with it.")]
    taken: Annotated[list[str], Field(description="What it takes away, a few lines and links.")]


@router.get("/{uuid:source_id}/noise", response=PageOf[NoiseOut], summary="What is noise on its pages")
def list_noise(request: HttpRequest, source_id: uuid.UUID, wanted: Query[PageRequest]) -> Any:
    found = noise.rules_of(actor=actor_of(request), source_id=source_id)
    sortable = {"id": "pk", "state": "state", "since": "since", "visits": "visits"}
    return paginate(found, wanted, sortable=sortable, default="-id")


@router.post(
    "/{uuid:source_id}/noise", response={201: NoiseOut}, summary="Ignore something (its owner, directors)"
)
def add_noise(request: HttpRequest, source_id: uuid.UUID, payload: RuleIn) -> Status[NoiseRule]:
    """It holds from the next visit on."""
    made = noise.add_rule(
        actor=actor_of(request), source_id=source_id, kind=payload.kind, where=payload.where
    )
    return Status(201, made)


@router.patch(
    "/{uuid:source_id}/noise/{int:rule_id}",
    response=NoiseOut,
    summary="Undo a rule, or put it in force again (its owner, directors)",
)
def change_noise(request: HttpRequest, source_id: uuid.UUID, rule_id: int, payload: NoiseChange) -> NoiseRule:
    change = noise.put_in_force if payload.is_in_force else noise.undo
    return change(actor=actor_of(request), source_id=source_id, rule_id=rule_id)


@router.post(
    "/{uuid:source_id}/noise/trial",
    response=list[TrialOut],
    summary="Try a rule on the last two versions, without keeping it",
)
def try_noise(request: HttpRequest, source_id: uuid.UUID, payload: RuleIn) -> list[noise.Trial]:
    return noise.try_rule(
        actor=actor_of(request), source_id=source_id, kind=payload.kind, where=payload.where
    )
