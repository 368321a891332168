"""What can go wrong with the archive.

Unavailable
└── StorageFailed    the disk did not take it
"""

from __future__ import annotations

from ronda.errors import Unavailable


class StorageFailed(Unavailable):
    """The archive could not be written. Look at the disk."""
