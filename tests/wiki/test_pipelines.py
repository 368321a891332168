"""Pipelines mean what MongoDB means by them, over any revisions; what is unknown is named."""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from ronda.wiki.pipeline.errors import BadPipeline, UnknownOperator, UnknownStage
from ronda.wiki.pipeline.shaping import document_of
from ronda.wiki.pipeline.translation import read_stages, translate
from tests.wiki import mongo
from tests.wiki.histories import plain_tables, revision

USERS = ["Ana", "Beto", "ana", "127.0.0.1", None]
FIRST = datetime(2020, 12, 30)  # noqa: DTZ001  (times in the lake are UTC without a zone)
TAGS = ["mw-undo", "mw-reverted", "visualeditor"]


def answers(stages: list[dict[str, Any]], rows: list[dict[str, Any]], **options: Any) -> list[dict[str, Any]]:
    made = translate(read_stages(json.dumps(stages, default=str)), max_rows=10_000, **options)
    found = plain_tables(rows).execute(made.sql, made.values).fetchall()
    return [document_of(row, made.members) for row in found]


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows = []
    for revid in range(1, draw(st.integers(0, 12)) + 1):
        user = draw(st.sampled_from(USERS))
        rows.append(
            revision(
                revid,
                pageid=draw(st.sampled_from([1, 2])),
                user=user,
                userid=None if user is None else draw(st.sampled_from([0, 7, 8])),
                size=draw(st.one_of(st.none(), st.integers(0, 40))),
                minor=draw(st.booleans()),
                comment=draw(st.sampled_from(["fixed", "Revert of 5", "", None])),
                tags=draw(st.lists(st.sampled_from(TAGS), max_size=2, unique=True)),
                timestamp=FIRST + timedelta(hours=draw(st.integers(0, 100))),
            )
        )
    return rows


sizes = st.integers(0, 40)
dates = st.integers(0, 100).map(lambda hours: (FIRST + timedelta(hours=hours)).isoformat())
comparisons = st.sampled_from(["$gt", "$gte", "$lt", "$lte", "$eq", "$ne"])
users = st.sampled_from([*USERS, "Nobody"])


def leaf_conditions() -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.builds(lambda sign, size: {"size": {sign: size}}, comparisons, sizes),
        st.builds(lambda sign, day: {"timestamp": {sign: day}}, comparisons, dates),
        st.builds(lambda user: {"user": user}, users),
        st.builds(lambda user: {"user": {"$ne": user}}, users),
        st.builds(lambda some: {"user": {"$in": some}}, st.lists(users, max_size=3)),
        st.builds(lambda some: {"user": {"$nin": some}}, st.lists(users, max_size=3)),
        st.builds(lambda is_there: {"user": {"$exists": is_there}}, st.booleans()),
        st.builds(lambda tag: {"tags": tag}, st.sampled_from(TAGS)),
        st.builds(
            lambda tags: {"tags": {"$all": tags}}, st.lists(st.sampled_from(TAGS), min_size=1, max_size=2)
        ),
        st.builds(lambda size: {"tags": {"$size": size}}, st.integers(0, 2)),
        st.just({"tags": {"$elemMatch": {"$regex": "^mw-", "$ne": "mw-undo"}}}),
        st.just({"comment": {"$regex": "^Revert of [0-9]+$"}}),
        st.just({"comment": {"$not": {"$regex": "e"}}}),
        st.just({"size": {"$gt": "a text"}}),
        st.just({"nothing": {"$exists": False}}),
        st.just({"$expr": {"$gt": ["$user", None]}}),
        st.just({"$expr": {"$eq": ["$userid", "$size"]}}),
    )


