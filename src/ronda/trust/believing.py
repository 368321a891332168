"""Whose captures others are answered with, instead of having a URL fetched."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

from ronda.accounts.models import RoleGrant
from ronda.accounts.roles import Role
from ronda.trust import standings
from ronda.trust.models import CheckCopy, Standing, TrustState
from ronda.trust.rules import Mark


def believed_captures() -> Q:
    """Of nodes that are trusted, and of others what was compared itself, or came before a check that they passed.

    What no node brought, and administrators' own machines, need no proof. Where only one person's nodes are there, a
    URL would be fetched by the same ones again: then their captures are as good.
    """
    administrators = RoleGrant.objects.filter(role=Role.ADMINISTRATOR).values("person_id")
    trusted = Standing.objects.filter(state=TrustState.TRUSTED)
    standing = Standing.objects.filter(node=OuterRef("node")).exclude(state=TrustState.QUARANTINED)
    copies = CheckCopy.objects.filter(capture=OuterRef("pk"))
    believed = (
        Q(node=None)
        | Q(owner__in=administrators)
        | Q(node__in=trusted.values("node_id"))
        | Q(Exists(standing.filter(capture_mark__gte=OuterRef("pk"))))
        | Q(Exists(copies.filter(mark=Mark.PASSED.value)))
    ) & ~Q(Exists(copies.filter(mark__in=(Mark.OUTVOTED.value, Mark.STRAY.value, Mark.ABROAD.value))))
    people = {owner for owner, _country in standings.present_people()}
    return believed | Q(owner__in=people) if len(people) == 1 else believed
