"""Opening, keeping, closing and deleting a session. Whose it is sees it; nobody else, whatever their role."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.analysis import asked, runs
from ronda.analysis.ending import begin_to_end, finish_ending
from ronda.analysis.errors import (
    BatchesMissing,
    NoSuchSession,
    NotOfSession,
    SessionClosed,
    TooManySessions,
)
from ronda.analysis.models import LIVE_STATES, AnswerRow, Batch, Session, SessionState, TableClose
from ronda.analysis.own_data import reads_ronda, require_right
from ronda.analysis.policies import SESSIONS
from ronda.policies.queries import value_of

# Enough to see what is missing; a client that lost thousands asks what is there.
MOST_NAMED = 100


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is asked: a set the server knows, or the client's own SQL files by name."""

    questions: str = ""
    sql: Mapping[str, str] = field(default_factory=dict)
    only: Sequence[str] = ()
    # Types of columns by table, where the questions name none.
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "auto"
    is_live: bool = True
    key: str = ""


def sessions(*, actor: Person | None) -> QuerySet[Session]:
    """One's own."""
    person = require(actor, Role.CLIENT)
    return Session.objects.filter(owner=person).exclude(state=SessionState.ENDING)


def session_seen(*, actor: Person | None, session_id: uuid.UUID) -> Session:
    found = sessions(actor=actor).filter(pk=session_id).first()
    if found is None:
        raise NoSuchSession()
    return found


def open_session(*, actor: Person | None, wanted: Wanted) -> tuple[Session, bool]:
    """A session, and whether it is new: asked for again under its key, one that is under way goes on."""
    person = require(actor, Role.CLIENT)
    sql = wanted.sql or asked.texts_of(wanted.questions)
    chosen = asked.chosen(wanted.questions, sql, wanted.only, wanted.parameters, wanted.columns)
    require_right(person, chosen)
    with transaction.atomic():
        _one_at_a_time(person)
        mine = Session.objects.filter(owner=person, state__in=LIVE_STATES)
        if wanted.key and (known := mine.filter(key=wanted.key).first()):
            note_life(known.pk)
            return known, False
        most = int(value_of(SESSIONS))
        if mine.count() >= most:
            raise TooManySessions(
                _("You have %(most)d sessions under way, as many as you may. Close or delete one.")
                % {"most": most}
            )
        made = Session.objects.create(
            owner=person,
            questions=chosen.set.name,
            sql=dict(sql),
            only=list(wanted.only),
            columns={name: dict(columns) for name, columns in wanted.columns.items()},
            parameters=dict(wanted.parameters),
            engine=wanted.engine,
            is_live=wanted.is_live,
            key=wanted.key,
        )
        AnswerRow.objects.bulk_create(
            AnswerRow(
                session=made,
                question=question.name,
                parameters=chosen.parameters_of(question, wanted.parameters),
            )
            for question in chosen.questions
        )
        if reads_ronda(chosen) or not chosen.tables:
            _answer_at_once(made)
    made.refresh_from_db()
    return made, True


def _one_at_a_time(person: Person) -> None:
    """Two calls of one client at once would both find room for one more."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('session'), %s)", [person.pk])


def _answer_at_once(session: Session) -> None:
    """Questions about what Ronda itself holds wait for no table."""
    session.state, session.closed_at = SessionState.ANSWERING, timezone.now()
    session.save(update_fields=["state", "closed_at"])
    runs.start(session, is_final=True)


def note_life(session_id: uuid.UUID) -> None:
    """The client is there; written once a second at most."""
    stale = Q(heartbeat_at__lt=Now() - timedelta(seconds=1))
    Session.objects.filter(stale, pk=session_id, state__in=LIVE_STATES).update(heartbeat_at=Now())


def heartbeat(*, actor: Person | None, session_id: uuid.UUID) -> Session:
    found = session_seen(actor=actor, session_id=session_id)
    note_life(found.pk)
    return found


def close_session(*, actor: Person | None, session_id: uuid.UUID, batches: Mapping[str, int]) -> Session:
    """All is there: then the whole answers are made. Closing again with the same numbers changes nothing."""
    found = session_seen(actor=actor, session_id=session_id)
    tables = asked.of_session(found).tables
    if unknown := sorted(set(batches) - set(tables)):
        raise NotOfSession(_no_table(unknown[0], tables), field="batches")
    with transaction.atomic():
        session = Session.objects.select_for_update().filter(pk=found.pk).first()
        if session is None or session.state == SessionState.ENDING:
            raise NoSuchSession()
        said = {table: number for table, number in batches.items() if number}
        if session.state != SessionState.OPEN:
            _check_same(session, said)
            return session
        _check_all_there(session, said, required=asked.of_session(found).required)
        TableClose.objects.bulk_create(
            TableClose(session=session, table=table, batches=number) for table, number in said.items()
        )
        session.state, session.closed_at = SessionState.ANSWERING, timezone.now()
        session.save(update_fields=["state", "closed_at"])
        runs.start(session, is_final=True)
    return session


def _no_table(name: str, tables: Iterable[str]) -> str:
    return _("There is no table %(name)s; there are: %(tables)s.") % {
        "name": name,
        "tables": ", ".join(sorted(tables)),
    }


def _check_same(session: Session, said: Mapping[str, int]) -> None:
    before = dict(session.closes.values_list("table", "batches"))
    if before != said:
        raise SessionClosed(
            _("The session was closed with other numbers of batches: %(numbers)s.") % {"numbers": before}
        )


def _check_all_there(session: Session, said: Mapping[str, int], required: Sequence[str]) -> None:
    there: dict[str, set[int]] = {}
    for table, number in Batch.objects.filter(session=session).values_list("table", "number"):
        there.setdefault(table, set()).add(number)
    problems = []
    for table in sorted({*said, *there, *required}):
        wanted = set(range(1, said.get(table, 0) + 1))
        present = there.get(table, set())
        if missing := sorted(wanted - present):
            problems.append(_("%(table)s lacks %(numbers)s") % {"table": table, "numbers": _named(missing)})
        if further := sorted(present - wanted):
            words = _("%(table)s has %(numbers)s beyond the number given")
            problems.append(words % {"table": table, "numbers": _named(further)})
        if not wanted and not present:
            problems.append(_("%(table)s has no batch at all") % {"table": table})
    if problems:
        raise BatchesMissing(
            _("The session cannot be closed: %(problems)s.") % {"problems": "; ".join(problems)},
            hint=_("Send what is missing and close again."),
        )


def _named(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:MOST_NAMED]))
    return f"{shown}, …" if len(numbers) > MOST_NAMED else shown


def delete_session(*, actor: Person | None, session_id: uuid.UUID) -> None:
    """Nobody sees it from now on; the leader deletes what a run still holds."""
    found = session_seen(actor=actor, session_id=session_id)
    begin_to_end(found.pk)
    finish_ending(found.pk)
