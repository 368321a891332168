"""What a director decides about sessions: how much a client may hand in, and how long what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from ronda.policies.registry import Kind, Policy, register

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

GROUP = _("Questions")
MEGABYTE = 1024**2


def _whole(
    name: str,
    title: _StrPromise,
    meaning: _StrPromise,
    default: int,
    unit: _StrPromise,
    low: int,
    high: int,
) -> Policy:
    return register(Policy(name, GROUP, title, meaning, Kind.WHOLE, default, unit, low, high))


GRACE_SECONDS = _whole(
    "session_grace_seconds",
    _("Grace time of a session"),
    _("A client that gives no sign of life for so long has gone: its session is ended, with all it sent."),
    60,
    _("seconds"),
    2,
    86400,
)
SESSIONS = _whole(
    "sessions_per_client",
    _("Sessions of a client"),
    _("So many sessions a client may have under way at once."),
    10,
    _("sessions"),
    1,
    10_000,
)
MEGABYTES = _whole(
    "session_megabytes_per_client",
    _("Data of a client"),
    _("So much a client's sessions may hold, as stored on disk."),
    20_480,
    _("MB"),
    1,
    100_000_000,
)
BATCHES = _whole(
    "session_batches",
    _("Batches of a session"),
    _("So many batches a session may have, all tables together."),
    100_000,
    _("batches"),
    1,
    10_000_000,
)
BATCH_MEGABYTES = _whole(
    "session_batch_megabytes",
    _("Size of a batch"),
    _("A batch may be so large as it is sent, and sixteen times as large unpacked."),
    64,
    _("MB"),
    1,
    512,
)
KEEP_HOURS = _whole(
    "session_keep_hours",
    _("Data after the answers"),
    _("So long the tables of an answered session are kept, to be asked again with other parameters."),
    24,
    _("hours"),
    0,
    8760,
)
ANSWER_DAYS = _whole(
    "answers_keep_days",
    _("Answers"),
    _("So long answers are kept after the data they were made of is deleted."),
    30,
    _("days"),
    0,
    3650,
)
LIVE_PERCENT = _whole(
    "live_answers_percent",
    _("Answers while data arrives"),
    _("At most this share of a session's time is spent on them. 0: answers come when all data is there."),
    8,
    _("%"),
    0,
    50,
)
RUN_MINUTES = _whole(
    "question_minutes",
    _("Time of a question"),
    _("A question that takes longer is ended."),
    30,
    _("minutes"),
    1,
    1440,
)
