"""Text out of seeded sentence material, in English and Spanish.

Each edition of a sentence differs from every other edition of it: the number in it steps through a full
cycle of 9,000 values, so a content change always changes the words a reader sees.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from ronda.demo.seeding import seeded_number
from ronda.demo.sites import Language

COUNT_CYCLE = 9_000
COUNT_STEP = 37  # coprime with the cycle: consecutive editions never meet
PLACE_STEP = 1_009


@dataclass(frozen=True)
class KindMaterial:
    """Names for the sections and pages of one kind of site, and what its sentences are about."""

    sections: tuple[str, ...]
    leaves: tuple[str, ...]
    subjects: tuple[str, ...]


@dataclass(frozen=True)
class WikiMaterial:
    sentences: tuple[str, ...]
    comments: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """Everything written in one language."""

    language: Language
    sentences: tuple[str, ...]
    headlines: tuple[str, ...]
    people: tuple[str, ...]
    places: tuple[str, ...]
    months: tuple[str, ...]
    banners: tuple[str, ...]
    words: Mapping[str, str]
    kinds: Mapping[str, KindMaterial]
    wiki: WikiMaterial


@lru_cache
def material(language: Language) -> Material:
    raw = tomllib.loads((files("ronda.demo") / "material" / f"{language}.toml").read_text("utf-8"))
    return Material(
        language=language,
        sentences=tuple(raw["sentences"]),
        headlines=tuple(raw["headlines"]),
        people=tuple(raw["people"]),
        places=tuple(raw["places"]),
        months=tuple(raw["months"]),
        banners=tuple(raw["banners"]["lines"]),
        words=raw["words"],
        kinds={
            kind: KindMaterial(**{name: tuple(values) for name, values in lists.items()})
            for kind, lists in raw["kinds"].items()
        },
        wiki=WikiMaterial(tuple(raw["wiki"]["sentences"]), tuple(raw["wiki"]["comments"])),
    )


def compose(
    words: Material,
    templates: Sequence[str],
    subjects: Sequence[str],
    key: tuple[object, ...],
    *,
    place: int = 0,
    edition: int = 0,
) -> str:
    """The sentence at a place of a text; its number depends on place and edition alone."""
    draw = seeded_number(*key, place, edition)
    draw, template = divmod(draw, len(templates))
    draw, subject = divmod(draw, len(subjects))
    draw, person = divmod(draw, len(words.people))
    draw, place = divmod(draw, len(words.places))
    draw, month = divmod(draw, len(words.months))
    text = templates[template].format(
        subject=subjects[subject],
        person=words.people[person],
        place=words.places[place],
        month=words.months[month],
        count=12 + (edition * COUNT_STEP + place * PLACE_STEP) % COUNT_CYCLE,
        ref=f"<ref>{words.people[person]}, p. {1 + draw % 400}</ref>",
    )
    if words.language is Language.ES:
        text = text.replace(" de el ", " del ").replace(" a el ", " al ")
    return text[0].upper() + text[1:]
