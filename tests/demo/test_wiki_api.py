"""prop=revisions and prop=info as a client of MediaWiki 1.39 meets them."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from hashlib import sha1
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from ronda.demo import DemoClock, DemoServer, DemoWorld, serve_in_thread
from tests.demo.conftest import Ask, fetch

NILE = "Battle of the Nile"
ALL_PROPS = "ids|flags|timestamp|user|userid|size|sha1|comment|tags|contentmodel"


def walk(ask: Ask, **parameters: object) -> list[dict[str, Any]]:
    """All revisions, by sending back the whole `continue` object until there is none."""
    rows: list[dict[str, Any]] = []
    going_on: dict[str, object] = {}
    while True:
        answer = ask(prop="revisions", **parameters, **going_on)
        rows += answer["query"]["pages"][0].get("revisions", [])
        assert ("continue" in answer) != answer.get("batchcomplete", False)
        if "continue" not in answer:
            return rows
        going_on = answer["continue"]


@pytest.mark.parametrize("direction", ["older", "newer"])
@pytest.mark.parametrize("title", [NILE, "Orinoco", "Ada Lovelace"])
def test_continuation_walks_the_whole_history_once(
    title: str, direction: str, ask: Ask, world: DemoWorld, clock: DemoClock
) -> None:
    rows = walk(
        ask, titles=title, rvlimit="max" if title == NILE else 37, rvdir=direction, rvprop="ids|timestamp"
    )
    article = world.wiki.article(title)
    assert article is not None
    truth = [revision.id for revision in world.wiki.revisions(article, clock.now())]
    assert [row["revid"] for row in rows] == (truth if direction == "newer" else truth[::-1])


def test_texts_match_their_hashes_and_sizes(ask: Ask) -> None:
    rows = walk(ask, titles="Lighthouse", rvlimit="max", rvslots="main", rvprop="ids|size|sha1|content")
    assert len(rows) > 200
    for row in rows:
        main = row["slots"]["main"]
        if "texthidden" in main:
            assert "sha1hidden" in row
            continue
        data = main["content"].encode()
        assert (len(data), sha1(data, usedforsecurity=False).hexdigest()) == (row["size"], row["sha1"])


def test_limits_are_500_and_50_with_content(ask: Ask) -> None:
    many = ask(prop="revisions", titles=NILE, rvlimit="max", rvprop="ids")
    assert (len(many["query"]["pages"][0]["revisions"]), many["limits"]) == (500, {"revisions": 500})
    few = ask(prop="revisions", titles="Lighthouse", rvlimit="max", rvprop="content", rvslots="main")
    assert (len(few["query"]["pages"][0]["revisions"]), few["limits"]) == (50, {"revisions": 50})
    clamped = ask(prop="revisions", titles=NILE, rvlimit=501, rvprop="ids")
    assert len(clamped["query"]["pages"][0]["revisions"]) == 500
    assert "501" in clamped["warnings"]["revisions"]["warnings"]
    assert len(ask(prop="revisions", titles=NILE, rvlimit=0)["query"]["pages"][0]["revisions"]) == 1


def test_large_results_are_cut_at_eight_mebibytes(ask: Ask) -> None:
    first = ask(
        prop="revisions", titles="List of lunar craters", rvlimit="max", rvprop="ids|content", rvslots="main"
    )
    rows = first["query"]["pages"][0]["revisions"]
    assert 5 < len(rows) < 50
    assert "8,388,608" in first["warnings"]["result"]["warnings"]
    assert "batchcomplete" not in first
    everything = walk(
        ask,
        titles="List of lunar craters",
        rvlimit="max",
        rvprop="ids|content",
        rvslots="main",
        rvdir="newer",
    )
    ids = [row["revid"] for row in everything]
    assert len(set(ids)) == len(ids) > 80


def test_spans_by_time_and_by_id_hold_both_ends(ask: Ask) -> None:
    rows = walk(ask, titles="Lighthouse", rvlimit=500, rvdir="newer", rvprop="ids|timestamp")
    low, high = rows[40], rows[90]
    by_id = walk(
        ask, titles="Lighthouse", rvlimit=20, rvdir="newer", rvstartid=low["revid"], rvendid=high["revid"]
    )
    assert [row["revid"] for row in by_id] == [row["revid"] for row in rows[40:91]]
    backwards = walk(ask, titles="Lighthouse", rvlimit=20, rvstartid=high["revid"], rvendid=low["revid"])
    assert [row["revid"] for row in backwards] == [row["revid"] for row in rows[40:91]][::-1]
    by_time = walk(ask, titles="Lighthouse", rvlimit=50, rvend=low["timestamp"], rvstart=high["timestamp"])
    wanted = [row["revid"] for row in rows if low["timestamp"] <= row["timestamp"] <= high["timestamp"]]
    assert [row["revid"] for row in by_time] == wanted[::-1]


def test_users_can_be_chosen_or_left_out(ask: Ask) -> None:
    rows = walk(ask, titles="Lighthouse", rvlimit="max", rvprop="user")
    name, count = Counter(row.get("user") for row in rows).most_common(1)[0]
    assert len(walk(ask, titles="Lighthouse", rvlimit="max", rvuser=name)) == count
    assert len(walk(ask, titles="Lighthouse", rvlimit="max", rvexcludeuser=name)) == len(rows) - count


def test_hidden_parts_leave_marks_and_no_values(ask: Ask) -> None:
    rows = walk(ask, titles=NILE, rvlimit="max", rvslots="main", rvprop=ALL_PROPS)
    hidden = [row for row in rows if "sha1hidden" in row]
    assert hidden
    assert all("sha1" not in row and "size" in row for row in hidden)
    assert any("userhidden" in row and "user" not in row and "anon" not in row for row in hidden)
    assert any("commenthidden" in row and "comment" not in row for row in hidden)
    content = ask(prop="revisions", revids=hidden[0]["revid"], rvprop="content|ids", rvslots="main")
    main = content["query"]["pages"][0]["revisions"][0]["slots"]["main"]
    assert main["texthidden"]
    assert "content" not in main


def test_flags_of_people_bots_and_addresses(ask: Ask) -> None:
    rows = walk(ask, titles=NILE, rvlimit="max", rvslots="main", rvprop=ALL_PROPS)
    anonymous = [row for row in rows if row.get("anon")]
    assert anonymous
    assert all(row["userid"] == 0 for row in anonymous)
    assert {row["minor"] for row in rows} == {True, False}
    tags = {tag for row in rows for tag in row["tags"]}
    assert {"mw-reverted", "mw-rollback", "mw-undo", "mw-blank", "visualeditor", "mobile edit"} <= tags


def test_the_reverted_tag_comes_with_the_revert(world: DemoWorld, clock: DemoClock, ask: Ask) -> None:
    article = world.wiki.article(NILE)
    assert article is not None
    later = world.wiki.revisions(article, world.epoch + timedelta(days=900))
    spoilt = next(r for r in later if r.at > world.epoch and r.edit.reverted_at)
    assert spoilt.edit.reverted_at

    def tags() -> list[str]:
        page = ask(prop="revisions", revids=spoilt.id, rvprop="ids|tags")["query"]["pages"][0]
        return list(page["revisions"][0]["tags"])

    clock.set(spoilt.at)
    assert "mw-reverted" not in tags()
    clock.set(spoilt.edit.reverted_at)
    assert "mw-reverted" in tags()


def test_several_pages_give_the_latest_of_each(ask: Ask, world: DemoWorld, clock: DemoClock) -> None:
    answer = ask(prop="revisions|info", titles=f"{NILE}|Simón Bolívar|Nothing|lighthouse")
    pages = {page["title"]: page for page in answer["query"]["pages"]}
    assert pages["Nothing"] == {"ns": 0, "title": "Nothing", "missing": True}
    assert answer["query"]["normalized"] == [{"fromencoded": False, "from": "lighthouse", "to": "Lighthouse"}]
    for title in (NILE, "Simón Bolívar", "Lighthouse"):
        article = world.wiki.article(title)
        assert article is not None
        latest = world.wiki.latest(article, clock.now())
        assert (
            [row["revid"] for row in pages[title]["revisions"]] == [latest.id] == [pages[title]["lastrevid"]]
        )
    assert pages["Simón Bolívar"]["pagelanguage"] == "es"
    assert answer["batchcomplete"] is True


@pytest.mark.parametrize(
    "parameters",
    [
        {"titles": "Lighthouse|Orinoco", "rvlimit": 5},
        {"titles": "Lighthouse|Orinoco", "rvdir": "newer"},
        {"titles": "Lighthouse|Orinoco", "rvstart": "2020-01-01T00:00:00Z"},
        {"revids": "5001", "rvlimit": 5},
        {"titles": "Lighthouse", "pageids": 101},
        {"titles": "Lighthouse", "rvstartid": 5001, "rvstart": "2020-01-01T00:00:00Z"},
    ],
)
def test_parameters_that_do_not_mix(parameters: dict[str, object], ask: Ask) -> None:
    assert ask(prop="revisions", **parameters)["error"]["code"] == "invalidparammix"


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"titles": "Lighthouse", "rvlimit": "many"}, "badinteger"),
        ({"titles": "Lighthouse", "rvstart": "2020-13-01T00:00:00Z", "rvlimit": 1}, "badtimestamp"),
        ({"titles": "Lighthouse", "rvcontinue": "x", "rvlimit": 1}, "badcontinue"),
        ({"titles": "Lighthouse", "rvcontinue": "20200101000000|x", "rvlimit": 1}, "badcontinue"),
        ({"titles": "Lighthouse", "rvstartid": 1, "rvlimit": 1}, "nosuchrevid"),
        ({"titles": "Lighthouse", "rvdir": "sideways"}, "badvalue"),
        ({"titles": "|".join(map(str, range(51)))}, "toomanyvalues"),
        ({"action": "edit"}, "badvalue"),
    ],
)
def test_mistakes_are_errors_under_status_200(parameters: dict[str, object], code: str, ask: Ask) -> None:
    assert ask(prop="revisions", **parameters)["error"]["code"] == code


def test_odd_values_only_warn(ask: Ask) -> None:
    answer = ask(prop="revisions", titles="Lighthouse", rvprop="ids|colour", shade="blue")
    assert "colour" in answer["warnings"]["revisions"]["warnings"]
    assert "shade" in answer["warnings"]["main"]["warnings"]
    legacy = ask(prop="revisions", titles="Lighthouse", rvprop="content")
    assert "rvslots" in legacy["warnings"]["revisions"]["warnings"]
    assert legacy["query"]["pages"][0]["revisions"][0]["content"].startswith("'''Lighthouse'''")


def test_redirects_are_followed_on_request(ask: Ask) -> None:
    own = walk(ask, titles="Battle of Aboukir Bay", rvlimit="max")
    assert len(own) == 3
    answer = ask(prop="revisions|info", titles="battle_of_Aboukir Bay", redirects=1, rvlimit=2)
    assert answer["query"]["normalized"][0]["to"] == "Battle of Aboukir Bay"
    assert answer["query"]["redirects"] == [{"from": "Battle of Aboukir Bay", "to": NILE}]
    assert answer["query"]["pages"][0]["title"] == NILE
    assert answer["continue"]["continue"] == "||info"
    following = ask(prop="revisions|info", titles=NILE, rvlimit=2, **answer["continue"])
    assert "lastrevid" not in following["query"]["pages"][0]
    assert ask(prop="info", titles="Battle of Aboukir Bay")["query"]["pages"][0]["redirect"] is True


def test_what_is_missing_or_invalid_is_not_an_error(ask: Ask) -> None:
    assert ask(prop="revisions", titles="Nothing", rvlimit=5)["query"]["pages"][0]["missing"] is True
    assert ask(prop="info", pageids="101|999")["query"]["pages"][0] == {"pageid": 999, "missing": True}
    assert ask(prop="info", titles="<b>")["query"]["pages"][0]["invalid"] is True
    answer = ask(prop="revisions", revids="1|5001")
    assert answer["query"]["badrevids"] == {"1": {"revid": 1, "missing": True}}


def test_the_older_format(server: DemoServer) -> None:
    query = {"action": "query", "format": "json", "prop": "revisions|info", "titles": f"{NILE}|Nothing"}
    text = {"rvprop": "ids|flags|content|user", "rvslots": "main", "list": "allpages", "oddity": 1}
    answer = fetch(f"{server.wiki_api_url}?{urlencode({**query, **text})}").json()
    assert answer["batchcomplete"] == ""
    assert answer["query"]["pages"]["-1"] == {"ns": 0, "title": "Nothing", "missing": ""}
    (revision,) = answer["query"]["pages"]["101"]["revisions"]
    assert revision["slots"]["main"]["*"].startswith(f"'''{NILE}'''")
    assert revision.get("minor", "") == ""
    assert "oddity" in answer["warnings"]["main"]["*"]


def test_both_addresses_and_post_work(server: DemoServer) -> None:
    short = server.wiki_api_url.replace("/w/", "/")
    query = {"action": "query", "format": "json", "formatversion": 2, "prop": "info", "titles": NILE}
    form = fetch(
        server.wiki_api_url,
        "POST",
        urlencode(query).encode(),
        {"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert fetch(f"{short}?{urlencode(query)}").json() == form.json()


def test_maxlag_is_an_error_under_status_200(server: DemoServer, ask: Ask) -> None:
    answer = fetch(f"{server.wiki_api_url}?action=query&format=json&formatversion=2&maxlag=-2&titles=x")
    assert answer.status == 200
    assert answer.json()["error"]["code"] == "maxlag"
    assert answer.headers["Retry-After"] == "5"
    assert answer.headers["MediaWiki-API-Error"] == "maxlag"
    assert "error" not in ask(meta="siteinfo", maxlag=-1)


def test_new_revisions_appear_as_the_clock_goes_on(clock: DemoClock, ask: Ask) -> None:
    last = ask(prop="info", titles=NILE)["query"]["pages"][0]["lastrevid"]
    clock.advance(timedelta(days=60))
    rows = walk(ask, titles=NILE, rvlimit="max", rvdir="newer", rvstartid=last, rvprop="ids|timestamp")
    assert len(rows) > 5
    assert rows[0]["revid"] == last
    assert all(row["timestamp"] <= clock.now().strftime("%Y-%m-%dT%H:%M:%SZ") for row in rows)


def test_rest_counts(server: DemoServer, world: DemoWorld, clock: DemoClock, ask: Ask) -> None:
    rest = server.wiki_api_url.replace("api.php", "rest.php/v1/page/")
    counts = {
        kind: fetch(f"{rest}{quote('Battle_of_the_Nile')}/history/counts/{kind}").json()["count"]
        for kind in ("edits", "anonymous", "bot", "editors", "minor", "reverted")
    }
    rows = walk(ask, titles=NILE, rvlimit="max", rvprop="flags|sha1")
    # As MediaWiki 1.39 counts them: those whose text is hidden are left out.
    assert counts["edits"] == sum("sha1hidden" not in row for row in rows) < len(rows)
    assert counts["minor"] == sum(row["minor"] for row in rows)
    assert all(0 < count < counts["edits"] for kind, count in counts.items() if kind != "edits")
    assert fetch(f"{rest}Nothing/history/counts/edits").status == 404
    assert fetch(f"{rest}Lighthouse/history/counts/colours").status == 400
    assert fetch(f"{rest}{quote('Simón Bolívar')}/history/counts/edits").json()["count"] > 1000


def test_a_limited_wiki_turns_the_hurried_away_in_html(world: DemoWorld, clock: DemoClock) -> None:
    with serve_in_thread(world, clock, wiki_requests_per_minute=2) as server:
        answers = [fetch(f"{server.wiki_api_url}?action=query&meta=siteinfo") for _ in range(3)]
        assert [answer.status for answer in answers] == [200, 200, 429]
        assert 1 <= int(answers[2].headers["Retry-After"]) <= 61
        assert answers[2].headers["Content-Type"].startswith("text/html")


def test_the_wiki_can_be_read_in_a_browser(server: DemoServer) -> None:
    base = server.wiki_api_url.removesuffix("w/api.php")
    assert "/wiki/Battle_of_the_Nile" in fetch(base).text
    assert "revisions, the latest" in fetch(base + "wiki/Battle_of_the_Nile").text
    assert fetch(base + "wiki/Nothing").status == 404
