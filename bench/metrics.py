"""Questions to many revisions: how long the document's metrics take over HTTP, and what PostgreSQL needs for the same.

The revisions are made up: articles of 2,000 revisions, three in ten edits by addresses that come once or twice, others
by 200,000 names of which few write most, as on real wikis. Names are text in both, and both have warm caches.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from bench.measured import Measured, say
from bench.ronda_at_work import RondaAtWork, ronda_at_work

PER_ARTICLE = 2_000
FILL = """
INSERT INTO revisions
SELECT 'en.wikipedia.org', i // 2000, i, i - 1, 'Article ' || (i // 2000),
       CASE WHEN hash(i * 11) % 10 < 3
            THEN concat_ws('.', hash(i * 13) % 256, hash(i * 17) % 256, hash(i * 19) % 256, hash(i * 23) % 256)
            ELSE 'Editor ' || floor(200000 * pow((hash(i) % 1000003) / 1000003.0, 6))::BIGINT END,
       CASE WHEN hash(i * 11) % 10 < 3 THEN 0
            ELSE 1 + floor(200000 * pow((hash(i) % 1000003) / 1000003.0, 6))::BIGINT END,
       TIMESTAMP '2002-01-01' + INTERVAL (i % 2000 * 340000 + hash(i) % 340000) SECOND,
       1000 + hash(i * 3) % 60000, sha1(i::VARCHAR), 'wikitext', 'text/x-wiki',
       'comment ' || hash(i * 5) % 1000000, 'comment ' || hash(i * 5) % 1000000,
       CASE WHEN hash(i * 29) % 10 = 0 THEN ['mw-undo'] ELSE [] END, hash(i * 31) % 4 = 0,
       false, false, false, TIMESTAMP '2026-01-01'
FROM range($first::BIGINT, $end::BIGINT) AS t (i)
"""
# What PostgreSQL groups by for each attribute of /mode.
GROUPED = {
    **{name: f'"{name}"' for name in ("title", "pageid", "user", "userid", "size")},
    "date": "timestamp::date",
}
INDEXES = ('("user")', "(userid)", "(pageid)", "(title)", "(timestamp)", "(size)")


def measure(*, is_quick: bool) -> list[Measured]:
    revisions = 500_000 if is_quick else 10_000_000
    with ronda_at_work() as ronda:
        _set_up(ronda)
        say(f"filling {revisions:,} revisions into the lake")
        _fill_lake(revisions)
        results = _over_http(ronda, revisions, rounds=60 if is_quick else 300)
        say("the same in PostgreSQL")
        _fill_postgres()
        return results + _beside_postgres(revisions)


def _set_up(ronda: RondaAtWork) -> None:
    os.environ["RONDA_HOME"] = str(ronda.running.home)
    os.environ["DJANGO_SETTINGS_MODULE"] = "ronda.site.settings"
    import django

    django.setup()


def _fill_lake(revisions: int) -> None:
    from ronda.lake.writing import write

    step = 1_000_000
    for first in range(0, revisions, step):
        values = {"first": first, "end": min(revisions, first + step)}
        write(lambda lake, values=values: lake.execute(FILL, values))


def _questions(chance: random.Random, revisions: int) -> list[tuple[str, dict[str, Any]]]:
    """As people ask: mostly of one article, one author, one interval; each one anew. And now and then of everything."""
    title = f"Article {chance.randrange(revisions // PER_ARTICLE)}"
    user = f"Editor {int(200_000 * chance.random() ** 6)}"
    year = chance.randint(2002, 2021)
    start, end = f"{year}-{chance.randint(1, 12):02}-01", f"{year + 1}-{chance.randint(1, 12):02}-28"
    interval = {"datestart": start, "dateend": end}
    attribute = chance.choice(["title", "pageid", "user", "userid", "date", "size"])
    return [
        ("count", {"title": title}),
        ("count", {"user": user}),
        ("count", {"title": title, **interval}),
        ("avg", interval),
        ("avg", {"title": title, **interval}),
        ("avg", {"pageid": chance.randrange(revisions // PER_ARTICLE), "tag": "mw-undo", **interval}),
        ("mode", {"title": title, "attribute": attribute}),
        ("mode", {"title": title, "attribute": "user", **interval}),
        ("mode", {"attribute": attribute}),
    ]


def _over_http(ronda: RondaAtWork, revisions: int, *, rounds: int) -> list[Measured]:
    chance = random.Random(5)
    web = ronda.web_process()
    times: dict[str, list[float]] = {"count": [], "avg": [], "mode": []}
    held_mb = 0.0
    _get(ronda, "/mode?attribute=user")
    time.sleep(max(5, revisions / 5e5))  # the first question has it read authors into memory, meanwhile
    for _ in range(rounds):
        for route, query in _questions(chance, revisions):
            times[route].append(_get(ronda, f"/{route}?{urlencode(query)}"))
        held_mb = max(held_mb, web.memory_info().rss / 1e6)
    pipeline = [{"$group": {"_id": {"$year": "$timestamp"}, "edits": {"$sum": 1}, "size": {"$avg": "$size"}}}]
    body = json.dumps(pipeline).encode()
    _get(ronda, "/query", body)
    grouped = [_get(ronda, "/query", body) for _ in range(5)]
    held_mb = max(held_mb, web.memory_info().rss / 1e6)
    for route, found in times.items():
        say(f"/{route}: median {statistics.median(found):.0f} ms, slowest {max(found):.0f} ms")
    return [
        *(Measured(f"{route}_p95_ms", _p95(found), 150, is_at_most=True) for route, found in times.items()),
        Measured("group_pipeline_ms", statistics.median(grouped), 1_000, is_at_most=True),
        Measured("web_process_memory_mb", held_mb, 500, is_at_most=True),
        Measured("web_process_memory_for_a_moment_mb", _most_memory_mb(web.pid), 500, is_at_most=True),
    ]


def _most_memory_mb(pid: int) -> float:
    """The most it ever had: while columns were read, and the engine counted meanwhile."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