conditions = st.recursive(
    leaf_conditions(),
    lambda inner: st.one_of(
        st.builds(lambda some: {"$and": some}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda some: {"$or": some}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda some: {"$nor": some}, st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=5,
)

expressions = st.sampled_from(
    [
        "$size",
        "$user",
        "$minor",
        "$tags",
        "$nothing",
        {"$add": ["$size", 1]},
        {"$multiply": ["$size", 2, "$userid"]},
        {"$subtract": [40, "$size"]},
        {"$cond": [{"$gt": ["$size", 20]}, "big", "small"]},
        {"$cond": ["$minor", "$size", 0]},
        {"$ifNull": ["$user", "somebody"]},
        {"$concat": ["$user", "/", "$comment"]},
        {"$toUpper": "$user"},
        {"$strLenCP": "$comment"},
        {"$size": "$tags"},
        {"$in": ["mw-undo", "$tags"]},
        {"$year": "$timestamp"},
        {"$month": "$timestamp"},
        {"$dayOfWeek": "$timestamp"},
        {"$hour": "$timestamp"},
        {"$dateToString": {"date": "$timestamp", "format": "%Y-%m-%d"}},
        {"$cmp": ["$size", "$userid"]},
        {"$lte": ["$user", "$comment"]},
        {"$gt": ["$user", "$size"]},
        {"$not": ["$size"]},
        {"$and": ["$minor", {"$gt": ["$size", 5]}]},
        {"who": "$user", "when": {"$hour": "$timestamp"}},
    ]
)
fields = st.sampled_from(["revid", "user", "size", "timestamp", "minor", "comment", "x", "nothing"])
accumulators = st.sampled_from(
    ["$sum", "$avg", "$min", "$max", "$first", "$last", "$push", "$addToSet", "$stdDevPop"]
)
arguments = st.sampled_from(
    ["$size", "$user", "$userid", "$minor", "$timestamp", "$nothing", 2, {"$add": ["$size", 1]}]
)
keys = st.one_of(
    st.none(),
    st.sampled_from(
        [
            "$user",
            "$size",
            "$minor",
            "$nothing",
            {"$year": "$timestamp"},
            {"who": "$user", "minor": "$minor"},
            {"$dateToString": {"date": "$timestamp", "format": "%Y-%m"}},
        ]
    ),
)
document_stages = st.one_of(
    conditions.map(lambda found: {"$match": found}),
    st.builds(lambda name, what: {"$addFields": {name: what}}, st.sampled_from(["x", "size2"]), expressions),
    st.builds(
        lambda order: {"$sort": order},
        st.dictionaries(fields, st.sampled_from([1, -1]), min_size=1, max_size=2),
    ),
    st.integers(1, 9).map(lambda number: {"$limit": number}),
    st.integers(0, 4).map(lambda number: {"$skip": number}),
    st.just({"$unwind": "$tags"}),
)
last_stages = st.one_of(
    st.builds(lambda what: {"$project": {"revid": 1, "user": 1, "x": what}}, expressions),
    st.just({"$project": {"comment": 0, "tags": 0}}),
    st.just({"$count": "n"}),
    st.sampled_from(["$user", "$tags", {"$hour": "$timestamp"}]).map(lambda by: {"$sortByCount": by}),
    st.just({"$bucket": {"groupBy": "$size", "boundaries": [0, 10, 20], "default": "others"}}),
    st.just({"$bucket": {"groupBy": "$size", "boundaries": [0, 10, 20], "default": 99}}),
    st.builds(
        lambda key, name, what, other, more: {"$group": {"_id": key, "a": {name: what}, "b": {other: more}}},
        keys,
        accumulators,
        arguments,
        accumulators,
        arguments,
    ),
)


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, datetime):
        return bool(found == wanted.isoformat())
    if isinstance(wanted, float) or isinstance(found, float):
        return isinstance(found, int | float) and math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(wanted, dict):
        return (
            isinstance(found, dict)
            and set(found) == set(wanted)
            and all(_same(found[k], wanted[k]) for k in wanted)
        )
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    return type(found) is type(wanted) and bool(found == wanted)


def _documents(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def _with_dates(written: Any) -> Any:
    """What the translator reads as dates, as dates for the plain evaluation."""
    if isinstance(written, dict):
        return {
            name: {sign: datetime.fromisoformat(day) for sign, day in part.items()}
            if name == "timestamp" and isinstance(part, dict)
            else _with_dates(part)
            for name, part in written.items()
        }
    return [_with_dates(each) for each in written] if isinstance(written, list) else written


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories(), st.lists(document_stages, max_size=3), st.lists(last_stages, max_size=1))
def test_a_pipeline_gives_what_mongodb_gives(
    rows: list[dict[str, Any]], stages: list[dict[str, Any]], last: list[dict[str, Any]]
) -> None:
    pipeline = [*stages, *last]
    wanted = mongo.run(_with_dates(pipeline), _documents(rows))
    try:
        found = answers(pipeline, rows)
    except BadPipeline as refusal:
        if "takes a list" not in refusal.message:
            raise
        reject()  # the size of what $unwind has taken apart: MongoDB refuses that as well, once it meets a document
    if pipeline and "$group" in pipeline[-1]:  # MongoDB promises no order of groups
        found, wanted = sorted(found, key=_id_of), sorted(wanted, key=_id_of)
    assert _same(found, wanted), (pipeline, found, wanted)


def _id_of(document: dict[str, Any]) -> str:
    return json.dumps(document["_id"], sort_keys=True, default=datetime.isoformat)


def test_stages_after_a_group_reach_into_its_id() -> None:
    rows = [revision(1, user="Ana"), revision(2, user="Beto"), revision(3, user="Ana")]
    found = answers(
        [
            {
                "$group": {
                    "_id": {"who": "$user", "year": {"$year": "$timestamp"}},
                    "revisions": {"$push": {"id": "$revid"}},
                }
            },
            {"$match": {"_id.who": "Ana", "revisions.id": 3}},
            {"$project": {"_id.who": 1, "ids": "$revisions.id", "n": {"$size": "$revisions"}}},
        ],
        rows,
    )
    assert found == [{"_id": {"who": "Ana"}, "ids": [1, 3], "n": 2}]


def test_texts_are_there_for_those_who_name_them() -> None:
    made = translate(read_stages('[{"$match": {"text": {"$regex": "nile"}}}]'), max_rows=10)
    tables = plain_tables([revision(1), revision(2)], {"sha1": "the nile", "sha2": "the tagus"})
    found = [document_of(row, made.members) for row in tables.execute(made.sql, made.values).fetchall()]
    assert [document["text"] for document in found] == ["the nile"]
    assert "texts" not in translate(read_stages('[{"$limit": 1}]'), max_rows=10).sql


@pytest.mark.parametrize(
    ("stages", "kind", "named"),
    [
        ([{"$lookup": {}}], UnknownStage, "$lookup"),
        ([{"$out": "revisions"}], UnknownStage, "$out"),
        ([{"$match": {"size": {"$near": 1}}}], UnknownOperator, "$near"),
        ([{"$match": {"$where": "1"}}], UnknownOperator, "$where"),
        ([{"$project": {"x": {"$function": {}}}}], UnknownOperator, "$function"),
        ([{"$group": {"_id": None, "x": {"$median": "$size"}}}], UnknownOperator, "$median"),
        ([{"$project": {"x": "$$USER"}}], UnknownOperator, "$$USER"),
        ([{"$match": {"timestamp": {"$gt": "yesterday"}}}], BadPipeline, "yesterday"),
        ([{"$project": {"x": {"$cond": [True, 1, "a"]}}}], BadPipeline, "$cond"),
        ([{"$limit": 0}], BadPipeline, "$limit"),
        ([{"$sort": {"size": 2}}], BadPipeline, "$sort"),
        ([{"$project": {"size": 1, "user": 0}}], BadPipeline, "$project"),
        ([{"$group": {"n": {"$sum": 1}}}], BadPipeline, "_id"),
        ("nothing", BadPipeline, "list of stages"),
    ],
)
def test_what_is_wrong_is_named(stages: Any, kind: type[BadPipeline], named: str) -> None:
    with pytest.raises(kind) as caught:
        translate(read_stages(json.dumps(stages)), max_rows=10)
    assert named in str(caught.value)


def test_nothing_a_user_writes_becomes_sql() -> None:
    """Names and values alike: the SQL is made of our own words."""
    hostile = """x" ; DROP TABLE revisions; -- ' $$ \\"""
    stages = [
        {"$match": {"user": hostile, hostile: hostile}},
        {
            "$addFields": {
                "a": {"$concat": ["$user", hostile]},
                "b": {"$dateToString": {"date": "$timestamp", "format": "'"}},
            }
        },
        {"$group": {"_id": {"k": f"${hostile}"}, "z": {"$push": {"DROP": hostile}}}},
        {"$project": {"DROP TABLE revisions": "$z"}},
    ]
    made = translate(read_stages(json.dumps(stages)), max_rows=10)
    assert "DROP" not in made.sql
    assert ";" not in made.sql
    plain_tables([revision(1)]).execute(made.sql, made.values).fetchall()


def test_expressions_do_not_grow_without_bounds() -> None:
    deep: Any = "$size"
    for _ in range(30):
        deep = {"$sqrt": deep}  # names its argument twice
    with pytest.raises(BadPipeline):
        translate([("$project", {"x": deep})], max_rows=10)
    with pytest.raises(BadPipeline):
        read_stages("[" * 100_000)
