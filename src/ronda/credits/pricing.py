"""What a fetch costs and who gets it: held back at the start, earned as answers come, the rest returned at the end.

Counted is an HTTP answer, a 404 as well; not 429 and 5xx, not failures, not what robots.txt refuses, and not what the
node's own cap cut off. What the archive
answers costs nothing, as nobody fetches for it. What Ronda has fetched for itself (checks, probes, visits, and what the
archive should have answered) earns nothing: whoever could make the operator pay for it would only have to ask for much
and cancel it. So what clients pay is what the operator keeps and contributors earn, to the millionth.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from ronda.accounts.models import Person
from ronda.credits.amounts import shown
from ronda.credits.errors import BalanceTooSmall
from ronda.credits.ledger import About, account, balance_of, lock, pending_of, post
from ronda.credits.models import AccountKind, FetchPrice, TransferKind
from ronda.credits.policies import price_now
from ronda.frontier.purposes import Ended, OutcomeState
from ronda.grid.listening import Accepted, Replaced, Voided
from ronda.grid.models import AnswerState, Fetch, FetchAnswer, Node
from ronda.grid.voiding import FREE

FETCH_PURPOSE = "fetch"
TOO_SMALL = _("{urls} URLs cost {cost} credits; your balance is {balance}.")
HINT = _("Ask a director to top it up, or ask for fewer URLs.")


def is_payable(status: int) -> bool:
    return 0 < status < 500 and status != 429


def hold_price(fetch: Fetch, urls: int) -> None:
    """Set aside what all URLs would cost, or refuse."""
    price = price_now()
    cost = price.of(urls)
    if cost == 0:
        return
    client = fetch.owner
    balance = account(AccountKind.BALANCE, client)
    lock(balance)
    there = balance_of(balance)
    if there < cost:
        raise BalanceTooSmall(
            TOO_SMALL,
            values={"urls": urls, "cost": Decimal(shown(cost)), "balance": Decimal(shown(there))},
            hint=HINT,
        )
    post(
        TransferKind.RESERVED,
        f"reserved:{fetch.pk}",
        {balance: -cost, account(AccountKind.RESERVED, client): cost},
        About(fetch=fetch.pk, urls=urls),
    )
    FetchPrice.objects.create(
        fetch=fetch,
        micros_per_thousand=price.micros_per_thousand,
        operator_millionths=price.operator_millionths,
        held_micros=cost,
    )


def pay_for(accepted: Accepted) -> None:
    """One transfer per fetch and upload, however many URLs."""
    counts = Counter(
        uuid.UUID(accepted.batches[one.request.batch_id].owner)
        for one in accepted.ended
        if _counts(one) and accepted.is_for(FETCH_PURPOSE, one)
    )
    if counts:
        # Once per request: it leaves the queue once. The smallest of them names this part of the block.
        part = min(one.request.id for one in accepted.ended)
        _pay_by_clients(accepted.node, counts, f"{accepted.block}:{part}")


def _counts(one: Ended) -> bool:
    outcome, is_free = one.outcome, one.request.copy.startswith(FREE)
    is_answer = outcome.state is OutcomeState.FETCHED and is_payable(outcome.status)
    return is_answer and not outcome.is_cut_off and not is_free


def _pay_by_clients(node: Node, counts: Mapping[uuid.UUID, int], part: str) -> None:
    priced = FetchPrice.objects.filter(pk__in=counts).order_by("pk").select_for_update(of=("self",))
    for row in priced.select_related("fetch"):
        _pay(row, node, counts[row.fetch_id], f"earned:{part}:{row.fetch_id}")


def _pay(row: FetchPrice, node: Node, number: int, key: str) -> None:
    price = row.price
    amount = price.of(row.paid_urls + number) - price.of(row.paid_urls)
    contributor, operator = price.split(amount)
    post(
        TransferKind.EARNED,
        key,
        {
            account(AccountKind.RESERVED, row.fetch.owner_id): -amount,
            account(AccountKind.PENDING, node.owner_id): contributor,
            account(AccountKind.OPERATOR): operator,
        },
        About(fetch=row.fetch_id, node=node.pk, urls=number),
    )
    FetchPrice.objects.filter(pk=row.pk).update(paid_urls=F("paid_urls") + number)


def pay_for_replacement(replaced: Replaced) -> None:
    """A copy that Ronda asked for became the client's answer: it costs what the wrong one would have, and is earned.

    Of what is held back for the fetch, and no more: once it is closed, a client pays only for what was paid before.
    """
    answer = replaced.answer
    if not is_payable(answer.status) or replaced.former.is_from_archive:
        return
    row = (
        FetchPrice.objects.filter(pk=answer.fetch_id)
        .select_related("fetch")
        .select_for_update(of=("self",))
        .first()
    )
    if row and row.price.of(row.paid_urls + 1) <= row.held_micros:
        _pay(row, replaced.node, 1, f"earned:answer-{answer.pk}")


def take_back(voided: Voided) -> None:
    """Wrong answers were not earned. What was settled meanwhile the operator makes good to the client."""
    number = sum(_was_paid(answer) for answer in voided.answers)
    row = FetchPrice.objects.filter(pk=voided.fetch.pk).select_for_update(of=("self",)).first()
    if row is None or number == 0:
        return
    price = row.price
    amount = price.of(row.paid_urls) - price.of(row.paid_urls - number)
    contributor, _operator = price.split(amount)
    pending = account(AccountKind.PENDING, voided.node.owner_id)
    lock(pending)
    # What the same person's other machines earned is not touched.
    of_node = pending_of(voided.node.pk, pending)
    contributor = max(0, min(contributor, of_node, balance_of(pending)))
    post(
        TransferKind.REVERSED,
        f"reversed:{voided.fetch.pk}:{min(answer.pk for answer in voided.answers)}",
        {
            account(AccountKind.RESERVED, voided.fetch.owner_id): amount,
            pending: -contributor,
            account(AccountKind.OPERATOR): contributor - amount,
        },
        About(fetch=voided.fetch.pk, node=voided.node.pk, urls=number),
    )
    FetchPrice.objects.filter(pk=row.pk).update(paid_urls=F("paid_urls") - number, closed_at=None)


def _was_paid(answer: FetchAnswer) -> bool:
    is_answer = answer.state == AnswerState.FETCHED and is_payable(answer.status)
    return is_answer and not answer.is_cut_off and not answer.is_from_archive


def close_ended_fetches() -> None:
    """Fetches with nothing left to do: what was held back and not needed goes back to the client."""
    is_over = Q(fetch__batch__ended__gte=F("fetch__batch__total"))
    for pk in FetchPrice.objects.filter(is_over, closed_at=None).values_list("pk", flat=True)[:500]:
        with transaction.atomic():
            row = (
                FetchPrice.objects.filter(is_over, pk=pk, closed_at=None)
                .select_related("fetch")
                .select_for_update(of=("self",))
                .first()
            )
            if row:
                _close(row)


def _close(row: FetchPrice) -> None:
    needed = row.price.of(row.paid_urls)
    rest = row.held_micros - needed
    owner: Person = row.fetch.owner
    post(
        TransferKind.RETURNED,
        f"returned:{row.fetch_id}:{uuid.uuid4()}",
        {account(AccountKind.RESERVED, owner): -rest, account(AccountKind.BALANCE, owner): rest},
        About(fetch=row.fetch_id),
    )
    FetchPrice.objects.filter(pk=row.pk).update(held_micros=needed, closed_at=timezone.now())
