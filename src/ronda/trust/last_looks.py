"""The last answers of a node that brings no more: one of them is compared, so that its contributor is paid.

A check vouches for what came before it. Of a node that stops, or has nothing to do, the last answers would stay
unproven for ever: so one of them, chosen by chance, is fetched by somebody else, once a day while it matters.
"""

from __future__ import annotations

import random
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from ronda.credits.queries import is_paid_for
from ronda.credits.settling import LAPSES_AFTER_SILENCE
from ronda.grid.models import AnswerState, FetchAnswer, Node
from ronda.trust import standings
from ronda.trust.checking import ask_for_copies, host_of
from ronda.trust.models import Check, CheckCopy, Standing

QUIET_FOR = timedelta(minutes=10)
AGAIN_AFTER = timedelta(days=1)
# Answers have no index by node: so far back, and so many nodes a turn, and no more.
ANSWERS_BACK = 500_000
NODES_A_TURN = 5
CHOSEN_FROM = 200
_chance = random.SystemRandom()


def take_last_looks() -> None:
    others = standings.present_people()
    for node in _quiet_nodes():
        if any(owner != node.owner_id for owner, _country in others):
            with transaction.atomic():
                _look(node, others)


def _quiet_nodes() -> list[Node]:
    """Nodes with earnings that no check vouches for, and that brought nothing for a while."""
    now = timezone.now()
    is_unproven = Q(standing__vouched_at=None) | Q(standing__vouched_at__lt=F("answered_at"))
    is_to_be_seen = Q(standing__looked_at=None) | Q(standing__looked_at__lt=now - AGAIN_AFTER)
    quiet = Node.objects.filter(
        is_unproven,
        is_to_be_seen,
        answered_at__gt=now - LAPSES_AFTER_SILENCE,
        answered_at__lt=now - QUIET_FOR,
    )
    found = list(quiet.exclude(standing__state="quarantined").order_by("answered_at")[: 20 * NODES_A_TURN])
    paid = is_paid_for([node.pk for node in found])
    return [node for node in found if node.pk in paid][:NODES_A_TURN]


def _look(node: Node, others: set[tuple[int, str]]) -> None:
    standing = standings.locked([node.pk])[node.pk]
    Standing.objects.filter(pk=node.pk).update(looked_at=timezone.now())
    answer_mark, capture_mark = standings.marks_now()
    after = max(standing.answer_mark, answer_mark - ANSWERS_BACK)
    last = FetchAnswer.objects.filter(node=node, pk__gt=after, state=AnswerState.FETCHED)
    last = last.exclude(capture=None).order_by("-pk")[:CHOSEN_FROM]
    if not last:
        return
    answer = _chance.choice(list(last))
    check = Check.objects.create(
        url=answer.url,
        host=host_of(answer.url),
        answer_mark=answer_mark,
        capture_mark=capture_mark,
        vouches_until=node.answered_at,
        fetch=answer.fetch,
    )
    CheckCopy.objects.create(
        of=check,
        node=node,
        owner=node.owner_id,
        country=node.country,
        status=answer.status,
        capture=answer.capture,
    )
    ask_for_copies([(check, node.country, (node.owner_id,))], others)
