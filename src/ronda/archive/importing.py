"""`ronda import`: WARC files from elsewhere, into a collection. What is there already is passed over."""

from __future__ import annotations

import uuid
from contextlib import closing
from typing import Annotated, Any, BinaryIO

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive import services
from ronda.archive.foreign_warc import ForeignRecord, Group, groups
from ronda.archive.import_batch import Batch
from ronda.archive.models import Collection
from ronda.archive.queries import collection_seen
from ronda.archive.record_parser import BrokenRecord
from ronda.archive.taking_over import Unfit
from ronda.jobs.handed_in import HandedIn
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.models import Job
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue

PROGRESS = gettext_noop("{done:,} of {total:,} bytes read")
MOST_PROBLEMS = 100
NOTHING_YET = {"groups": 0, "taken": 0, "known": 0, "left_out": 0, "broken_at": None, "broken_because": ""}
HANDED_IN = HandedIn(kind="import_warc", ending="warc")


class ImportArguments(Arguments):
    upload: Annotated[uuid.UUID, Field(title=gettext_noop("Uploaded file"))]
    collection: Annotated[str, Field(max_length=60, title=gettext_noop("Collection"))]
    name: Annotated[str, Field(max_length=200, title=gettext_noop("Name of the file"))]


def start_import(*, actor: Person | None, collection: str, name: str, body: BinaryIO) -> Job:
    """Keep the file, then have it read by a job. A director's: nobody can check that it is what the web once said."""
    person = require(actor, Role.DIRECTOR)
    found = collection_seen(person, collection)
    upload = HANDED_IN.keep(body)
    arguments = {"upload": str(upload), "collection": found.slug, "name": name}
    return enqueue(kind=IMPORT, owner=person, arguments=arguments)


class _Import:
    """One file on its way in. Its report is the job's checkpoint: it counts over all workers that read the file."""

    def __init__(self, run: JobRun, collection: Collection) -> None:
        self._run = run
        self._collection = collection
        self.report: dict[str, Any] = run.last_checkpoint or dict(NOTHING_YET, problems=[])
        self._behind = int(self.report["groups"])
        self._seen = 0
        self._batch = self._new_batch()

    def _new_batch(self) -> Batch:
        return Batch(self._collection, self._run.owner_id or 0)

    def take(self, group: Group) -> None:
        """What an earlier worker took is read over."""
        self._seen += 1
        if self._seen <= self._behind:
            return
        self.report["left_out"] += group.left_out
        try:
            self._batch.add(group)
        except Unfit as unfit:
            assert group.main  # noqa: S101  (what is no capture is never unfit)
            self._leave_out(group.main, str(unfit))
        if self._batch.is_full:
            self.keep()

    def _leave_out(self, one: ForeignRecord, why: str) -> None:
        self.report["left_out"] += 1
        if len(self.report["problems"]) < MOST_PROBLEMS:
            self.report["problems"].append(f"at {one.at}: {one.record.url[:200]}: {why}")

    def keep(self) -> None:
        """Records, index and checkpoint together, or nothing of it."""
        with services.writer().appending() as appending, transaction.atomic():
            taken = self._batch.keep(appending)
            self.report["groups"] = max(self._seen, self._behind)
            self.report["taken"] += taken
            self.report["known"] += len(self._batch) - taken
            self._run.checkpoint(self.report)
        self._batch.close()
        self._batch = self._new_batch()

    def close(self) -> None:
        self._batch.close()


def _import(run: JobRun, arguments: ImportArguments) -> dict[str, Any]:
    path = HANDED_IN.path(arguments.upload, arguments.name)
    owner = Person.objects.filter(pk=run.owner_id).first() if run.owner_id else None
    collection = collection_seen(require(owner, Role.DIRECTOR), arguments.collection)
    with path.open("rb") as file, closing(_Import(run, collection)) as importing:
        size = path.stat().st_size
        try:
            is_empty = True
            for group in groups(file):
                is_empty = is_empty and group.is_empty
                with closing(group):
                    importing.take(group)
                run.progress(file.tell(), size + 1, PROGRESS)
            if is_empty:
                raise BrokenRecord("there is no WARC record in it")
        except BrokenRecord as broken:
            importing.report |= {"broken_at": broken.offset, "broken_because": broken.reason}
        importing.keep()
    path.unlink(missing_ok=True)
    return {"file": arguments.name, **importing.report}


IMPORT = register(
    JobKind(
        name=HANDED_IN.kind,
        title=_("Import a WARC file"),
        arguments=ImportArguments,
        role=Role.DIRECTOR,
        work=_import,
    )
)
