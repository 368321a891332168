"""The ledger's two verbs: post a transfer, add up an account."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from django.db import transaction
from django.db.models import Sum

from ronda.accounts.models import Person
from ronda.credits.models import Account, AccountKind, Entry, Transfer, TransferKind


@dataclass(frozen=True)
class About:
    """What a transfer is about, for those who read statements."""

    fetch: uuid.UUID | None = None
    node: uuid.UUID | None = None
    urls: int | None = None
    made_by: str = ""
    note: str = ""


NOTHING = About()


def account(kind: AccountKind, person: Person | int | None = None) -> Account:
    person_id = person.pk if isinstance(person, Person) else person
    owner = {"person__isnull": True} if person_id is None else {"person_id": person_id}
    found, _ = Account.objects.get_or_create(kind=kind, **owner, defaults={"person_id": person_id})
    return found


def balance_of(account: Account) -> int:
    total: int | None = account.entries.aggregate(total=Sum("micros"))["total"]
    return int(total or 0)


def pending_of(node: uuid.UUID, pending: Account) -> int:
    """What of a person's pending credits is of one node's work."""
    total: int | None = pending.entries.filter(transfer__node=node).aggregate(total=Sum("micros"))["total"]
    return int(total or 0)


def lock(*accounts: Account) -> None:
    """Nobody else who asks may draw on these before the transaction ends."""
    list(
        Account.objects.filter(pk__in=[one.pk for one in accounts])
        .order_by("pk")
        .select_for_update(no_key=True)
    )


def post(
    kind: TransferKind, key: str, amounts: Mapping[Account, int], about: About = NOTHING
) -> Transfer | None:
    """Move micros between accounts; the sum is nothing. None: that key was posted before, and nothing was done."""
    entries = {one: micros for one, micros in amounts.items() if micros}
    if not entries:
        return None
    with transaction.atomic():
        transfer, is_new = Transfer.objects.get_or_create(key=key, defaults={"kind": kind, **asdict(about)})
        if not is_new:
            return None
        Entry.objects.bulk_create(
            Entry(transfer=transfer, account=one, micros=micros) for one, micros in entries.items()
        )
    return transfer
