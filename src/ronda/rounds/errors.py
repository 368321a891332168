"""What can go wrong with what is followed.

NotFound
├── NoSuchSource        there is none, or the actor may not see it
├── NoSuchState         nothing is kept of the URL, or not then
├── NoSuchSubscription  there is none, or it is somebody else's
├── NoSuchTarget        there is none, or it is somebody else's
├── NoSuchVersion       there is none, or the actor may not see it
└── NoSuchVisit         there is none, or the actor may not see it
Forbidden
└── NotYourSource       seen, but somebody else's to change
Conflict
├── AlreadyFollowed     the same URL with the same scope stands in that collection
├── NoLongerFollowed    it has to be resumed first
├── NotOneSource        versions of two sources cannot be compared
├── NoVisitOpen         there is nothing to cancel
├── TooManyTargets      a person has so many and no more
├── VersionPinned       it has to be unpinned first
└── VisitUnderWay       it has to end first
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


class NoSuchState(NotFound):
    """Nothing is kept of this URL, or it is not yours to see."""


class NoSuchTarget(NotFound):
    """There is no such target, or it is not yours."""


class NoSuchSubscription(NotFound):
    """There is no such subscription, or it is not yours."""


class NotOneSource(Conflict):
    """These are versions of two different sources."""


class TooManyTargets(Conflict):
    """You have as many as one person may have. Remove one first."""
