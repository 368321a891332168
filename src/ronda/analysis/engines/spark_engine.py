"""Apache Spark: the same questions on one machine's cores or on a cluster's. Segments are read as Parquet."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from ronda.analysis.column_types import name_for_spark
from ronda.analysis.engines.asking import Bound, Paths, SegmentEngine
from ronda.analysis.engines.contract import Watch
from ronda.analysis.engines.results import levelled
from ronda.analysis.engines.spark_session import spark_of
from ronda.analysis.engines.transpiling import for_spark
from ronda.analysis.errors import Cancelled, FailedSql
from ronda.analysis.fitting import schema_of
from ronda.analysis.functions import functions
from ronda.analysis.questions.model import Question, TableNeed
from ronda.analysis.sentiment import VADER, SentimentModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PROGRESS_EVERY_SECONDS = 0.5


class SparkEngine(SegmentEngine):
    """What it closes are its tables; Spark itself stays for the next one."""

    name = "spark"

    def __init__(
        self,
        master: str = "",
        *,
        sentiment: SentimentModel = VADER,
        folder: str = "",
        settings: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(sentiment)
        self._master, self._folder = master, folder
        # Of Spark, beside ours; they hold for the whole process, as there is one Spark in it.
        self._settings = dict(settings or {})

    def _open(self, segments: Paths) -> _Tables:
        spark = spark_of(self._master, folder=self._folder, settings=self._settings)
        return _Tables(spark, segments, self._sentiment)


class _Tables:
    """A session of Spark with the tables and views of some segments."""

    provided = frozenset[str]()

    def __init__(self, spark: SparkSession, segments: Paths, sentiment: SentimentModel) -> None:
        from pyspark.sql import functions as spark_functions

        # Since 4.1; its stubs do not have it yet.
        arrow_udf = vars(spark_functions)["arrow_udf"]

        self.spark, self.segments = spark, segments
        self._made, self._kept = set[str](), list["DataFrame"]()
        for function in functions(sentiment):
            spark.udf.register(function.name, arrow_udf(function.run, name_for_spark(function.gives)))

    def make(self, question: Question, values: Bound, watch: Watch) -> None:
        for need in question.tables:
            if need.name not in self._made:
                self._frame(need).createOrReplaceTempView(need.name)
                self._made.add(need.name)
        for view in question.views:
            if view.name not in self._made:
                frame = self._sql(view.sql, values)
                if view.is_kept:
                    self._kept.append(frame.cache())
                frame.createOrReplaceTempView(view.name)
                self._made.add(view.name)

    def _frame(self, need: TableNeed) -> DataFrame:
        paths = self.segments.get(need.name, ())
        if paths:
            return self.spark.read.parquet(*paths)
        return self.spark.createDataFrame(schema_of(need.columns).empty_table())

    def _sql(self, sql: str, values: Bound) -> DataFrame:
        return self.spark.sql(for_spark(sql, tables=self._made, values=values))

    def select(self, sql: str, values: Bound, watch: Watch) -> pa.Table:
        return levelled(self._sql(sql, values).toArrow())

    @contextmanager
    def running(self, watch: Watch) -> Iterator[None]:
        """Spark's errors in our words; cancel() ends the jobs begun here."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        tag = f"ronda-{uuid.uuid4().hex}"
        # Of the context, not of the session: an Arrow result is collected by a thread of its own, which inherits only
        # these.
        context = self.spark.sparkContext
        context.addJobTag(tag)
        try:
            with (
                watch.stopping(lambda: context.cancelJobsWithTag(tag)),
                watch.telling(self._share_done, every_seconds=PROGRESS_EVERY_SECONDS),
            ):
                yield
        except (PySparkException, Py4JError) as error:
            if watch.is_cancelled:
                raise Cancelled from None
            raise FailedSql(f"The question failed: {str(error).partition(chr(10))[0]}") from None
        finally:
            context.removeJobTag(tag)

    def _share_done(self) -> float | None:
        """By finished tasks of the running stages."""
        tracker = self.spark.sparkContext.statusTracker()
        found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        stages = [stage for stage in found if stage]
        tasks = sum(stage.numTasks for stage in stages)
        return sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else None

    def close(self) -> None:
        for frame in self._kept:
            frame.unpersist()
        for name in self._made:
            self.spark.catalog.dropTempView(name)
