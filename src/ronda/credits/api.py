"""API of credits: one's accounts, the statement, and what directors book."""

from __future__ import annotations

import uuid
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponseBase
from ninja import Field, Query, Router, Schema
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.credits import queries, services
from ronda.credits.amounts import shown
from ronda.credits.models import Entry
from ronda.http.inputs import ShortText
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.http.streaming import stream

router = Router(tags=["Credits"])

Address = Annotated[str, StringConstraints(min_length=3, max_length=254, pattern=r"^[^\x00]*$")]
Amount = Annotated[Decimal, Field(gt=0, le=10**9, max_digits=16, decimal_places=6)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[!-~]*$")]


class HoldingsOut(Schema):
    """Amounts are decimal numbers as text, in credits."""

    balance: str
    reserved: str
    pending: str
    settled: str


class EntryOut(Schema):
    id: int
    made_at: Annotated[datetime, Field(alias="transfer.made_at")]
    account: str
    kind: str
    amount: str
    urls: Annotated[int | None, Field(alias="transfer.urls")]
    fetch: uuid.UUID | None
    node: uuid.UUID | None
    note: Annotated[str, Field(alias="transfer.note")]

    @staticmethod
    def resolve_account(entry: Entry) -> str:
        return entry.account.kind

    @staticmethod
    def resolve_amount(entry: Entry) -> str:
        return shown(entry.micros)


class Booking(Schema):
    """`key`: a word of yours; the same one again books nothing, so that the call may be repeated."""

    email: Address
    amount: Amount
    note: ShortText = ""
    key: Key | None = None


class Booked(Schema):
    email: str
    amount: str


@router.get("", response=HoldingsOut, summary="My credits")
def show_holdings(request: HttpRequest) -> dict[str, str]:
    found = queries.holdings(actor=actor_of(request))
    return {name: shown(getattr(found, name)) for name in HoldingsOut.model_fields}


@router.get("/statement", response=PageOf[EntryOut], summary="Everything that moved on my accounts")
def show_statement(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    found = queries.statement(actor=actor_of(request))
    return paginate(found, wanted, sortable={"id": "pk"}, default="-id")


@router.get("/statement.csv", summary="The same as CSV")
def download_statement(request: HttpRequest) -> HttpResponseBase:
    response = stream(queries.statement_csv(actor=actor_of(request)), "text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="credits.csv"'
    return response


@router.post("/top-ups", response=Booked, summary="Put credits onto a client's balance (directors)")
def top_up(request: HttpRequest, payload: Booking) -> dict[str, str]:
    services.top_up(actor=actor_of(request), **payload.model_dump())
    return {"email": payload.email, "amount": str(payload.amount)}


@router.post("/pay-outs", response=Booked, summary="Note that a contributor was paid (directors)")
def pay_out(request: HttpRequest, payload: Booking) -> dict[str, str]:
    services.pay_out(actor=actor_of(request), **payload.model_dump())
    return {"email": payload.email, "amount": str(payload.amount)}
