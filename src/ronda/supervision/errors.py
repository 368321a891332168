"""What can go wrong with processes.

RondaError
├── NoSuchProcess            (NotFound)
├── ProcessGone              (Conflict)
├── HomeInUse, PortInUse     (InvalidInput)
└── CannotPrepare            (Unavailable)
"""

from __future__ import annotations

from ronda.errors import Conflict, InvalidInput, NotFound, Unavailable


class NoSuchProcess(NotFound):
    """There is no such process."""


class ProcessGone(Conflict):
    """Its supervisor has not been heard of lately: there is nobody to restart it."""


class HomeInUse(InvalidInput):
    """Another `ronda up` uses this home."""


class PortInUse(InvalidInput):
    """The port is in use."""


class CannotPrepare(Unavailable):
    """The database could not be prepared."""
