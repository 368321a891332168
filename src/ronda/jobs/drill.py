"""A fire drill: a job that only counts, to see that workers, progress, cancelling and recovery work here."""

from __future__ import annotations

from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.roles import Role
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.run import JobRun

PROGRESS = gettext_noop("{done:,} of {total:,} steps")


class DrillArguments(Arguments):
    # Titles and descriptions are in English in the API and translated where the console shows them.
    steps: Annotated[int, Field(ge=1, le=1_000_000, title=gettext_noop("Number to count to"))] = 30
    pause_seconds: Annotated[
        float,
        Field(
            ge=0,
            le=60,
            title=gettext_noop("Pause"),
            description=gettext_noop("Seconds between two steps."),
        ),
    ] = 1.0


def _count(run: JobRun, arguments: DrillArguments) -> dict[str, Any]:
    checkpoint = run.last_checkpoint or {"step": 0, "workers": 0}
    workers = checkpoint["workers"] + 1
    for step in range(checkpoint["step"] + 1, arguments.steps + 1):
        run.wait(arguments.pause_seconds)
        run.checkpoint({"step": step, "workers": workers})
        run.progress(step, arguments.steps, PROGRESS)
    return {"steps": arguments.steps, "workers": workers}


register(
    JobKind(
        name="drill",
        title=_("Fire drill: count to a number"),
        arguments=DrillArguments,
        role=Role.ADMINISTRATOR,
        work=_count,
    )
)
