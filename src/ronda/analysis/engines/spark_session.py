"""The one Spark of this process: started when first needed, on the master of RONDA_SPARK_MASTER."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ronda.analysis.engines.java import PYSPARK_HINT, require_java
from ronda.analysis.errors import EngineMissing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # As DuckDB: what overflows or does not fit is an error, not NULL.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.shuffle.partitions": "16",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Questions bring their own tables; there is no warehouse to look into.
    "spark.sql.catalogImplementation": "in-memory",
}


def spark_of(master: str = "", *, folder: str = "", settings: dict[str, str] | None = None) -> SparkSession:
    """A session with no tables in it, on this process's Spark."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineMissing("The engine spark needs the package pyspark.", hint=PYSPARK_HINT) from None
    active = SparkSession.getActiveSession() or SparkSession._instantiatedSession
    if active is None or active.sparkContext._jsc is None:
        require_java()
        active = _start(SparkSession, master or LOCAL, folder, settings or {})
    return active.newSession()


def _start(kind: type[SparkSession], master: str, folder: str, more: dict[str, str]) -> SparkSession:
    builder = kind.builder.master(master).appName("ronda")
    chosen = {**SETTINGS, **more}
    if master.startswith("local"):
        chosen |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        chosen.setdefault("spark.pyspark.python", sys.executable)
    if folder:
        chosen |= {"spark.local.dir": folder, "spark.sql.warehouse.dir": f"{folder}/warehouse"}
    for name, value in chosen.items():
        builder = builder.config(name, value)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # noqa: BLE001  (Java's errors come as any)
        # The gateway's process ended, or nobody answers at the master's address: Java's words say which.
        raise EngineMissing(
            f"Spark did not start on {master}: {str(error).partition(chr(10))[0]}",
            hint="Look at RONDA_SPARK_MASTER and at what Java wrote above.",
        ) from None
    session.sparkContext.setLogLevel("ERROR")
    return session


def stop_spark() -> None:
    """End this process's Spark and its Java."""
    try:
        from pyspark import SparkContext
    except ImportError:
        return
    context = SparkContext._active_spark_context
    if context is None:
        return
    gateway = SparkContext._gateway
    context.stop()
    if gateway is not None:
        gateway.shutdown()
        process = getattr(gateway, "proc", None)
        if process is not None:
            process.stdin.close()
            process.wait(30)
        SparkContext._gateway = SparkContext._jvm = None
