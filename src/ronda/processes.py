"""Small things about operating-system processes that PostgreSQL's keeper and the supervisor both need."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(how: signal.Signals) -> None:
    """Ask Linux to send us `how` when our parent ends, however it ends. Elsewhere: nothing to ask for."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, how)
    if os.getppid() != parent:  # it ended just before we asked
        os.kill(os.getpid(), how)
