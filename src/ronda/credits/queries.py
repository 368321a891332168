"""What can be asked about credits."""

from __future__ import annotations

import csv
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from django.db.models import QuerySet, Sum

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.credits.amounts import shown
from ronda.credits.models import OF_PEOPLE, AccountKind, Entry, TransferKind
from ronda.grid.errors import NoSuchNode
from ronda.grid.models import Node

CSV_PIECE = 500


@dataclass(frozen=True)
class Holdings:
    """Somebody's four accounts, in micros."""

    balance: int
    reserved: int
    pending: int
    settled: int


@dataclass(frozen=True)
class OperatorHoldings:
    """What the operator keeps, and what has come in from outside."""

    operator: int
    outside: int


def holdings(*, actor: Person | None) -> Holdings:
    person = require(actor)
    sums = _sums(Entry.objects.filter(account__person=person))
    return Holdings(**{kind.value: sums.get(kind.value, 0) for kind in OF_PEOPLE})


def earned_with(*, actor: Person | None, node: Node) -> int:
    """What a node's answers brought its contributor so far, less what was taken back: pending and settled together."""
    person = require(actor, Role.CONTRIBUTOR)
    if node.owner_id != person.pk and not person.is_administrator:
        raise NoSuchNode()
    of_node = Entry.objects.filter(account__kind=AccountKind.PENDING, transfer__node=node.pk)
    of_node = of_node.exclude(transfer__kind=TransferKind.SETTLED)
    return int(of_node.aggregate(total=Sum("micros"))["total"] or 0)


def earned_with_each(*, actor: Person | None, nodes: Sequence[Node]) -> dict[uuid.UUID, int]:
    """The same of several at once; of nodes that earned nothing, nothing is said."""
    person = require(actor, Role.CONTRIBUTOR)
    theirs = [node.pk for node in nodes if node.owner_id == person.pk or person.is_administrator]
    of_nodes = Entry.objects.filter(account__kind=AccountKind.PENDING, transfer__node__in=theirs)
    of_nodes = of_nodes.exclude(transfer__kind=TransferKind.SETTLED)
    return dict(of_nodes.values_list("transfer__node").annotate(total=Sum("micros")))


def is_paid_for(nodes: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Which of these nodes have earned something that is not settled yet."""
    pending = Entry.objects.filter(account__kind=AccountKind.PENDING, transfer__node__in=nodes)
    sums = pending.values_list("transfer__node").annotate(total=Sum("micros")).filter(total__gt=0)
    return {node for node, _total in sums if node}


def operator_holdings(*, actor: Person | None) -> OperatorHoldings:
    require(actor, Role.DIRECTOR)
    nobodys = (AccountKind.OPERATOR, AccountKind.OUTSIDE)
    sums = _sums(Entry.objects.filter(account__kind__in=nobodys))
    return OperatorHoldings(sums.get("operator", 0), -sums.get("outside", 0))


def _sums(entries: QuerySet[Entry]) -> dict[str, int]:
    return dict(entries.values_list("account__kind").annotate(total=Sum("micros")))


def statement(*, actor: Person | None) -> QuerySet[Entry]:
    """Everything that ever moved on one's accounts."""
    person = require(actor)
    return Entry.objects.filter(account__person=person).select_related("account", "transfer")


def statement_csv(*, actor: Person | None) -> Iterator[bytes]:
    """The same as a file, oldest first, in bounded memory."""
    rows = statement(actor=actor).order_by("pk")
    yield _line(["when", "account", "what_for", "amount", "urls", "fetch", "node", "note"])
    for entry in rows.iterator(CSV_PIECE):
        transfer = entry.transfer
        yield _line(
            [
                transfer.made_at.isoformat(),
                entry.account.kind,
                entry.kind,
                shown(entry.micros),
                "" if transfer.urls is None else str(transfer.urls),
                str(entry.fetch or ""),
                str(entry.node or ""),
                _as_text(transfer.note),
            ]
        )


def _as_text(note: str) -> str:
    """A spreadsheet would run what begins like a formula."""
    return f"'{note}" if note.startswith(("=", "+", "-", "@")) else note


def _line(cells: list[str]) -> bytes:
    buffer = StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue().encode()
