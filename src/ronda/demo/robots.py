"""The robots.txt of each kind of site (RFC 9309), and the three ways of not having one."""

from __future__ import annotations

from ronda.demo.origins import Origins
from ronda.demo.reply import Reply, text_reply
from ronda.demo.sites import RobotsKind, Site
from ronda.demo.structure import RESERVED

ROBOTS_PATH = "/robots.txt"
SITEMAP_PATH = "/sitemap.xml"
RETRY_AFTER_SECONDS = 2


def robots_reply(site: Site, origins: Origins) -> Reply:
    if site.robots is RobotsKind.MISSING:
        return text_reply("No robots.txt here.\n", status=404)
    if site.robots is RobotsKind.ERRORING:
        headers = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        return text_reply("The site is being repaired.\n", status=503, headers=headers)
    if site.robots is RobotsKind.GARBLED:
        return Reply(b"<!DOCTYPE html><title>Welcome</title><p>Welcome to our site!</p>\n", "text/html")
    return text_reply(robots_text(site, origins))


def robots_text(site: Site, origins: Origins) -> str:
    """The rules of a site that has some."""
    lines = [f"# {site.title}", "User-agent: *", *_rules(site)]
    if site.has_sitemap:
        lines += ["", f"Sitemap: {origins.url(site)}{SITEMAP_PATH.lstrip('/')}"]
    return "\n".join(lines) + "\n"


def _rules(site: Site) -> list[str]:
    if site.robots is RobotsKind.CRAWL_DELAY:
        return ["Disallow:", f"Crawl-delay: {site.crawl_delay_seconds}"]
    if site.robots is RobotsKind.DISALLOW:
        return [
            f"Disallow: {RESERVED}",
            f"Allow: {RESERVED}1",
            "Disallow: /*?sid=",
            "",
            "User-agent: greedy",
            "Disallow: /",
        ]
    if site.robots is RobotsKind.CLOSED:
        return ["Disallow: /"]
    return ["Disallow:"]
