"""What can go wrong with what is followed.

NotFound
├── NobodyFollowsIt     no source that the actor may see holds the URL
├── NoSuchSimulation    there is none, or it is somebody else's
├── NoSuchNoise         there is none on that source
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
├── EditedMeanwhile     somebody else saved it since it was looked at
├── NotOneSource        versions of two sources cannot be compared
├── NoVisitOpen         there is nothing to cancel
├── TooManyRules        a source has so many by hand and no more
├── TooManyTargets      a person has so many and no more
├── VersionPinned       it has to be unpinned first
├── VisitEnding         it is being cancelled, and can be asked for again then
└── VisitUnderWay       it has to end first
TooMany
└── ToldTooOften        so many notifications an hour and no more
"""

from __future__ import annotations

from ronda.errors import Conflict, Forbidden, NotFound, TooMany


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


class EditedMeanwhile(Conflict):
    """Somebody else saved this source since you opened it. Look at what is saved now, then save again."""


class NoLongerFollowed(Conflict):
    """This source is no longer followed. Resume it first."""


class NoVisitOpen(Conflict):
    """No visit to this source is under way."""


class VersionPinned(Conflict):
    """This version is pinned. Unpin it first."""


class VisitEnding(Conflict):
    """The visit under way is being cancelled. Ask again when it has ended, in a few seconds."""


class VisitUnderWay(Conflict):
    """A visit is under way. Cancel it, and delete the source when it has ended."""


class NoSuchState(NotFound):
    """Nothing is kept of this URL, or it is not yours to see."""


class NoSuchTarget(NotFound):
    """There is no such target, or it is not yours."""


class NoSuchSubscription(NotFound):
    """There is no such subscription, or it is not yours."""


class NoSuchNoise(NotFound):
    """There is no such noise on this source."""


class NotOneSource(Conflict):
    """These are versions of two different sources."""


class TooManyRules(Conflict):
    """This source has as many rules by hand as it may have. Undo one first."""


class TooManyTargets(Conflict):
    """You have as many as one person may have. Remove one first."""


class NobodyFollowsIt(NotFound):
    """No source that you may see holds this URL."""


class NoSuchSimulation(NotFound):
    """There is no such simulation, or it is not yours."""


class ToldTooOften(TooMany):
    """You told of as many changes as one person may in an hour. Wait a little."""
