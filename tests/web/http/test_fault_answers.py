"""What a server answers and logs when the database complains: 503 if it is away or locked, else a fault of ours."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from psycopg import errors as postgresql
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError
from starlette.routing import Route

from sudare.web.http.app import make_app
from sudare.web.http.faults import described, has_no_room, is_away
from sudare.web.jobs.worker import make_worker
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database
from tests.web.http.test_secrets import PAGES, PROGRAMS
from tests.web.small_contest import SmallContest

SECRET = "Hanako"
METHODS = ("GET", "POST")
ROUTES = [*PAGES, *PROGRAMS]


def renamed(database: Database) -> None:
    """Make every statement about contests a programming error."""
    with database.writing() as session:
        session.execute(text("ALTER TABLE contests RENAME COLUMN name TO other_name"))


def asked(app: FastAPI, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    """Return what an application answers; an error that leaves it is raised."""

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://server") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(ask())


def sqlite_error(name: str) -> OperationalError:
    error = sqlite3.OperationalError(f"about {SECRET}")
    error.sqlite_errorname = name
    return OperationalError("SELECT 1", {}, error)


def logged(capfd: pytest.CaptureFixture[str]) -> str:
    return capfd.readouterr().err


def test_a_renamed_column_is_a_fault_of_ours_with_a_traceback_without_data(
    small: SmallContest, settings: ServerSettings, capfd: pytest.CaptureFixture[str]
) -> None:
    token = small.token("blue", "read")
    renamed(small.database)
    app = make_app(settings)
    page = asked(app, f"/contests/{small.contest}")
    api = asked(app, "/api/v1/contest", Authorization=f"Bearer {token}")
    app.state.server.database.close()
    assert (page.status_code, "database" in page.text) == (500, False)
    assert (api.status_code, api.json()["error"]["code"]) == (500, "broken")
    assert "Retry-After" not in page.headers
    log = logged(capfd)
    assert "GET /contests/{contest_id}: " in log
    assert log.count("Error") >= 2
    assert "/sqlalchemy/" in log  # the places
    assert "contests.name" not in log  # the message


def test_what_no_handler_knows_is_logged_without_its_message(
    settings: ServerSettings, database: Database, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise KeyError(SECRET)

    app = make_app(settings)
    app.router.routes.insert(0, Route("/fails", fail))
    page = asked(app, "/fails")
    app.state.server.database.close()
    assert page.status_code == 500
    assert page.headers["Content-Security-Policy"]
    log = logged(capfd)
    assert "KeyError" in log
    assert "in fail" in log
    assert SECRET not in log


@pytest.mark.parametrize(
    ("error", "status"),
    [(KeyError(SECRET), 500), (sqlite_error("SQLITE_BUSY"), 503), (OSError(errno.ENOSPC, "no room"), 507)],
    ids=["broken", "away", "full"],
)
def test_the_log_has_no_address_that_is_a_secret(
    error: Exception,
    status: int,
    settings: ServerSettings,
    database: Database,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del database  # made and closed around the test

    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr(Database, "reading", fail)
    monkeypatch.setattr(Database, "writing", fail)
    monkeypatch.setattr("sudare.web.http.app._has_results", lambda _: False)
    app = make_app(settings)
    secret = {(route.path, *route.methods) for route in ROUTES if "{token}" in route.path}
    assert secret == {(f"/{name}/{{token}}", method) for name in ("invitations", "resets") for method in METHODS}
    for path, method in sorted(secret):
        assert asked(app, path.replace("{token}", SECRET), method).status_code == status
        log = logged(capfd)
        assert f"sudare: {method} {path}: " in log
        assert SECRET not in log
    app.state.server.database.close()


def test_a_locked_database_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.web.storage.database.BUSY_MILLISECONDS", 1)
    database = Database(f"sqlite:///{tmp_path / 'server.sqlite'}")
    database.migrate()
    other = sqlite3.connect(tmp_path / "server.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError) as caught, database.writing() as session:
        session.execute(text("DELETE FROM jobs"))
    other.close()
    database.close()
    assert is_away(caught.value)


@pytest.mark.parametrize(
    ("name", "away"),
    [
        ("SQLITE_BUSY", True),
        ("SQLITE_BUSY_SNAPSHOT", True),
        ("SQLITE_LOCKED_SHAREDCACHE", True),
        ("SQLITE_CANTOPEN", True),
        ("SQLITE_IOERR_WRITE", True),
        ("SQLITE_ERROR", False),
        ("SQLITE_CORRUPT", False),
        ("SQLITE_READONLY", False),
    ],
)
def test_sqlite_is_away_by_the_name_of_its_error(name: str, away: bool) -> None:
    assert is_away(sqlite_error(name)) is away


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (postgresql.AdminShutdown, True),
        (postgresql.CannotConnectNow, True),
        (postgresql.ConnectionFailure, True),
        (postgresql.TooManyConnections, True),
        (postgresql.SerializationFailure, True),
        (postgresql.DeadlockDetected, True),
        (postgresql.LockNotAvailable, True),
        (postgresql.Error, True),  # a connection that was lost has no state
        (postgresql.UndefinedColumn, False),
        (postgresql.InsufficientPrivilege, False),
        (postgresql.QueryCanceled, False),
    ],
)
def test_postgresql_is_away_by_the_state_of_its_error(error: type[Exception], away: bool) -> None:
    assert is_away(OperationalError("SELECT 1", {}, error(f"about {SECRET}"))) is away


def test_other_errors_are_not_of_a_database_that_is_away() -> None:
    unique = postgresql.UniqueViolation(f"Key (login)=({SECRET}) already exists.")
    assert not is_away(IntegrityError("INSERT", {}, unique))
    assert not is_away(ProgrammingError("SELECT", {}, postgresql.UndefinedTable("nope")))
    assert not is_away(KeyError(SECRET))


def test_a_full_disk_is_told_from_a_database_that_is_away() -> None:
    assert has_no_room(sqlite_error("SQLITE_FULL"))
    assert has_no_room(OperationalError("INSERT", {}, postgresql.DiskFull("no room")))
    assert not has_no_room(sqlite_error("SQLITE_BUSY"))


def test_an_error_is_described_by_places_kinds_and_codes_of_all_its_causes() -> None:
    try:
        try:
            raise ValueError(SECRET)
        except ValueError as error:
            raise sqlite_error("SQLITE_ERROR") from error
    except OperationalError as error:
        found = described(error)
    assert SECRET not in found
    assert "SELECT" not in found
    lines = found.splitlines()
    assert "builtins.ValueError" in lines
    assert lines[-1] == "sqlalchemy.exc.OperationalError (SQLITE_ERROR)"
    assert sum(Path(__file__).name in line for line in lines) == 2


def test_a_worker_tells_the_place_of_a_fault_once_and_waits(
    small: SmallContest, settings: ServerSettings, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = make_worker(settings)
    turns = 0

    def fail() -> bool:
        nonlocal turns
        turns += 1
        worker._stopping = turns == 3
        raise KeyError(SECRET)

    monkeypatch.setattr("sudare.web.jobs.worker.ROUND_SECONDS", 0)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(worker, "turn", fail)
    worker.run()
    worker._database.close()
    log = logged(capfd)
    assert turns == 3
    assert log.count("builtins.KeyError") == 1
    assert "in fail" in log
    assert SECRET not in log


def test_the_description_of_the_api_names_the_answers_to_faults(settings: ServerSettings, database: Database) -> None:
    del database  # made and closed around the test
    app = make_app(settings)
    operations = [found for path in app.openapi()["paths"].values() for found in path.values()]
    app.state.server.database.close()
    assert operations
    assert all({"500", "503", "507"} <= found["responses"].keys() for found in operations)
