"""What can go wrong with jobs, and how a running job is told to stop.

RondaError
├── NoSuchJob             (NotFound)
├── NoSuchKind            (InvalidInput)
├── JobEnded              (Conflict)
├── UploadNotKept         (Unavailable) the disk did not take a file that a job was to read
├── UploadGone            (NotFound) such a file is not on this machine
├── JobGivenUp            what a job that keeps losing its workers ends with
└── JobStop               raised inside a running job; handlers let it pass
    ├── JobCancelled      its owner cancelled it
    ├── JobInterrupted    its worker is going away; another goes on from the checkpoint
    └── JobLost           another worker has it already; this one must not write
"""

from __future__ import annotations

from ronda.errors import Conflict, InvalidInput, NotFound, RondaError, Unavailable


class NoSuchJob(NotFound):
    """There is no such job, or it is not yours."""


class NoSuchKind(InvalidInput):
    """There is no such kind of job."""


class JobEnded(Conflict):
    """The job has ended already."""


class UploadNotKept(Unavailable):
    """The file could not be kept. Look at the disk."""


class UploadGone(NotFound):
    """The file to read is not on the machine of this worker. Run a worker where the web process runs."""


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
