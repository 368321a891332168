"""/count, /avg and /mode are what a plain evaluation gives, for any revisions and filters."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ronda.errors import InvalidInput
from ronda.wiki import hot_columns, hot_reading, listing, metrics
from ronda.wiki.filters import read_filters, taken
from tests.wiki.histories import plain_tables, revision

TODAY = date(2021, 1, 3)
FIRST = datetime(2020, 12, 30)  # noqa: DTZ001  (times in the lake are UTC without a zone)
DAYS = [(FIRST.date() + timedelta(days=number)).isoformat() for number in range(-1, 7)]


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows = []
    for revid in range(1, draw(st.integers(0, 15)) + 1):
        user = draw(st.sampled_from(["Ana", "Beto", None]))
        rows.append(
            revision(
                revid,
                wiki=draw(st.sampled_from(["en.wikipedia.org", "es.wikipedia.org"])),
                pageid=draw(st.sampled_from([1, 2])),
                title=draw(st.sampled_from(["Battle of the Nile", "RabbitMQ"])),
                user=user,
                userid=None if user is None else draw(st.sampled_from([0, 7])),
                size=draw(st.one_of(st.none(), st.integers(0, 4))),
                tags=draw(st.lists(st.sampled_from(["mw-undo", "x"]), max_size=2, unique=True)),
                timestamp=FIRST + timedelta(hours=draw(st.integers(0, 100))),
            )
        )
    return rows


@st.composite
def wishes(draw: st.DrawFn) -> dict[str, str]:
    given = {
        name: draw(values)
        for name, values in {
            "title": st.sampled_from(["Battle of the Nile", "Battle_of_the_Nile", "RabbitMQ", "None"]),
            "pageid": st.sampled_from(["1", "2", "3"]),
            "user": st.sampled_from(["Ana", "Beto", "ana"]),
            "userid": st.sampled_from(["0", "7"]),
            "tag": st.sampled_from(["mw-undo", "x", "y"]),
        }.items()
        if draw(st.integers(0, 2)) == 0
    }
    if draw(st.integers(0, 3)) == 0:
        given["size"] = draw(st.sampled_from(["0", "2", "4"]))
        if draw(st.booleans()):
            given["sizematch"] = draw(st.sampled_from(["-1", "0", "1", "5"]))
    match draw(st.sampled_from(["day", "both", "start", "end", "none"])):
        case "day":
            given["date"] = draw(st.sampled_from(DAYS))
        case "both":
            given["datestart"], given["dateend"] = sorted(draw(st.tuples(*[st.sampled_from(DAYS)] * 2)))
        case "start":
            given["datestart"] = draw(st.sampled_from(DAYS))
        case "end":
            given["dateend"] = draw(st.sampled_from(DAYS))
    return given


def passes(row: dict[str, Any], given: dict[str, str]) -> bool:
    """The document's tables 2 to 4, word by word."""
    day = row["timestamp"].date().isoformat()
    end = given.get("dateend") or (
        max(given["datestart"], TODAY.isoformat()) if "datestart" in given else "9999"
    )
    match = int(given.get("sizematch", "0"))
    size = int(given["size"]) if "size" in given else None
    return (
        ("title" not in given or row["title"] == given["title"].replace("_", " "))
        and ("pageid" not in given or row["pageid"] == int(given["pageid"]))
        and ("user" not in given or row["user"] == given["user"])
        and ("userid" not in given or row["userid"] == int(given["userid"]))
        and ("tag" not in given or given["tag"] in row["tags"])
        and (size is None or (row["size"] is not None and _sized(row["size"], size, match)))
        and ("date" not in given or day == given["date"])
        and given.get("datestart", "") <= day <= end
    )


def _sized(size: int, wanted: int, match: int) -> bool:
    return size > wanted if match > 0 else size < wanted if match < 0 else size == wanted


