"""What is special about the engine for clusters: where data come from, what leaves it, what it cannot do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars
import pytest
from typer.testing import CliRunner

import sudare
from sudare import interruption
from sudare.baskets.model import BasketReading
from sudare.baskets.read import read_baskets
from sudare.cli.app import app
from sudare.engine import open_engine
from sudare.engine.spark.engine import SparkEngine
from sudare.errors import EngineNotAvailable, NotOnEngine, OptionNotUsable
from sudare.messages import Message
from tests.conftest import TOY
from tests.engine.looking import rows_of
from tests.engine.spark_cluster import SETTINGS, Cluster


@pytest.fixture(scope="module")
def toy_there(spark: SparkEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sudare.History]:
    """The toy history on the cluster, read once for all tests that only ask."""
    path = tmp_path_factory.mktemp("there") / "toy.csv"
    path.write_text(TOY, encoding="utf-8")
    with sudare.read_history(path, engine=spark) as history:
        yield history


@contextmanager
def watched(spark: SparkEngine) -> Iterator[list[Any]]:
    """Collect the cells of all rows that leave the cluster."""
    cells: list[Any] = []

    def rows(sql: str, most: int | None = None) -> list[tuple[Any, ...]]:
        found = SparkEngine._fetch_rows(spark, sql, most)
        cells.extend(cell for row in found for cell in row)
        return found

    spark._fetch_rows = rows  # type: ignore[method-assign]
    try:
        yield cells
    finally:
        del spark._fetch_rows


def test_only_numbers_leave_the_cluster_of_a_history(spark: SparkEngine, toy_file: Path) -> None:
    before = spark.collected
    with watched(spark) as cells, sudare.read_history(toy_file, engine=spark) as history:
        risk = sudare.histories.assess_knowledge(history, "day + item")
    assert risk.values == 9
    assert not [cell for cell in cells if isinstance(cell, str)]
    # The counts of rows, of bad ones and of customers, the crowds of one and of two customers, the numbers of days and
    # of items, and for each part that some values have three rows and others four or two. No cells were written
    # otherwise and no names differ by case alone, so no line is about them.
    assert spark.collected - before == 3 + 2 + 2 + 2 * 2


def test_of_a_table_the_distinct_rows_leave_and_nothing_else(spark: SparkEngine) -> None:
    before = spark.collected
    frame = polars.DataFrame({"sex": ["f", "m"] * 500, "town": ["x"] * 1000})
    with sudare.read_table(frame, engine=spark) as table:
        assert table.counts.tolist() == [500, 500]
    # How many rows there are, the values of sex and of town, and the two distinct rows. No cells were written otherwise
    # and no values differ by case alone, so no column has a line about them.
    assert spark.collected - before == 1 + 2 + 1 + 2


def test_small_counts_are_merged_on_the_cluster(spark: SparkEngine, toy_file: Path) -> None:
    guarded = SparkEngine(session=spark.session, min_cell=5)
    with watched(guarded) as cells, sudare.read_history(toy_file, engine=guarded) as history:
        cells.clear()
        told = sudare.histories.assess_knowledge(history, "item")
    # Bread 3, tea 2, book 2 and juice 1 pairs of item and customer; bread is no line of its own with 3.
    assert told.values == 4
    assert told.measured >= 0.5
    assert min(cells[1:]) >= 4


def test_a_dataframe_of_spark_brings_its_engine(spark: SparkEngine) -> None:
    frame = spark.session.createDataFrame([("m", 30), ("m", 30), ("f", 40)], "sex STRING, age INT")
    with sudare.read_table(frame) as table:
        assert table.engine.name == "spark"
        assert (table.values, table.counts.tolist()) == ((("f", "m"), ("30", "40")), [1, 2])
    # Closing the table leaves the session as it was.
    assert frame.count() == 3
    with pytest.raises(sudare.SourceNotReadable, match=r"(?s)duckdb cannot read.*SparkEngine"):
        sudare.read_table(frame, engine=sudare.DuckDBEngine())


def test_a_table_of_the_catalog_is_a_source(spark: SparkEngine) -> None:
    frame = spark.session.createDataFrame([("a", "2024-01-31", "tea")], "customer STRING, day STRING, item STRING")
    frame.write.saveAsTable("purchases")
    try:
        with sudare.read_history("purchases", engine=spark) as history:
            assert (history.records, history.reading.format) == (1, "table")
    finally:
        spark.session.sql("DROP TABLE purchases")
    with pytest.raises(sudare.SourceNotReadable, match="no file purchases, and no table with that name"):
        sudare.read_history("purchases", engine=spark)
    with pytest.raises(sudare.SourceNotReadable, match="file:///nowhere cannot be read as Parquet"):
        sudare.read_history("file:///nowhere", engine=spark)


def test_settings_and_tables_of_the_session_stay_as_they_were(spark: SparkEngine) -> None:
    quoted = "spark.sql.ansi.doubleQuotedIdentifiers"
    assert spark.session.conf.get(quoted) == "false"
    with sudare.read_table(polars.DataFrame({"a": ["x"]}), engine=spark):
        assert spark.session.catalog.listTables() == []


def test_what_is_about_people_is_refused_by_name(spark: SparkEngine, toy_there: sudare.History, tmp_path: Path) -> None:
    for ask in (
        lambda: sudare.histories.most_identifying(toy_there, "day"),
        lambda: sudare.histories.customer_risks(toy_there, "day"),
        lambda: sudare.histories.write_values(toy_there, "day", tmp_path / "values.csv"),
        lambda: sudare.histories.write_customer_risks(toy_there, tmp_path / "customers.csv"),
    ):
        with pytest.raises(NotOnEngine, match="only counts leave the cluster"):
            ask()
    with sudare.read_table(polars.DataFrame({"a": ["x"]}), engine=spark) as table, pytest.raises(NotOnEngine):
        sudare.tables.write_record_risks(table, None, tmp_path / "records.csv")
    assert list(tmp_path.glob("*s.csv")) == []


def test_too_many_combinations_are_estimated_from_a_sample(
    spark: SparkEngine, toy_there: sudare.History, toy: sudare.History
) -> None:
    with watched(spark) as cells:
        found = sudare.histories.assess_knowledge(toy_there, "item*2", most_combinations=1, samples=200)
    assert found.sample == 200
    assert found.interval is not None
    assert found.interval[0] <= sudare.histories.assess_knowledge(toy, "item*2").measured <= found.interval[1]
    # The number of combinations, the largest weight, the weight of all customers and how many these are, how many draws
    # could be used, one line a crowd size, and the number of items for the theory.
    assert not [cell for cell in cells if isinstance(cell, str)]
    assert len(cells) == 1 + 1 + 3 + 1 + 2 * 2 + 1


def test_classes_count_persons_and_no_person_leaves_the_cluster(
    spark: SparkEngine, engine: sudare.DuckDBEngine
) -> None:
    rows = [("a", "m"), ("a", "m"), ("a", "f"), ("b", "f"), ("c", "f"), ("d", "m")]
    people = polars.DataFrame(rows, schema=["who", "sex"], orient="row")
    with watched(spark) as cells, sudare.read_table(people, person="who", engine=spark) as table:
        found = sudare.tables.assess_subsets(table)
    with sudare.read_table(people, person="who", engine=engine) as expected:
        assert (found.results == sudare.tables.assess_subsets(expected).results).all()
        assert table.values == expected.values
    assert [cell for cell in cells if isinstance(cell, str)] == ["f", "m"]


def test_samples_of_adversaries_are_judged_on_the_cluster(
    spark: SparkEngine, toy_there: sudare.History, toy: sudare.History
) -> None:
    options: dict[str, Any] = {"rho": 0.5, "epsilon": 0.2, "delta": 0.2, "max_known": 2, "seed": 3}
    with watched(spark) as cells, sudare.baskets.hold_baskets(toy_there) as baskets:
        found = sudare.baskets.check_held_baskets(
            baskets, sudare.baskets.hold_sensitive("item:お*", baskets), **options
        )
    in_memory = read_baskets(toy)
    expected = sudare.baskets.check_baskets(in_memory, sudare.baskets.read_sensitive("item:お*", in_memory), **options)
    assert (found.adversaries, found.unsafe_adversaries) == (expected.adversaries, expected.unsafe_adversaries)
    assert not [cell for cell in cells if isinstance(cell, str)]
    # Users and the longest record, occurrences and repetitions, items; how many are sensitive; how many users have one
    # item and two or more; the unsafe; how many have the most frequent sensitive item.
    assert len(cells) == 2 + 2 + 1 + 1 + 2 * len({1, 2} & set(in_memory.lengths.clip(max=2).tolist())) + 1 + 1


def of_this_module(rows: Any) -> Any:
    return rows


def test_machines_without_our_python_are_one_message(spark: SparkEngine) -> None:
    with pytest.raises(
        EngineNotAvailable, match=r"(?s)in Python on the machines.*Hint: Run pip install.*PYSPARK_PYTHON"
    ):
        spark.keep_mapped("mapped", "SELECT 1 AS n", part="n", columns="n INT", function=of_this_module)


def test_utility_and_classes_of_a_contest_by_hand_and_only_numbers_leave(spark: SparkEngine, tmp_path: Path) -> None:
    original, anonymized = tmp_path / "T", tmp_path / "A.csv"
    original.mkdir()
    # Quantities 1, 1, 3, 3 have the standard deviation 1.
    (original / "1.csv").write_text("1,2011/1/1,a,1,1\n2,2011/1/1,b,1.00,1\n")
    (original / "2.csv").write_text("1,2011/1/1,c,1.0,3\r\n\n3,2011/1/1,d,1,3")
    anonymized.write_text("7,2011/1/1,{b;a},1,[1;3]\n8,2011/01/01,{a;b},1,[1;3]\n*,*,*,*,*\n9,2011/1/1,d,[1;1.00],3\n")
    with watched(spark) as cells, sudare.histories.hold_cells(original, anonymized, engine=spark) as held:
        found = sudare.histories.held_utility(held)
        assert [(size.size, size.classes) for size in sudare.histories.held_class_sizes(held)] == [(1, 1), (2, 1)]
    assert found.utility == pytest.approx((2 * 0.5 + 2 * 1 + 4) / 16, abs=1e-12)
    assert [kind.cells for kind in found.kinds] == [7, 3, 2, 0, 4]
    assert [column.deviation for column in found.columns] == [0.0, None, 0.0, 1.0]
    assert (found.customers, found.cells) == ((), ())
    assert not [cell for cell in cells if isinstance(cell, str)]


# What Spark cannot do yet; each mark fails once it can.
not_yet = pytest.mark.xfail(raises=NotOnEngine, strict=True)


@not_yet
def test_the_records_of_baskets_are_read_from_a_cluster(toy_there: sudare.History) -> None:
    read_baskets(toy_there)


@not_yet
def test_each_user_has_random_sensitive_items(spark: SparkEngine) -> None:
    reading = BasketReading("baskets", "table", {}, {}, 1)
    sudare.baskets.hold_sensitive("random:0.4", sudare.baskets.HeldBaskets(spark, reading, 1, 1, 1, 1, "none_"))


def test_plans_end_at_kept_tables_and_small_ones_are_sent_to_all_tasks(spark: SparkEngine) -> None:
    spark.keep("made_first", "SELECT id AS x FROM range(5)")
    spark.keep("made_second", "SELECT x, count(*) AS pairs FROM made_first JOIN made_first AS b USING (x) GROUP BY x")
    try:
        told = rows_of(spark, "EXPLAIN SELECT x FROM made_second JOIN range(7) ON id = x")[0][0]
        assert "BroadcastHashJoin" in told
        assert "HashAggregate" not in told
        assert rows_of(spark, "SELECT sum(pairs) FROM made_second") == [(5,)]
    finally:
        spark.drop("made_first", "made_second")


def test_a_second_session_is_refused(spark: SparkEngine) -> None:
    with pytest.raises(OptionNotUsable, match=r"(?s)is already running in this process.*session=spark"):
        SparkEngine("local[1]")


def test_the_work_goes_on_when_a_worker_is_killed_during_a_job(
    cluster: Cluster, spark: SparkEngine, online_retail: sudare.History, real_data: Callable[[str], Path]
) -> None:
    tracker = spark.session.sparkContext.statusTracker()
    running: list[int] = []

    def kill_during_a_job() -> None:
        while not running:
            running.extend(tracker.getActiveJobsIds())
            time.sleep(0.01)
        cluster.kill_worker()

    def progress(step: Message, _done: int, _total: int) -> None:
        if str(step) == "attacker 4":
            killer.start()

    killer = threading.Thread(target=kill_during_a_job)
    with sudare.read_history(real_data("online-retail-400.csv"), engine=spark) as history:
        found = sudare.histories.assess_attackers(history, progress=progress)
    killer.join()
    assert running
    assert found == sudare.histories.assess_attackers(online_retail)


def test_running_jobs_are_cancelled_when_the_work_is_asked_to_stop(spark: SparkEngine) -> None:
    tracker = spark.session.sparkContext.statusTracker()

    def ask_during_a_job() -> None:
        while not tracker.getActiveJobsIds():
            time.sleep(0.01)
        interruption.ask_to_stop()

    asker = threading.Thread(target=ask_during_a_job)
    interruption.begin()
    asker.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            rows_of(spark, "SELECT count(*) FROM range(300000) a CROSS JOIN range(300000) b WHERE a.id * b.id % 7 = 3")
    finally:
        asker.join()
        interruption.begin()
    assert rows_of(spark, "SELECT sum(id) FROM range(4)") == [(6,)]


def test_spark_connect_is_refused_by_name() -> None:
    session = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(NotOnEngine, match="Spark Connect"):
        SparkEngine(session=session)


def test_names_that_are_no_engine_are_refused() -> None:
    for name in ("oracle", "local[0]", "spark://host", "yarn"):
        with pytest.raises(OptionNotUsable, match=r"(?s)Unknown engine.*duckdb, local\[2\].*spark://host:7077"):
            open_engine(name)


def refused(*words: object) -> str:
    result = CliRunner().invoke(app, ["history", "attackers", *map(str, words)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    return result.stderr


def test_a_report_is_refused_before_the_work(toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sudare.DuckDBEngine, "shows_people", False)
    message = refused(toy_file, "--report", tmp_path / "report.html")
    assert "only counts leave the cluster" in message
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(("home", "said"), [("/nowhere", "no Java in /nowhere/bin"), ("old", "has Java 11")])
def test_missing_java_is_one_message(
    toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str, said: str
) -> None:
    java = tmp_path / "old" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.1\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / home))
    message = refused(toy_file, "--engine", "local[2]")
    assert said in message
    assert "needs Java 17 or newer" in message
    assert "Hint: Run apt-get install" in message


def test_a_missing_package_is_one_message(toy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.engine.spark.session.find_spec", lambda _: None)
    message = refused(toy_file, "--engine", "local[2]")
    assert message == (
        "Error: The engine spark needs the package pyspark, which is not installed.\n"
        "Hint: Run pip install 'sudare[spark]'.\n"
    )


def test_a_master_that_does_not_answer_is_one_message(toy_file: Path) -> None:
    message = refused(toy_file, "--engine", "spark://127.0.0.1:1")
    assert "No Spark master answers at spark://127.0.0.1:1" in message


def test_bad_settings_are_one_message(toy_file: Path, tmp_path: Path) -> None:
    assert "--spill-dir" in refused(toy_file, "--spill-dir", tmp_path / "nowhere")
    assert "--min-cell" in refused(toy_file, "--min-cell", "0")


START = """
import json, os, sys, threading
from pyspark.logger import PySparkLogger
from sudare.engine.spark.engine import SparkEngine

