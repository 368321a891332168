"""Which engine answers: the one asked for, or the one that fits the size of what it is to read."""

from __future__ import annotations

from ronda.analysis.engines.contract import Engine, Segments
from ronda.analysis.engines.duckdb_engine import DuckDBEngine, Means
from ronda.analysis.errors import EngineMissing

ENGINES = ("auto", "duckdb", "spark")
# From so many bytes of Parquet on, a cluster is worth its overhead, if there is one.
WORTH_SPARK_BYTES = 20 << 30


def engine_for(name: str, tables: Segments, *, means: Means, spark_master: str = "") -> Engine:
    """auto: Spark for big tables, if RONDA_SPARK_MASTER names one; else DuckDB."""
    if name not in ENGINES:
        raise EngineMissing(f"There is no engine {name!r}.", hint=f"One of {', '.join(ENGINES)}.")
    if name == "auto":
        name = "spark" if spark_master and _size_bytes(tables) >= WORTH_SPARK_BYTES else "duckdb"
    if name == "duckdb":
        return DuckDBEngine(means)
    from ronda.analysis.engines.spark_engine import SparkEngine

    return SparkEngine(spark_master, sentiment=means.sentiment, folder=str(means.spill_folder or ""))


def _size_bytes(tables: Segments) -> int:
    return sum(path.stat().st_size for paths in tables.values() for path in paths)
