"""What can go wrong between a table that is handed in and an answer.

InvalidInput
├── BadQuestion       a question or set that cannot be read; names the file and the line
├── BadParameter      a value that does not fit the question's parameter
├── BadTable          a table that is not of the set, or is missing
├── BadBody           a body or file that cannot be taken in as it is
│   ├── WrongColumns  it has other columns than the table needs
│   ├── BrokenFile    it ends too early, or is not what it says it is
│   └── UnknownFormat nobody said what it is, and it cannot be told
├── BadChecksum       a body is not what the client sent
├── NotOfSession      a table that a session's questions do not have
├── RefusedSql        SQL that does more than read the tables it was given
└── FailedSql         SQL the engine could not run
NotFound
├── NoSuchSet, NoSuchQuestion, NoSuchAnswer
└── NoSuchSession     none, another client's, or ended
TooLarge
├── TooMuchData       a field, row or unpacked body over its cap
├── BatchTooLarge     over the cap of a batch
├── AnswerTooLarge    an answer is to be read by people and programs, not a copy of the data
└── ShareUsedUp       over the cap of a client or a session
TooMany
├── TooManySessions   the cap of a client
└── Busy              too much in flight; come back shortly
Conflict
├── Cancelled         somebody stopped it
├── BatchDiffers      another body was acknowledged under this number
├── SessionClosed     the tables are complete: nothing can be added
├── BatchesMissing    closing names batches that were not acknowledged, or fewer than were
└── DataDeleted       the answers are there, the tables are not
Unavailable
├── EngineMissing     an engine, or something it needs, is not installed
├── OutOfMemory       the engine needs more memory or disk than it may use
├── SegmentFailed     the disk did not take a batch
└── TookTooLong       a question over the cap on its time
"""

from __future__ import annotations

from ronda.errors import Conflict, InvalidInput, NotFound, TooLarge, TooMany, Unavailable


class BadQuestion(InvalidInput):
    """The question cannot be read."""

    def __init__(self, message: str, *, file: str = "", line: int = 0, hint: str | None = None) -> None:
        self.file, self.line = file, line
        place = f"{file}, line {line}: " if line else f"{file}: " if file else ""
        super().__init__(f"{place}{message}", hint=hint)


class BadParameter(InvalidInput):
    """The parameter's value does not fit."""


class BadTable(InvalidInput):
    """The table is not one of this set."""


class BadBody(InvalidInput):
    """The table cannot be taken in."""


class WrongColumns(BadBody):
    """The table has other columns than it needs."""


class BrokenFile(BadBody):
    """The file is broken."""


class UnknownFormat(BadBody):
    """The format is none of CSV, NDJSON, Parquet and Arrow."""


class RefusedSql(InvalidInput):
    """A question may only read the tables it was given."""


class FailedSql(InvalidInput):
    """The engine could not run the question."""


class NoSuchSet(NotFound):
    """There is no such set of questions."""


class NoSuchQuestion(NotFound):
    """There is no such question in the set."""


class TooMuchData(TooLarge):
    """There is more data than allowed."""


class Cancelled(Conflict):
    """The question was cancelled."""


class EngineMissing(Unavailable):
    """The engine is not installed."""


class OutOfMemory(Unavailable):
    """The question needs more memory than it may use."""


class NoSuchSession(NotFound):
    """There is no such session, or it is not yours; a session ends when its client gives no sign of life."""


class NoSuchAnswer(NotFound):
    """The session has no such answer."""


class BatchDiffers(Conflict):
    """Another body was acknowledged under this number. Send it under a number that is free."""


class SessionClosed(Conflict):
    """The session is closed: nothing can be added. Open another one."""


class BatchesMissing(Conflict):
    """Not every batch is there."""


class DataDeleted(Conflict):
    """The tables of this session were deleted; its answers are kept. Open a session and send them again."""


class BadChecksum(InvalidInput):
    """The body does not match its checksum. Send it again."""


class NotOfSession(InvalidInput):
    """The session's questions have no such thing."""


class TooManySessions(TooMany):
    """You have as many sessions under way as you may. Close one, or wait until one ends."""


class Busy(TooMany):
    """Too much is in flight. Send this batch again shortly."""


class BatchTooLarge(TooLarge):
    """The batch is larger than allowed. Send smaller ones."""


class AnswerTooLarge(TooLarge):
    """The answer is larger than 64 MB. Ask for less of it (LIMIT), or ask with --local."""


class ShareUsedUp(TooLarge):
    """Your sessions hold as much as they may. Delete one."""


class SegmentFailed(Unavailable):
    """The batch could not be kept. Send it again shortly."""


class TookTooLong(Unavailable):
    """The question took longer than it may. Ask for less, or have the setting question_minutes raised."""
