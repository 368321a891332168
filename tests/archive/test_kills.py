"""`kill -9` at random points of ingest, fifty times: what was acknowledged is there, once; files and index agree."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection

from ronda.accounts.roles import Role
from ronda.archive import services
from ronda.archive.file_jobs import REINDEX, VERIFY
from ronda.archive.models import Capture, WarcFile
from ronda.archive.repair import close_abandoned_files
from ronda.grid.services import register_node
from tests.archive.filling import whole_index
from tests.archive.test_verifying import result_of
from tests.people import person_with
from tests.running import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

KILLS = 50


class Ingesting:
    """The process that brings uploads in, and the one that forks it again whenever it was killed."""

    def __init__(self, home: Path) -> None:
        self.log = home / "acknowledged.log"
        self.log.touch()
        named = connection.settings_dict
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RONDA_")},
            "RONDA_HOME": str(home),
            "RONDA_DATABASE_URL": f"postgresql://{named['USER']}@/{named['NAME']}?host={named['HOST']}",
        }
        self._errors = (home / "errors").open("ab")
        words = [sys.executable, "-m", "tests.archive.ingesting", str(self.log)]
        self._parent = subprocess.Popen(words, env=environment, stderr=self._errors)

    def wait_for_more(self) -> None:
        before = self.log.stat().st_size

        def is_more() -> bool:
            assert self._parent.poll() is None, (self.log.parent / "errors").read_text()
            return self.log.stat().st_size > before

        try:
            wait_for(is_more, "an acknowledgement")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{(self.log.parent / 'errors').read_text()[-3000:]}") from None

    def kill(self) -> None:
        """Until another one is there."""
        number = self.log.with_suffix(".pid")
        victim = number.read_text()
        os.kill(int(victim), signal.SIGKILL)
        wait_for(lambda: number.read_text() != victim, "the next one")

    def close(self) -> None:
        self._parent.kill()
        self._parent.wait()
        with suppress(OSError):
            os.kill(int(self.log.with_suffix(".pid").read_text()), signal.SIGKILL)
        self._errors.close()

    @property
    def acknowledged(self) -> list[str]:
        """The last line may be half of one."""
        return self.log.read_text().split("\n")[:-1]


@pytest.fixture
def ingesting(archive_home: Path) -> Iterator[Ingesting]:
    person = person_with(Role.CONTRIBUTOR, Role.CLIENT)
    register_node(actor=person, name="laptop", version="1", system="Linux")
    process = Ingesting(archive_home)
    try:
        yield process
    finally:
        process.close()


def are_all_let_go() -> bool:
    """The kernel takes the lock of its file from a process some moments after it was killed."""
    close_abandoned_files(services.archive_folder())
    return not WarcFile.objects.filter(closed_at=None).exists()


def test_fifty_kills(ingesting: Ingesting, archive_home: Path) -> None:
    chance = random.Random("fifty kills")
    for _ in range(KILLS):
        ingesting.wait_for_more()
        time.sleep(chance.uniform(0, 0.1))  # a moment at random is what this is about
        ingesting.kill()
    ingesting.wait_for_more()
    ingesting.close()
    wait_for(are_all_let_go, "the last one to be gone")
    urls = Counter(Capture.objects.values_list("url", flat=True))
    assert max(urls.values()) == 1, "nothing is in the index twice"
    assert set(ingesting.acknowledged) <= urls.keys(), "nothing acknowledged is lost"
    verified = result_of(VERIFY)
    assert verified["problems"] == []
    assert verified["files"] > KILLS // 2
    before = whole_index()
    assert result_of(REINDEX)["dropped"] == 0
    assert whole_index() == before
    Capture.objects.all().delete()
    result_of(REINDEX)
    assert whole_index() == before
