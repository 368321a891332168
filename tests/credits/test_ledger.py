"""The ledger: what the database refuses, and that nothing is ever lost."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from ronda.accounts.roles import Role
from ronda.credits.amounts import MICROS, Price, shown, to_micros
from ronda.credits.ledger import account, balance_of, post
from ronda.credits.models import Account, AccountKind, Entry, Transfer, TransferKind
from tests.people import person_with


def check_now() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def moved(micros: int = 5, key: str = "a key") -> Transfer | None:
    person = person_with(Role.CLIENT, email=f"{key}@example.org".replace(" ", ""))
    return post(
        TransferKind.TOPPED_UP,
        key,
        {account(AccountKind.OUTSIDE): -micros, account(AccountKind.BALANCE, person): micros},
    )


@pytest.mark.django_db
def test_ledger_is_append_only() -> None:
    transfer = moved()
    assert transfer
    check_now()
    for change in (
        lambda: Transfer.objects.update(note="other"),
        lambda: Entry.objects.update(micros=1),
        lambda: Entry.objects.all()._raw_delete("default"),
        lambda: Transfer.objects.all()._raw_delete("default"),
        lambda: connection.cursor().execute("TRUNCATE credits_entry"),
        lambda: connection.cursor().execute("TRUNCATE credits_transfer CASCADE"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()
    assert Entry.objects.count() == 2


@pytest.mark.django_db
def test_unbalanced_transfers_are_refused() -> None:
    outside = account(AccountKind.OUTSIDE)
    balanced = moved()

    def lone_entry() -> None:
        transfer = Transfer.objects.create(kind=TransferKind.TOPPED_UP, key="x")
        Entry.objects.create(transfer=transfer, account=outside, micros=5)

    def no_entry() -> None:
        Transfer.objects.create(kind=TransferKind.TOPPED_UP, key="y")

    def one_more() -> None:
        Entry.objects.create(transfer=balanced, account=outside, micros=5)

    for unbalanced in (lone_entry, no_entry, one_more):
        with pytest.raises(IntegrityError, match="add up to"):
            _in_one_transaction(unbalanced)


def _in_one_transaction(write: Callable[[], None]) -> None:
    with transaction.atomic():
        write()
        check_now()


@pytest.mark.django_db
def test_a_key_counts_once() -> None:
    first = moved()
    outside, operator = account(AccountKind.OUTSIDE), account(AccountKind.OPERATOR)
    assert post(TransferKind.TOPPED_UP, "a key", {outside: -7, operator: 7}) is None
    assert first
    assert balance_of(operator) == 0
    assert Account.objects.filter(kind=AccountKind.OUTSIDE).count() == 1


@pytest.mark.django_db
def test_accounts_outlive_people() -> None:
    moved()
    person = Account.objects.get(kind=AccountKind.BALANCE).person
    assert person
    person.delete()
    assert balance_of(Account.objects.get(kind=AccountKind.BALANCE)) == 5


prices = st.builds(
    Price, st.integers(min_value=0, max_value=10**12), st.integers(min_value=0, max_value=MICROS)
)


@given(prices, st.lists(st.integers(min_value=1, max_value=5000), max_size=30))
def test_nothing_is_lost_by_rounding(price: Price, uploads: list[int]) -> None:
    """However a fetch is cut into uploads, what is paid is what the whole costs."""
    paid = contributors = operator = 0
    for number in uploads:
        amount = price.of(paid + number) - price.of(paid)
        share, rest = price.split(amount)
        assert share >= 0
        assert rest >= 0
        paid, contributors, operator = paid + number, contributors + share, operator + rest
    assert contributors + operator == price.of(paid)
    exact = Decimal(price.of(paid)) * (MICROS - price.operator_millionths) / MICROS
    assert 0 <= exact - contributors <= len(uploads) + 1


def test_amounts_are_shown_as_people_write_them() -> None:
    assert [shown(to_micros(Decimal(text))) for text in ("28", "8.4", "0.000001", "-19.6", "0")] == [
        "28.00", "8.40", "0.000001", "-19.60", "0.00",
    ]  # fmt: skip
