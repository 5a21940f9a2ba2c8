"""Spark sessions: what they need, how one is started silently, and ours beside another."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.engine.options import bytes_of
from sudare.engine.spark.errors import without_warnings
from sudare.engine.spark.words import LANGUAGE
from sudare.errors import EngineNotAvailable, OptionNotUsable

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

LEAST_JAVA = 17
MASTER_SECONDS = 5.0
_MASTER = re.compile(r"local(?:\[(?:\*|[1-9][0-9]*)\])?|spark://(?P<host>[^:/,]+):(?P<port>[0-9]+)")


def check_master(master: str) -> None:
    """Raise an error unless Spark can be started here, or runs there and answers."""
    found = _MASTER.fullmatch(master)
    if not found:
        raise OptionNotUsable("errors.spark.unknown_engine", engine=master)
    _check_packages()
    _check_java()
    if found["host"]:
        try:
            socket.create_connection((found["host"], int(found["port"])), MASTER_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise OptionNotUsable("errors.spark.no_master", master=master, reason=str(error)) from None


def _check_packages() -> None:
    for package in ("pyspark", "pyarrow"):
        if find_spec(package) is None:
            raise EngineNotAvailable("errors.spark.no_package", package=package)


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    told = ""
    if java:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    found = re.search(r'version "(\d+)', told)
    if not found or int(found.group(1)) < LEAST_JAVA:
        where = f"{home}/bin (JAVA_HOME)" if home else "PATH"
        if found:
            old = {"least": LEAST_JAVA, "found": found.group(1), "where": where}
            raise EngineNotAvailable("errors.spark.old_java", **old)
        raise EngineNotAvailable("errors.spark.no_java", least=LEAST_JAVA, where=where)


def start(master: str, memory: str, folder: str, settings: Mapping[str, str]) -> SparkSession:
    """Start a session that says nothing on the terminal and opens no page."""
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    quiet = Path(folder) / "log4j2.properties"
    quiet.write_text("rootLogger.level = off\n", encoding="utf-8")
    own = {
        "spark.driver.memory": f"{max(bytes_of(memory) >> 20, 512)}m",
        # All that Java puts down lies in the folder that is removed.
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile={quiet} -Dderby.system.home={folder} -Djava.io.tmpdir={folder}"
        ),
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if master.startswith("local"):
        # Spark's own 200 are meant for clusters; a few for each thread keep all of them busy.
        threads = re.sub(r"\D", "", master) or str((os.cpu_count() or 1) if "*" in master else 1)
        own["spark.sql.shuffle.partitions"] = str(4 * int(threads))
    if SparkSession.getActiveSession() is not None:
        raise OptionNotUsable("errors.spark.session_runs")
    try:
        with without_warnings():
            conf = SparkConf().setMaster(master).setAppName("sudare")
            for key, value in {**own, **settings}.items():
                conf.set(key, f"{own[key]} {value}" if key.endswith("JavaOptions") and key in own else value)
            return SparkSession(_silent_context(conf))
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise EngineNotAvailable("errors.spark.not_started", reason=reason) from None


def _silent_context(conf: SparkConf) -> SparkContext:
    """Start Spark with a Java whose output stays off the terminal: a user cannot act on it."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    # A Java that ran for an earlier session of this process is used again.
    started: Any = SparkContext._gateway
    gateway = started or launch_gateway(conf, {"stderr": subprocess.DEVNULL})  # type: ignore[no-untyped-call]
    context = SparkContext(gateway=gateway, conf=conf)
    if str(context.master).startswith("local"):
        # Else it is any Python of the search path, perhaps one without sudare.
        context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
    return context


def end(session: SparkSession, folder: str) -> None:
    """Stop a session that was started here, and remove its folder."""
    session.stop()
    shutil.rmtree(folder, ignore_errors=True)


def beside(session: SparkSession) -> SparkSession:
    """Return a session of ours in the same application; its days are those of UTC, whatever zone the other has."""
    own = session.newSession()
    for key, value in LANGUAGE.items():
        own.conf.set(key, value)
    return own
