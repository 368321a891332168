"""A director puts credits onto a client's balance, or notes that a contributor was paid."""

from __future__ import annotations

import uuid
from decimal import Decimal

from django.db import transaction

from ronda.accounts.errors import NoSuchPerson
from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.credits.amounts import MICROS, shown
from ronda.credits.errors import KeyTaken, NotThatMuch
from ronda.credits.ledger import About, account, balance_of, lock, post
from ronda.credits.models import Account, AccountKind, Entry, Transfer, TransferKind
from ronda.errors import InvalidInput

MOST = Decimal(10**9)


def top_up(
    *, actor: Person | None, email: str, amount: Decimal, note: str = "", key: str | None = None
) -> None:
    """`key`: the same one again does nothing, so that a call may be repeated."""
    director = require(actor, Role.DIRECTOR)
    person, micros = _person(email), _micros(amount)
    _book(
        TransferKind.TOPPED_UP,
        f"topped up:{key or uuid.uuid4()}",
        {account(AccountKind.OUTSIDE): -micros, account(AccountKind.BALANCE, person): micros},
        About(made_by=str(director), note=_note(note)),
    )


def pay_out(
    *, actor: Person | None, email: str, amount: Decimal, note: str = "", key: str | None = None
) -> None:
    """That somebody was paid outside of Ronda what they had earned and settled."""
    director = require(actor, Role.DIRECTOR)
    person, micros = _person(email), _micros(amount)
    settled = account(AccountKind.SETTLED, person)
    with transaction.atomic():
        lock(settled)
        named = f"paid out:{key or uuid.uuid4()}"
        there = balance_of(settled)
        if there < micros and not Transfer.objects.filter(key=named).exists():
            raise NotThatMuch(f"Only {shown(there)} credits are settled for them.")
        _book(
            TransferKind.PAID_OUT,
            named,
            {settled: -micros, account(AccountKind.OUTSIDE): micros},
            About(made_by=str(director), note=_note(note)),
        )


def _book(kind: TransferKind, key: str, amounts: dict[Account, int], about: About) -> None:
    """The same booking again does nothing; another one under its key is a mistake."""
    if post(kind, key, amounts, about):
        return
    booked = Entry.objects.filter(transfer__key=key).values_list("account_id", "micros")
    if dict(booked) != {one.pk: micros for one, micros in amounts.items()}:
        raise KeyTaken()


def _person(email: str) -> Person:
    found = Person.objects.filter(email__iexact=email.strip()).first()
    if found is None:
        raise NoSuchPerson()
    return found


def _micros(amount: Decimal) -> int:
    if not amount.is_finite() or not 0 < amount <= MOST or amount * MICROS != int(amount * MICROS):
        raise InvalidInput("An amount is positive and has at most six decimals.", field="amount")
    return int(amount * MICROS)


def _note(note: str) -> str:
    if len(note) > 200 or "\0" in note:
        raise InvalidInput("A reason has at most 200 characters.", field="note")
    return note.strip()
