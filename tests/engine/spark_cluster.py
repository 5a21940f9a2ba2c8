"""A standalone cluster of Spark on loopback: one master, two workers, each a process group that can be killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

# Short work on small machines: no compiling, few partitions, no waiting for machines that are gone.
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.memory": "512m",
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "1s",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "2",
}
START_SECONDS = 300


@dataclass
class Cluster:
    """Starts when made; `workers` are process groups with their executors."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._run("master", "master.Master", "--port", str(self.port))
        self._wait("master", "Starting Spark master")
        for name in ("one", "two"):
            self._run(name, "worker.Worker", "-c", "1", "-m", "700m", "-d", str(self.folder / name), self.master)
        for name in ("one", "two"):
            self._wait(name, "Successfully registered")

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def kill_worker(self) -> None:
        """Kill the second worker and its executor, as if the machine lost its power."""
        self._kill(self.processes[2])

    def stop(self) -> None:
        for process in reversed(self.processes):
            self._kill(process)

    def _run(self, name: str, daemon: str, *words: str) -> None:
        import pyspark

        command = [f"{Path(pyspark.__file__).parent}/bin/spark-class", f"org.apache.spark.deploy.{daemon}"]
        java = f"{SETTINGS['spark.driver.extraJavaOptions']} -Djava.io.tmpdir={self.folder}"
        options = {
            "SPARK_DAEMON_JAVA_OPTS": java,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_LOCAL_DIRS": str(self.folder),
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes.append(
                subprocess.Popen(
                    [*command, "--host", "127.0.0.1", "--webui-port", "0", *words],
                    env={**os.environ, **options},
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def _wait(self, name: str, sign: str) -> None:
        end = time.monotonic() + START_SECONDS
        while sign not in (text := (self.folder / f"{name}.log").read_text()):
            if time.monotonic() > end:
                raise TimeoutError(f"{name} did not start:\n{text[-2000:]}")
            time.sleep(0.1)

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
