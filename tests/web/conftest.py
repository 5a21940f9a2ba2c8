"""Databases, both of them real, and servers that run as processes of their own."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from argon2 import PasswordHasher

from sudare.web.database import Database
from sudare.web.files import FileStore
from sudare.web.settings import ServerSettings, write_settings
from tests.web.small_contest import PASSWORD, SmallContest

# Passwords of tests need no protection.
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
COMMAND = [sys.executable, "-c", "from sudare.cli import main; main()"]
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Postgres:
    """A cluster of its own, run by a user who is not root, as PostgreSQL insists."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self._bin = PROGRAMS[-1].parent
        self._user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            shutil.chown(folder, self._user)
        self._run("initdb", "-D", "data", "-U", "sudare", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale", "C")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200"
        self._run("pg_ctl", "-D", "data", "-w", "-o", options, "-l", "log", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop")

    def new_database(self) -> str:
        name = f"d{uuid.uuid4().hex[:12]}"
        with psycopg.connect(f"postgresql://sudare@127.0.0.1:{self.port}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql+psycopg://sudare@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *words: str) -> None:
        user = self._user if os.geteuid() == 0 else None
        command = [str(self._bin / program), *words]
        subprocess.run(command, check=True, cwd=self.folder, user=user, stdout=subprocess.DEVNULL)


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.web.security._hasher", CHEAP)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    with tempfile.TemporaryDirectory(prefix="sudare-postgres-") as folder:
        cluster = Postgres(Path(folder))
        cluster.start()
        yield cluster
        cluster.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> ServerSettings:
    """The settings of a new server, on either database."""
    url = ""
    if request.param == "postgresql":
        cluster: Postgres = request.getfixturevalue("postgres")
        url = cluster.new_database()
    return new_settings(tmp_path / "server", url)


def new_settings(folder: Path, url: str = "", *, upload_seconds: int = 60) -> ServerSettings:
    folder.mkdir()
    port = free_port()
    found = ServerSettings(
        folder,
        database=url,
        port=port,
        public_url=f"http://127.0.0.1:{port}",
        max_upload_bytes=200_000,
        upload_seconds=upload_seconds,
        lease_seconds=2,
        job_seconds=60,
    )
    write_settings(found)
    return found


@pytest.fixture
def database(settings: ServerSettings) -> Iterator[Database]:
    found = Database(settings.database_url)
    found.migrate()
    yield found
    found.close()


@pytest.fixture
def files(settings: ServerSettings) -> FileStore:
    found = FileStore(settings.files)
    found.make()
    return found


@pytest.fixture
def small(settings: ServerSettings, database: Database, files: FileStore) -> SmallContest:
    """A contest of three teams with a round whose anonymization is open."""
    found = SmallContest(settings, database, files)
    found.make()
    return found


class RunningServer:
    """The processes of a server."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.processes: list[subprocess.Popen[bytes]] = []
        self.clients: list[httpx.Client] = []

    def start(self, part: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([*COMMAND, "server", part, str(self.settings.folder)])
        self.processes.append(process)
        if part in ("web", "run"):
            self.wait()
        return process

    def client(self, token: str | None = None, path: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        found = httpx.Client(base_url=self.settings.public_url + path, headers=headers, timeout=60)
        self.clients.append(found)
        return found

    def stop(self) -> None:
        for client in self.clients:
            client.close()
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(30)

    def wait(self, url: str | None = None) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                httpx.get(f"{url or self.settings.public_url}/login", timeout=5)
                return
            except httpx.TransportError:
                time.sleep(0.1)
        raise TimeoutError("the server did not start")


def csrf(page: httpx.Response) -> str:
    """Return the secret of the forms of a page."""
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found
    return found[1]


def log_in(server: RunningServer, name: str) -> httpx.Client:
    """Return a client that is logged in."""
    client = server.client()
    form = {"csrf": csrf(client.get("/login")), "login": name, "password": PASSWORD, "next": "/"}
    assert client.post("/login", data=form).status_code == 303
    return client


@pytest.fixture
def running(settings: ServerSettings) -> Iterator[RunningServer]:
    found = RunningServer(settings)
    yield found
    found.stop()
