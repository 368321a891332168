"""What can go wrong with what is followed.

NotFound
├── NoSuchSource      there is none, or the actor may not see it
├── NoSuchVersion     there is none, or the actor may not see it
└── NoSuchVisit       there is none, or the actor may not see it
Forbidden
└── NotYourSource     seen, but somebody else's to change
Conflict
├── AlreadyFollowed   the same URL with the same scope stands in that collection
├── NoLongerFollowed  it has to be resumed first
├── NoVisitOpen       there is nothing to cancel
├── VersionPinned     it has to be unpinned first
└── VisitUnderWay     it has to end first
"""

from __future__ import annotations

from ronda.errors import Conflict, Forbidden, NotFound


class NoSuchSource(NotFound):
    """There is no such source, or it is not yours to see."""


class NoSuchVersion(NotFound):
    """There is no such version, or it is not yours to see."""


class NoSuchVisit(NotFound):
    """There is no such visit, or it is not yours to see."""


class NotYourSource(Forbidden):
    """Only its owner and directors may change this source."""


class AlreadyFollowed(Conflict):
    """{url} is in {collection} already, with the same scope: {source}."""


class NoLongerFollowed(Conflict):
    """This source is no longer followed. Resume it first."""


class NoVisitOpen(Conflict):
    """No visit to this source is under way."""


class VersionPinned(Conflict):
    """This version is pinned. Unpin it first."""


class VisitUnderWay(Conflict):
    """A visit is under way. Cancel it, and delete the source when it has ended."""
