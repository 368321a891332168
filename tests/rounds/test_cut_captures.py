"""What a capture did not get, wholly or in part, is said to be missing: it is no change of the site."""

from __future__ import annotations

import pytest
from django.db.models import Sum
from django.test import Client

from ronda.accounts.pages.entrance import BACKEND
from ronda.archive import cdx
from ronda.archive.models import Capture
from ronda.archive.queries import visible_captures
from ronda.rounds import visiting
from ronda.rounds.diff_models import VersionDiff
from ronda.rounds.messages import diff_of
from ronda.rounds.models import PageState, Source, VisitOutcome
from ronda.rounds.notices import is_important
from ronda.rounds.selecting import NO_MORE_BUDGET
from ronda_node.limits import Limits
from tests.node.origin import Visitor
from tests.rounds.at_hand import Rounds, paths_of
from tests.rounds.scripted_sites import HTML, send_page, site
from tests.rounds.working import work_off

PAGES = {
    "/": "<p>Home</p>" + "".join(f"<a href=/p/{number}>{number}</a>" for number in range(1, 5)),
    **{f"/p/{number}": f"<p>Page {number}</p><img src=/bg.png>" for number in range(1, 5)},
    "/p/4": "<p>Page 4</p><a href=/p/deep>deeper</a>" + "<p>long</p>" * 200,
    "/p/deep": "<p>A page that only page 4 leads to.</p>",
    "/bg.png": "not much of a picture",
}


class Pages:
    """A site whose pages a test may change or break."""

    def __init__(self) -> None:
        self.shown = dict(PAGES)
        self.broken: set[str] = set()

    async def __call__(self, path: str, visitor: Visitor) -> None:
        if path in self.broken:
            await visitor.send(HTML + b"Content-Length: 5000\r\n\r\n", self.shown[path].encode()[:20])
            visitor.writer.close()
        elif path in self.shown:
            await send_page(visitor, self.shown[path].encode())
        else:
            await visitor.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")


def follow(rounds: Rounds, url: str) -> Source:
    source = rounds.follow(url)
    assert rounds.visit(source).outcome == VisitOutcome.CAPTURED
    return source


def ask(rounds: Rounds, source: Source) -> VisitOutcome:
    """By hand: captured whether or not the entry page changed."""
    visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    return VisitOutcome(rounds.finish(source).outcome)


def newest_diff(source: Source) -> VersionDiff:
    work_off()
    diff = diff_of(source.versions.latest("number"))
    assert diff
    return diff


def fates(diff: VersionDiff) -> dict[str, str]:
    return {"/" + page.url.split("/", 3)[3]: page.fate for page in diff.pages.all()}


def cut_version(rounds: Rounds, source: Source, pages: Pages) -> None:
    """One that has its home and little more, for want of budget."""
    Source.objects.filter(pk=source.pk).update(max_bytes=1)
    pages.shown["/"] = PAGES["/"].replace("Home", "Home, again")
    assert ask(rounds, source) == VisitOutcome.CAPTURED
    Source.objects.filter(pk=source.pk).update(max_bytes=1024**3)


def test_budget_that_ran_out_is_no_change(rounds: Rounds) -> None:
    pages = Pages()
    with site(pages) as url:
        source = follow(rounds, url)
        cut_version(rounds, source, pages)
        cut = source.versions.get(number=2)
        assert paths_of(cut) == {"/"}
        left = cut.visit.pages.filter(state=PageState.LEFT, url__contains="/p/")
        assert set(left.values_list("reason", flat=True)) == {NO_MORE_BUDGET}, "nobody cancelled them"
        diff = newest_diff(source)
        assert fates(diff)["/"] == "changed"
        assert {fate for path, fate in fates(diff).items() if path != "/"} == {"failed"}
        assert (diff.added, diff.removed) == (0, 0)
        assert ask(rounds, source) == VisitOutcome.UNCHANGED, "all there is, was kept before"
        pages.shown["/p/3"] += "<p>News of the third page, which nobody has seen before.</p>"
        pages.shown["/p/new"] = "<p>Nobody knows whether it was there.</p>"
        pages.shown["/p/deep"] += "<a href=/p/new>new</a>"
        assert ask(rounds, source) == VisitOutcome.CAPTURED
        diff = newest_diff(source)
    told = {path: fate for path, fate in fates(diff).items() if fate != "missed"}
    assert told == {"/p/3": "changed", "/p/deep": "changed"}, "since they were last kept"
    assert diff.missed == 5, "three pages and the picture, as they were, and one that nobody knows of"


def test_page_kept_for_the_first_time_is_a_version_nobody_is_told_of(rounds: Rounds) -> None:
    pages = Pages()
    with site(pages) as url:
        source = rounds.follow(url, max_bytes=1)
        rounds.visit(source)
        assert paths_of(source.versions.get()) == {"/"}
        Source.objects.filter(pk=source.pk).update(max_bytes=1024**3)
        assert ask(rounds, source) == VisitOutcome.CAPTURED
        diff = newest_diff(source)
    assert (diff.added, diff.missed, diff.is_done) == (0, 6, True)
    assert not is_important(source.versions.get(number=2))


@pytest.fixture
def quick(rounds: Rounds) -> Rounds:
    rounds.limits = Limits(first_byte_seconds=2, progress_seconds=1, total_seconds=4, wire_bytes=3000)
    return rounds


def test_part_of_a_page_is_shown_as_a_part(quick: Rounds, client: Client) -> None:
    pages = Pages()
    pages.shown["/p/1"] = "<p>one</p>" * 1000
    pages.broken.add("/p/2")
    with site(pages) as url:
        source = follow(quick, url)
        version = source.versions.get()
        assert (version.cut_off, version.visit.cut_off, version.failures) == (2, 2, 0)
        received = Capture.objects.filter(visit=version.visit_id).aggregate(Sum("payload_bytes"))
        assert version.visit.size_bytes == received["payload_bytes__sum"], "as it came, not as packed"
        client.force_login(quick.person, backend=BACKEND)
        shown = client.get(f"/versions/{version.pk}?kind=cut").content.decode()
        assert "cut off: too long" in shown
        assert "cut off: the connection broke" in shown
        assert "/p/3" not in shown
        assert "cut off: too long" in client.get(f"/visits/{version.visit_id}").content.decode()
        assert "cut off: too long" in client.get("/search", {"url": f"{url}p/1"}).content.decode()
        long = version.visit.pages.get(url=f"{url}p/1")
        replay = client.get(f"/replay/{long.capture_id}").content.decode()
        assert "This is not the whole page: cut off: too long." in replay
        found = client.get(f"/api/v1/versions/{version.pk}/pages", {"search": "p/1"}).json()["items"]
        assert [(one["truncated"], one["size_bytes"] > one["stored_bytes"]) for one in found] == [
            ("length", True)
        ]
        assert client.get(f"/api/v1/versions/{version.pk}").json()["cut_off"] == 2
        seen = client.get("/api/v1/search", {"url": f"{url}p/1"}).json()["items"][0]["seen"][0]
        assert seen["truncated"] == "length"
        lines = cdx.lines(visible_captures(quick.person), cdx.CdxQuery(f"{url}p/1", output=cdx.Output.JSON))
        assert b'"truncated": "length"' in b"".join(lines)
        pages.broken.clear()
        assert ask(quick, source) == VisitOutcome.CAPTURED, "page 2 was never kept whole"
        diff = newest_diff(source)
    assert fates(diff) == {"/p/2": "missed"}
    assert not is_important(source.versions.get(number=2)), "that it came whole is no change of the site"
