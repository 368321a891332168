"""The index of the demo web: every site as a card, so that a person can click through them."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template

from ronda.demo.catalogue import WIKI_ADDRESS
from ronda.demo.clock import DemoClock
from ronda.demo.origins import Origins
from ronda.demo.sites import FeedKind, Site, SiteKind
from ronda.demo.world import DemoWorld

INDEX_TEMPLATE = Template((files("ronda.demo") / "templates" / "index.html").read_text("utf-8"))


def index_page(world: DemoWorld, clock: DemoClock, origins: Origins) -> str:
    return INDEX_TEMPLATE.substitute(
        site_count=len(world.sites),
        page_count=sum(len(world.pages(site)) for site in world.sites),
        seed=world.seed,
        now=f"{clock.now():%Y-%m-%d %H:%M:%S} UTC",
        speed=f"{clock.speed:g}",
        wiki_url=origins.url(WIKI_ADDRESS),
        groups="\n".join(_group(world, origins, kind) for kind in SiteKind),
    )


def _group(world: DemoWorld, origins: Origins, kind: SiteKind) -> str:
    cards = "\n".join(_card(origins.url(site), site) for site in world.sites if site.kind is kind)
    return f'<h2>{kind}</h2>\n<div class="sites">\n{cards}\n</div>'


def _card(url: str, site: Site) -> str:
    pace = f"{site.rhythm.behaviour}, {site.rhythm.changes_per_day:g} changes a day"
    manners = [f"robots: {site.robots}", f"validators: {site.validators}"]
    manners += ["sitemap"] if site.has_sitemap else []
    manners += [str(site.feed)] if site.feed is not FeedKind.NONE else []
    badges = "".join(f"<span>{escape(text)}</span>" for text in manners)
    badges += "".join(f'<span class="odd">{escape(text)}</span>' for text in sorted(site.noise | site.quirks))
    return (
        f'<div class="card"><a href="{url}">{escape(site.title)}</a>'
        f"<p>{escape(site.topic)}, {site.language}, {site.address}<br>{pace}</p>{badges}</div>"
    )
