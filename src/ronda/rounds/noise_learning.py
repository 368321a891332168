"""Keeps what looks at a source found to be noise: suspected first, learnt once it is certain, never after an undo."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from ronda.change.learning import Finding
from ronda.change.rules import Ignoring, Rule
from ronda.rounds.models import Source
from ronda.rounds.noise_models import IN_FORCE, NoiseRule, NoiseState

logger = logging.getLogger(__name__)

# Looks within seconds that have to show a part differ which could have been edited between two of them.
TIMES_AT_ONCE = 2
# Alone on the page, a part takes turns: so many states, and so many returns to one of them.
LEAST_STATES, LEAST_RETURNS = 3, 2
MOST_EXAMPLES = 5
MOST_VALUES = 20
# Beyond it a page differs so much that nothing is learnt from it.
MOST_RULES = 200
# Every small edit is suspected at first; the oldest are forgotten.
MOST_SUSPECTED = 50
LONGEST_PLACE = 500


def ignoring_of(source: Source) -> Ignoring:
    """What is in force, ready to be used."""
    rules = source.noise.filter(state__in=IN_FORCE, is_too_slow=False)
    return Ignoring([row.rule for row in rules.order_by("pk")])


def note_at_once(source: Source, findings: Sequence[Finding]) -> None:
    """What differed between two looks within seconds."""
    with transaction.atomic():
        for row, finding in _rows(source, findings):
            row.times_at_once += 1
            _note_example(row, finding)
            if finding.is_certain or row.times_at_once >= TIMES_AT_ONCE:
                _learn(row)
            row.save()


def note_certain(source: Source, findings: Sequence[Finding]) -> None:
    """What is noise by what it says: a clock."""
    with transaction.atomic():
        for row, finding in _rows(source, findings):
            _note_example(row, finding)
            _learn(row)
            row.save()


def note_alone(source: Source, finding: Finding) -> None:
    """The only part that differed since the last version: if it takes turns, it is a banner that rotates slowly."""
    with transaction.atomic():
        for row, _finding in _rows(source, [finding]):
            values = row.values_alone or [finding.before]
            if values[-1] != finding.after:
                values.append(finding.after)
            row.values_alone = values[-MOST_VALUES:]
            _note_example(row, finding)
            if _takes_turns(row.values_alone):
                _learn(row)
            row.save()


def note_used(source: Source, ignoring: Ignoring) -> None:
    """Which rules met something on a visit, and which took too long and are left alone from now on."""
    for rules, changes in (
        (ignoring.used, {"used_at": timezone.now(), "visits": F("visits") + 1}),
        (ignoring.too_slow, {"is_too_slow": True}),
    ):
        for rule in rules & set(ignoring.rules):
            _same(source, rule).update(**changes)
    if ignoring.too_slow:
        logger.warning("patterns of %s take too long: %s", source.pk, sorted(ignoring.too_slow))


def _takes_turns(values: Sequence[str]) -> bool:
    states = len(set(values))
    return states >= LEAST_STATES and len(values) - states >= LEAST_RETURNS


def _rows(source: Source, findings: Sequence[Finding]) -> list[tuple[NoiseRule, Finding]]:
    """Locked, or new and not yet saved. Those that were undone, or are in force, are left as they are."""
    known = {row.rule: row for row in source.noise.select_for_update().order_by("pk")}
    suspected = [row for row in known.values() if row.state == NoiseState.SUSPECTED]
    for old in suspected[:-MOST_SUSPECTED]:
        del known[old.rule]
        old.delete()
    room = MOST_RULES - len(known)
    rows = []
    for finding in findings:
        row = known.get(finding.rule)
        if row is None and room > 0 and len(finding.rule.where) <= LONGEST_PLACE:
            room -= 1
            row = _new(source, finding)
        if row and row.state == NoiseState.SUSPECTED:
            rows.append((row, finding))
    return rows


def _new(source: Source, finding: Finding) -> NoiseRule:
    return NoiseRule(
        source=source,
        kind=finding.rule.kind.value,
        where=finding.rule.where,
        facet=finding.rule.facet.value,
        nature=finding.kind.value,
        state=NoiseState.SUSPECTED,
    )


def _same(source: Source, rule: Rule) -> QuerySet[NoiseRule]:
    return source.noise.filter(kind=rule.kind.value, where=rule.where, facet=rule.facet.value)


def _note_example(row: NoiseRule, finding: Finding) -> None:
    example = [finding.before, finding.after]
    if example not in row.examples:
        row.examples = [*row.examples, example][-MOST_EXAMPLES:]


def _learn(row: NoiseRule) -> None:
    row.state, row.since = NoiseState.LEARNT, timezone.now()
