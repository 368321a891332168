"""An embedded PostgreSQL of the benchmark's own, with Ronda's tables, gone afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ronda.database.embedded import EmbeddedPostgres


@contextmanager
def fresh_database() -> Iterator[None]:
    """Django is set up on it inside; as in production, fsync is on."""
    home = Path(tempfile.mkdtemp(prefix="ronda-bench-"))
    os.environ["RONDA_HOME"] = str(home)
    os.environ["DJANGO_SETTINGS_MODULE"] = "ronda.site.settings"
    embedded = EmbeddedPostgres(home)
    embedded.prepare()
    server = embedded.spawn()
    threading.Thread(target=server.communicate, daemon=True).start()
    try:
        while not embedded.is_ready():
            time.sleep(0.1)
        _set_up_tables()
        yield
    finally:
        _let_go()
        server.send_signal(signal.SIGINT)
        while server.poll() is None:
            time.sleep(0.1)
        shutil.rmtree(home, ignore_errors=True)


def _set_up_tables() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _let_go() -> None:
    from django.db import connection

    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
