"""The job that keeps the lake in order: merging files takes longer than a leader may."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from ronda.accounts.roles import Role
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.run import JobRun
from ronda.lake import keeping

# Fewer small files or old states than these cost readers nothing to speak of.
ENOUGH_FILES = 8
ENOUGH_SNAPSHOTS = 50


class TidyArguments(Arguments):
    pass


def _tidy(run: JobRun, arguments: TidyArguments) -> dict[str, Any]:
    before = keeping.untidiness()
    if before.small_files >= ENOUGH_FILES or before.snapshots >= ENOUGH_SNAPSHOTS:
        with transaction.atomic(), connection.cursor() as lock:
            lock.execute("SELECT pg_try_advisory_xact_lock(hashtext('ronda.lake.keeping'))")
            if lock.fetchone()[0]:
                keeping.tidy()
    after = keeping.untidiness()
    return {
        "small_files_before": before.small_files,
        "small_files": after.small_files,
        "snapshots": after.snapshots,
    }


TIDY = register(
    JobKind(
        name="tidy_lake",
        title=_("Merge files of the lake and remove old ones"),
        arguments=TidyArguments,
        role=Role.ADMINISTRATOR,
        work=_tidy,
    )
)
