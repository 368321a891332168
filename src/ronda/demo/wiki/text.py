"""The wikitext of a revision: nothing of it is stored, all of it can be written again.

An article is a row of sections, each at an edition. From one edition of a section to the next exactly one
sentence changes, so differences between revisions look like the work of people.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ronda.demo.prose import compose, material
from ronda.demo.seeding import seeded_number
from ronda.demo.wiki.articles import Article

CACHED_SECTIONS = 8_192
SCRAWLS = ("LOL {n} was here", "{n} {n} {n}", "this page is boring!!!{n}", "buy cheap lamps {n}")


class Body(NamedTuple):
    """What a revision's text depends on: the edition of each section, and a number if somebody spoilt it."""

    sections: tuple[int, ...]
    vandalism: int = 0


def wikitext(seed: int, article: Article, body: Body) -> str:
    if article.redirect_to:
        return _redirect(article.redirect_to, body.sections[0])
    scrawl = SCRAWLS[body.vandalism % len(SCRAWLS)].format(n=body.vandalism) if body.vandalism else ""
    if body.vandalism and body.vandalism % 3:
        return "" if body.vandalism % 3 == 1 else scrawl
    parts = [_section(seed, article, number, edition) for number, edition in enumerate(body.sections)]
    parts += [f"[[Category:{name}]]" for name in article.categories]
    return "\n\n".join([scrawl, *parts] if scrawl else parts)


def _redirect(target: str, edition: int) -> str:
    return f"#REDIRECT [[{target}]]" + (f"\n{{{{R from alternative name|{edition}}}}}" if edition else "")


@lru_cache(maxsize=CACHED_SECTIONS)
def _section(seed: int, article: Article, number: int, edition: int) -> str:
    words = material(article.language)
    sentence_count = 6 + seeded_number(article.title, number, "length") % 16
    sentences = " ".join(
        compose(
            words,
            words.wiki.sentences,
            article.subjects,
            (seed, article.title, number),
            place=place,
            edition=max(0, edition - (edition - place) % sentence_count),
        )
        for place in range(sentence_count)
    )
    if number == 0:
        return f"'''{article.title}'''. {sentences}"
    heading = article.headings[(number - 1) % len(article.headings)]
    return f"== {heading} ==\n{sentences}"