@settings(max_examples=150, deadline=None)
@given(histories(), wishes(), st.sampled_from(list(metrics.ATTRIBUTES)))
def test_metrics_are_what_a_plain_evaluation_gives(
    rows: list[dict[str, Any]], given: dict[str, str], attribute: str
) -> None:
    lake = plain_tables(rows)
    filters = read_filters(given, today=TODAY)
    kept = [row for row in rows if passes(row, given)]
    assert metrics.count(lake, filters) == len(kept)
    if "datestart" in given and "dateend" in given:
        days = (date.fromisoformat(given["dateend"]) - date.fromisoformat(given["datestart"])).days + 1
        assert metrics.mean(lake, filters) == metrics.Mean(len(kept) / days, len(kept), days)
    found = metrics.mode(lake, filters, attribute)
    is_of_wiki = attribute in ("title", "pageid", "userid")
    values = [
        (
            row["timestamp"].date().isoformat() if attribute == "date" else row[attribute],
            row["wiki"] * is_of_wiki,
        )
        for row in kept
    ]
    counts = Counter(value for value in values if value[0] is not None)
    most = max(counts.values(), default=0)
    wanted = sorted(value for value, number in counts.items() if number == most)
    assert found.count == most
    assert sorted(zip(found.values, found.wikis or [""] * len(found.values), strict=True)) == wanted
    if hot_columns.serves(filters):
        hot = hot_reading.columns_from(lake, ("lake", 1), len(rows))
        assert hot.count(filters) == len(kept)
        if hot_columns.serves(filters, attribute):
            in_memory, number = hot.mode(filters, attribute)
            assert [(value, wiki or "") for value, wiki in in_memory] == wanted
            assert number == most


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"pageid": "x"}, "pageid"),
        ({"userid": "1.5"}, "userid"),
        ({"size": "1e9"}, "size"),
        ({"sizematch": "1"}, "size"),
        ({"date": "14-01-2002"}, "date"),
        ({"date": "2002-02-30"}, "date"),
        ({"date": "2002-01-14", "datestart": "2002-01-14"}, "date"),
        ({"datestart": "2002-01-15", "dateend": "2002-01-14"}, "dateend"),
        ({"title": "x" * 501}, "title"),
        ({"user": "a\0b"}, "user"),
    ],
)
def test_what_cannot_be_read_is_named(given: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_filters(given)
    assert caught.value.field == field


def test_what_is_not_on_the_list_is_ignored() -> None:
    assert taken({"title": "x", "color": "red", "user": "", "pageid": None}) == {"title": "x"}


@pytest.mark.parametrize(
    ("given", "revids"),
    [
        ({}, [1, 2, 3]),
        ({"revid": "2"}, [2]),
        ({"parentid": "0"}, [1]),
        ({"minor": "true"}, [3]),
        ({"comment": "fixed"}, [2]),
        ({"sha1": "sha3"}, [3]),
        ({"tags": "mw-undo"}, [2]),
        ({"is_user_hidden": "yes"}, [3]),
        ({"timestamp": "2002-01-14T11:08:54"}, [1]),
        ({"timestamp": "2002-01-14"}, [1, 2, 3]),
        ({"extraction_date": "2017-09-28T02:36:33.452000"}, [1, 2, 3]),
        ({"contentmodel": "json"}, []),
        ({"sort": "-revid"}, [3, 2, 1]),
        ({"sort": "-size", "page_size": 2}, [1, 2]),
        ({"page": 2, "page_size": 2}, [3]),
    ],
)
def test_every_attribute_of_a_revision_is_a_filter(given: dict[str, Any], revids: list[int]) -> None:
    from ronda.http.paging import PageRequest

    lake = plain_tables(
        [
            revision(1, size=9),
            revision(2, comment="fixed", tags=["mw-undo"], size=5),
            revision(3, minor=True, user=None, is_user_hidden=True, size=1),
        ]
    )
    page_words = {name: given[name] for name in ("sort", "page", "page_size") if name in given}
    page = listing.revisions(lake, given, PageRequest(**page_words))
    assert [row["revid"] for row in page.items] == revids
