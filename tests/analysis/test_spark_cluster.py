"""A standalone cluster of Spark on loopback: an executor is killed with -9 in the middle of a question, same answer."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from ronda.analysis.engines.duckdb_engine import DuckDBEngine, Means
from ronda.analysis.engines.java import require_java
from ronda.analysis.engines.spark_engine import SparkEngine
from ronda.analysis.engines.spark_session import stop_spark
from ronda.analysis.errors import EngineMissing
from ronda.analysis.local import taking_files
from ronda.analysis.questions import QuestionSet, set_of_texts
from tests.running import free_port, wait_for

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
]

WORKERS = 2
EXECUTOR = "CoarseGrainedExecutorBackend"
# Every text is judged by the vectorised function, in Python processes of the executors.
QUESTION = """/*
[tables.texts.columns]
id = "BIGINT"
said = "VARCHAR"
*/
SELECT
    id % 7 AS kind,
    count(*) AS texts,
    sum(CAST(round(sentiment(said) * 10000) AS BIGINT)) AS feeling
FROM texts
GROUP BY id % 7
ORDER BY kind;
"""
TEXTS = 40_000
FILES = 12


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its master's address; every process of it ends with the test."""
    pyspark = pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'ronda[spark]'")
    try:
        require_java()
    except EngineMissing as error:
        pytest.skip(str(error))
    start = Path(pyspark.__file__).parent / "bin" / "spark-class"
    folder, port = tmp_path_factory.mktemp("cluster"), free_port()
    master = f"spark://127.0.0.1:{port}"
    of_master = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    of_worker = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g"]
    with _java(start, "deploy.master.Master", of_master, folder) as log:
        wait_for(lambda: "elected leader" in log.read_text() or None, "the master")
        with (
            _java(start, "deploy.worker.Worker", [*of_worker, master], folder) as one,
            _java(start, "deploy.worker.Worker", [*of_worker, master], folder) as other,
        ):
            for worker in (one, other):
                wait_for(
                    lambda worker=worker: "Successfully registered" in worker.read_text() or None, "a worker"
                )
            yield master


@contextmanager
def _java(start: Path, name: str, words: list[str], folder: Path) -> Iterator[Path]:
    log = folder / f"{name}-{free_port()}.log"
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        # It would listen on a port that is always the same.
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "SPARK_WORKER_DIR": str(folder / "work"),
        "PYSPARK_PYTHON": sys.executable,
    }
    with log.open("wb") as out:
        command = [str(start), f"org.apache.spark.{name}", *words]
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
    try:
        yield log
    finally:
        family = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.terminate()
        process.wait(30)
        for left in psutil.wait_procs(family, timeout=10)[1]:
            left.kill()


def _executors() -> list[psutil.Process]:
    """Of this cluster: others on the machine may run one, too."""
    ours = psutil.Process().children(recursive=True)
    return [process for process in ours if process.is_running() and EXECUTOR in _words(process)]


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _judging(executors: list[psutil.Process]) -> psutil.Process | None:
    """One that has Python processes at work: it is in the middle of the question."""
    for executor in executors:
        try:
            if any("pyspark" in _words(child) for child in executor.children(recursive=True)):
                return executor
        except psutil.Error:
            continue
    return None


def _questions(folder: Path) -> tuple[QuestionSet, list[Path]]:
    words = ("happy", "sad", "love", "terrible", "great", "a war", "VERY good!", "not bad :)")
    paths = []
    for file in range(FILES):
        rows = range(file, TEXTS, FILES)
        lines = [f"{n},the {words[n % 8]} day {n} was {words[n // 8 % 8]} and {words[n % 5]}" for n in rows]
        paths.append(folder / f"texts-{file}.csv")
        paths[-1].write_text("id,said\n" + "\n".join(lines) + "\n")
    return set_of_texts({"feeling.sql": QUESTION}, name="mine"), paths


def test_an_executor_killed_in_the_middle_changes_nothing(cluster: str, tmp_path: Path) -> None:
    questions, paths = _questions(tmp_path)
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.sql.files.maxPartitionBytes": "64k",
        "spark.sql.files.openCostInBytes": "64k",
    }
    engine = SparkEngine(cluster, folder=str(tmp_path), settings=settings)
    killed: list[int] = []

    def kill() -> None:
        victim = wait_for(lambda: _judging(_executors()), "an executor at work")
        killed.append(victim.pid)
        victim.kill()

    try:
        with taking_files(questions, {"texts": paths}) as taking, DuckDBEngine(Means()) as duckdb:
            taking.wait_for_all()
            (question,) = questions.questions
            wanted = duckdb.answer(question, taking.segments)
            killer = threading.Thread(target=kill, name="killer")
            killer.start()
            found = engine.answer(question, taking.segments)
            killer.join()
            assert killed
            assert not psutil.pid_exists(killed[0])
            assert found.rows == wanted.rows
            assert found.used == wanted.used == {"texts": TEXTS}
            # The cluster is whole again, and asked again says the same.
            wait_for(lambda: len(_executors()) == WORKERS or None, "another executor")
            assert engine.answer(question, taking.segments).rows == wanted.rows
    finally:
        engine.close()
        stop_spark()
