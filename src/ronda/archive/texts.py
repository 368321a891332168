"""Reading texts of captures into the search: a job that begins whenever some are due, in short steps.

A text is kept once per payload, whoever captured it and how often. What was interrupted is still due, and what was
done twice changes nothing.
"""

from __future__ import annotations

import logging
import re
import zlib
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ronda.accounts.roles import Role
from ronda.archive.extracting import Extracted, Extractor, Page
from ronda.archive.models import Capture, Dictionary, Text
from ronda.archive.payload import payload_of
from ronda.archive.policies import TEXT_LETTERS
from ronda.archive.reading import record_with, response_field
from ronda.archive.text_types import Kind, kind_of
from ronda.database.named_sql import named_sql
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.queries import is_any_open
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.policies.queries import value_of

logger = logging.getLogger(__name__)

PROGRESS = gettext_noop("{done:,} texts read")
PIECE = 50
# Fetching and keeping go before finding: while captures come in, texts wait for a pause, but not for ever.
PAUSE_SECONDS = 2.0
LONGEST_WAIT_SECONDS = 60.0
# Of a page, the beginning will do. A PDF is read from its end, and has pictures in it.
MOST_BYTES = {Kind.HTML: 4 * 1024**2, Kind.PLAIN: 4 * 1024**2, Kind.PDF: 64 * 1024**2}
DICTIONARIES = {"es": Dictionary.SPANISH, "en": Dictionary.ENGLISH}
_CHARSET = re.compile(r"charset=[\"']?([\w-]+)", re.IGNORECASE)


def start_reading() -> None:
    """If texts are due, it is time to read them, and nobody does yet."""
    if is_time_to_read() and not is_any_open(READ_TEXTS.name):
        enqueue(kind=READ_TEXTS, owner=None, arguments={})


def is_time_to_read(longest_wait_seconds: float = LONGEST_WAIT_SECONDS) -> bool:
    """Whether texts are due, and either nothing was captured just now or the oldest of them has waited too long."""
    moments = Capture.objects.filter(is_text_due=True).values_list("fetched_at", flat=True)
    newest = moments.order_by("-pk").first()
    if newest is None:
        return False
    now = timezone.now()
    # What was imported may be of any time, also of one that is still to come.
    if not 0 <= (now - newest).total_seconds() < PAUSE_SECONDS:
        return True
    oldest = moments.order_by("pk").first()
    return oldest is not None and (now - oldest).total_seconds() > longest_wait_seconds


def read_due_texts(extractor: Extractor) -> int:
    """One step: the oldest that are due. Returns how many those were."""
    due = list(Capture.objects.filter(is_text_due=True).order_by("pk").select_related("file")[:PIECE])
    known = set(Text.objects.filter(digest__in=[one.digest for one in due]).values_list("digest", flat=True))
    fresh = {one.digest: one for one in due if one.digest not in known}
    most_letters = int(value_of(TEXT_LETTERS))
    read = {digest: _read(extractor, capture, most_letters) for digest, capture in fresh.items()}
    with transaction.atomic():
        for digest, extracted in read.items():
            if extracted:
                _keep(digest, extracted)
        Capture.objects.filter(pk__in=[one.pk for one in due]).update(is_text_due=False)
    return len(due)


def _read(extractor: Extractor, capture: Capture, most_letters: int) -> Extracted | None:
    """None if it has no words, or cannot be read: then the page can still be found by its URL."""
    kind = kind_of(capture.mime) or Kind.PLAIN
    try:
        record = record_with(capture.holder, MOST_BYTES[kind])
    except (OSError, EOFError, zlib.error) as error:
        logger.warning("the text of %s cannot be read: %s", capture.url, error)
        return None
    charset = _CHARSET.search(response_field(record, b"content-type"))
    page = Page(
        body=payload_of(record, MOST_BYTES[kind]),
        charset=charset[1] if charset else "",
        kind=kind,
        most_letters=most_letters,
    )
    extracted = extractor(page)
    if extracted is None:
        logger.warning("the text of %s is left out: reading it took too long", capture.url)
    return extracted if extracted and (extracted.title or extracted.text) else None


def _keep(digest: str, extracted: Extracted) -> None:
    values = {**vars(extracted), "digest": digest}
    values["dictionary"] = DICTIONARIES.get(extracted.language, Dictionary.SIMPLE).value
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.archive", "keep_text"), values)


class NoArguments(Arguments):
    pass


def _read_all(run: JobRun, arguments: NoArguments) -> dict[str, Any]:
    done = int((run.last_checkpoint or {"done": 0})["done"])
    with Extractor() as extractor:
        # What has begun goes on for a while, as beginning is dear.
        while is_time_to_read(LONGEST_WAIT_SECONDS / 2) and (read := read_due_texts(extractor)):
            done += read
            run.checkpoint({"done": done})
            run.progress(done, None, PROGRESS)
    return {"texts": done}


READ_TEXTS = register(
    JobKind(
        name="read_texts",
        title=_("Read texts into the search"),
        arguments=NoArguments,
        role=Role.ADMINISTRATOR,
        work=_read_all,
    )
)
