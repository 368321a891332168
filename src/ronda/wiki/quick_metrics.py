"""The document's metrics by the shorter way: from columns in memory where they hold what is asked, else the engine."""

from __future__ import annotations

import duckdb

from ronda.wiki import metrics
from ronda.wiki.filters import Filters, read_interval
from ronda.wiki.hot_columns import serves
from ronda.wiki.hot_reading import columns_of
from ronda.wiki.metrics import ATTRIBUTES, MAX_TIES, Mean, Mode


def count(lake: duckdb.DuckDBPyConnection, filters: Filters) -> int:
    # All of them is a number that the lake's catalogue knows.
    hot = columns_of(lake) if serves(filters) and filters != Filters() else None
    return hot.count(filters) if hot else metrics.count(lake, filters)


def mean(lake: duckdb.DuckDBPyConnection, filters: Filters) -> Mean:
    start, end = read_interval(filters)
    found = count(lake, filters)
    days = (end - start).days + 1
    return Mean(found / days, found, days)


def mode(lake: duckdb.DuckDBPyConnection, filters: Filters, attribute: str) -> Mode:
    metrics.check_attribute(attribute)
    hot = columns_of(lake) if serves(filters, attribute) else None
    if hot is None:
        return metrics.mode(lake, filters, attribute)
    found, number = hot.mode(filters, attribute)
    shown = found[:MAX_TIES]
    _, is_of_wiki = ATTRIBUTES[attribute]
    return Mode(
        values=[value for value, _ in shown],
        count=number,
        wikis=[wiki or "" for _, wiki in shown] if is_of_wiki else None,
        is_cut=len(found) > MAX_TIES,
    )
