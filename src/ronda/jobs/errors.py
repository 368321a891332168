"""What can go wrong with jobs, and how a running job is told to stop.

RondaError
├── NoSuchJob             (NotFound)
├── NoSuchKind            (InvalidInput)
├── JobEnded              (Conflict)
├── JobGivenUp            what a job that keeps losing its workers ends with
└── JobStop               raised inside a running job; handlers let it pass
    ├── JobCancelled      its owner cancelled it
    ├── JobInterrupted    its worker is going away; another goes on from the checkpoint
    └── JobLost           another worker has it already; this one must not write
"""

from __future__ import annotations

from ronda.errors import Conflict, InvalidInput, NotFound, RondaError


class NoSuchJob(NotFound):
    """There is no such job, or it is not yours."""


class NoSuchKind(InvalidInput):
    """There is no such kind of job."""


class JobEnded(Conflict):
    """The job has ended already."""


class JobGivenUp(RondaError):
    """Given up: its workers died again and again while running it."""


class JobStop(RondaError):
    """The job has to stop."""


class JobCancelled(JobStop):
    """The job was cancelled."""


class JobInterrupted(JobStop):
    """The worker is going away."""


class JobLost(JobStop):
    """Another worker has taken over this job."""
