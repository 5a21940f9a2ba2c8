"""The database: SQLite on one machine, PostgreSQL for several, the same statements on both.

A writing transaction on SQLite takes the one write lock at its beginning, so that what it has read stays true until it
commits. On PostgreSQL the rows that matter are locked (`with_for_update`, which SQLite leaves out).
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, TimeoutError as NoConnection
from sqlalchemy.orm import Session

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.web.http.faults import is_away, is_no_database
from sudare.web.storage.private import make_private_file

BUSY_MILLISECONDS = 30_000
# How many write or wait for it, of 40 threads, and how long another one waits to be one of them.
MOST_WRITERS = 20
WRITER_SECONDS = 2.0
DIALECTS = ("sqlite", "postgresql")
WRITING = "sudare_writing"
# Numbers of PostgreSQL's advisory locks: entries of the audit log, and attempts to log in, wait for each other, and
# who changes a round waits for those who hand something in. Row locks would not do for the last: they let others share
# a row as long as anyone does, so that an organizer could wait without end.
AUDIT_LOCK = 7_283_001
LOGIN_LOCK = 7_283_002
ROUND_LOCK = 7_283_003


class Database:
    """Sessions on one database."""

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        self._writing = self._engine.execution_options(**{WRITING: True})
        self._writers = threading.BoundedSemaphore(MOST_WRITERS)

    @property
    def dialect(self) -> str:
        """Which database it is: sqlite or postgresql."""
        return self._engine.dialect.name

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session that sees one state and writes nothing."""
        with Session(self._engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Yield a session that commits when the block ends well and leaves nothing if it does not.

        If too many wait to write, a locked database is taken to be away, so that threads are left for those who read.
        """
        if not self._writers.acquire(timeout=WRITER_SECONDS):
            raise NoConnection("too many wait to write")
        try:
            with Session(self._writing, expire_on_commit=False) as session, session.begin():
                yield session
        finally:
            self._writers.release()

    def migrate(self, to: str = "head") -> None:
        """Bring the tables to the newest form, or an older one; nothing happens if they have it."""
        try:
            with self._writing.connect() as connection, connection.begin():
                _migrate(connection, to)
        except DatabaseError as error:
            if is_no_database(error):
                raise SourceNotReadable("errors.server.not_a_database", database=self._engine.url.database) from None
            if not is_away(error):
                raise
            raise SourceNotReadable("errors.server.unreachable", reason=str(error.orig)) from None

    def version(self) -> str | None:
        """Return the form that the tables have, none if there are no tables; see `newest_version`."""
        with self._engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()


def database_now(session: Session) -> dt.datetime:
    """Return the database's time: one clock for all processes, read after the locks a transaction waited for."""
    if session.get_bind().dialect.name == "sqlite":
        found = str(session.scalar(text("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')")))
        return dt.datetime.fromisoformat(found).replace(tzinfo=dt.UTC)
    moment = session.scalar(text("SELECT clock_timestamp()"))
    assert isinstance(moment, dt.datetime)  # noqa: S101
    return moment.astimezone(dt.UTC)


def wait_for_turn(session: Session, number: int, of: str = "", shared: bool = False) -> None:
    """Wait until no other transaction holds this lock of a thing; it is given back at the end of the transaction.

    A shared lock waits only for those who want it alone, held or asked for before.
    """
    if session.get_bind().dialect.name == "postgresql":
        name = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
        session.execute(text(f"SELECT {name}(:number, hashtext(:of))"), {"number": number, "of": of})


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        known = parsed.get_backend_name() in DIALECTS
    except ArgumentError:
        known = False
    if not known:
        raise OptionNotUsable("errors.server.database_address")
    try:
        if parsed.get_backend_name() == "sqlite":
            return _sqlite(url)
        return create_engine(url, pool_size=10, max_overflow=30, pool_pre_ping=True, hide_parameters=True)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise OptionNotUsable("errors.server.no_driver", reason=str(error)) from None


def _sqlite(url: str) -> Engine:
    database = make_url(url).database
    if database and Path(database).parent.is_dir():
        # The files beside it get its permissions.
        make_private_file(Path(database))
    engine = create_engine(
        url,
        hide_parameters=True,
        connect_args={"timeout": BUSY_MILLISECONDS / 1000, "check_same_thread": False},
        # As many as threads: opening another one for a single page costs as much as the page.
        pool_size=50,
        max_overflow=10,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        # The driver is not to begin transactions itself; see `begin`.
        connection.isolation_level = None
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"busy_timeout = {BUSY_MILLISECONDS}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITING, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


@cache
def newest_version() -> str:
    """Return the form of tables that this program works with."""
    with _config() as config:
        return ScriptDirectory.from_config(config).get_current_head() or ""


def known_versions() -> list[str]:
    """Return all forms that tables have had."""
    with _config() as config:
        return [found.revision for found in ScriptDirectory.from_config(config).walk_revisions()]


def _migrate(connection: Connection, to: str) -> None:
    with _config() as config:
        config.attributes["connection"] = connection
        command.upgrade(config, to)


@contextmanager
def _config() -> Iterator[Config]:
    with as_file(files("sudare.web.storage").joinpath("migrations")) as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        yield config
