"""What can go wrong with nodes and fetches.

RondaError
├── NoSuchNode, NoSuchFetch     (NotFound)
├── NodeRemoved                 (Gone)           its contributor removed it
├── NodeTooOld                  (Forbidden)      this release does not keep today's rules
├── BadUpload                   (InvalidInput)   the body is not what a node sends; nothing was stored
└── LeaseOver                   (Conflict)       the block was given to another meanwhile
"""

from __future__ import annotations

from ronda.errors import Conflict, Forbidden, Gone, InvalidInput, NotFound


class NoSuchNode(NotFound):
    """There is no such node, or it is not yours. Register it again."""


class NodeRemoved(Gone):
    """This node was removed by its contributor. To lend the machine again, join again."""


class NodeTooOld(Forbidden):
    """This release of ronda-node is too old."""


class NoSuchFetch(NotFound):
    """There is no such fetch, or it is not yours."""


class BadUpload(InvalidInput):
    """The upload is not what a node sends."""


class LeaseOver(Conflict):
    """This block is not yours, or no longer: its time ran out and others have it."""
