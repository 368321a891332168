"""Versions are weighed: how much changed, whether it matters, whether it was there before or is the template."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.policies.services import change_setting
from ronda.rounds.models import NoiseRule, Notice, Source, Version, VersionScore
from ronda.rounds.noise_models import NoiseState
from ronda.rounds.notices import is_important
from ronda.rounds.notification_models import Subscription, Target
from tests.people import person_with
from tests.rounds.kept_sites import HOME, Kept, followed, version_of
from tests.rounds.sources import own_archive
from tests.rounds.working import work_off

FRAME = """<html><head><link rel="stylesheet" href="/{sheet}.css"></head>
<body><main>{main}</main><footer>{foot}</footer></body></html>"""


def page(*sentences: str, foot: str = "By the museum.", sheet: str = "site") -> str:
    return FRAME.format(
        main="".join(f"<p>{one}</p>" for one in sentences), foot=f"<p>{foot}</p>", sheet=sheet
    )


STORY = (
    "The museum opens a new hall on the second floor.",
    "It shows pottery of the northern valleys.",
    "Guided tours start every hour from the entrance.",
)


@pytest.fixture
def director(db: None, tmp_path: Path) -> Iterator[Person]:
    with own_archive(tmp_path):
        yield person_with(Role.ADMINISTRATOR)


@pytest.fixture
def source(director: Person) -> Source:
    return followed(owner=director)


def weighed(source: Source, *pages: dict[str, Kept | str]) -> VersionScore:
    """The score of the last of these versions."""
    for one in pages:
        version = version_of(source, one)
    work_off()
    return VersionScore.objects.get(version=version)


def test_the_first_version_is_important_and_has_no_score(source: Source) -> None:
    version = version_of(source, {HOME: page(*STORY)})
    work_off()
    assert is_important(version)
    assert not VersionScore.objects.exists()


def test_a_sentence_more_matters(source: Source) -> None:
    found = weighed(
        source, {HOME: page(*STORY)}, {HOME: page(*STORY, "Entrance is free on Sundays in winter.")}
    )
    assert found.is_important
    assert found.content > found.form > 0
    assert found.threshold == 0.02
    assert (found.pages_bytes, found.pages_meaning) == (1, 1)
    assert found.drivers[0]["url"] == HOME


def test_the_threshold_is_the_sources_own(source: Source, director: Person) -> None:
    Source.objects.update(threshold=0.9)
    source.refresh_from_db()
    found = weighed(source, {HOME: page(*STORY)}, {HOME: page(*STORY, "Entrance is free.")})
    assert (found.is_important, found.threshold) == (False, 0.9)
    Source.objects.update(threshold=None)
    source.refresh_from_db()
    change_setting(actor=director, name="important_from", value="0.5")
    found = weighed(source, {HOME: page(*STORY)})
    assert (found.is_important, found.threshold) == (False, 0.5)


def test_weights_are_settings(source: Source, director: Person) -> None:
    for name, value in (("view", 1), ("form", 0), ("content", 0)):
        change_setting(actor=director, name=f"weight_of_{name}", value=value)
    found = weighed(source, {HOME: page(*STORY)}, {HOME: page(*STORY, sheet="winter")})
    assert found.score == found.view > 0
    assert found.content == 0


def test_noise_weighs_nothing(source: Source) -> None:
    NoiseRule.objects.create(
        source=source, kind="numbers", where="footer > p", nature="number", state=NoiseState.LEARNT
    )
    found = weighed(source, {HOME: page(*STORY, foot="Visitor 1")}, {HOME: page(*STORY, foot="Visitor 23")})
    assert (found.pages_bytes, found.pages_meaning, found.score) == (1, 0, 0)
    assert not found.is_important


def test_a_return_to_what_was_is_told_and_not_important(source: Source) -> None:
    other = page(*STORY[:2], "Closed for works until further notice.")
    found = weighed(source, {HOME: page(*STORY)}, {HOME: other}, {HOME: page(*STORY)})
    assert found.returns_to == source.versions.get(number=1)
    assert found.score > found.threshold
    assert not found.is_important
    again = weighed(source, {HOME: other})
    assert again.returns_to == source.versions.get(number=2)
    assert weighed(source, {HOME: page("Something else altogether.")}).returns_to is None


def test_a_template_touched_everywhere_is_one_change(source: Source) -> None:
    def site(foot: str) -> dict[str, Kept | str]:
        return {f"{HOME}{n}": page(f"Page {n} of the house.", *STORY, foot=foot) for n in range(6)}

    found = weighed(source, site("By the museum."), site("By the museum and its friends, since 1971."))
    assert (found.mass_pages, found.mass_part) == (6, "footer > p")
    one = weighed(source, {f"{HOME}0": page("Alone.")}, {f"{HOME}0": page("Alone, again.")})
    assert found.content <= one.content + 0.2, "six pages weigh as one"
    assert not one.is_mass


def test_new_looks_everywhere_are_one_change(source: Source) -> None:
    def site(looks: list[str]) -> dict[str, Kept | str]:
        return {f"{HOME}{n}": page(f"Page {n}.", *STORY, sheet=look) for n, look in enumerate(looks)}

    found = weighed(source, site(["a"] * 5), site(["b", "c", "d", "e", "f"]))
    assert found.mass_pages == 5
    assert found.view > 0
    assert found.content == 0


def test_what_a_page_is_made_of_counts_in_its_looks(source: Source) -> None:
    def site(style: str) -> dict[str, Kept | str]:
        sheet = Kept(style, mime="text/css", role="requisite")
        return {HOME: page(*STORY), f"{HOME}site.css": sheet}

    found = weighed(source, site("p { color: red }"), site("p { color: blue }"))
    assert found.view > 0
    assert (found.form, found.content) == (0, 0)


def test_a_page_more_weighs_as_much_as_there_is_to_read(source: Source) -> None:
    short = {HOME: page(*STORY), f"{HOME}new": page("Closed.")}
    found = weighed(source, {HOME: page(*STORY)}, short)
    assert 0 < found.score < 0.01
    long = {**short, f"{HOME}long": page(*STORY * 20)}
    assert weighed(source, long).score > 0.2


def notices_of(version: Version) -> int:
    return Notice.objects.filter(version=version).count()


def test_nobody_hears_of_what_does_not_matter(source: Source, director: Person) -> None:
    target = Target.objects.create(person=director, kind="mail", address="a@example.org")
    Subscription.objects.create(target=target, source=source)
    first = version_of(source, {HOME: page(*STORY)})
    second = version_of(source, {HOME: page(*STORY, "Entrance is free on Sundays in winter.")})
    third = version_of(source, {HOME: page(*STORY)})
    assert [notices_of(version) for version in (first, second, third)] == [1, 1, 1], "kept until weighed"
    work_off()
    assert [notices_of(version) for version in (first, second, third)] == [1, 1, 0]
