"""API of questions and answers: what can be asked, what is answered so far, live and in the end."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from ninja import Field, Query, Router, Schema, Status

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role, require
from ronda.analysis import answers, asked, events, queries, sessions
from ronda.analysis.answer_bodies import rows_of
from ronda.analysis.models import AnswerRow, AnswerState, Session, SessionState
from ronda.analysis.questions import QuestionSet
from ronda.http.inputs import Input, ShortText
from ronda.http.paging import PageOf, PageRequest, paginate, paginate_list

router = Router(tags=["Questions and answers"])


class SeenOut(Schema):
    """How much of a table had arrived when it was answered."""

    batches: int
    rows: int
    dropped: int


class AnswerOut(Schema):
    id: int
    session: uuid.UUID
    question: str
    title: str
    parameters: dict[str, Any]
    state: AnswerState
    complete: Annotated[bool, Field(description="It was made of all the data.")]
    seen: dict[str, SeenOut]
    used: Annotated[dict[str, int], Field(description="Rows of each table that went into it.")]
    dropped: Annotated[
        dict[str, dict[str, int]], Field(description="Rows that did not, by table and reason.")
    ]
    columns: list[dict[str, str]]
    row_count: int
    digest: Annotated[str, Field(description="SHA-256 of the rows as canonical JSON.")]
    warnings: list[str]
    error: str
    engine: str
    seconds: float | None
    answered_at: datetime | None


class WholeAnswerOut(AnswerOut):
    rows: list[list[Any]]


class AnswersOut(Schema):
    session: uuid.UUID
    state: SessionState
    complete: bool
    rows: int
    dropped: int
    batches: int
    answers: list[WholeAnswerOut]


class AgainIn(Input):
    question: ShortText
    parameters: Annotated[dict[str, Any], Field(max_length=100)] = Field(default_factory=dict)


class AnswerFormat(StrEnum):
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


class ParameterOut(Schema):
    name: str
    type: str
    default: Any
    title: str


class TableNeedOut(Schema):
    name: str
    title: str
    is_optional: bool
    columns: Annotated[dict[str, str], Field(description="None: whatever columns the table has.")]


class QuestionOut(Schema):
    name: str
    title: str
    description: str
    tables: list[str]
    parameters: list[ParameterOut]
    sql: str


class SetOut(Schema):
    name: str
    title: str
    description: str
    tables: list[TableNeedOut]
    questions: list[QuestionOut]


@router.get("/questions", response=PageOf[SetOut], summary="Sets of questions that can be asked (clients)")
def list_sets(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    require(actor_of(request), Role.CLIENT)
    shown = [_set_shown(asked.set_named(name)) for name in asked.set_names()]
    return paginate_list(shown, wanted, sortable={"name": lambda one: one["name"]}, default="name")


@router.get("/questions/{str:name}", response=SetOut, summary="One set of questions (clients)")
def show_set(request: HttpRequest, name: str) -> dict[str, Any]:
    require(actor_of(request), Role.CLIENT)
    return _set_shown(asked.set_named(name))


def _set_shown(found: QuestionSet) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "description": found.description,
        "tables": [
            {
                "name": table.name,
                "title": table.title,
                "is_optional": table.is_optional,
                "columns": {column.name: column.type for column in table.columns},
            }
            for table in found.tables
        ],
        "questions": [
            {
                "name": question.name,
                "title": question.title,
                "description": question.description,
                "tables": [table.name for table in question.tables],
                "parameters": [vars(parameter) for parameter in question.parameters],
                "sql": question.sql,
            }
            for question in found.questions
        ],
    }


@router.get(
    "/sessions/{uuid:session_id}/answers", response=AnswersOut, summary="The answers, as far as they are"
)
def show_answers(request: HttpRequest, session_id: uuid.UUID) -> dict[str, Any]:
    """At any time: each with `complete`, and with how much of each table it has seen."""
    return answers_shown(sessions.heartbeat(actor=actor_of(request), session_id=session_id))


def answers_shown(session: Session) -> dict[str, Any]:
    totals = queries.totals_of(session)
    found = [_shown(row, session) for row in answers.answers_of(session)]
    return {
        "session": session.pk,
        "state": session.state,
        "complete": all(one["complete"] for one in found),
        "rows": totals.rows,
        "dropped": totals.dropped,
        "batches": totals.batches,
        "answers": found,
    }


def _shown(row: AnswerRow, session: Session) -> dict[str, Any]:
    return {**_head(row, session), "rows": rows_of(row.body)}


def _head(row: AnswerRow, session: Session) -> dict[str, Any]:
    plain = ("question", "parameters", "state", "seen", "used", "dropped", "columns", "row_count", "digest")
    more = ("warnings", "error", "engine", "seconds", "answered_at")
    return {
        **{name: getattr(row, name) for name in (*plain, *more)},
        "id": row.pk,
        "session": session.pk,
        "title": asked.of_session(session).set.question(row.question).title,
        "complete": row.is_complete,
    }


@router.post(
    "/sessions/{uuid:session_id}/answers",
    response={202: WholeAnswerOut},
    summary="Ask a question again, with other parameters",
)
def ask_again(request: HttpRequest, session_id: uuid.UUID, payload: AgainIn) -> Status[dict[str, Any]]:
    row = answers.ask_again(
        actor=actor_of(request),
        session_id=session_id,
        question=payload.question,
        parameters=payload.parameters,
    )
    return Status(202, _shown(row, row.session))


@router.get("/sessions/{uuid:session_id}/events", summary="Live updates of a session, as server-sent events")
def show_events(request: HttpRequest, session_id: uuid.UUID) -> HttpResponseBase:
    """`event: session` with what `GET …/answers` gives, each time there is something new; `event: end` when the session
    has ended. Listening counts as a sign of life."""
    actor = actor_of(request)
    found = sessions.heartbeat(actor=actor, session_id=session_id)

    def show() -> dict[str, Any] | None:
        session = sessions.sessions(actor=actor).filter(pk=found.pk).first()
        return answers_shown(session) if session else None

    return events.stream_events(found.pk, show)


@router.get(
    "/sessions/{uuid:session_id}/answers/{int:answer_id}",
    response=WholeAnswerOut,
    summary="One answer: JSON, CSV or Parquet",
)
def show_answer(
    request: HttpRequest, session_id: uuid.UUID, answer_id: int, format: AnswerFormat = AnswerFormat.JSON
) -> Any:
    row = answers.answer_seen(actor=actor_of(request), session_id=session_id, answer_id=answer_id)
    if format is AnswerFormat.JSON:
        return _shown(row, row.session)
    body = answers.as_csv(row) if format is AnswerFormat.CSV else answers.as_parquet(row)
    kind = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}[format]
    response = HttpResponse(body, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{row.question}.{format}"'
    return response


@router.get("/answers", response=PageOf[AnswerOut], summary="My complete answers, newest first (clients)")
def list_answers(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    rows = answers.answers(actor=actor_of(request))
    page = paginate(
        rows, wanted, sortable={"answered_at": "answered_at", "question": "question"}, default="-answered_at"
    )
    return {**vars(page), "items": [_head(row, row.session) for row in page.items]}
