"""Which wiki and which page is meant: by title and language, by a page's URL, or by the address of an API. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from ronda.wiki.errors import NotAWiki
from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE, Policy
from ronda_node.urls import CanonicalUrl, canonicalise

DEFAULT_LOCALE = "en"
LONGEST_TITLE = 255
_LOCALE = re.compile(r"[a-z]{2,12}(-[a-z0-9]{2,12}){0,2}")
_WIKIMEDIA = (
    *("wikipedia.org", "wikimedia.org", "wiktionary.org", "wikidata.org", "wikisource.org", "wikibooks.org"),
    *(
        "wikiquote.org",
        "wikinews.org",
        "wikiversity.org",
        "wikivoyage.org",
        "mediawiki.org",
        "wikifunctions.org",
    ),
)
# Where an API most often is. What stands before is kept in the wiki's name, as one host may have several.
_USUAL_PATHS = ("/w/api.php", "/api.php")


@dataclass(frozen=True)
class Whereabouts:
    """A page as somebody named it."""

    api: str
    title: str
    locale: str


def find(*, title: str, locale: str, url: str, api: str, policy: Policy) -> Whereabouts:
    """`title` or `url` is given; the language comes from the URL, or is English."""
    if url and not title:
        title = title_of(url)
    title = _checked_title(title)
    if api:
        return Whereabouts(_checked_api(api, policy), title, locale)
    if url:
        return _at(url, title, locale, policy)
    locale = (locale or DEFAULT_LOCALE).lower()
    if not _LOCALE.fullmatch(locale):
        raise NotAWiki(f"{locale!r} is not a language of Wikipedia, like en or es.", field="locale")
    return Whereabouts(f"https://{locale}.wikipedia.org/w/api.php", title, locale)


def _at(url: str, title: str, locale: str, policy: Policy) -> Whereabouts:
    """The API beside a page. Wikimedia's is below /w/, and so is most others'; else it has to be named."""
    place = _canonical(url, policy, field="url")
    # Wikimedia's pages for telephones are those of the same wiki.
    host = place.host.replace(".m.", ".", 1) if is_wikimedia(place.host) else place.host
    first, _, rest = host.partition(".")
    shown = place.authority.replace(place.host, host, 1)
    spoken = first if rest in _WIKIMEDIA and _LOCALE.fullmatch(first) else ""
    # .../index.php?title=Title or .../index.php/Title: the API stands beside.
    before, is_named, _ = f"{place.target.partition('?')[0]}/".partition("/index.php/")
    path = f"{before}/api.php" if is_named else "/w/api.php"
    return Whereabouts(f"{place.scheme}://{shown}{path}", title, locale or spoken)


def title_of(url: str) -> str:
    """From .../wiki/Title, .../index.php/Title or ...?title=Title."""
    parts = urlsplit(url)
    if named := parse_qs(parts.query).get("title"):
        return named[0]
    for mark in ("/wiki/", "/index.php/"):
        if mark in parts.path:
            return unquote(parts.path.partition(mark)[2])
    raise NotAWiki(f"{url[:200]!r} does not say which page it shows; give the title.", field="url")


def _checked_title(title: str) -> str:
    title = title.replace("_", " ").strip()
    if not title:
        raise NotAWiki("Give a title or the URL of a page.", field="title")
    if len(title.encode()) > LONGEST_TITLE or "|" in title or not title.isprintable():
        raise NotAWiki("This cannot be the title of a page.", field="title")
    return title


def _checked_api(api: str, policy: Policy) -> str:
    place = _canonical(api, policy, field="api")
    path, mark, _ = place.target.partition("?")
    if mark or not path.endswith("/api.php"):
        raise NotAWiki(
            "The address of a MediaWiki's API ends in /api.php; Special:Version of the wiki names it.",
            field="api",
        )
    return place.text


def _canonical(address: str, policy: Policy, *, field: str) -> CanonicalUrl:
    try:
        return canonicalise(address, policy)
    except UrlRefused as refusal:
        raise NotAWiki(f"{refusal}", field=field) from refusal


def checked_api(api: str, policy: Policy) -> CanonicalUrl:
    """Again before it is asked: what may be asked can have changed since."""
    return _canonical(api, policy, field="api")


def checked_api_name(api: str) -> str:
    """Of a wiki that nobody is going to ask: any address will do."""
    return _checked_api(api, ANYWHERE)


def key_of(api: str) -> str:
    """What the lake calls a wiki: en.wikipedia.org, or host/path where the API is not in its usual place."""
    parts = urlsplit(api)
    before = next(
        (parts.path[: -len(path)] for path in _USUAL_PATHS if parts.path.endswith(path)), parts.path
    )
    return (parts.netloc + before)[:200]


def rest_of(api: str) -> str:
    """The REST API stands beside the other one."""
    return api[: -len("api.php")] + "rest.php"


def is_wikimedia(host: str) -> bool:
    return host in _WIKIMEDIA or host.endswith(tuple(f".{domain}" for domain in _WIKIMEDIA))