logger = PySparkLogger.getLogger("SQLQueryContextLogger")
before, kept, said, started = dict(os.environ), (logger.level, list(logger.filters)), 0, threading.Event()

def say():
    global said
    while not started.is_set():
        said += os.write(2, b"x")
        started.wait(0.01)

speaker = threading.Thread(target=say)
speaker.start()
with SparkEngine("local[1]", memory="600MB", settings=json.loads(sys.argv[1])) as engine:
    started.set()
    speaker.join()
    python = engine.session.sparkContext.pythonExec
    try:
        engine.total("SELECT nothing FROM range(1)")
    except Exception as error:
        raised = type(error).__name__
# What pyspark itself sets when it starts is left to it.
changed = [name for name in os.environ if os.environ[name] != before.get(name) and not name.startswith("SPARK_")]
unchanged = (logger.level, list(logger.filters)) == kept
print(json.dumps([said, changed, unchanged, python, raised]))
"""


def test_a_start_leaves_the_process_as_it_was_and_says_nothing(cluster: Cluster, tmp_path: Path) -> None:
    del cluster  # skips the test where there is no Spark
    environment = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}
    command = [sys.executable, "-c", START, json.dumps(SETTINGS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    said, *others = json.loads(done.stdout)
    assert others == [[], True, sys.executable, "AnalysisException"]
    # All that was said during the start has arrived, and nothing else.
    assert done.stderr == "x" * said


def notes(text: str) -> list[str]:
    """Return what was said but for the progress of slow machines."""
    return [line for line in text.splitlines() if not line.startswith("... ")]


def test_the_command_on_this_machine_prints_what_duckdb_prints(
    cluster: Cluster, toy_file: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    command = [
        sys.executable,
        "-c",
        "from sudare.cli import main; main()",
        "history",
        "knowledge",
        str(toy_file),
        "day",
        "--json",
    ]
    settings = tmp_path_factory.mktemp("settings")
    text = "".join(f"{key} {value}\n" for key, value in SETTINGS.items() if "Java" not in key)
    (settings / "spark-defaults.conf").write_text(text)
    # The options for Java are those of the command itself; these come from outside.
    java = SETTINGS["spark.driver.extraJavaOptions"]
    expected, found = (
        subprocess.run(
            [*command, *words],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={**os.environ, "SPARK_CONF_DIR": str(settings), "JDK_JAVA_OPTIONS": java},
        )
        for words in ([], ["--engine", "local[1]", "--memory", "600MB"])
    )
    told, plain = json.loads(found.stdout), json.loads(expected.stdout)
    assert (told.pop("most_identifying"), told.pop("customers")) == ([], None)
    assert told == {key: plain[key] for key in told}
    assert notes(found.stderr) == notes(expected.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["toy.csv"]


def test_a_gate_measures_on_spark_what_it_measures_with_duckdb(
    cluster: Cluster, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (tmp_path / "people.csv").write_text("sex,age\nf,30\nf,30\nm,40\nm,40\nm,40\nf,50\nf,50\n")
    policy = '[sources.people]\nkind = "table"\nfile = "people.csv"\nmin-cell = 2\nengine = "{engine}"\n' + "".join(
        f'[[checks]]\nsource = "people"\nmeasure = "{measure}"\nknown = "{known}"\nfail = 1\n'
        for measure, known in (("highest-risk", "sex, age"), ("smallest-class", "sex, age"), ("mean-risk", "sex"))
    )
    settings = tmp_path_factory.mktemp("settings")
    (settings / "spark-defaults.conf").write_text(
        "".join(f"{key} {value}\n" for key, value in SETTINGS.items() if "Java" not in key)
    )
    found = {}
    for engine in ("duckdb", "local[1]"):
        (tmp_path / "policy.toml").write_text(policy.format(engine=engine))
        run = subprocess.run(
            [sys.executable, "-c", "from sudare.cli import main; main()", "gate", "run", "policy.toml", "--json"],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={
                **os.environ,
                "SPARK_CONF_DIR": str(settings),
                "JDK_JAVA_OPTIONS": SETTINGS["spark.driver.extraJavaOptions"],
            },
        )
        found[engine] = {check["measure"]: check["value"] for check in json.loads(run.stdout)["checks"]}
    assert found["local[1]"] == found["duckdb"] == {
        "highest-risk": 0.5, "smallest-class": 2, "mean-risk": pytest.approx(2 / 7)
    }  # fmt: skip
