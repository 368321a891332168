"""`ronda doctor` sees when the lake's files and its catalogue have lost each other."""

from __future__ import annotations

import psycopg
import pytest
from django.conf import settings
from psycopg.conninfo import make_conninfo

from ronda.database.named_sql import named_sql
from ronda.lake.health import look_at
from ronda.lake.opening import catalogue_params, lake_folder
from ronda.supervision.diagnosis import Severity, _lake
from tests.wiki.histories import put, revision

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_lake")]


def test_a_file_that_is_gone_is_named() -> None:
    put([revision(number) for number in range(1, 500)])
    with psycopg.connect(make_conninfo(**catalogue_params()), autocommit=True) as connection:
        health = look_at(connection, settings.RONDA.home)
        assert health is not None
        assert health.files >= 1
        assert health.missing == ()
        (path, _) = connection.execute(named_sql("ronda.lake", "files_named").encode()).fetchone() or ("", 0)
        file = lake_folder() / path
        moved = file.rename(file.with_suffix(".away"))
        try:
            found = _lake(connection, settings.RONDA.home)
            assert found.severity == Severity.BAD
            assert file.name in found.found
        finally:
            moved.rename(file)
        assert _lake(connection, settings.RONDA.home).severity == Severity.GOOD
