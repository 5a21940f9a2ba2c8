"""Failures: whether retrying may help, and what is logged, which is never data.

The message of an error may have cells or names in it; where it happened, and of which kind it is, has not.
"""

from __future__ import annotations

import errno
import traceback
from collections.abc import Iterator

# SQLite: the lock is held by others, or the file is out of reach. The names of details begin with these.
_SQLITE_AWAY = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PROTOCOL")
# PostgreSQL: connections that were lost (08) or are too many, a server that stops or starts, transactions that were in
# each other's way, a lock that is not to be had, a disk that does not answer.
_POSTGRESQL_AWAY = ("08", "53300", "57P0", "40001", "40P01", "55P03", "58030")

# A disk that is full, out of reach or read-only; too many open files or processes.
_PASSING = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)


def has_no_room(error: BaseException) -> bool:
    """Say whether the disk is full: files by the error's number, SQLite by its name, PostgreSQL by its state."""
    cause = getattr(error, "orig", error)
    number = getattr(cause, "errno", None)
    return number in (errno.ENOSPC, errno.EDQUOT) or _database_code(error) in ("SQLITE_FULL", "53100")


def is_away(error: BaseException) -> bool:
    """Say whether the database cannot be reached or is locked; what else it complains about is a fault of ours."""
    # Jobs describe errors too, and have nothing to do with databases.
    from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, TimeoutError as NoConnection

    if isinstance(error, NoConnection):
        return True  # all connections are taken
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    code = _database_code(error)
    if not code:
        # A connection that could not be made, or broke, has no code of PostgreSQL's; every error of SQLite has its own.
        return isinstance(error, OperationalError | InterfaceError) and hasattr(error.orig, "sqlstate")
    return code.startswith(_SQLITE_AWAY if code.startswith("SQLITE") else _POSTGRESQL_AWAY)


def may_pass(error: BaseException) -> bool:
    """Say whether what failed may succeed later without a change of ours: the disk or the database, not the program.

    What it came from counts even where it is not to be told.
    """
    found: BaseException | None = error
    while found is not None:
        if is_away(found) or has_no_room(found) or (isinstance(found, OSError) and found.errno in _PASSING):
            return True
        found = found.__cause__ or found.__context__
    return False


def is_no_database(error: BaseException) -> bool:
    """Say whether SQLite does not recognize its file."""
    return _database_code(error).startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT"))


def described(error: BaseException) -> str:
    """Return an error and those it came from as a traceback without their messages: places and kinds only."""
    lines: list[str] = []
    for found in reversed(list(_causes(error))):
        lines += traceback.format_tb(found.__traceback__)
        code = _database_code(found)
        lines.append(f"{type(found).__module__}.{type(found).__qualname__}{f' ({code})' if code else ''}\n")
    return "".join(lines)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _database_code(error: BaseException) -> str:
    """Return the name of SQLite's error or the state of PostgreSQL's."""
    cause = getattr(error, "orig", error)
    return getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""
