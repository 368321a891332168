"""HTML of the pages of a site, as pure functions of their state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.resources import files
from string import Template

from ronda.demo.layouts import lay_out
from ronda.demo.noise import NOISE_MARK, SESSION_MARK
from ronda.demo.origins import Origins
from ronda.demo.prose import KindMaterial, Material, compose, material
from ronda.demo.quirk_links import quirk_links
from ronda.demo.seeding import seeded_number
from ronda.demo.sites import FeedKind, Noise, Site
from ronda.demo.structure import HOME, Page, story_path
from ronda.demo.timeline import PageState
from ronda.demo.world import DemoWorld

PAGE_TEMPLATE = Template((files("ronda.demo") / "templates" / "page.html").read_text("utf-8"))
FEED_PATH = "/feed.xml"
NEIGHBOURS = 3
STORY_SENTENCES = 9
PHOTOS_PER_SITE = 6
CACHED_PAGES = 4_096


@dataclass(frozen=True)
class Rendering:
    """A page's bytes without noise, and a tag that is equal for equal states on any port."""

    body: bytes
    tag: str


class PageRenderer:
    """Renders pages; links to other sites need to know where those listen."""

    def __init__(self, world: DemoWorld, origins: Origins) -> None:
        self._world = world
        self._origins = origins
        self.page = lru_cache(maxsize=CACHED_PAGES)(self._page)
        self.story = lru_cache(maxsize=CACHED_PAGES)(self._story)

    def _page(self, site: Site, page: Page, state: PageState) -> Rendering:
        words, kind = _words(site)
        key = (self._world.seed, site.name, page.path)
        sentences = [
            compose(words, words.sentences, kind.subjects, key, place=place, edition=edition)
            for place, edition in enumerate(state.sentences)
        ]
        main = [_figure(page.path, page.title), lay_out(state.form, sentences, kind.subjects)]
        if page.path == HOME and site.publishes_stories:
            main.insert(0, self._front(site, state.stories))
        html = self._frame(site, page.title, "\n".join(main), path=page.path, view=state.view)
        return Rendering(html, f"{seeded_number(*key, state):016x}")

    def _story(self, site: Site, number: int) -> Rendering:
        """A story is written once; it keeps the first theme of its site."""
        words, kind = _words(site)
        key = (self._world.seed, site.name, "story", number)
        sentences = [
            compose(words, words.sentences, kind.subjects, key, place=place, edition=number)
            for place in range(STORY_SENTENCES)
        ]
        title = self.story_title(site, number)
        main = _figure(story_path(number), title) + lay_out(0, sentences, kind.subjects)
        return Rendering(self._frame(site, title, main), f"{seeded_number(*key):016x}")

    def not_found(self, site: Site) -> bytes:
        words, _ = _words(site)
        return self._frame(site, words.words["not_found"], f"<p>{words.words['not_found_text']}</p>")

    def plain(self, site: Site, title: str, main: str) -> bytes:
        """A page outside of the schedule, such as a month of the endless calendar."""
        return self._frame(site, title, main)

    def story_title(self, site: Site, number: int) -> str:
        words, kind = _words(site)
        key = (self._world.seed, site.name, "headline")
        return compose(words, words.headlines, kind.subjects, key, edition=number)

    def _front(self, site: Site, story_count: int) -> str:
        words, _ = _words(site)
        timeline = self._world.timeline(site)
        items = "\n".join(
            f'<li><time datetime="{at.isoformat()}">{at:%Y-%m-%d %H:%M}</time>'
            f'<a href="{_href(site, story_path(number))}">{escape(self.story_title(site, number))}</a></li>'
            for number, at in timeline.latest_stories(story_count, self._world.stories_on_front)
        )
        return f'<h2>{words.words["latest"]}</h2>\n<ul class="stories">{items}</ul>'

    def _frame(self, site: Site, title: str, main: str, *, path: str = "", view: int = 0) -> bytes:
        pages = self._world.pages(site)
        menu = [(HOME, material(site.language).words["home"])]
        menu += [(page.path, page.title) for page in pages if page.parent == HOME and page.path.endswith("/")]
        html = PAGE_TEMPLATE.substitute(
            language=site.language,
            charset=site.charset,
            title=escape(title if title == site.title else f"{title} - {site.title}"),
            heading=escape(title),
            site_title=escape(site.title),
            topic=escape(site.topic),
            kind=site.kind,
            view=view,
            home=_href(site, HOME),
            feed_link=_feed_link(site),
            menu=" ".join(f'<a href="{_href(site, to)}">{escape(label)}</a>' for to, label in menu),
            main=main,
            aside=self._aside(site, path, [page for page in pages if path and page.parent == path]),
            noise=NOISE_MARK if site.noise else "",
        )
        return html.encode(site.charset, "xmlcharrefreplace")

    def _aside(self, site: Site, path: str, children: Iterable[Page]) -> str:
        links = [(_href(site, page.path), page.title) for page in children]
        if path == HOME:
            links += [(_href(site, to), label) for to, label in quirk_links(site)]
        neighbours = [(self._origins.url(other), other.title) for other in self._neighbours(site, path)]
        return _link_list(site.title, links) + _link_list(
            material(site.language).words["see_also"], neighbours
        )

    def _neighbours(self, site: Site, path: str) -> list[Site]:
        others = [other for other in self._world.sites if other != site]
        start = seeded_number(self._world.seed, site.name, path, "neighbours")
        return [others[(start + step * 11) % len(others)] for step in range(NEIGHBOURS)]


def _words(site: Site) -> tuple[Material, KindMaterial]:
    words = material(site.language)
    return words, words.kinds[site.kind]


def _href(site: Site, path: str) -> str:
    return f"{path}?sid={SESSION_MARK}" if Noise.SESSION_LINKS in site.noise else path


def _figure(path: str, title: str) -> str:
    photo = 1 + seeded_number(path, "photo") % PHOTOS_PER_SITE
    image = f'<img src="/assets/photo-{photo}.png" alt="{escape(title)}" width="480" height="160">'
    return f"<figure>{image}</figure>\n"


def _feed_link(site: Site) -> str:
    if site.feed is FeedKind.NONE:
        return ""
    return f'<link rel="alternate" type="application/{site.feed}+xml" href="{FEED_PATH}">\n'


def _link_list(title: str, links: Iterable[tuple[str, str]]) -> str:
    items = "".join(f'<li><a href="{escape(to)}">{escape(label)}</a></li>' for to, label in links)
    return f"<h2>{escape(title)}</h2><ul>{items}</ul>\n" if items else ""
