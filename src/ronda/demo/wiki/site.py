"""The wiki as a web site: api.php, rest.php, and pages a person can click through."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime
from html import escape
from importlib.resources import files
from string import Template
from urllib.parse import quote, unquote

from ronda.demo.reply import Reply, text_reply
from ronda.demo.wiki.api import answer_api
from ronda.demo.wiki.chronicle import WikiChronicle
from ronda.demo.wiki.parameters import iso_stamp
from ronda.demo.wiki.rest import answer_rest
from ronda.demo.wiki.selection import normal_title

WIKI_TEMPLATE = Template((files("ronda.demo") / "templates" / "wiki.html").read_text("utf-8"))
API_PATHS = ("/w/api.php", "/api.php")
REST_PREFIX = "/w/rest.php"
PAGE_PREFIX = "/wiki/"
JSON_TYPE = "application/json; charset=utf-8"
HTML_TYPE = "text/html; charset=utf-8"
MINUTE = 60.0


class WikiSite:
    """Answers for the wiki. A rate limit turns hurried clients away as Wikimedia's edge does: 429, HTML."""

    def __init__(
        self,
        wiki: WikiChronicle,
        base_url: str,
        requests_per_minute: int | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wiki = wiki
        self._base_url = base_url
        self._requests_per_minute = requests_per_minute
        self._monotonic = monotonic
        self._served: deque[float] = deque()

    def reply(self, raw_path: str, values: Mapping[str, str], moment: datetime) -> Reply:
        if raw_path == "/robots.txt":
            return text_reply("User-agent: *\nDisallow: /w/\n")
        if wait_seconds := self._wait_seconds():
            page = "<!DOCTYPE html><title>Too many requests</title><p>Please slow down.</p>\n"
            return Reply(page.encode(), HTML_TYPE, 429, headers={"Retry-After": str(wait_seconds)})
        if raw_path in API_PATHS:
            response = answer_api(self._wiki, values, moment, self._base_url)
            return Reply(_json_bytes(response.body), JSON_TYPE, headers=response.headers)
        if raw_path.startswith(REST_PREFIX):
            status, body = answer_rest(self._wiki, raw_path.removeprefix(REST_PREFIX), moment)
            return Reply(_json_bytes(body), "application/json", status)
        return self._page(raw_path, moment)

    def _wait_seconds(self) -> int:
        """Seconds until the next request is welcome; 0 when it is now."""
        if self._requests_per_minute is None:
            return 0
        now = self._monotonic()
        while self._served and now - self._served[0] >= MINUTE:
            self._served.popleft()
        if len(self._served) >= self._requests_per_minute:
            return int(MINUTE - (now - self._served[0])) + 1
        self._served.append(now)
        return 0

    def _page(self, raw_path: str, moment: datetime) -> Reply:
        if raw_path == "/":
            return self._contents(moment)
        title = normal_title(unquote(raw_path.removeprefix(PAGE_PREFIX)))
        article = self._wiki.article(title) if raw_path.startswith(PAGE_PREFIX) else None
        if article is None:
            return _html(404, "No such page", "<p>The demo wiki has no page of this name.</p>")
        latest = self._wiki.latest(article, moment)
        count = len(self._wiki.revisions(article, moment))
        main = (
            f"<p>{count:,} revisions, the latest {iso_stamp(latest.at)}.</p>"
            f"<pre>{escape(self._wiki.text(latest))}</pre>"
        )
        return _html(200, article.title, main)

    def _contents(self, moment: datetime) -> Reply:
        items = "".join(
            f'<li><a href="{_href(article.title)}">{escape(article.title)}</a> '
            f"({len(self._wiki.revisions(article, moment)):,})</li>"
            for article in self._wiki.articles
        )
        query = "?action=query&amp;meta=siteinfo&amp;format=json"
        api = f'<p>The API is at <a href="{API_PATHS[0]}{query}">{API_PATHS[0]}</a>.</p>'
        return _html(200, "Ronda demo wiki", f"{api}<ul>{items}</ul>")


def _href(title: str) -> str:
    return PAGE_PREFIX + quote(title.replace(" ", "_"))


def _html(status: int, title: str, main: str) -> Reply:
    return Reply(WIKI_TEMPLATE.substitute(title=escape(title), main=main).encode(), HTML_TYPE, status)


def _json_bytes(body: Mapping[str, object]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
