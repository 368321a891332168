"""Reading answers, asking again with other parameters, taking answers home."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import uuid
from collections.abc import Mapping
from typing import Any

import pyarrow.parquet as pq
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.analysis import asked, runs
from ronda.analysis.answer_bodies import rows_of
from ronda.analysis.client.tables import table_of
from ronda.analysis.errors import DataDeleted, NoSuchAnswer, NoSuchSession, ShareUsedUp
from ronda.analysis.models import AnswerRow, Session, SessionState
from ronda.analysis.sessions import session_seen

MOST_ANSWERS = 200


def answers_of(session: Session) -> QuerySet[AnswerRow]:
    return AnswerRow.objects.filter(session=session).order_by("pk")


def answers(*, actor: Person | None) -> QuerySet[AnswerRow]:
    """The history: complete answers of all one's sessions."""
    person = require(actor, Role.CLIENT)
    return (
        AnswerRow.objects.filter(session__owner=person, is_complete=True)
        .exclude(session__state=SessionState.ENDING)
        .select_related("session")
        .defer("body")
    )


def answer_seen(*, actor: Person | None, session_id: uuid.UUID, answer_id: int) -> AnswerRow:
    session = session_seen(actor=actor, session_id=session_id)
    found = answers_of(session).filter(pk=answer_id).first()
    if found is None:
        raise NoSuchAnswer()
    return found


def ask_again(
    *, actor: Person | None, session_id: uuid.UUID, question: str, parameters: Mapping[str, Any]
) -> AnswerRow:
    """The same question about the same tables in another way. Asked in that way before: that answer."""
    session = session_seen(actor=actor, session_id=session_id)
    values = asked.of_session(session).set.question(question).parameter_values(parameters)
    key = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    with transaction.atomic():
        held = Session.objects.select_for_update().filter(pk=session.pk).first()
        if held is None or held.state == SessionState.ENDING:
            raise NoSuchSession()
        known = answers_of(held).filter(question=question)
        if same := next((row for row in known if row.key == key or row.parameters == values), None):
            return same
        if not held.is_stored:
            raise DataDeleted()
        if answers_of(held).count() >= MOST_ANSWERS:
            raise ShareUsedUp(_("A session has at most %(most)d answers.") % {"most": MOST_ANSWERS})
        made = AnswerRow.objects.create(session=held, question=question, key=key, parameters=values)
        if held.state == SessionState.ANSWERED and not runs.open_runs(held).filter(is_final=True).exists():
            runs.start(held, is_final=True)
    return made


def as_csv(row: AnswerRow) -> bytes:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([column["name"] for column in row.columns])
    for values in rows_of(row.body):
        writer.writerow([_cell(value) for value in values])
    return sink.getvalue().encode()


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def as_parquet(row: AnswerRow) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table_of(row.columns, rows_of(row.body)), sink)
    return sink.getvalue()
