"""The tokens in a home: the command line's and the local nodes', for whoever runs this machine.

They speak for the eldest administrator. When that account is closed or a token revoked, new ones are issued: at the
next start, and while running by a process of its own (`python -m ronda.supervision.home_tokens`), as the supervisor
that notices it runs without Django.
"""

from __future__ import annotations

import hashlib
import os
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from ronda import configuration, logs
from ronda.accounts.secrets import digest_of
from ronda.processes import die_with_parent
from ronda.supervision.home import NODE_TOKEN_FILE, TOKEN_FILE, write_private

if TYPE_CHECKING:
    from ronda.accounts.models import Person

PURPOSES = {TOKEN_FILE: "command line", NODE_TOKEN_FILE: "local nodes"}


def issue_tokens(person: Person, home: Path) -> None:
    """Those that still work stay. One a home and purpose: machines on one database must not revoke each other's."""
    from ronda.accounts import services

    place = hashlib.sha256(os.fsencode(home)).hexdigest()[:8]
    for file_name, purpose in PURPOSES.items():
        name = f"{purpose} on {socket.gethostname()[:40]} ({place})"
        present = _read(home / file_name)
        token = services.ensure_system_token(person=person, name=name, present=present)
        if token != present:
            write_private(home / file_name, token)


def digests(home: Path) -> list[str]:
    """What the database knows the tokens of this home by."""
    return [digest_of(_read(home / file_name)) for file_name in PURPOSES]


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def main() -> None:
    die_with_parent(signal.SIGKILL)
    settings = configuration.load()
    logs.configure(process_name="tokens", log_format=settings.log_format, log_level=settings.log_level)
    os.environ["DJANGO_SETTINGS_MODULE"] = "ronda.site.settings"
    import django

    django.setup()
    from ronda.accounts.services import ensure_administrator

    issue_tokens(ensure_administrator(), settings.home)


if __name__ == "__main__":
    main()
