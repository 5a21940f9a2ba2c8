"""What is wrong with an installation: settings, permissions, database, files, disk, clock, worker, the way to it."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from sqlalchemy import func, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from sudare.errors import SudareError
from sudare.histories.generalized.rule_sets import BUILT_IN
from sudare.messages import Message, has_entry, message
from sudare.messages.reasons import reason_of
from sudare.showing import dataclass
from sudare.web.game.audit import first_broken
from sudare.web.jobs.queue import last_sign
from sudare.web.operation.readiness import takes_files
from sudare.web.settings import DATABASE_FILE, ServerSettings, load_settings
from sudare.web.storage.database import Database, database_now, known_versions, newest_version
from sudare.web.storage.files import FileStore, is_whole
from sudare.web.storage.models import AuditEntry, Contest, Dataset, GuessFile, Job, Submission, Target
from sudare.web.storage.private import check_private

OK, WARNING, FAILED = "ok", "warning", "failed"
# How long a server may take to answer, and how far clocks may differ.
ANSWER_SECONDS = 5.0
CLOCK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of a part of an installation: ok, warning or failed, why, and what to do about it."""

    part: str
    status: str
    text: Message

    @property
    def hint(self) -> Message | None:
        """What to do."""
        key = f"{self.text.key}_hint"
        return Message(key, self.text.values) if self.status != OK and has_entry("en", key) else None


def verdict(findings: list[Finding]) -> str:
    """Return the worst of what was found."""
    found = {finding.status for finding in findings}
    return next((status for status in (FAILED, WARNING) if status in found), OK)


def check_server(folder: Path, *, stopped: bool = False, hashes: bool = False) -> list[Finding]:
    """Return what was found of a server; nothing is changed.

    One that is `stopped` need not answer, nor have a worker. With `hashes`, every stored file is read.
    """
    try:
        settings = load_settings(folder)
    except SudareError as error:
        if error.key == "errors.server.no_server":
            raise
        return [_of_error("settings", error)]
    found = [_found("settings", OK, "settings"), *_permissions(settings), *_disk(settings)]
    found += _database(settings, stopped=stopped, hashes=hashes)
    if not stopped:
        found += [*_pages(settings), *_public(settings)]
    return found


def _found(part: str, status: str, key: str, **values: object) -> Finding:
    return Finding(part, status, message(f"server_check.{key}", **values))


def _of_error(part: str, error: SudareError) -> Finding:
    return Finding(part, FAILED, Message(error.key, error.values))


def _permissions(settings: ServerSettings) -> Iterator[Finding]:
    try:
        check_private(settings)
    except SudareError as error:
        yield _of_error("permissions", error)
    else:
        yield _found("permissions", OK, "private")
    if settings.folder.stat().st_uid != os.geteuid():
        yield _found("permissions", WARNING, "other_user", folder=settings.folder)
    elif os.geteuid() == 0:
        yield _found("permissions", WARNING, "root")


