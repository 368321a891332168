"""What trust has to say when work is given and answers come."""

from __future__ import annotations

import uuid

from django.db import transaction

from ronda.frontier.blocks import LeasedHost
from ronda.grid.errors import LeaseOver
from ronda.grid.listening import Accepted, Brought, Listener, Terms, register_listener
from ronda.grid.models import Node
from ronda.trust import checking, probing, rules, standings
from ronda.trust.canaries import working_canaries
from ronda.trust.models import Probe, Standing, TrustState
from ronda.trust.rules import ProbeResult, Score

REFUSAL = "This node is in quarantine. {reason} An administrator can lift it."


class TrustListener(Listener):
    def terms(self, node: Node) -> Terms:
        score, is_beside_liar = _score(node)
        if score.caught_by:
            return Terms(refusal=_refusal(node))
        score = Score() if is_beside_liar else score
        if rules.most_urls(score) is None:
            return Terms()
        few = rules.most_urls(score, standings.undecided(node))
        can_check = _can_check(node)
        # An administrator's own machines need no proof, and where nobody can prove anything, there is no choice.
        is_trusted = not is_beside_liar and (node.owner.is_administrator or not can_check)
        # Little at a time is only good for something if somebody looks at it.
        return Terms(most_urls=few if can_check else None, is_trusted=is_trusted)

    def mix_in(self, node: Node, block: uuid.UUID, hosts: list[LeasedHost]) -> list[LeasedHost]:
        score, is_beside_liar = _score(node)
        return probing.probes_for(node, block, hosts, Score() if is_beside_liar else score)

    def assigned(self, node: Node, block: uuid.UUID) -> dict[str, str]:
        return {probe.key: probe.url for probe in Probe.objects.filter(block=block, node=node)}

    def inspect(self, brought: Brought) -> None:
        """Known answers first: of a node that gives itself away nothing is stored, not even this."""
        if brought.extra_wanted:
            _count_probes(brought)
        if Standing.objects.filter(node=brought.node).exclude(caught_by="").exists():
            raise LeaseOver(_refusal(brought.node))

    def accepted(self, accepted: Accepted) -> None:
        everything = (*accepted.ended, *accepted.put_off)
        ordinary = [one for one in everything if not accepted.is_for(checking.PURPOSE, one)]
        # Whoever tells the rules of a host tells what is fetched of it: compared like any page.
        told = checking.worth_checking([*ordinary, *accepted.robots])
        checking.sample(accepted.node, told, len(accepted.ended) + len(accepted.robots))


def _score(node: Node) -> tuple[Score, bool]:
    """The node's own score, and whether another machine of the same person is in quarantine."""
    family = Standing.objects.filter(node__owner=node.owner_id)
    own = next((standing for standing in family if standing.node_id == node.pk), None)
    is_beside = any(s.state == TrustState.QUARANTINED and s.node_id != node.pk for s in family)
    return standings.score_of(own), is_beside


def _can_check(node: Node) -> bool:
    if working_canaries():
        return True
    return any(owner != node.owner_id for owner, _country in standings.present_people())


def _refusal(node: Node) -> str:
    standing = Standing.objects.filter(node=node).first()
    return REFUSAL.format(reason=standing.reason if standing else "")


def _count_probes(brought: Brought) -> None:
    with transaction.atomic():
        standing = standings.locked([brought.node.pk])[brought.node.pk]
        score = standings.score_of(standing)
        for result in probing.judge(brought):
            if not score.caught_by:
                score = rules.after_probe(score, result)
            if result is ProbeResult.PASSED:
                standing.answer_mark, standing.capture_mark = standings.marks_now()
        standings.keep(standing, score)


register_listener(TrustListener())
