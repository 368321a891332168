"""Who runs people's SQL connects to PostgreSQL as a role that sees the lake's catalogue and nothing else."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.db import ProgrammingError
from django.test import override_settings
from psycopg.conninfo import make_conninfo

from ronda.errors import RondaError
from ronda.lake import reader_role
from ronda.lake.opening import catalogue_params
from ronda.supervision.shared_secrets import shared_secret
from ronda.wiki.sandbox.asking import READER, Question, ask, end_idle
from tests.wiki.histories import put, revision

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_lake")]


@pytest.fixture
def revisions() -> Iterator[Callable[[], int]]:
    put([revision(number) for number in range(1, 6)])
    yield lambda: int(_unvetted("SELECT count(*) FROM revisions")[0][0])
    end_idle()


def _unvetted(sql: str) -> list[list[Any]]:
    """In the very process that runs people's SQL, as if vetting had let it pass."""
    return ask(Question(sql, 10, {})).rows


def _conninfo() -> str:
    return reader_role.reader_conninfo(catalogue_params(), "lake", shared_secret(READER))


def test_it_reads_the_lake_also_what_came_later(revisions: Callable[[], int]) -> None:
    before = revisions()
    assert before >= 5
    put([revision(number) for number in range(700_000, 700_003)])
    assert revisions() == before + 3


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT * FROM __ducklake_metadata_lake.public.accounts_person",
        "SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT * FROM public.accounts_person')",
        "SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT pg_read_file(''/etc/passwd'')')",
        "SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT rolpassword FROM pg_authid')",
        "CALL postgres_execute('__ducklake_metadata_lake', 'DELETE FROM lake.ducklake_snapshot')",
    ],
)
def test_it_sees_and_changes_nothing_else_even_if_vetting_erred(
    revisions: Callable[[], int], asked: str
) -> None:
    before = revisions()
    with pytest.raises(RondaError, match=r"(?i)permission denied|read.only"):
        _unvetted(asked)
    assert revisions() == before


def test_its_session_cannot_become_another(revisions: Callable[[], int]) -> None:
    """By PostgreSQL's own words, on a connection of the same kind."""
    assert revisions()
    with psycopg.connect(_conninfo()) as reader:
        assert reader.execute("SELECT count(*) FROM lake.ducklake_snapshot").fetchone() is not None
        with pytest.raises(psycopg.Error):
            reader.execute("SELECT set_config('role', %s, false)", [catalogue_params()["user"]])
        reader.rollback()
        reader.execute("SET default_transaction_read_only = off")
        reader.commit()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute("CREATE TABLE lake.mine (n int)")


def test_machines_with_keys_of_their_own_do_not_lock_each_other_out(revisions: Callable[[], int]) -> None:
    assert revisions()
    before = _conninfo()
    with override_settings(SECRET_KEY="another machine's, by its RONDA_SECRET_KEY"):
        end_idle()
        assert revisions()  # makes the role anew
        assert _conninfo() == before
    psycopg.connect(before).close()


def test_where_no_role_can_be_made_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise ProgrammingError("permission denied to create role")

    monkeypatch.setattr(reader_role, "_make", refuse)
    with caplog.at_level(logging.WARNING):
        assert _conninfo() == make_conninfo(**catalogue_params())
    assert "permission denied to create role" in caplog.text
