"""What can go wrong with trust.

RondaError
├── NoSuchAnswer        (NotFound)
├── NotInQuarantine     (Conflict)
├── ReportedAlready     (Conflict)
├── TooManyReports      (TooMany)
└── TooManyUnfoundedReports (TooMany)
"""

from __future__ import annotations

from ronda.errors import Conflict, NotFound, TooMany


class NoSuchAnswer(NotFound):
    """This fetch has no answer to that URL yet, or it is not one a node brought."""


class NotInQuarantine(Conflict):
    """This node is not in quarantine."""


class ReportedAlready(Conflict):
    """This answer is reported already. Its report says how far that is."""


class TooManyReports(TooMany):
    """Too many of your reports are still open. Wait until some are decided."""


class TooManyUnfoundedReports(TooMany):
    """Too many of your reports did not hold within a day: the answers stand. Report others tomorrow."""
