"""What a history tells: counted by hand on a small one, and consistent on any."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ronda.wiki.models import Article, Wiki
from ronda.wiki.statistics.edits import EditorKind, Stored, edits_of, kind_of
from ronda.wiki.statistics.summary import summary_of
from tests.wiki.asking import Asker
from tests.wiki.histories import put, revision

FIRST = datetime(2020, 12, 31, 23, 0)  # noqa: DTZ001  (times in the lake are UTC without a zone)


def stored(revid: int, user: str | None, hours: float, size: int | None, sha1: str, **others: Any) -> Stored:
    known = {"userid": 0 if user and user[0].isdigit() else 7, "pageid": 1, "is_minor": False, **others}
    return Stored(
        "w", known["pageid"], revid, revid - 1 if revid > 1 else 0, user, known["userid"],
        FIRST + timedelta(hours=hours), size, sha1, known["is_minor"],
    )  # fmt: skip


HISTORY = [
    stored(1, "Ana", 0, 100, "a"),
    stored(2, "10.0.0.1", 1, 5, "b"),  # blanked …
    stored(3, "Beto", 2, 100, "a"),  # … and brought back
    stored(4, "Ana", 26, 160, "c", is_minor=True),
    stored(5, "CleanBot", 27, 150, "d"),
    stored(6, None, 27.5, 170, "e"),
]


def test_a_small_history_counted_by_hand() -> None:
    found = summary_of(edits_of(HISTORY))
    assert (found.edits, found.editors, found.articles, found.minor) == (6, 4, 1, 1)
    assert found.by_kind == {"registered": 3, "anonymous": 1, "bot": 1, "hidden": 1}
    assert found.by_year == {"2020": 1, "2021": 5}
    assert found.by_month == {"2020-12": 1, "2021-01": 5}
    assert found.by_weekday == [0, 0, 0, 1, 2, 3, 0]  # a Thursday, then Friday and Saturday
    assert found.by_hour[23] == 1
    assert found.by_hour[0] == 1
    assert (found.reverts, found.reverted) == (1, 1)
    assert found.latest_reverts[0].reverted_to == 1
    assert next((one.user, one.edits, one.added_bytes) for one in found.top_by_edits) == ("Ana", 2, 160)
    assert next(one for one in found.top_by_added if one.user == "Beto").added_bytes == 0, (
        "a revert adds nothing"
    )
    assert found.longest_quiet is not None
    assert found.longest_quiet.seconds == 24 * 3600
    assert found.median_gap_seconds == 3600
    assert found.size_bytes == 170
    assert [(pair.one, pair.other, pair.times) for pair in found.pairs][:2] == [
        ("10.0.0.1", "Ana", 1),
        ("10.0.0.1", "Beto", 1),
    ]
    assert [size for _at, size in found.sizes] == [100, 5, 100, 160, 150, 170]


def test_several_articles_are_summed_up_as_what_they_are() -> None:
    other = [row._replace(pageid=2, revid=row.revid + 100, parentid=0) for row in HISTORY[:1]]
    found = summary_of(edits_of([*HISTORY, *other]))
    assert (found.articles, found.edits, found.size_bytes) == (2, 7, 270)
    assert found.longest_quiet is not None
    assert found.longest_quiet.seconds == 24 * 3600, "nothing is quiet between two articles"


def test_nothing_at_all_is_no_error() -> None:
    found = summary_of([])
    assert (found.edits, found.first, found.longest_quiet, found.by_year) == (0, None, None, {})


@pytest.mark.parametrize(
    ("user", "userid", "kind"),
    [
        ("Ana", 7, EditorKind.REGISTERED),
        ("10.0.0.1", 0, EditorKind.ANONYMOUS),
        ("imported>Ana", 0, EditorKind.REGISTERED),
        ("ClueBot NG", 8, EditorKind.BOT),
        ("SineBot", 8, EditorKind.BOT),
        ("Botany fan", 9, EditorKind.REGISTERED),
        (None, None, EditorKind.HIDDEN),
    ],
)
def test_kinds_of_editors(user: str | None, userid: int | None, kind: EditorKind) -> None:
    assert kind_of(user, userid) == kind


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Ana", "Beto", "XBot", "10.0.0.1", None]),
            st.one_of(st.none(), st.integers(0, 999)),
            st.sampled_from("abc"),
            st.floats(0, 500),
        ),
        max_size=30,
    )
)
def test_all_ways_of_counting_agree(rows: list[tuple[Any, Any, str, float]]) -> None:
    hours = sorted(row[3] for row in rows)
    history = [
        stored(number, user, hours[number - 1], size, sha1)
        for number, (user, size, sha1, _hours) in enumerate(rows, start=1)
    ]
    found = summary_of(edits_of(history))
    for counts in (found.by_kind, found.by_year, found.by_month):
        assert sum(counts.values()) == found.edits == len(rows)
    assert sum(found.by_weekday) == sum(found.by_hour) == found.edits
    assert sum(one.edits for one in found.top_by_edits) + found.by_kind["hidden"] == found.edits
    assert found.reverted <= found.edits
    assert found.added_bytes == sum(one.added_bytes for one in found.top_by_added) + sum(
        edit.added_bytes for edit in edits_of(history) if edit.stored.user is None
    )


@pytest.fixture
def asker(own_lake: Path) -> Asker:
    wiki = Wiki.objects.create(key="en.wikipedia.org", api="https://en.wikipedia.org/w/api.php")
    Article.objects.create(pk=1, wiki=wiki, pageid=1, title="Nile")
    Article.objects.create(pk=2, wiki=wiki, pageid=2, title="Tagus")
    first = revision(1, pageid=1, title="Nile", parentid=0, user="Ana", size=10)
    second = revision(2, pageid=1, title="Nile", user="Beto", size=20)
    other = revision(3, pageid=2, title="Tagus", parentid=0, user="Ana", size=7)
    put([first, second, other], {"sha1": "The Nile\nis a river", "sha2": "The Nile\nis a long river"})
    return Asker()


@pytest.mark.django_db(transaction=True)
def test_statistics_comparisons_and_diffs_through_the_api(asker: Asker) -> None:
    status, one = asker.get("/articles/1/statistics")
    assert (status, one["statistics"]["edits"], one["of"][0]["title"]) == (200, 2, "Nile")
    both = asker.get("/statistics?articles=1,2")[1]["statistics"]
    assert (both["articles"], both["edits"], both["size_bytes"]) == (2, 3, 27)
    status, compared = asker.get("/articles/compare?a=1&b=2")
    assert (status, compared["shared_editors"]) == (200, ["Ana"])
    assert asker.get("/articles/99/statistics")[0] == 404
    assert asker.get("/statistics?articles=1,99")[0] == 404
    assert asker.get("/statistics?articles=x")[0] == 422
    for path in ("/revisions/diff?a=1&b=2", "/revisions/diff?a=2"):
        status, found = asker.get(path)
        assert (status, [row["kind"] for row in found["rows"]]) == (200, ["same", "changed"])
        assert {"kind": "added", "text": "long "} in found["rows"][1]["pieces"]
    assert asker.get("/revisions/diff?a=3&b=1")[0] == 404, "its text is not here"
    assert asker.get("/revisions/diff?a=1")[0] == 404, "the first has no parent"
    assert asker.get("/revisions/diff?a=77&b=1")[0] == 404
