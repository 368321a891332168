"""What can be asked about jobs."""

from __future__ import annotations

import uuid

from django.db.models import Count, QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.jobs.errors import NoSuchJob
from ronda.jobs.models import OPEN_STATES, Job, State


def visible_jobs(*, actor: Person | None) -> QuerySet[Job]:
    """One's own jobs; an administrator sees everybody's."""
    person = require(actor)
    jobs = Job.objects.select_related("owner")
    return jobs if person.is_administrator else jobs.filter(owner=person)


def jobs(
    *,
    actor: Person | None,
    state: State | None = None,
    kind: str = "",
    id_start: str = "",
    is_routine_hidden: bool = False,
) -> QuerySet[Job]:
    """Routine is what nobody asked for and went well."""
    found = visible_jobs(actor=actor)
    if is_routine_hidden:
        found = found.exclude(owner=None, state=State.SUCCEEDED)
    if state:
        found = found.filter(state=state)
    if kind:
        found = found.filter(kind=kind)
    if id_start:
        found = found.filter(pk__range=_ids_from(id_start))
    return found


def _ids_from(start: str) -> tuple[uuid.UUID, uuid.UUID]:
    """The first and the last id that begins so: ids are compared as numbers, in the order of their digits."""
    digits = start.replace("-", "")[:32]
    return uuid.UUID(digits.ljust(32, "0")), uuid.UUID(digits.ljust(32, "f"))


def job(*, actor: Person | None, job_id: uuid.UUID) -> Job:
    found = visible_jobs(actor=actor).filter(pk=job_id).first()
    if found is None:
        raise NoSuchJob()
    return found


def counts_by_state(*, actor: Person | None) -> dict[str, int]:
    counted = visible_jobs(actor=actor).order_by().values_list("state").annotate(Count("pk"))
    return {state.value: 0 for state in State} | dict(counted)


def is_any_open(kind: str) -> bool:
    """Whether a job of this kind waits or runs; for rooms that start one at a time. Needs no role."""
    return Job.objects.filter(kind=kind, state__in=OPEN_STATES).exists()
