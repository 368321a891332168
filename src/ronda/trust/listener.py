"""What trust has to say when work is given and answers come."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ronda.frontier.blocks import LeasedHost
from ronda.frontier.leases import lost_blocks
from ronda.grid.errors import LeaseOver
from ronda.grid.fetches import PURPOSE as FETCH_PURPOSE
from ronda.grid.listening import Accepted, Brought, Listener, Terms, register_listener
from ronda.grid.models import Node
from ronda.trust import believing, checking, probing, rules, standings
from ronda.trust.canaries import working_canaries
from ronda.trust.models import Probe, Standing
from ronda.trust.rules import ProbeResult

REFUSAL = "This node is in quarantine. {reason} An administrator can lift it."
REFUSAL_BESIDE = (
    "Another node of yours, {name}, is in quarantine. {reason} "
    "Until an administrator lifts it, none of yours gets work."
)
# So long a block that never came back counts.
LOST_WITHIN = timedelta(days=1)
# Results of pages that are not ours.
OF_OTHERS = {ProbeResult.AGREED, ProbeResult.DOUBTED}


class TrustListener(Listener):
    def terms(self, node: Node) -> Terms:
        family = standings.family_of(node)
        if family.caught:
            return Terms(refusal=_refusal_for(node, family.caught))
        if rules.most_urls(family.score) is None:
            return Terms()
        is_alone = _is_alone(node)
        if is_alone and not working_canaries():
            # Little at a time is only good for something if somebody looks at it, and where nobody can prove anything,
            # there is no choice.
            return Terms(is_trusted=True)
        # An administrator's own machines need no proof.
        is_own = node.owner.is_administrator
        few = rules.most_urls(
            family.score,
            standings.undecided(node),
            lost=lost_blocks(owner=node.owner_id, since=timezone.now() - LOST_WITHIN),
            is_alone=is_alone or is_own,
        )
        return Terms(most_urls=few, is_trusted=few is None or is_own)

    def mix_in(self, node: Node, block: uuid.UUID, hosts: list[LeasedHost]) -> list[LeasedHost]:
        if not probing.is_possible(node):
            return []
        return probing.probes_for(node, block, hosts, standings.score_beside(node))

    def assigned(self, node: Node, block: uuid.UUID) -> dict[str, str]:
        return {probe.key: probe.url for probe in Probe.objects.filter(block=block, node=node)}

    def inspect(self, brought: Brought) -> None:
        """Known answers first: of a node that gives itself away nothing is stored, not even this."""
        if refusal := _refusal(brought.node):
            # Before they count: what is refused vouches for nothing.
            raise LeaseOver(refusal)
        if brought.extra_wanted and _count_probes(brought).caught_by:
            raise LeaseOver(_refusal(brought.node))

    def believed_captures(self) -> Q:
        return believing.believed_captures()

    def accepted(self, accepted: Accepted) -> None:
        everything = (*accepted.ended, *accepted.put_off)
        ordinary = [one for one in everything if not accepted.is_for(checking.PURPOSE, one)]
        # Whoever tells the rules of a host tells what is fetched of it: compared like any page.
        told = checking.worth_checking([*ordinary, *checking.undisputed(accepted.robots)])
        fetches = {
            pk: batch.owner for pk, batch in accepted.batches.items() if batch.purpose == FETCH_PURPOSE
        }
        checking.sample(accepted.node, told, len(accepted.ended) + len(accepted.robots), fetches)


def _is_alone(node: Node) -> bool:
    return all(owner == node.owner_id for owner, _country in standings.present_people())


def _refusal(node: Node) -> str:
    """A person is suspended, not a machine: who is caught would only have to register another one."""
    caught = standings.caught_of(node.owner_id)
    return _refusal_for(node, caught) if caught else ""


def _refusal_for(node: Node, caught: list[Standing]) -> str:
    own = next((standing for standing in caught if standing.node_id == node.pk), None)
    if own:
        return REFUSAL.format(reason=own.reason)
    return REFUSAL_BESIDE.format(name=caught[0].node.name, reason=caught[0].reason)


def _count_probes(brought: Brought) -> Standing:
    with transaction.atomic():
        standing = standings.locked([brought.node.pk])[brought.node.pk]
        score = standings.score_of(standing)
        results = probing.judge(brought)
        if {*results} - OF_OTHERS == {ProbeResult.SKIPPED}:
            beside = standings.score_beside(brought.node, score)
            score = rules.after_skipping(beside, brought.asked, brought.answered)
        for result in results:
            if not score.caught_by:
                score = rules.after_probe(score, result)
        if _vouch_for_others(brought.node, results):
            standings.vouch(standing)
        standings.keep(standing, score)
    return standing


def _vouch_for_others(node: Node, results: list[ProbeResult]) -> bool:
    """Whether these probes say anything about other pages. Whoever knows the canary may be honest there and nowhere
    else: where somebody could look at those pages, too, it vouches for itself alone."""
    if ProbeResult.AGREED in results:
        return True
    return ProbeResult.PASSED in results and (_is_alone(node) or node.owner.is_administrator)


register_listener(TrustListener())