def _get(ronda: RondaAtWork, path: str, body: bytes | None = None) -> float:
    request = Request(
        f"{ronda.running.url}/api/v1{path}",
        data=body,
        headers={"Authorization": f"Bearer {ronda.running.token}", "Content-Type": "application/json"},
    )
    began = time.perf_counter()
    with urlopen(request, timeout=120) as response:
        response.read()
    return (time.perf_counter() - began) * 1000


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def _fill_postgres() -> None:
    """By DuckDB's own copying, on an engine of its own: row by row it would take longer than all questions."""
    import duckdb
    from django.db import connection

    from ronda.lake.reading import attachment

    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE UNLOGGED TABLE bench_revisions (wiki text, pageid bigint, revid bigint, title text,"
            ' "user" text, userid bigint, timestamp timestamp, size bigint)'
        )
        address = connection.get_connection_params()
        with duckdb.connect() as engine:
            attachment()(engine)
            place = " ".join(
                f"{key}='{address[key]}'" for key in ("host", "port", "user", "dbname") if key in address
            )
            engine.execute(f"ATTACH '{place.replace(chr(39), chr(39) * 2)}' AS beside (TYPE postgres)")
            engine.execute(
                "INSERT INTO beside.public.bench_revisions"
                ' SELECT wiki, pageid, revid, title, "user", userid, timestamp, size FROM lake.revisions'
            )
        for columns in INDEXES:
            cursor.execute(f"CREATE INDEX ON bench_revisions {columns}")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE bench_revisions")


def _beside_postgres(revisions: int) -> list[Measured]:
    """Both in this process, without HTTP, and without answers that were kept: each question is worked out."""
    from ronda.lake.reading import reading
    from ronda.wiki import hot_reading
    from ronda.wiki import quick_metrics as metrics
    from ronda.wiki.filters import read_filters

    results = []
    interval = {"datestart": "2003-01-01", "dateend": "2020-12-31"}
    with reading() as lake:
        while revisions >= hot_reading.LEAST_REVISIONS and hot_reading.columns_of(lake) is None:
            time.sleep(0.1)  # read in the background, as in the web process
        ours = _best(lambda: metrics.mean(lake, read_filters(interval)))
        theirs = _best(
            lambda: _postgres(
                "SELECT count(*) FROM bench_revisions WHERE timestamp >= '2003-01-01' AND timestamp < '2021-01-01'"
            )
        )
        results.append(Measured("avg_against_postgresql", theirs / ours, 5))
        ratios = []
        for attribute, column in GROUPED.items():
            ours = _best(lambda attribute=attribute: metrics.mode(lake, read_filters({}), attribute))
            theirs = _best(
                lambda column=column: _postgres(
                    f"SELECT {column}, count(*) FROM bench_revisions GROUP BY 1 ORDER BY 2 DESC LIMIT 1"
                )
            )
            say(f"/mode of {attribute}: {ours * 1000:.0f} ms, PostgreSQL {theirs * 1000:.0f} ms")
            ratios.append(theirs / ours)
        results.append(Measured("mode_against_postgresql", min(ratios), 5))
    return results


def _best(ask: Callable[[], object], times: int = 3) -> float:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        ask()
        found.append(time.perf_counter() - began)
    return min(found)


def _postgres(sql: str) -> object:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()
