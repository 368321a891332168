"""Real parts for the tests: an embedded PostgreSQL for the run, and Rondas started as people start them."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

# Before Django reads its settings: a home of this run's own, whose address is known before its server runs.
_HOME = Path(tempfile.mkdtemp(prefix="ronda-tests-"))
for _name in [name for name in os.environ if name.startswith("RONDA_")]:
    del os.environ[_name]
os.environ["RONDA_HOME"] = str(_HOME)
os.environ["COLUMNS"] = "200"  # what commands print in this process is not to be wrapped
os.environ["DJANGO_SETTINGS_MODULE"] = "ronda.site.settings"

import django  # noqa: E402
import psycopg  # noqa: E402
import pytest  # noqa: E402
from django.apps import AppConfig  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db.models.signals import post_migrate  # noqa: E402
from psycopg_pool import PoolTimeout  # noqa: E402

# Real hashing takes half a second a person, and is Django's business; servers under test keep it.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# A server has to say quickly that it is overloaded; a test on a busy machine may wait. As long as somebody waits for a
# connection, the pool has to go on trying: once it gave up, nobody who waits already is served.
settings.DATABASES["default"]["OPTIONS"]["pool"] |= {"timeout": 60, "reconnect_timeout": 60, "max_size": 60}
django.setup()
# The worker processes of pytest-xdist inherit the environment, and would read settings before this file gives them
# a home of their own.
del os.environ["DJANGO_SETTINGS_MODULE"]

from django.db import connection  # noqa: E402
from django.test import override_settings  # noqa: E402
from hypothesis import HealthCheck  # noqa: E402
from hypothesis import settings as drawing  # noqa: E402

from ronda.archive import services as archive  # noqa: E402
from ronda.archive.models import Collection, Topic  # noqa: E402
from ronda.archive.vocabulary import COLLECTIONS, TOPICS  # noqa: E402
from ronda.archive.warc_writer import WarcWriter  # noqa: E402
from ronda.database.embedded import EmbeddedPostgres  # noqa: E402
from ronda.lake import opening  # noqa: E402
from tests.running import RunningRonda, free_port  # noqa: E402
from tests.warc_files import archives_below, assert_read_by_others, pywb_indexer, what_pywb_says  # noqa: E402

# How long a machine that others use takes for an example says nothing.
drawing.register_profile("patient", drawing(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
drawing.load_profile("patient")

# The files that take minutes, longest first: begun last, one of them would keep one worker busy while the other idles.
LONGEST = (
    "tests/rounds/test_sixty_days.py",
    "tests/wiki/test_hostile_network.py",
    "tests/grid/test_kills.py",
    "tests/supervision/test_survival.py",
    "tests/api/test_openapi.py",
    "tests/grid/test_lent_nodes.py",
    "tests/rounds/test_kills.py",
    "tests/analysis/test_kills.py",
    "tests/supervision/test_start.py",
    "tests/console/test_fetching_in_a_browser.py",
    "tests/console/test_following_in_a_browser.py",
    "tests/trust/test_simulated_grid.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """A folder of this run's own: pytest's usual one is closed to others again by every run that starts, while
    PostgreSQL, which as root runs under another account, may be on its way through it."""
    if config.option.basetemp is None and not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="ronda-pytest-")
        config.option.basetemp = f"{folder}/tests"
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In the order of `LONGEST`, then all others as they come; stable within a file."""
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.location[0], len(LONGEST)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Whatever stands in the archive of a test's home when it is over, others can read."""
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    result = yield
    if folder:
        assert_read_by_others(archives_below(folder))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Iterator[None]:
    """Who waits in vain for a connection says who has them."""
    report = yield
    if call.excinfo and isinstance(call.excinfo.value.__cause__ or call.excinfo.value, PoolTimeout):
        threads = ", ".join(thread.name for thread in threading.enumerate())
        report.sections.append(("the pool", f"{connection.pool.get_stats()}\nthreads: {threads}"))
    return report