def _disk(settings: ServerSettings) -> Iterator[Finding]:
    try:
        # A backup has no folder for what comes in; the server makes one.
        incoming = settings.files / "incoming"
        takes_files(incoming if incoming.exists() else settings.files)
        free = shutil.disk_usage(settings.files).free
    except OSError as error:
        yield _found("disk", FAILED, "no_files", folder=settings.files, reason=reason_of(error))
        return
    megabytes = {"free": free // 1_000_000, "wanted": settings.uploading_bytes // 1_000_000}
    if free < 2 * settings.max_upload_bytes:
        yield _found("disk", FAILED, "disk_full", **megabytes)
    elif free < settings.uploading_bytes:
        yield _found("disk", WARNING, "disk_low", **megabytes)
    else:
        yield _found("disk", OK, "disk", **megabytes)


def _database(settings: ServerSettings, *, stopped: bool, hashes: bool) -> list[Finding]:
    if settings.database_url.startswith("sqlite:") and settings.database_url.endswith(DATABASE_FILE):
        path = settings.folder / DATABASE_FILE
        # Opening it would make it.
        if not path.exists():
            return [_found("database", FAILED, "no_database", path=path)]
    try:
        database = Database(settings.database_url)
    except SudareError as error:
        return [_of_error("database", error)]
    try:
        return _of_tables(settings, database, stopped=stopped, hashes=hashes)
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()[0]
        return [_found("database", FAILED, "database_away", reason=reason)]
    finally:
        database.close()


def _of_tables(settings: ServerSettings, database: Database, *, stopped: bool, hashes: bool) -> list[Finding]:
    with database.reading() as session:
        if database.dialect == "sqlite" and session.scalar(text("PRAGMA quick_check(1)")) != "ok":
            return [_found("database", FAILED, "damaged")]
    found = [_found("database", OK, "database", dialect=database.dialect)]
    version = database.version()
    if version != newest_version():
        older = version is None or version in known_versions()
        return [*found, _found("migrations", FAILED, "tables_older" if older else "tables_newer")]
    found.append(_found("migrations", OK, "tables"))
    with database.reading() as session:
        found += [_clock(session), _audit(session), _files(session, FileStore(settings.files), hashes=hashes)]
        if not stopped:
            found.append(_worker(session, settings))
    return found


def _clock(session: Session) -> Finding:
    """Compare the clock with that of the database, and with the newest moment that it has kept."""
    now = database_now(session)
    apart = abs((dt.datetime.now(dt.UTC) - now).total_seconds())
    if apart > CLOCK_SECONDS:
        return _found("clock", FAILED, "clocks_differ", seconds=round(apart))
    kept = [session.scalar(select(func.max(column))) for column in (AuditEntry.at, Job.created_at)]
    back = max(((moment - now).total_seconds() for moment in kept if moment), default=0.0)
    if back > CLOCK_SECONDS:
        return _found("clock", FAILED, "clock_back", seconds=round(back))
    return _found("clock", OK, "clock")


def _audit(session: Session) -> Finding:
    broken = first_broken(session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all())
    return _found("audit", OK, "audit") if broken is None else _found("audit", FAILED, "audit_broken", entry=broken)


def _files(session: Session, files: FileStore, *, hashes: bool) -> Finding:
    wanted = {
        hash for table in (Dataset, Submission, GuessFile, Target) for hash in session.scalars(select(table.file_hash))
    }
    wanted |= set(session.scalars(select(Contest.rules))) - set(BUILT_IN)
    for key, fine in (("files_missing", Path.exists), ("files_changed", is_whole)):
        if key == "files_changed" and not hashes:
            break
        wrong = sorted(hash for hash in wanted if not fine(files.path(hash)))
        if wrong:
            return _found("files", FAILED, key, count=len(wrong), first=wrong[0])
    return _found("files", OK, "files_whole" if hashes else "files", count=len(wanted))


def _worker(session: Session, settings: ServerSettings) -> Finding:
    seconds = last_sign(session)
    if seconds is None:
        return _found("worker", FAILED, "no_worker", folder=settings.folder)
    if seconds > settings.lease_seconds:
        return _found("worker", FAILED, "worker_silent", seconds=round(seconds), folder=settings.folder)
    return _found("worker", OK, "worker", seconds=round(seconds))


def _pages(settings: ServerSettings) -> Iterator[Finding]:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    address = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    try:
        httpx.get(f"{address}/health", timeout=ANSWER_SECONDS, trust_env=False).raise_for_status()
    except httpx.HTTPError as error:
        yield _found("pages", FAILED, "no_pages", address=address, reason=_why(error), folder=settings.folder)
    else:
        yield _found("pages", OK, "pages", address=address)


def _public(settings: ServerSettings) -> Iterator[Finding]:
    """Ask for the server as teams do, and compare how the request arrives with how it was sent."""
    url = urlsplit(settings.public_url)
    if url.scheme not in ("http", "https") or not url.hostname or url.path not in ("", "/"):
        yield _found("public", FAILED, "public_url", url=settings.public_url)
        return
    if _is_here(url.hostname) and url.scheme == "http":
        yield _found("public", OK, "public_here", url=settings.public_url)
        return
    if url.scheme == "http":
        yield _found("public", WARNING, "public_http", url=settings.public_url)
    elif not _is_here(settings.host):
        yield _found("public", WARNING, "port_open", host=settings.host, port=settings.port)
    try:
        answer = httpx.get(f"{settings.public_url.rstrip('/')}/health", timeout=ANSWER_SECONDS)
        seen = answer.raise_for_status().json()
        scheme, host, passed_on = seen["scheme"], seen["host"], seen["passed_on"]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        yield _found("public", WARNING, "public_away", url=settings.public_url, reason=_why(error))
        return
    if scheme != url.scheme:
        yield _found("public", FAILED, "scheme_lost", url=settings.public_url, scheme=scheme)
    elif host.lower() != url.netloc.lower():
        yield _found("public", FAILED, "host_lost", url=settings.public_url, host=host)
    elif url.scheme == "https" and not passed_on:
        yield _found("public", FAILED, "address_lost", url=settings.public_url)
    else:
        yield _found("public", OK, "public", url=settings.public_url)


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _why(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
