"""Rules of noise: learnt when certain, undone for good, written by hand, tried before; each by whoever may."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.change.learning import Finding, NoiseKind
from ronda.change.rules import Facet, Rule, RuleKind
from ronda.errors import Forbidden, InvalidInput
from ronda.rounds import noise, noise_learning
from ronda.rounds.errors import NoSuchNoise, NoSuchSource, TooManyRules
from ronda.rounds.models import NoiseRule, Source
from ronda.rounds.noise_models import NoiseState
from tests.people import person_with
from tests.rounds.kept_sites import HOME, followed, version_of
from tests.rounds.sources import own_archive

BANNER = Rule(RuleKind.SELECTOR, "footer > p.banner")


@pytest.fixture
def owner(db: None, tmp_path: Path) -> Iterator[Person]:
    with own_archive(tmp_path):
        yield person_with(Role.SUBSCRIBER)


@pytest.fixture
def source(owner: Person) -> Source:
    return followed(owner=owner)


def banner(before: str = "a", after: str = "b", *, is_certain: bool = False) -> Finding:
    return Finding(BANNER, NoiseKind.PART, before, after, is_certain=is_certain)


def state(source: Source) -> str:
    return source.noise.get().state


def test_what_could_be_an_edit_has_to_be_seen_twice(source: Source) -> None:
    noise_learning.note_at_once(source, [banner()])
    assert state(source) == NoiseState.SUSPECTED
    assert noise_learning.ignoring_of(source).rules == []
    noise_learning.note_at_once(source, [banner("b", "c")])
    assert state(source) == NoiseState.LEARNT
    assert noise_learning.ignoring_of(source).rules == [BANNER]
    row = source.noise.get()
    assert (row.times_at_once, row.examples) == (2, [["a", "b"], ["b", "c"]])
    assert row.since


def test_what_is_certain_is_learnt_at_once(source: Source) -> None:
    noise_learning.note_at_once(source, [banner(is_certain=True)])
    assert state(source) == NoiseState.LEARNT


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("ABCAB", NoiseState.LEARNT),
        ("ABABABAB", NoiseState.SUSPECTED),  # two states: a page that flaps
        ("ABCDEFGH", NoiseState.SUSPECTED),  # always something new: news
        ("ABCA", NoiseState.SUSPECTED),
    ],
)
def test_a_part_that_takes_turns(source: Source, values: str, expected: str) -> None:
    for before, after in pairwise(values):
        noise_learning.note_alone(source, banner(before, after))
    assert state(source) == expected


def test_undone_is_never_learnt_again(source: Source, owner: Person) -> None:
    noise_learning.note_at_once(source, [banner(is_certain=True)])
    rule = source.noise.get()
    noise.undo(actor=owner, source_id=source.pk, rule_id=rule.pk)
    noise.undo(actor=owner, source_id=source.pk, rule_id=rule.pk)
    for _ in range(5):
        noise_learning.note_at_once(source, [banner(is_certain=True)])
    assert state(source) == NoiseState.UNDONE
    assert noise_learning.ignoring_of(source).rules == []
    back = noise.put_in_force(actor=owner, source_id=source.pk, rule_id=rule.pk)
    assert (back.state, back.changed_by) == (NoiseState.LEARNT, owner)


def test_by_hand(source: Source, owner: Person) -> None:
    made = noise.add_rule(actor=owner, source_id=source.pk, kind=RuleKind.SELECTOR, where=" .ad ")
    again = noise.add_rule(actor=owner, source_id=source.pk, kind=RuleKind.SELECTOR, where=".ad")
    assert (made.pk, made.state, made.where) == (again.pk, NoiseState.HAND, ".ad")
    noise.undo(actor=owner, source_id=source.pk, rule_id=made.pk)
    assert noise.put_in_force(actor=owner, source_id=source.pk, rule_id=made.pk).state == NoiseState.HAND
    for kind, where in (
        (RuleKind.SELECTOR, "p:hover"), (RuleKind.PATTERN, "("), (RuleKind.FIELD, "a b"), (RuleKind.NUMBERS, ">"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput) as refusal:
            noise.add_rule(actor=owner, source_id=source.pk, kind=kind, where=where)
        assert refusal.value.field == "where"
    for number in range(noise.MOST_BY_HAND - 1):
        noise.add_rule(actor=owner, source_id=source.pk, kind=RuleKind.FIELD, where=f"f{number}")
    with pytest.raises(TooManyRules):
        noise.add_rule(actor=owner, source_id=source.pk, kind=RuleKind.FIELD, where="one-more")


def test_who_may(source: Source, owner: Person) -> None:
    reader = person_with(Role.READER, email="reader@example.org")
    other = person_with(Role.SUBSCRIBER, email="other@example.org")
    noise_learning.note_at_once(source, [banner(is_certain=True)])
    rule = source.noise.get()
    assert list(noise.rules_of(actor=reader, source_id=source.pk)) == [rule]
    for person in (reader, other):
        with pytest.raises(Forbidden):
            noise.add_rule(actor=person, source_id=source.pk, kind=RuleKind.FIELD, where="sid")
        with pytest.raises(Forbidden):
            noise.undo(actor=person, source_id=source.pk, rule_id=rule.pk)
    director = person_with(Role.DIRECTOR, email="director@example.org")
    noise.undo(actor=director, source_id=source.pk, rule_id=rule.pk)
    mine = followed(owner=owner, url="http://b.example/")
    with pytest.raises(NoSuchNoise):
        noise.undo(actor=owner, source_id=mine.pk, rule_id=rule.pk)
    source.collection.is_public = False
    source.collection.save()
    for call in (noise.rules_of, lambda **_: noise.try_rule(**_, kind=RuleKind.FIELD, where="x")):
        with pytest.raises(NoSuchSource):
            list(call(actor=reader, source_id=source.pk))


def test_a_rule_is_tried_on_the_last_two_versions(source: Source, owner: Person) -> None:
    def page(number: int) -> str:
        said = "<main><p>What is said.</p></main>"
        return f"<body>{said}<p class='c'>Visitor {number}</p><a href='/x?s={number}'>x</a></body>"

    assert noise.try_rule(actor=owner, source_id=source.pk, kind=RuleKind.FIELD, where="s") == []
    for number in (1, 2):
        version_of(source, {HOME: page(number), f"{HOME}same": "<p>the same</p>"})
    trials = noise.try_rule(actor=owner, source_id=source.pk, kind=RuleKind.SELECTOR, where="p.c")
    assert [trial.url for trial in trials] == [HOME, f"{HOME}same"]
    assert trials[0].score_before > trials[0].score_after > 0
    assert list(trials[0].taken) == ["Visitor 2"]
    noise.add_rule(actor=owner, source_id=source.pk, kind=RuleKind.PATTERN, where=r"Visitor \d+")
    trials = noise.try_rule(actor=owner, source_id=source.pk, kind=RuleKind.FIELD, where="s")
    assert trials[0].score_after == 0
    assert list(trials[0].taken) == ["/x?s=2"]
    assert NoiseRule.objects.count() == 1, "nothing of a trial is kept"


def test_a_pattern_that_takes_too_long_is_refused_when_tried_and_left_alone_when_used(
    source: Source, owner: Person
) -> None:
    version_of(source, {HOME: f"<p>{'a' * 4000}!</p><p>1</p>"})
    with pytest.raises(InvalidInput, match="too long"):
        noise.try_rule(actor=owner, source_id=source.pk, kind=RuleKind.PATTERN, where=r"(a+)+\d")
    made = noise.add_rule(actor=owner, source_id=source.pk, kind=RuleKind.PATTERN, where=r"(a+)+\d")
    ignoring = noise_learning.ignoring_of(source)
    ignoring.too_slow.add(made.rule)
    noise_learning.note_used(source, ignoring)
    assert noise_learning.ignoring_of(source).rules == []
    noise.put_in_force(actor=owner, source_id=source.pk, rule_id=made.pk)
    assert noise_learning.ignoring_of(source).rules == [made.rule]


def test_suspicions_are_forgotten_before_they_are_too_many(source: Source) -> None:
    for number in range(60):
        rule = Rule(RuleKind.NUMBERS, f"p.n{number}", Facet.TEXT)
        noise_learning.note_at_once(source, [Finding(rule, NoiseKind.NUMBER, "1", "2", is_certain=False)])
    assert source.noise.count() <= noise_learning.MOST_SUSPECTED + 1
    assert source.noise.filter(where="p.n59").exists()
