"""What can go wrong with the archive.

Unavailable
├── StorageFailed      the disk did not take it
└── ProgramMissing     a program we run is not installed
NotFound
├── NoPass             the ticket or pass is old, or not of ours
├── NoSuchCapture      there is none, or the actor may not see it
├── NoSuchCollection   there is none, or the actor may not see it
└── NotOfItsPeople     nobody of that number is among a collection's people
Conflict
├── CollectionTaken    its name or short name is
└── TopicTaken         its code or name is
"""

from __future__ import annotations

from ronda.errors import Conflict, NotFound, Unavailable


class StorageFailed(Unavailable):
    """The archive could not be written. Look at the disk."""


class ProgramMissing(Unavailable):
    """A program that this needs is not installed."""


class NoPass(NotFound):
    """This ticket or pass opens nothing any more."""


class NoSuchCapture(NotFound):
    """Nothing of it was captured, or it is not yours to see."""


class NoSuchCollection(NotFound):
    """There is no such collection, or it is not yours to see."""


class NotOfItsPeople(NotFound):
    """This person is not one of the collection's people."""


class CollectionTaken(Conflict):
    """There is a collection with this name or short name already."""


class TopicTaken(Conflict):
    """There is a topic with this code or name already."""
