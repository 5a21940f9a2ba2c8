"""The engines of the shared suite: DuckDB, and Spark on a cluster that is started once."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sudare.engine import Engine
from sudare.engine.spark.engine import SparkEngine
from tests.engine.spark_cluster import SETTINGS, Cluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if shutil.which("java") is None:
        pytest.skip("Spark: there is no Java")
    pytest.importorskip("pyspark", reason="Spark: the extra spark is not installed")
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def spark(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkEngine]:
    spill: Path = tmp_path_factory.mktemp("spill")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        with SparkEngine(cluster.master, memory="1GB", spill=spill, settings=SETTINGS) as engine:
            yield engine
    assert list(spill.iterdir()) == []


# One process has one session of Spark, so all tests that need it run in the same.
@pytest.fixture(params=["duckdb", "spark"])
def any_engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    found: Engine = request.getfixturevalue("engine" if request.param == "duckdb" else "spark")
    return found
