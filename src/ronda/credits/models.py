"""The ledger: accounts, transfers between them, and what a fetch was priced at.

Transfers and entries are only ever added: the database itself refuses to change or delete them, or to keep a transfer
whose entries do not add up to nothing (sql/ledger.sql). A balance is a sum, never a column.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ronda.credits.amounts import Price


class AccountKind(models.TextChoices):
    BALANCE = "balance", _("balance")
    RESERVED = "reserved", _("reserved for fetches")
    PENDING = "pending", _("earned, not settled yet")
    SETTLED = "settled", _("earned and settled")
    OPERATOR = "operator", _("operator")
    OUTSIDE = "outside", _("outside of Ronda")


OF_CONTRIBUTORS = (AccountKind.PENDING, AccountKind.SETTLED)
OF_PEOPLE = (AccountKind.BALANCE, AccountKind.RESERVED, AccountKind.PENDING, AccountKind.SETTLED)


class Account(models.Model):
    """A person's account of some kind, or one of the two that are nobody's. It outlives its person."""

    kind = models.CharField(_("account"), max_length=8, choices=AccountKind.choices)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="accounts",
        verbose_name=_("person"),
    )

    class Meta:
        verbose_name = _("account")
        verbose_name_plural = _("accounts")
        constraints = [
            models.UniqueConstraint("kind", "person", name="account_of_person"),
            models.UniqueConstraint(
                "kind", name="account_of_nobody", condition=models.Q(kind__in=("operator", "outside"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.person_id}"


class TransferKind(models.TextChoices):
    TOPPED_UP = "topped up", _("topped up")
    PAID_OUT = "paid out", _("paid out")
    RESERVED = "reserved", _("reserved for a fetch")
    RETURNED = "returned", _("returned: not delivered")
    EARNED = "earned", _("URLs fetched")
    REVERSED = "reversed", _("taken back: wrong answers")
    SETTLED = "settled", _("settled")
    LAPSED = "lapsed", _("lapsed: never checked")


class Transfer(models.Model):
    """`key` makes a transfer happen once, however often it is asked for."""

    kind = models.CharField(_("what for"), max_length=9, choices=TransferKind.choices)
    key = models.CharField(max_length=120, unique=True)
    made_at = models.DateTimeField(_("when"), default=timezone.now)
    # No foreign keys: these rows never change, not even when what they speak of is deleted.
    fetch = models.UUIDField(null=True)
    node = models.UUIDField(null=True)
    urls = models.IntegerField(_("URLs"), null=True)
    made_by = models.CharField(max_length=254, blank=True)
    note = models.CharField(_("reason"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("transfer")
        verbose_name_plural = _("transfers")
        indexes = [models.Index("node", name="transfer_of_node", condition=models.Q(node__isnull=False))]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Entry(models.Model):
    transfer = models.ForeignKey(Transfer, models.PROTECT, related_name="entries")
    account = models.ForeignKey(Account, models.PROTECT, related_name="entries", db_index=False)
    micros = models.BigIntegerField(_("amount"))

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        indexes = [models.Index("account", "id", name="entry_of_account", include=["micros"])]
        constraints = [models.CheckConstraint(condition=~models.Q(micros=0), name="entry_moves_something")]

    def __str__(self) -> str:
        return f"{self.micros} on {self.account_id}"

    @property
    def kind(self) -> TransferKind:
        return TransferKind(self.transfer.kind)

    @property
    def fetch(self) -> uuid.UUID | None:
        """As the account's owner sees it: a contributor is not told whose URLs they were."""
        return None if self.account.kind in OF_CONTRIBUTORS else self.transfer.fetch

    @property
    def node(self) -> uuid.UUID | None:
        """And a client is not told whose machine it was."""
        return self.transfer.node if self.account.kind in OF_CONTRIBUTORS else None


class FetchPrice(models.Model):
    """What a fetch costs, as it was when it was made, and how much of that is still held back for it."""

    fetch = models.OneToOneField("grid.Fetch", models.CASCADE, primary_key=True, related_name="price")
    micros_per_thousand = models.BigIntegerField()
    operator_millionths = models.IntegerField()
    held_micros = models.BigIntegerField()
    paid_urls = models.BigIntegerField(default=0)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index("fetch", name="price_open", condition=models.Q(closed_at=None))]

    def __str__(self) -> str:
        return f"price of {self.fetch_id}"

    @property
    def price(self) -> Price:
        return Price(self.micros_per_thousand, self.operator_millionths)

    @property
    def spent_micros(self) -> int:
        return self.price.of(self.paid_urls)

    @property
    def reserved_micros(self) -> int:
        return self.held_micros - self.spent_micros
