"""`kill -9` at random points of capture, fifty times: versions are whole, nothing is lost or there twice, and the files
alone give the same index."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from ronda.accounts.roles import Role
from ronda.archive import services
from ronda.archive.file_jobs import REINDEX, VERIFY
from ronda.archive.models import Capture, WarcFile
from ronda.archive.repair import close_abandoned_files
from ronda.rounds.models import Source, Version, Visit, VisitPage
from tests.archive.filling import whole_index
from tests.archive.test_verifying import result_of
from tests.people import person_with
from tests.rounds.at_hand import Rounds, paths_of
from tests.running import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

KILLS = 50
PAGES = 24


class Site(ThreadingHTTPServer):
    """Each page leads to the next few; half of them are others in each edition."""

    edition = 0
    daemon_threads = True

    def body_of(self, path: str) -> bytes | None:
        number = int(path[1:] or "0") if path[1:].isdigit() or path == "/" else PAGES
        if number >= PAGES:
            return None
        links = "".join(f'<a href="/{n}">{n}</a>' for n in range(number + 1, min(PAGES, number + 5)))
        said = f"edition {self.edition}" if number % 2 == 0 else "always the same"
        return f"<title>{number}</title><p>page {number}, {said}</p>{links}".encode()


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        body = self.server.body_of(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(
        settings, "RONDA", replace(settings.RONDA, home=tmp_path, allow_private_networks=True)
    )
    services.writer.cache_clear()
    yield tmp_path
    services.writer().close()
    services.writer.cache_clear()


class Parts:
    """The processes, and somebody with a loaded gun."""

    def __init__(self, home: Path) -> None:
        self._home = home
        named = connection.settings_dict
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RONDA_")},
            "RONDA_HOME": str(home),
            "RONDA_ALLOW_PRIVATE_NETWORKS": "yes",
            "RONDA_DATABASE_URL": f"postgresql://{named['USER']}@/{named['NAME']}?host={named['HOST']}",
        }
        self._errors = (home / "errors").open("ab")
        words = [sys.executable, "-m", "tests.rounds.killed_parts", str(home)]
        self._parent = subprocess.Popen(words, env=environment, stderr=self._errors)

    @property
    def errors(self) -> str:
        return (self._home / "errors").read_text()[-3000:]

    def wait_until_there(self) -> None:
        def are_there() -> bool:
            assert self._parent.poll() is None, "the parts cannot start"
            return (self._home / "worker.pid").exists()

        wait_for(are_there, "the parts")

    def kill(self, name: str) -> None:
        """Until another one is there."""
        number = self._home / f"{name}.pid"
        victim = number.read_text()
        os.kill(int(victim), signal.SIGKILL)
        wait_for(lambda: number.read_text() != victim, "the next one")

    def close(self) -> None:
        self._parent.kill()
        self._parent.wait()
        for name in ("node", "worker"):
            with suppress(OSError):
                os.kill(int((self._home / f"{name}.pid").read_text()), signal.SIGKILL)
        self._errors.close()


def test_fifty_kills(home: Path, site: Site) -> None:
    person = person_with(Role.ADMINISTRATOR)
    source = Rounds(person).follow(f"http://127.0.0.1:{site.server_port}/", depth=PAGES)
    chance = random.Random("fifty kills of a capture")
    parts = Parts(home)
    try:
        parts.wait_until_there()
        for number in range(KILLS):
            _wait_for_more(source, site)
            time.sleep(chance.uniform(0, 0.1))  # a moment at random is what this is about
            parts.kill("worker" if number % 2 else "node")
        wait_for(lambda: not Visit.objects.exclude(state="ended").exists(), "the last visit to end")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{parts.errors}") from None
    finally:
        parts.close()
    wait_for(_are_all_let_go, "the last one to be gone")
    _assert_whole(home)
    _assert_files_and_index_agree()


def _wait_for_more(source: Source, site: Site) -> None:
    """Pages that were brought or read. Where no visit is under way, the site changes and the next one is due."""
    before = _state()

    def is_more() -> bool:
        if not Visit.objects.exclude(state="ended").exists():
            site.edition += 1
            Source.objects.filter(pk=source.pk).update(next_visit_at=timezone.now(), failed_visits=0)
        return _state() != before

    wait_for(is_more, "the capture to go on")


def _state() -> tuple[int, ...]:
    done = VisitPage.objects.filter(state="done").count()
    return Capture.objects.count(), done, Visit.objects.count(), Version.objects.count()


def _are_all_let_go() -> bool:
    close_abandoned_files(services.archive_folder())
    return not WarcFile.objects.filter(closed_at=None).exists()


def _assert_whole(home: Path) -> None:
    assert set(Visit.objects.values_list("outcome", flat=True)) <= {"captured", "unchanged"}
    versions = list(Version.objects.all())
    assert len(versions) > 1
    paths = {"/", *(f"/{number}" for number in range(1, PAGES))}
    assert all(paths <= paths_of(version) for version in versions)
    kept = Counter(Capture.objects.values_list("visit", "url"))
    assert max(kept.values()) == 1, "no page is in a visit twice"
    told = {tuple(line.split(" ")) for line in (home / "acknowledged").read_text().split("\n")[:-1]}
    assert told <= {(str(visit), url) for visit, url in kept}, "nothing acknowledged is lost"


def _assert_files_and_index_agree() -> None:
    verified = result_of(VERIFY)
    assert verified["problems"] == []
    assert verified["files"] > KILLS // 4
    before = whole_index()
    assert result_of(REINDEX)["dropped"] == 0
    assert whole_index() == before
    # From nothing: what refers to rows lets go of them, and the files alone say what there is.
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE archive_capture CASCADE")
    result_of(REINDEX)
    assert whole_index() == before
