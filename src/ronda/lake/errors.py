"""What can go wrong with the lake.

Unavailable
├── LakeUnavailable   its engine, its files or its catalogue are not there
└── LakeBusy          others kept writing the same rows
"""

from __future__ import annotations

from ronda.errors import Unavailable


class LakeUnavailable(Unavailable):
    """The lake cannot be opened. Look at RONDA_HOME/lake and at the database."""


class LakeBusy(Unavailable):
    """Others keep writing the same rows of the lake. Try again shortly."""
