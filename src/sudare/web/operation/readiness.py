"""Whether a server can do its work now: its database, the form of its tables, its folder, and a worker."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import text

from sudare.web.http.faults import may_pass
from sudare.web.jobs.queue import last_sign
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database, newest_version

READY, FAILED = "ok", "failed"


def ready_parts(settings: ServerSettings, database: Database) -> dict[str, str]:
    """Return of each part whether it is ok or failed."""
    parts: dict[str, Callable[[], bool]] = {
        "database": lambda: answers(database),
        "migrations": lambda: database.version() == newest_version(),
        "folder": lambda: takes_files(settings.files / "incoming"),
        "worker": lambda: has_worker(settings, database),
    }
    return {name: READY if _holds(part) else FAILED for name, part in parts.items()}


def answers(database: Database) -> bool:
    """Say whether the database answers."""
    with database.reading() as session:
        return bool(session.scalar(text("SELECT 1")) == 1)


def takes_files(folder: Path) -> bool:
    """Say whether a file can be made and written in a folder."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"1")
        file.flush()
    return True


def has_worker(settings: ServerSettings, database: Database) -> bool:
    """Say whether a worker was heard of within the time after which it would be taken to be dead."""
    with database.reading() as session:
        seconds = last_sign(session)
    return seconds is not None and seconds <= settings.lease_seconds


def _holds(part: Callable[[], bool]) -> bool:
    try:
        return part()
    except Exception as error:
        if may_pass(error) or isinstance(error, OSError):
            return False
        raise
