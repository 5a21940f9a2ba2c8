"""Running the server: the pages, a worker, or both together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import uvicorn
from uvicorn.config import LOGGING_CONFIG

from sudare.web.http.app import make_app
from sudare.web.http.connections import MOST_CONNECTIONS, Connection, allow_connections
from sudare.web.jobs.worker import make_worker
from sudare.web.operation.log import web_server_log
from sudare.web.settings import ServerSettings
from sudare.web.storage.private import OTHERS

KEEP_ALIVE_SECONDS = 10
SHUTDOWN_SECONDS = 10
RESTART_SECONDS = 1.0


def run_web(settings: ServerSettings) -> None:
    """Serve pages and the API until told to stop."""
    os.umask(OTHERS)
    allow_connections()
    uvicorn.run(
        make_app(settings),
        log_config=web_server_log(settings.log_format) or LOGGING_CONFIG,
        http=Connection,
        host=settings.host,
        port=settings.port,
        proxy_headers=False,  # see TrustedProxies
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
    )


def run_worker(settings: ServerSettings, parent: int | None = None) -> None:
    """Work on jobs until told to stop, or until the process that began this one is gone."""
    os.umask(OTHERS)
    make_worker(settings).run(parent)


def run_both(settings: ServerSettings) -> None:
    """Serve pages, with a worker in a process of its own that is begun again should it die."""
    # The web server ends itself by the signal that it was sent; as an exit, it lets the worker be ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    keeper = _WorkerKeeper(settings)
    keeper.start()
    try:
        run_web(settings)
    finally:
        keeper.stop()


class _WorkerKeeper(threading.Thread):
    """Keeps a worker running."""

    def __init__(self, settings: ServerSettings) -> None:
        super().__init__(daemon=True)
        # -P: no file of the folder that the server was started in is taken for a module.
        self._command = [sys.executable, "-P", "-c", _WORKER, str(settings.folder), str(os.getpid())]
        self._stopped = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Begin a worker, and another one whenever it ends."""
        while not self._stopped.is_set():
            self._process = subprocess.Popen(self._command)  # noqa: S603
            self._process.wait()
            self._stopped.wait(RESTART_SECONDS)

    def stop(self) -> None:
        """End the worker, which gives its jobs back; if it takes too long, their leases run out by themselves."""
        self._stopped.set()
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(SHUTDOWN_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


_WORKER = """
import sys
from sudare.web.serve import run_worker
from sudare.web.settings import load_settings
run_worker(load_settings(sys.argv[1]), int(sys.argv[2]))
"""