@pytest.fixture(scope="session", autouse=True)
def _read_by_pywb() -> Iterator[None]:
    """All files of the run in one go, as starting it takes longer than most tests do."""
    yield
    assert what_pywb_says() == ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if pywb_indexer() is None:
        terminalreporter.write_line("pywb is not installed: its cdx-indexer read none of the WARC files.")


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """A PostgreSQL of this run's own, that some tests treat as "your PostgreSQL"."""
    embedded = EmbeddedPostgres(_HOME)
    embedded.prepare()
    process = embedded.spawn()
    assert process.stdout
    # Nobody reads its log here: a full pipe would stop it.
    log = (_HOME / "log").open("wb")
    reading = threading.Thread(target=shutil.copyfileobj, args=(process.stdout, log))
    reading.start()
    try:
        deadline = time.monotonic() + 60
        while not embedded.is_ready():
            assert process.poll() is None, (_HOME / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield embedded
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        reading.join()
        log.close()
        process.stdout.close()
        shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(postgres: EmbeddedPostgres) -> None:
    """pytest-django makes its test database once this is done, so the server runs by then."""


@pytest.fixture
def fresh_database(postgres: EmbeddedPostgres) -> Iterator[str]:
    """The address of an empty database."""
    yield from _fresh_database(postgres)


def _fresh_database(postgres: EmbeddedPostgres) -> Iterator[str]:
    name = f"fresh_{os.urandom(6).hex()}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield postgres.url.replace("/ronda?", f"/{name}?")
    # Who tidies up there meanwhile (autovacuum) is ended by PostgreSQL's own administrator only.
    administrator = postgres.url.replace("//ronda@/ronda?", "//postgres@/postgres?")
    with psycopg.connect(administrator, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _fill_vocabulary(sender: AppConfig, **_: object) -> None:
    """Tests with transactions of their own empty all tables when they are over, what exists from the start included."""
    if sender.label == "archive":
        Collection.objects.bulk_create(
            [Collection(slug=slug, name=name) for slug, name in COLLECTIONS.items()], ignore_conflicts=True
        )
        Topic.objects.bulk_create(
            [Topic(code=code, name=name) for code, name in TOPICS.items()], ignore_conflicts=True
        )


post_migrate.connect(_fill_vocabulary)
_the_writer = archive.writer  # some tests put another in its place


@pytest.fixture(autouse=True)
def _no_file_stays_open() -> Iterator[None]:
    """The archive's writer belongs to the process, and would outlive the test that made it write."""
    yield
    if _the_writer.cache_info().currsize:
        _the_writer().abandon()
        _the_writer.cache_clear()


@pytest.fixture
def own_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an archive of the test's own, with its writer."""
    with override_settings(RONDA=replace(settings.RONDA, home=tmp_path)):
        writer = WarcWriter(archive.archive_folder())
        monkeypatch.setattr(archive, "writer", lambda: writer)
        yield writer.folder
        writer.close()


@pytest.fixture
def own_lake(tmp_path: Path) -> Iterator[Path]:
    """The folder of an empty lake of the test's own. Needs a database with transactions of its own."""
    with override_settings(RONDA=replace(settings.RONDA, home=tmp_path)):
        _drop_catalogue()
        yield opening.lake_folder()
        _drop_catalogue()


def _drop_catalogue() -> None:
    """Nobody may be at it: whoever makes its tables meanwhile would be in a deadlock with us."""
    for thread in threading.enumerate():
        if thread.name in ("warming the lake", "hot columns"):
            thread.join()
    opening.forget()
    with connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA IF EXISTS {opening.NAME} CASCADE")


@pytest.fixture(scope="session")
def shared_ronda(postgres: EmbeddedPostgres) -> Iterator[RunningRonda]:
    """One `ronda up` for all tests that only talk to it."""
    databases = _fresh_database(postgres)
    home = Path(tempfile.mkdtemp(prefix="ronda-shared-"))
    ronda = RunningRonda(home, environment={"RONDA_DATABASE_URL": next(databases)})
    try:
        ronda.start()
        yield ronda
    finally:
        ronda.stop()
        shutil.rmtree(home, ignore_errors=True)
        next(databases, None)


@pytest.fixture
def ronda_in(tmp_path: Path, fresh_database: str) -> Iterator[Callable[..., RunningRonda]]:
    """Makes Rondas in homes of their own; all are ended after the test, and before `fresh_database` is."""
    made: list[RunningRonda] = []

    def make(name: str = "home", *arguments: str, **environment: str) -> RunningRonda:
        ronda = RunningRonda(tmp_path / name, arguments=arguments, environment=environment, port=free_port())
        made.append(ronda)
        return ronda

    yield make
    for ronda in made:
        ronda.stop()
