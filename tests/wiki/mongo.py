"""MongoDB's meaning of a pipeline, in plain Python over plain documents: what the translation is compared with.

Written from the manual, stage by stage, with nothing in common with the translator. A field that is not in a document
is missing; None is null.
"""

from __future__ import annotations

import math
import re
import statistics
from datetime import datetime
from functools import cmp_to_key
from typing import Any

Document = dict[str, Any]


class _Missing:
    pass


MISSING = _Missing()
_RANKS = [
    (_Missing, 0),
    (type(None), 1),
    (bool, 8),
    ((int, float), 2),
    (str, 3),
    (dict, 4),
    (list, 5),
    (datetime, 9),
]


def rank(value: Any) -> int:
    return next(number for kinds, number in _RANKS if isinstance(value, kinds))  # type: ignore[arg-type]


def compare(one: Any, other: Any) -> int:
    if rank(one) != rank(other):
        return -1 if rank(one) < rank(other) else 1
    if isinstance(one, dict):
        for (_name, mine), (_other, theirs) in zip(one.items(), other.items(), strict=False):
            if found := compare(mine, theirs):
                return found
        return len(one) - len(other)
    if one is None or one is MISSING or one == other:
        return 0
    return -1 if one < other else 1


def get(document: Any, path: str) -> Any:
    for name in path.split("."):
        if not isinstance(document, dict) or name not in document:
            return MISSING
        document = document[name]
    return document


def matches(query: Document, document: Document) -> bool:
    return all(_holds(name, wanted, document) for name, wanted in query.items())


def _holds(name: str, wanted: Any, document: Document) -> bool:
    if name == "$and":
        return all(matches(each, document) for each in wanted)
    if name == "$or":
        return any(matches(each, document) for each in wanted)
    if name == "$nor":
        return not any(matches(each, document) for each in wanted)
    if name == "$expr":
        return truth(evaluate(wanted, document))
    value = get(document, name)
    if isinstance(wanted, dict) and any(key.startswith("$") for key in wanted):
        return all(_test(key, argument, value) for key, argument in wanted.items())
    return _test("$eq", wanted, value)


def _items(value: Any) -> list[Any]:
    return [*value, value] if isinstance(value, list) else [value]


def _test(name: str, wanted: Any, value: Any) -> bool:
    match name:
        case "$eq":
            if wanted is None:
                return value is MISSING or value is None
            return any(rank(item) == rank(wanted) and item == wanted for item in _items(value))
        case "$ne":
            return not _test("$eq", wanted, value)
        case "$in":
            return any(_test("$eq", each, value) for each in wanted)
        case "$nin":
            return not _test("$in", wanted, value)
        case "$gt" | "$gte" | "$lt" | "$lte":
            return any(_ordered(name, item, wanted) for item in _items(value))
        case "$exists":
            return (value is not MISSING) == bool(wanted)
        case "$not":
            return not all(_test(key, argument, value) for key, argument in wanted.items())
        case "$regex":
            return any(isinstance(item, str) and bool(re.search(wanted, item)) for item in _items(value))
        case "$size":
            return isinstance(value, list) and len(value) == wanted
        case "$elemMatch":
            return isinstance(value, list) and any(
                all(_test(key, argument, item) for key, argument in wanted.items()) for item in value
            )
        case "$all":
            return bool(wanted) and all(_test("$eq", each, value) for each in wanted)
    raise NotImplementedError(name)


def _ordered(name: str, value: Any, wanted: Any) -> bool:
    if value is MISSING or rank(value) != rank(wanted):
        return False
    sign = compare(value, wanted)
    return {"$gt": sign > 0, "$gte": sign >= 0, "$lt": sign < 0, "$lte": sign <= 0}[name]


def truth(value: Any) -> bool:
    return value is not MISSING and value is not None and value is not False and value != 0


def evaluate(written: Any, document: Document) -> Any:
    if isinstance(written, str) and written.startswith("$"):
        return get(document, written[1:])
    if isinstance(written, dict):
        name = next(iter(written))
        if not name.startswith("$"):
            parts = {key: evaluate(part, document) for key, part in written.items()}
            return {key: part for key, part in parts.items() if part is not MISSING}
        return _operate(name, written[name], document)
    if isinstance(written, list):
        found = [evaluate(item, document) for item in written]
        return [None if item is MISSING else item for item in found]
    return written


def _operate(name: str, argument: Any, document: Document) -> Any:
    if name == "$dateToString":
        date = evaluate(argument["date"], document)
        return date.strftime(argument["format"])
    given = [evaluate(each, document) for each in (argument if isinstance(argument, list) else [argument])]
    nothing = any(each is MISSING or each is None for each in given)
    match name:
        case "$eq":
            return compare(given[0], given[1]) == 0
        case "$ne":
            return compare(given[0], given[1]) != 0
        case "$gt":
            return compare(given[0], given[1]) > 0
        case "$lte":
            return compare(given[0], given[1]) <= 0
        case "$cmp":
            return (lambda sign: (sign > 0) - (sign < 0))(compare(given[0], given[1]))
        case "$and":
            return all(map(truth, given))
        case "$or":
            return any(map(truth, given))
        case "$not":
            return not truth(given[0])
        case "$cond":
            return given[1] if truth(given[0]) else given[2]
        case "$ifNull":
            return next((each for each in given[:-1] if each is not MISSING and each is not None), given[-1])
        case "$add":
            return None if nothing else sum(given)
        case "$subtract":
            return None if nothing else given[0] - given[1]
        case "$multiply":
            return None if nothing else math.prod(given)
        case "$concat":
            return None if nothing else "".join(given)
        case "$toUpper":
            return "" if nothing else given[0].upper()
        case "$strLenCP":
            return None if nothing else len(given[0])
        case "$size":
            return len(given[0])
        case "$in":
            return given[0] in given[1]
        case "$year":
            return given[0].year
        case "$month":
            return given[0].month
        case "$dayOfWeek":
            return given[0].isoweekday() % 7 + 1
        case "$hour":
            return given[0].hour
    raise NotImplementedError(name)


