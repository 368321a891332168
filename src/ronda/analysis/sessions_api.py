"""API of sessions: stream tables in, batch by batch, and close."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any, BinaryIO, cast

from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema, Status
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.analysis import queries, sessions
from ronda.analysis.back_pressure import IS_BUSY
from ronda.analysis.batches import Sent, take_batch
from ronda.analysis.checksums import FIELD, sha256_of_field
from ronda.analysis.errors import Busy
from ronda.analysis.models import Batch, Session, SessionState
from ronda.analysis.policies import GRACE_SECONDS
from ronda.analysis.sessions import Wanted
from ronda.http.inputs import Input
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.policies.queries import value_of

router = Router(tags=["Sessions"])

Name = Annotated[str, StringConstraints(max_length=80, pattern=r"^[A-Za-z0-9_ ()\[\],-]*$")]
Key = Annotated[str, StringConstraints(max_length=80, pattern=r"^[!-~]*$")]
Table = Annotated[str, Path(max_length=63, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Number = Annotated[int, Path(ge=1, le=10_000_000, description="From 1.")]
TableName = Annotated[str, StringConstraints(max_length=63, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
ColumnName = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
FileName = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9_.-]+$")]
Sql = Annotated[str, StringConstraints(max_length=100_000, pattern=r"^[^\x00]*$")]


class SessionIn(Input):
    """`questions`: a set (`GET /questions` lists them); or `sql`: questions of your own, by name, as SQL files."""

    questions: Name = ""
    sql: Annotated[dict[FileName, Sql], Field(max_length=100)] = Field(default_factory=dict)
    only: Annotated[
        list[Name], Field(max_length=100, description="Of the set, only these; none: all that can be asked.")
    ] = Field(default_factory=list)
    columns: Annotated[
        dict[TableName, dict[ColumnName, Name]],
        Field(max_length=100, description="Types of columns by table, where questions name none: BIGINT …"),
    ] = Field(default_factory=dict)
    parameters: Annotated[dict[str, Any], Field(max_length=100)] = Field(default_factory=dict)
    engine: Annotated[str, StringConstraints(pattern=r"^(auto|duckdb|spark)$")] = "auto"
    is_live: Annotated[bool, Field(description="Answer while data still arrives, too.")] = True
    key: Annotated[Key, Field(description="Asked for again under the same key, it is the same session.")] = ""


class TableOut(Schema):
    name: str
    is_required: bool
    batches: int
    expected: int | None
    numbers: Annotated[str, Field(description="Of the batches that are acknowledged, like 1-5, 7.")]
    rows: int
    dropped: int
    reasons: dict[str, int]
    body_bytes: int
    segment_bytes: int


class SessionOut(Schema):
    id: uuid.UUID
    questions: str
    state: SessionState
    engine: str
    is_live: bool
    parameters: dict[str, Any]
    created_at: datetime
    heartbeat_at: datetime
    closed_at: datetime | None
    answered_at: datetime | None


class WholeSessionOut(SessionOut):
    grace_seconds: Annotated[int, Field(description="Without a sign of life for so long, an open one ends.")]
    tables: list[TableOut]

    @staticmethod
    def resolve_grace_seconds(session: Session) -> int:
        return int(value_of(GRACE_SECONDS))

    @staticmethod
    def resolve_tables(session: Session) -> list[queries.TableState]:
        return queries.tables_of(session)


class BatchOut(Schema):
    table: str
    number: int
    checksum: Annotated[str, Field(description="SHA-256 of the body as it was sent, in hexadecimal.")]
    rows: int
    dropped: int
    reasons: dict[str, int]
    body_bytes: int
    received_at: datetime


class CloseIn(Input):
    batches: Annotated[
        dict[str, Annotated[int, Field(ge=0, le=10_000_000)]],
        Field(max_length=100, description="How many batches each table has."),
    ]


@router.post(
    "/sessions", response={200: WholeSessionOut, 201: WholeSessionOut}, summary="Open a session (clients)"
)
def open_session(request: HttpRequest, payload: SessionIn) -> Status[Session]:
    """201 for a new one; 200 for one under way that was opened with the same key. Give a sign of life now and then:
    any call about the session is one."""
    made, is_new = sessions.open_session(actor=actor_of(request), wanted=Wanted(**payload.dict()))
    return Status(201 if is_new else 200, made)


@router.get("/sessions", response=PageOf[SessionOut], summary="My sessions (clients)")
def list_sessions(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {name: name for name in ("created_at", "state", "questions")}
    return paginate(
        sessions.sessions(actor=actor_of(request)), wanted, sortable=fields, default="-created_at"
    )


@router.get("/sessions/{uuid:session_id}", response=WholeSessionOut, summary="A session and what it has")
def show_session(request: HttpRequest, session_id: uuid.UUID) -> Session:
    return sessions.heartbeat(actor=actor_of(request), session_id=session_id)


@router.delete(
    "/sessions/{uuid:session_id}", response={204: None}, summary="Delete a session with all it holds"
)
def delete_session(request: HttpRequest, session_id: uuid.UUID) -> Status[None]:
    sessions.delete_session(actor=actor_of(request), session_id=session_id)
    return Status(204, None)


@router.post(
    "/sessions/{uuid:session_id}/heartbeat", response=SessionOut, summary="The client is still there"
)
def beat(request: HttpRequest, session_id: uuid.UUID) -> Session:
    return sessions.heartbeat(actor=actor_of(request), session_id=session_id)


@router.put(
    "/sessions/{uuid:session_id}/tables/{table}/batches/{number}",
    response={200: BatchOut, 201: BatchOut},
    summary="Send a batch of a table",
)
def put_batch(request: HttpRequest, session_id: uuid.UUID, table: Table, number: Number) -> Status[Batch]:
    """The body is CSV with a header row in every batch (`text/csv`), NDJSON (`application/x-ndjson`), Parquet
    (`application/vnd.apache.parquet`) or Arrow IPC (`application/vnd.apache.arrow.stream` or `.file`), plain or with
    `Content-Encoding: gzip` or `zstd`; rows are never cut in two. `Content-Digest: sha-256=:BASE64:` (RFC 9530) over
    the body as sent. 201: kept, on disk. 200: the same batch was kept before. 409: another body has this number.
    429: too much in flight; come back after `Retry-After`."""
    actor = actor_of(request)
    if getattr(request, "scope", {}).get(IS_BUSY):
        raise Busy(retry_after_seconds=1)
    sent = Sent(
        body=cast("BinaryIO", request),
        content_type=request.headers.get("Content-Type", "").partition(";")[0].strip().lower(),
        encoding=request.headers.get("Content-Encoding", "").strip().lower(),
        checksum=sha256_of_field(request.headers.get(FIELD)),
    )
    batch, is_new = take_batch(actor=actor, session_id=session_id, table=table, number=number, sent=sent)
    return Status(201 if is_new else 200, batch)


@router.get(
    "/sessions/{uuid:session_id}/tables/{table}/batches",
    response=PageOf[BatchOut],
    summary="The batches of a table that are acknowledged",
)
def list_batches(
    request: HttpRequest, session_id: uuid.UUID, table: Table, wanted: Query[PageRequest]
) -> Any:
    session = sessions.heartbeat(actor=actor_of(request), session_id=session_id)
    rows = queries.batches_of(session, table)
    return paginate(rows, wanted, sortable={"number": "number"}, default="number")


@router.post("/sessions/{uuid:session_id}/close", response=WholeSessionOut, summary="All batches are sent")
def close_session(request: HttpRequest, session_id: uuid.UUID, payload: CloseIn) -> Session:
    """409 names what is missing. Closing again with the same numbers is the same as once."""
    return sessions.close_session(actor=actor_of(request), session_id=session_id, batches=payload.batches)
