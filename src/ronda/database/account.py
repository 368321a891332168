"""Which account the embedded PostgreSQL runs under: ours, or a stand-in for root, whom PostgreSQL refuses."""

from __future__ import annotations

import fcntl
import logging
import os
import pwd
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ronda.database.errors import EmbeddedPostgresFailed

logger = logging.getLogger(__name__)

STAND_IN = "ronda-postgres"


@dataclass(frozen=True)
class PostgresAccount:
    uid: int
    gid: int
    is_stand_in: bool

    def own(self, path: Path) -> None:
        if self.is_stand_in:
            os.chown(path, self.uid, self.gid)

    def popen_options(self) -> dict[str, Any]:
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.is_stand_in else {}


def account_for(*paths: Path) -> PostgresAccount:
    """The account to run PostgreSQL under; as root, one that can reach `paths`."""
    if os.geteuid() != 0:
        return PostgresAccount(os.getuid(), os.getgid(), is_stand_in=False)
    with _alone():
        entry = _stand_in_entry()
    account = PostgresAccount(entry.pw_uid, entry.pw_gid, is_stand_in=True)
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        _let_through(path.parent if not path.exists() else path)
    return account


@contextmanager
def _alone() -> Iterator[None]:
    """Nobody else makes the account meanwhile: of two who begin at once, one would see the other's half made."""
    with Path(f"/var/run/{STAND_IN}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _stand_in_entry() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(STAND_IN)
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", STAND_IN]
    try:
        subprocess.run(command, check=True, capture_output=True)
        logger.info("created the system account %s: PostgreSQL does not run as root", STAND_IN)
        return pwd.getpwnam(STAND_IN)
    except (OSError, subprocess.CalledProcessError, KeyError):
        pass
    try:
        return pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedPostgresFailed(
            "PostgreSQL does not run as root, and there is no account to run it under.",
            hint=f"Create one with `useradd --system {STAND_IN}`, or start Ronda as an ordinary user.",
        ) from None


def _let_through(path: Path) -> None:
    """Others may pass (not list) the folders on the way, as the server's own account must get to its files."""
    for folder in [path, *path.parents]:
        mode = folder.stat().st_mode
        if folder.stat().st_uid == 0 and not mode & stat.S_IXOTH:
            logger.warning("letting the PostgreSQL account pass through %s (chmod o+x)", folder)
            folder.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)