def run(stages: list[Document], documents: list[Document]) -> list[Document]:
    for stage in stages:
        ((name, written),) = stage.items()
        documents = _STAGES[name](written, documents)
    return documents


def _project(written: Document, documents: list[Document]) -> list[Document]:
    if all(wish == 0 for wish in written.values()):
        return [{name: part for name, part in each.items() if name not in written} for each in documents]
    shown = []
    for document in documents:
        wishes = {"_id": 1, **written}
        kept = {name: part for name, part in document.items() if wishes.get(name) == 1 and name in wishes}
        for name, wish in written.items():
            if not isinstance(wish, int):
                value = evaluate(wish, document)
                if value is not MISSING:
                    kept[name] = value
        shown.append(kept)
    return shown


def _add_fields(written: Document, documents: list[Document]) -> list[Document]:
    added = []
    for document in documents:
        new = {name: evaluate(part, document) for name, part in written.items()}
        merged = {**document, **new}
        added.append({name: part for name, part in merged.items() if part is not MISSING})
    return added


def _sort(written: Document, documents: list[Document]) -> list[Document]:
    def order(one: Document, other: Document) -> int:
        for name, direction in written.items():
            # MongoDB orders what is missing and null alike.
            mine, theirs = (None if v is MISSING else v for v in (get(one, name), get(other, name)))
            if sign := compare(mine, theirs):
                return sign * direction
        return 0

    return sorted(documents, key=cmp_to_key(order))


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return ("document", tuple((name, _frozen(part)) for name, part in value.items()))
    if isinstance(value, list):
        return ("list", tuple(map(_frozen, value)))
    return (rank(value), value)


def _group(written: Document, documents: list[Document]) -> list[Document]:
    groups: dict[Any, tuple[Any, list[Document]]] = {}
    for document in documents:
        key = evaluate(written["_id"], document)
        key = None if key is MISSING else key
        groups.setdefault(_frozen(key), (key, []))[1].append(document)
    grouped = []
    for key, members in groups.values():
        made = {"_id": key}
        for name, accumulator in written.items():
            if name != "_id":
                ((called, argument),) = accumulator.items()
                made[name] = _accumulate(called, [evaluate(argument, each) for each in members])
        grouped.append(made)
    return _sort({"_id": 1}, grouped)


def _accumulate(name: str, values: list[Any]) -> Any:
    there = [value for value in values if value is not MISSING]
    known = [value for value in there if value is not None]
    numbers = [v for v in known if isinstance(v, int | float) and not isinstance(v, bool)]
    match name:
        case "$sum":
            return sum(numbers)
        case "$avg":
            return sum(numbers) / len(numbers) if numbers else None
        case "$stdDevPop":
            return statistics.pstdev(numbers) if numbers else None
        case "$min":
            return min(known, key=cmp_to_key(compare), default=None)
        case "$max":
            return max(known, key=cmp_to_key(compare), default=None)
        case "$first":
            return None if values[0] is MISSING else values[0]
        case "$last":
            return None if values[-1] is MISSING else values[-1]
        case "$push":
            return there
        case "$addToSet":
            unlike = list({_frozen(value): value for value in there}.values())
            return sorted(unlike, key=cmp_to_key(compare))
    raise NotImplementedError(name)


def _unwind(path: str, documents: list[Document]) -> list[Document]:
    name = path[1:]
    unwound = []
    for document in documents:
        value = document.get(name)
        items = value if isinstance(value, list) else [] if value is None else [value]
        unwound += [{**document, name: item} for item in items]
    return unwound


def _sort_by_count(written: Any, documents: list[Document]) -> list[Document]:
    grouped = _group({"_id": written, "count": {"$sum": 1}}, documents)
    return _sort({"count": -1}, grouped)


def _bucket(written: Document, documents: list[Document]) -> list[Document]:
    bounds = written["boundaries"]
    placed = []
    for document in documents:
        value = evaluate(written["groupBy"], document)
        fits = value is not MISSING and rank(value) == rank(bounds[0]) and bounds[0] <= value < bounds[-1]
        below = max((place for place, bound in enumerate(bounds) if fits and bound <= value), default=None)
        placed.append((len(bounds) if below is None else below, document))
    buckets = []
    for place in sorted({number for number, _document in placed}):
        members = [document for number, document in placed if number == place]
        key = written["default"] if place == len(bounds) else bounds[place]
        buckets.append({"_id": key, "count": len(members)})
    return buckets


_STAGES = {
    "$match": lambda written, documents: [each for each in documents if matches(written, each)],
    "$project": _project,
    "$addFields": _add_fields,
    "$sort": _sort,
    "$group": _group,
    "$limit": lambda written, documents: documents[:written],
    "$skip": lambda written, documents: documents[written:],
    "$count": lambda written, documents: [{written: len(documents)}] if documents else [],
    "$unwind": _unwind,
    "$sortByCount": _sort_by_count,
    "$bucket": _bucket,
}
