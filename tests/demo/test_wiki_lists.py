from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ronda.demo import DemoClock, DemoServer, DemoWorld
from tests.demo.conftest import Ask


def walk(ask: Ask, module: str, **parameters: object) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    going_on: dict[str, object] = {}
    while True:
        answer = ask(list=module, **parameters, **going_on)
        rows += answer["query"][module]
        assert answer["batchcomplete"] is True
        if "continue" not in answer:
            return rows
        going_on = answer["continue"]
        assert going_on["continue"] == "-||"


@pytest.mark.parametrize("direction", ["older", "newer"])
def test_recent_changes_are_the_last_ninety_days(
    direction: str, ask: Ask, world: DemoWorld, clock: DemoClock
) -> None:
    rows = walk(
        ask, "recentchanges", rclimit=7, rcdir=direction, rcprop="ids|title|timestamp|user|flags|sizes"
    )
    now = clock.now()
    truth = [revision.id for revision in world.wiki.stored(now - timedelta(days=90), now)]
    assert len(truth) > 20
    assert [row["revid"] for row in rows] == (truth if direction == "newer" else truth[::-1])
    assert len({row["rcid"] for row in rows}) == len(rows)
    assert all(row["newlen"] >= 0 and row["type"] in ("edit", "new") for row in rows)


def test_recent_changes_can_be_narrowed(ask: Ask, clock: DemoClock) -> None:
    everything = walk(
        ask, "recentchanges", rclimit="max", rcprop="ids|flags|timestamp|user|comment|tags|sha1"
    )
    bots = walk(ask, "recentchanges", rclimit="max", rcshow="bot")
    people = walk(ask, "recentchanges", rclimit="max", rcshow="!bot")
    assert len(bots) == sum(row["bot"] for row in everything)
    assert len(bots) + len(people) == len(everything)
    talk = walk(ask, "recentchanges", rclimit="max", rcnamespace=1)
    assert {row["title"] for row in talk} <= {"Talk:Battle of the Nile"}
    since = (clock.now() - timedelta(days=20)).strftime("%Y-%m-%dT%H:%M:%SZ")
    late = walk(ask, "recentchanges", rclimit="max", rcend=since)
    assert len(late) == sum(row["timestamp"] >= since for row in everything)
    assert ask(list="recentchanges", rccontinue="x")["error"]["code"] == "badcontinue"


def test_category_members(ask: Ask, world: DemoWorld) -> None:
    rows = walk(ask, "categorymembers", cmtitle="Category:nile", cmlimit=1, cmprop="ids|title|timestamp")
    assert [row["title"] for row in rows] == ["Battle of the Nile", "Horatio Nelson"]
    assert walk(ask, "categorymembers", cmtitle="Category:Nothing") == []
    assert ask(list="categorymembers")["error"]["code"] == "missingparam"
    assert ask(list="categorymembers", cmtitle="Lighthouse")["error"]["code"] == "invalidcategory"


def test_all_pages(ask: Ask, world: DemoWorld) -> None:
    rows = walk(ask, "allpages", aplimit=2)
    titles = [row["title"] for row in rows]
    assert titles == sorted(a.title for a in world.wiki.articles if a.namespace == 0)
    assert [row["title"] for row in walk(ask, "allpages", apnamespace=1)] == ["Talk:Battle of the Nile"]
    redirects = walk(ask, "allpages", apfilterredir="redirects")
    assert [row["title"] for row in redirects] == ["Augusta Ada King", "Battle of Aboukir Bay"]
    assert [row["title"] for row in walk(ask, "allpages", apprefix="battle of")] == [
        "Battle of Aboukir Bay",
        "Battle of the Nile",
    ]
    assert walk(ask, "allpages", apfrom="Simón")[0]["title"] == "Simón Bolívar"
    assert ask(list="allpages", apcontinue="Nowhere")["error"]["code"] == "badcontinue"


def test_site_info(ask: Ask, server: DemoServer) -> None:
    answer = ask(meta="siteinfo", siprop="general|namespaces|statistics")["query"]
    assert answer["general"]["generator"].startswith("MediaWiki 1.39")
    assert answer["general"]["server"] == server.wiki_api_url.removesuffix("/w/api.php")
    assert answer["namespaces"]["1"]["name"] == "Talk"
    assert answer["statistics"]["edits"] > 8000
