"""prop=info and meta=siteinfo: what a page is now, and what the wiki is."""

from __future__ import annotations

from datetime import datetime

from ronda.demo.wiki.answer import Answer, Json
from ronda.demo.wiki.articles import NAMESPACES, Article
from ronda.demo.wiki.chronicle import WikiChronicle
from ronda.demo.wiki.editors import ACCOUNTS
from ronda.demo.wiki.parameters import iso_stamp
from ronda.demo.wiki.selection import Selection

GENERATOR = "MediaWiki 1.39.17 (Ronda demo)"
SITE_PROPS = ("general", "namespaces", "statistics")


def add_info(wiki: WikiChronicle, selection: Selection, answer: Answer, moment: datetime) -> None:
    fields = {article.page_id: page_info(wiki, article, moment) for article in selection.articles}
    for page in answer.pages:
        page |= fields.get(page.get("pageid", 0), {})


def page_info(wiki: WikiChronicle, article: Article, moment: datetime) -> Json:
    latest = wiki.latest(article, moment)
    row: Json = {
        "contentmodel": "wikitext",
        "pagelanguage": str(article.language),
        "pagelanguagehtmlcode": str(article.language),
        "pagelanguagedir": "ltr",
        "touched": iso_stamp(latest.at),
        "lastrevid": latest.id,
        "length": wiki.digest(latest).size_bytes,
    }
    if article.redirect_to:
        row["redirect"] = True
    if latest.parent_id == 0:
        row["new"] = True
    return row


def add_siteinfo(wiki: WikiChronicle, answer: Answer, moment: datetime, base_url: str) -> None:
    wanted = answer.parameters.options("siprop", "siteinfo", SITE_PROPS, ("general",))
    if "general" in wanted:
        answer.query["general"] = _general(moment, base_url)
    if "namespaces" in wanted:
        answer.query["namespaces"] = {
            str(number): {"id": number, "case": "first-letter", "*name": name, "content": number == 0}
            for number, name in NAMESPACES.items()
        }
    if "statistics" in wanted:
        edits = len(wiki.stored(datetime.min.replace(tzinfo=moment.tzinfo), moment))
        articles = sum(1 for article in wiki.articles if article.namespace == 0 and not article.redirect_to)
        counts = {"pages": len(wiki.articles), "articles": articles, "edits": edits, "users": len(ACCOUNTS)}
        answer.query["statistics"] = counts


def _general(moment: datetime, base_url: str) -> Json:
    return {
        "mainpage": "Main Page",
        "base": f"{base_url}wiki/Main_Page",
        "sitename": "Ronda demo wiki",
        "generator": GENERATOR,
        "lang": "en",
        "timezone": "UTC",
        "time": iso_stamp(moment),
        "server": base_url.rstrip("/"),
        "articlepath": "/wiki/$1",
        "scriptpath": "/w",
        "wikiid": "rondademo",
        "case": "first-letter",
        "maxarticlesize": 2_097_152,
    }
