"""Metrics as jobs, as the document has them: `?async=1` queues one, and its status tells the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.models import Job
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.wiki import consulting
from ronda.wiki.filters import taken

Metric = Callable[..., dict[str, Any]]


class MetricArguments(Arguments):
    """The document's filters, as a client sent them."""

    filters: Annotated[dict[str, str], Field(title=gettext_noop("Filters"))] = Field(default_factory=dict)


def _work(metric: Metric) -> Callable[[JobRun, MetricArguments], dict[str, Any]]:
    def work(run: JobRun, arguments: MetricArguments) -> dict[str, Any]:
        owner = Person.objects.filter(pk=run.owner_id or 0).first()
        return metric(actor=owner, given=arguments.filters)

    return work


KINDS = {
    name: register(
        JobKind(
            name=f"{name}_task", title=title, arguments=MetricArguments, role=Role.READER, work=_work(metric)
        )
    )
    for name, title, metric in (
        ("count", _("Count revisions"), consulting.count),
        ("avg", _("Revisions a day"), consulting.mean),
        ("mode", _("What revisions have most often"), consulting.mode),
    )
}


def queue_metric(*, actor: Person | None, name: str, given: Mapping[str, Any]) -> Job:
    """What is asked is looked at before it is queued: a mistake is told at once."""
    person = require(actor, *consulting.ASKERS)
    filters = taken(given, "attribute")
    consulting.check_metric(name, filters)
    return enqueue(kind=KINDS[name], owner=person, arguments={"filters": filters})
