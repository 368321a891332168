"""What can go wrong with hosts and opt-outs.

RondaError
├── NoSuchHost, NoSuchOptOut    (NotFound)
├── AlreadyOptedOut             (Conflict)
└── HostOptedOut                (Conflict)
"""

from __future__ import annotations

from ronda.errors import Conflict, NotFound


class NoSuchHost(NotFound):
    """Ronda has never had a URL of this host."""


class NoSuchOptOut(NotFound):
    """There is no such opt-out."""


class AlreadyOptedOut(Conflict):
    """This is on the list of opt-outs already."""


class HostOptedOut(Conflict):
    """This host does not want to be asked."""
