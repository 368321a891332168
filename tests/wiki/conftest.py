"""Wikis to extract from: a real MediaWiki with a long history, made once a run, and copies of it to change."""

from __future__ import annotations

import random
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.jobs.models import Job
from ronda.jobs.services import enqueue, run
from ronda.policies.models import PolicyChange
from ronda.wiki.jobs import EXTRACT
from tests.people import person_with
from tests.running import free_port
from tests.wiki import real_mediawiki
from tests.wiki.real_mediawiki import RealMediaWiki, page_xml, revision_xml

REVISIONS = 3000
TITLE = "Battle of the Nile"
WORDS = [
    "admiral",
    "fleet",
    "battle",
    "shore",
    "evening",
    "wind",
    "cannon",
    "France",
    "Britain",
    "Egypt",
    "harbour",
    "night",
    "ship",
    "line",
]


@pytest.fixture(scope="session")
def long_history() -> Iterator[Path]:
    """The folder of an installed wiki with a history of 3,000 revisions, many in the same second, many reverts."""
    if not real_mediawiki.is_installed():
        pytest.skip("There is no MediaWiki here; ./test installs it as root on Debian.")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        wiki = RealMediaWiki(Path(name) / "wiki", free_port())
        wiki.install()
        wiki.import_history(page_xml(TITLE, "".join(_history())))
        yield wiki.folder


def _history() -> Iterator[str]:
    chance = random.Random(6)
    texts: list[str] = []
    for number in range(REVISIONS):
        is_revert = number > 20 and chance.random() < 0.2
        text = texts[-3] if is_revert else " ".join(chance.choices(WORDS, k=chance.randrange(5, 120)))
        texts.append(text)
        # Seven revisions a second: time alone is not their order.
        second = number // 7
        timestamp = f"2015-03-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
        user = chance.choice(["Ana", "Bea", "Cruz", "10.1.2.3"])
        comment = f"edit {number} of [[{TITLE}]] <ñandú>"
        yield revision_xml(timestamp, user, text, comment=comment, is_minor=number % 9 == 0)


@pytest.fixture
def real_wiki(long_history: Path, tmp_path: Path) -> Iterator[RealMediaWiki]:
    """A copy of it that runs and may be changed."""
    port = free_port()
    folder = long_history.parent / f"copy-{port}"
    shutil.copytree(long_history, folder)
    wiki = RealMediaWiki(folder, port)
    wiki.adapt(long_history)
    wiki.start()
    wiki.log_in()
    yield wiki
    wiki.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def asking(own_lake: Path) -> Iterator[None]:
    """Wikis on loopback may be asked, without a pause between questions."""
    given = replace(settings.RONDA, contact="ops@example.org", allow_private_networks=True)
    with override_settings(RONDA=given):
        PolicyChange.objects.create(name="wiki_delay_seconds", value="0", former="1")
        PolicyChange.objects.create(name="first_backoff_seconds", value="1", former="60")
        yield


@pytest.fixture
def extract(asking: None) -> Callable[..., Job]:
    """Runs an extraction as a worker would, and gives back its job."""

    def work(api: str, title: str, **more: Any) -> Job:
        job = enqueue(kind=EXTRACT, owner=None, arguments={"api": api, "title": title, **more})
        run(job_id=job.pk, worker="test", stopping=threading.Event())
        job.refresh_from_db()
        return job

    return work


@pytest.fixture
def subscriber(own_lake: Path) -> Person:
    return person_with(Role.SUBSCRIBER, Role.READER)
