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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import httpx
import psycopg
import pytest

from sudare.web.settings import DATABASE_FILE, ServerSettings, write_settings
from sudare.web.storage.database import Database
from sudare.web.storage.files import FileStore
from tests.web import parts
from tests.web.small_contest import PASSWORD, SmallContest

COMMAND = [sys.executable, "-c", "from sudare.cli import main; main()"]
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Postgres:
    """A cluster of its own, run by a user who is not root, as PostgreSQL insists."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self._bin = PROGRAMS[-1].parent
        self._user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name

    def make(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self.folder, self._user)
        self._run("initdb", "-D", "data", "-U", "sudare", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale", "C")

    def start(self) -> None:
        # Processes are killed, but nobody pulls the plug: nothing need be on the disk.
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200 "
            "-c fsync=off"
        )
        self._run("pg_ctl", "-D", "data", "-w", "-o", options, "-l", "log", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop")

    def new_url(self) -> str:
        """Return the address of a database that is not there yet."""
        return f"postgresql+psycopg://sudare@127.0.0.1:{self.port}/d{uuid.uuid4().hex[:12]}"

    def make_database(self, url: str, copied: str = "/template1") -> None:
        """Make the database of an address, empty or as a copy of another one."""
        self._execute(f"CREATE DATABASE {name_of(url)} TEMPLATE {name_of(copied)}")

    def drop_database(self, url: str) -> None:
        """Take a database away, if it is there: hundreds of them would be gigabytes."""
        self._execute(f"DROP DATABASE IF EXISTS {name_of(url)} WITH (FORCE)")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(f"postgresql://sudare@127.0.0.1:{self.port}/postgres", autocommit=True) as connection:
            connection.execute(statement)

    def _run(self, program: str, *words: str) -> None:
        user = self._user if os.geteuid() == 0 else None
        command = [str(self._bin / program), *words]
        subprocess.run(command, check=True, cwd=self.folder, user=user, stdout=subprocess.DEVNULL)


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


@contextmanager
def own_cluster() -> Iterator[Postgres]:
    """Yield a cluster that nobody else uses."""
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    with tempfile.TemporaryDirectory(prefix="sudare-postgres-") as folder:
        cluster = Postgres(Path(folder), free_port())
        cluster.make()
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture(autouse=True, scope="session")
def loaded_parts() -> None:
    parts.load()


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.web.http.security._hasher", parts.CHEAP)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with own_cluster() as cluster:
        yield cluster


def make_contest(settings: ServerSettings, database: Database) -> SmallContest:
    files = FileStore(settings.files)
    files.make()
    made = SmallContest(settings, database, files)
    made.make()
    return made


class Masters:
    """What takes long to make and is made once, then copied for each test: tables, and a small contest in them."""

    def __init__(self, folder: Path, cluster: Callable[[], Postgres]) -> None:
        self._folder, self._cluster = folder, cluster
        self._tables: dict[bool, ServerSettings] = {}
        self._contests: dict[bool, SmallContest] = {}

    def copy_tables(self, settings: ServerSettings) -> Database:
        """Make a database with tables and nothing in them."""
        kind = bool(settings.database)
        if kind not in self._tables:
            self._tables[kind] = self._new_settings(f"tables-{kind}", kind)
            if kind:
                self._cluster().make_database(self._tables[kind].database)
            database = Database(self._tables[kind].database_url)
            database.migrate()
            database.close()
        return self._copy(self._tables[kind], settings)

    def copy_contest(self, settings: ServerSettings) -> SmallContest:
        """Make the database and the files of a small contest."""
        kind = bool(settings.database)
        if kind not in self._contests:
            own = self._new_settings(f"contest-{kind}", kind)
            self._contests[kind] = make_contest(own, self.copy_tables(own))
            self._contests[kind].database.close()
        master = self._contests[kind]
        shutil.copytree(master.settings.files, settings.files)
        return master.copied_to(settings, self._copy(master.settings, settings), FileStore(settings.files))

    def _new_settings(self, name: str, kind: bool) -> ServerSettings:
        return new_settings(self._folder / name, self._cluster().new_url() if kind else "")

    def _copy(self, master: ServerSettings, settings: ServerSettings) -> Database:
        if settings.database:
            self._cluster().make_database(settings.database, master.database)
        else:
            shutil.copy(master.folder / DATABASE_FILE, settings.folder / DATABASE_FILE)
        return Database(settings.database_url)


@pytest.fixture(scope="session")
def masters(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Masters:
    return Masters(tmp_path_factory.mktemp("masters"), lambda: request.getfixturevalue("postgres"))


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServerSettings]:
    """The settings of a new server, on either database."""
    if request.param == "sqlite":
        yield new_settings(tmp_path / "server")
        return
    cluster: Postgres = request.getfixturevalue("postgres")
    found = new_settings(tmp_path / "server", cluster.new_url())
    yield found
    cluster.drop_database(found.database)


def new_settings(folder: Path, url: str = "") -> ServerSettings:
    folder.mkdir(mode=0o700)
    port = free_port()
    found = ServerSettings(
        folder,
        database=url,
        port=port,
        public_url=f"http://127.0.0.1:{port}",
        max_upload_bytes=200_000,
        upload_seconds=60,
        job_seconds=60,
    )
    write_settings(found)
    return found


@pytest.fixture
def database(settings: ServerSettings, masters: Masters) -> Iterator[Database]:
    found = masters.copy_tables(settings)
    yield found
    found.close()


@pytest.fixture
def small(settings: ServerSettings, masters: Masters) -> Iterator[SmallContest]:
    """A contest of three teams with a round whose anonymization is open."""
    found = masters.copy_contest(settings)
    yield found
    found.database.close()


class RunningServer:
    """The processes of a server."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.processes: list[BaseProcess] = []
        self.clients: list[httpx.Client] = []

    def start(self, part: str, dies: tuple[str, str] | None = None) -> BaseProcess:
        """Begin to serve pages or to work, until a step of which it dies."""
        process = parts.start(part, self.settings, dies)
        self.processes.append(process)
        if part == "web":
            wait_for_port(self.settings.port)
        return process

    def client(self, token: str | None = None, path: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        # No address here is encrypted, and reading certificates takes longer than most tests.
        found = httpx.Client(base_url=self.settings.public_url + path, headers=headers, timeout=60, verify=False)
        self.clients.append(found)
        return found

    def stop(self) -> None:
        for client in self.clients:
            client.close()
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.join(30)
            assert process.exitcode is not None


def wait_for_port(port: int) -> None:
    """Wait for a server to listen."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.01)
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
