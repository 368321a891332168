"""What people do about noise: look at what was learnt, undo it, write rules by hand, and try them before."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Case, QuerySet, Value, When
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.archive.models import Capture
from ronda.change.errors import PatternSlow
from ronda.change.reading import outlines_of
from ronda.change.rules import Facet, Ignoring, Rule, RuleKind, check
from ronda.change.scoring import score_outlines
from ronda.errors import Unavailable
from ronda.rounds.authority import source_to_change
from ronda.rounds.errors import NoSuchNoise, TooManyRules
from ronda.rounds.models import PageRole, Source, VisitPage
from ronda.rounds.noise_learning import ignoring_of
from ronda.rounds.noise_models import NoiseNature, NoiseRule, NoiseState
from ronda.rounds.page_states import page_of
from ronda.rounds.queries import source_seen
from ronda.rounds.weighing import weights_now

MOST_BY_HAND = 50
# Pages of the last two versions that a rule is tried on, the entry page first.
TRIED_PAGES = 5
TRIED_LINES = 10
# What is in force comes first, what is only suspected last.
_ORDER = Case(
    When(state=NoiseState.HAND, then=Value(0)),
    When(state=NoiseState.LEARNT, then=Value(1)),
    When(state=NoiseState.UNDONE, then=Value(2)),
    default=Value(3),
)


def rules_of(*, actor: Person | None, source_id: uuid.UUID) -> QuerySet[NoiseRule]:
    source = source_seen(actor, source_id)
    return NoiseRule.objects.filter(source=source).select_related("changed_by").order_by(_ORDER, "-pk")


def add_rule(*, actor: Person | None, source_id: uuid.UUID, kind: RuleKind, where: str) -> NoiseRule:
    """By hand. One that was learnt, suspected or undone becomes one by hand; it holds from the next visit on."""
    rule = checked(kind, where)
    source = source_to_change(actor, source_id)
    with transaction.atomic():
        Source.objects.select_for_update().get(pk=source.pk)
        if source.noise.filter(state=NoiseState.HAND).count() >= MOST_BY_HAND:
            raise TooManyRules()
        row, _ = NoiseRule.objects.update_or_create(
            source=source,
            kind=rule.kind.value,
            where=rule.where,
            facet=rule.facet.value,
            defaults={
                "nature": NoiseNature.HAND,
                "state": NoiseState.HAND,
                "since": timezone.now(),
                "is_too_slow": False,
                "changed_by": actor,
            },
        )
    return row


def undo(*, actor: Person | None, source_id: uuid.UUID, rule_id: int) -> NoiseRule:
    """It counts again, and is not learnt a second time. Undoing twice changes nothing."""
    return _set_state(actor, source_id, rule_id, is_in_force=False)


def put_in_force(*, actor: Person | None, source_id: uuid.UUID, rule_id: int) -> NoiseRule:
    """Ignore what was undone, or what is only suspected."""
    return _set_state(actor, source_id, rule_id, is_in_force=True)


def _set_state(actor: Person | None, source_id: uuid.UUID, rule_id: int, *, is_in_force: bool) -> NoiseRule:
    source = source_to_change(actor, source_id)
    with transaction.atomic():
        row = NoiseRule.objects.select_for_update().filter(source=source, pk=rule_id).first()
        if row is None:
            raise NoSuchNoise()
        if row.is_in_force == is_in_force and not row.is_too_slow:
            return row
        in_force = NoiseState.HAND if row.nature == NoiseNature.HAND else NoiseState.LEARNT
        row.state = in_force if is_in_force else NoiseState.UNDONE
        row.since = timezone.now() if is_in_force else None
        row.is_too_slow, row.changed_by = False, actor
        row.save(update_fields=["state", "since", "is_too_slow", "changed_by"])
    return row


def checked(kind: RuleKind, where: str) -> Rule:
    rule = Rule(kind, where.strip(), Facet.LINK if kind == RuleKind.FIELD else Facet.TEXT)
    check(rule)
    return rule


@dataclass(frozen=True)
class Trial:
    """What a rule does to a page of the last two versions: the score without and with it, and what it takes away."""

    url: str
    score_before: float
    score_after: float
    taken: Sequence[str]


def try_rule(*, actor: Person | None, source_id: uuid.UUID, kind: RuleKind, where: str) -> list[Trial]:
    """On pages that differ between the last two versions; on the newest one alone, if there is no other."""
    rule = checked(kind, where)
    source = source_seen(actor, source_id)
    in_force = [one for one in ignoring_of(source).rules if one != rule]
    try:
        return [_trial(url, pair, in_force, rule) for url, pair in _pairs(source)]
    except (OSError, EOFError):
        raise Unavailable("What was kept of this page cannot be read on this machine now.") from None


def _trial(url: str, pair: tuple[Capture, Capture], in_force: Sequence[Rule], rule: Rule) -> Trial:
    pages = page_of(pair[0]), page_of(pair[1])
    weights = weights_now()
    with_rule = Ignoring([*in_force, rule])
    without, having = outlines_of(*pages, Ignoring(in_force)), outlines_of(*pages, with_rule)
    if rule in with_rule.too_slow:
        raise PatternSlow()
    if without is None or having is None:
        return Trial(url, 0.0, 0.0, ())
    left = set(having[1].lines) | set(having[1].links)
    taken = [line for line in [*without[1].lines, *without[1].links] if line not in left]
    return Trial(
        url,
        score_before=score_outlines(*without).total(weights),
        score_after=score_outlines(*having).total(weights),
        taken=tuple(dict.fromkeys(taken))[:TRIED_LINES],
    )


def _pairs(source: Source) -> list[tuple[str, tuple[Capture, Capture]]]:
    versions = list(source.versions.filter(forgotten_at=None).order_by("-number")[:2])
    if not versions:
        return []
    newest, before = _captures(versions[0].visit_id), _captures(versions[-1].visit_id)
    pairs = [(url, (before.get(url, capture), capture)) for url, capture in newest.items()]
    # Those that differ first; the order of the visit else, which begins with the entry page.
    pairs.sort(key=lambda one: one[1][0].digest == one[1][1].digest)
    return pairs[:TRIED_PAGES]


def _captures(visit_id: int) -> dict[str, Capture]:
    pages = VisitPage.objects.filter(
        visit=visit_id,
        role__in=[PageRole.ENTRY, PageRole.PAGE],
        status__lt=300,
        capture__isnull=False,
    ).select_related("capture__file", "capture__refers_to__file")
    return {page.url: page.capture for page in pages.order_by("pk")[:500] if page.capture}
