"""The two jobs that read every file of the archive: holding it against the index, and making the index anew."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ronda.accounts.roles import Role
from ronda.archive import services
from ronda.archive.file_contents import Problem
from ronda.archive.models import WarcFile
from ronda.archive.moves import Move
from ronda.archive.reindexing import (
    adopt_strangers,
    move_again,
    refer_imports,
    reindex_file,
    withdraw_again,
)
from ronda.archive.strangers import strangers
from ronda.archive.verifying import verify_file
from ronda.archive.withdrawals import Withdrawal
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.run import JobRun

PROGRESS = gettext_noop("{done:,} of {total:,} bytes read")
MOST_PROBLEMS = 1000


class NoArguments(Arguments):
    """Everything there is."""


class _Tally:
    """How far the job is, over all files and all its workers."""

    def __init__(self, run: JobRun, start: dict[str, Any]) -> None:
        self._run = run
        self.state: dict[str, Any] = run.last_checkpoint or {
            "file": "",
            "problems": [],
            "problem_count": 0,
            **start,
        }
        self._files = list(WarcFile.objects.order_by("name"))
        self._total = sum(row.size_bytes for row in self._files)
        self._done = sum(row.size_bytes for row in self._files if row.name <= self.state["file"])

    @property
    def left(self) -> list[WarcFile]:
        return [row for row in self._files if row.name > self.state["file"]]

    def add(self, **amounts: int) -> None:
        for name, amount in amounts.items():
            self.state[name] += amount

    def tell(self, problems: list[Problem]) -> None:
        room = MOST_PROBLEMS - len(self.state["problems"])
        self.state["problems"] += [str(problem) for problem in problems[:room]]
        self.state["problem_count"] += len(problems)

    def read(self, position: int) -> None:
        self._run.progress(self._done + position, max(self._total, self._done + position + 1), PROGRESS)

    def end(self, row: WarcFile) -> None:
        self._done += row.size_bytes
        self.state["file"] = row.name
        self._run.checkpoint(self.state)
        self._run.progress(self._done, self._total, PROGRESS)

    def result(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.state.items()
            if name not in ("file", "withdrawals", "moves", "again")
        }


def _verify(run: JobRun, arguments: NoArguments) -> dict[str, Any]:
    folder = services.archive_folder()
    tally = _Tally(run, {"files": 0, "records": 0, "captures": 0, "size_bytes": 0, "files_elsewhere": 0})
    if not run.last_checkpoint:
        tally.tell([Problem(path.name, None, "the index does not know it") for path in strangers(folder)])
    for row in tally.left:
        row.refresh_from_db()
        report = verify_file(folder, row, tally.read)
        tally.tell(report.problems)
        tally.add(
            files=not report.is_elsewhere,
            files_elsewhere=report.is_elsewhere,
            records=report.records,
            captures=report.captures,
            size_bytes=report.size_bytes,
        )
        tally.end(row)
    return tally.result()


def _reindex(run: JobRun, arguments: NoArguments) -> dict[str, Any]:
    folder = services.archive_folder()
    if not run.last_checkpoint:
        problems = adopt_strangers(folder)
    tally = _Tally(
        run,
        {
            "files": 0,
            "files_elsewhere": 0,
            "captures": 0,
            "dropped": 0,
            "withdrawals": [],
            "moves": [],
            "again": [],
        },
    )
    if not run.last_checkpoint:
        tally.tell(problems)
    for row in tally.left:
        row.refresh_from_db()
        done = reindex_file(folder=folder, row=row, on_read=tally.read)
        tally.tell(done.problems)
        tally.add(
            files=not done.is_elsewhere,
            files_elsewhere=done.is_elsewhere,
            captures=done.captures,
            dropped=done.dropped,
        )
        tally.state["withdrawals"] += [one.model_dump(mode="json") for one in done.withdrawals]
        tally.state["moves"] += [one.model_dump(mode="json") for one in done.moves]
        if done.unresolved:
            tally.state["again"].append(row.name)
        tally.end(row)
    # What a revisit refers to may stand in a file whose name comes later.
    again = WarcFile.objects.filter(name__in=tally.state["again"]).order_by("name")
    for row in again:
        reindex_file(folder=folder, row=row, on_read=tally.read)
    withdraw_again([Withdrawal.model_validate(one) for one in tally.state["withdrawals"]])
    move_again([Move.model_validate(one) for one in tally.state["moves"]])
    for row in again:
        refer_imports(folder=folder, row=row)
    return tally.result()


VERIFY = register(
    JobKind(
        name="verify_archive",
        title=_("Read the whole archive again and compare"),
        arguments=NoArguments,
        role=Role.DIRECTOR,
        work=_verify,
    )
)
REINDEX = register(
    JobKind(
        name="reindex_archive",
        title=_("Make the archive's index anew from its files"),
        arguments=NoArguments,
        role=Role.DIRECTOR,
        work=_reindex,
    )
)
