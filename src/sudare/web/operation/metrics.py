"""What a server does in numbers, in the text format of Prometheus (version 0.0.4). No names and no people are in it."""

from __future__ import annotations

import bisect
import itertools
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sudare.version import __version__
from sudare.web.jobs.registry import KINDS
from sudare.web.operation.log import Log
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.models import JOB_STATUSES, STATUSES, Dataset, GuessFile, Job, Submission, WorkerSign
from sudare.web.storage.people import LoginSession

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Upper ends of the classes of seconds; uploads take up to five minutes.
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
# What has no route, or a method that no route has: addresses and methods that others think up make no new numbers.
OTHER = "other"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
UPLOADS: dict[str, type[Dataset | Submission | GuessFile]] = {
    "original": Dataset,
    "anonymized": Submission,
    "guesses": GuessFile,
}

Labels = Mapping[str, str]


class RequestCounts:
    """Requests since the server was started: how many, and how long they took, by the template of their route."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, str, str]] = Counter()
        self._classes: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self.begun = time.time()
        self.running = 0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._lock:
            self._answers[method, route, f"{status // 100}xx"] += 1
            classes = self._classes.setdefault(route, [0] * (len(SECONDS) + 1))
            classes[bisect.bisect_left(SECONDS, seconds)] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]

    def lines(self) -> Iterator[str]:
        """Return the lines of the format."""
        with self._lock:
            answers, seconds = dict(self._answers), dict(self._seconds)
            classes = {route: list(found) for route, found in self._classes.items()}
        yield from family(
            "sudare_http_requests_total", "counter", "Requests by method, template of the route and class of status.",
            [({"method": method, "route": route, "status": status}, count)
             for (method, route, status), count in sorted(answers.items())],
        )  # fmt: skip
        name = "sudare_http_request_duration_seconds"
        yield from _head(name, "histogram", "Seconds until requests were answered to the end.")
        for route, counts in sorted(classes.items()):
            upto = itertools.accumulate(counts)
            for end, count in zip((*map(_number, SECONDS), "+Inf"), upto, strict=True):
                yield _sample(f"{name}_bucket", {"route": route, "le": end}, count)
            yield _sample(f"{name}_sum", {"route": route}, seconds[route])
            yield _sample(f"{name}_count", {"route": route}, sum(counts))
        yield from family("sudare_http_requests_running", "gauge", "Requests at work.", [({}, self.running)])
        about = "When the server was started, in seconds since 1970."
        yield from family("process_start_time_seconds", "gauge", about, [({}, self.begun)])


class Measured:
    """Counts requests and how long they take, and tells the log of each."""

    def __init__(self, app: ASGIApp, counts: RequestCounts, log: Log) -> None:
        self._app, self._counts, self._log = app, counts, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._counts.running += 1
        try:
            await self._app(scope, receive, note)
        finally:
            self._counts.running -= 1
            method = scope["method"] if scope["method"] in METHODS else OTHER
            route, seconds = route_of(scope), time.perf_counter() - begun
            self._counts.count(method, route, status, seconds)
            self._log.info("request", method=method, route=route, status=status, seconds=round(seconds, 6))


def route_of(scope: Scope) -> str:
    """Return the template of a request's route; an address itself may be a secret."""
    return getattr(scope.get("route"), "path", "") or OTHER


def written(settings: ServerSettings, database: Database, counts: RequestCounts) -> str:
    """Return all numbers; those of the database are missing while it is away."""
    lines = [*family("sudare_info", "gauge", "The version.", [({"version": __version__}, 1)]), *counts.lines()]
    lines += _disk(settings)
    try:
        with database.reading() as session:
            lines += _of_database(session, settings)
            up = 1
    except SQLAlchemyError:
        up = 0
    lines += family("sudare_database_up", "gauge", "Whether the database answers.", [({}, up)])
    return "\n".join(lines) + "\n"


def _disk(settings: ServerSettings) -> Iterator[str]:
    free = shutil.disk_usage(settings.files).free
    yield from family("sudare_disk_free_bytes", "gauge", "Free bytes where files are stored.", [({}, free)])


def _of_database(session: Session, settings: ServerSettings) -> list[str]:
    now = database_now(session)
    lines = [*_jobs(session)]
    waiting = func.coalesce(Job.not_before, Job.created_at)
    oldest = session.scalar(select(func.min(waiting)).where(Job.status == "queued", waiting <= now))
    age = (now - oldest).total_seconds() if oldest else 0.0
    about = "Seconds that the job which has waited longest could have been begun; 0 if none waits."
    lines += family("sudare_jobs_oldest_waiting_seconds", "gauge", about, [({}, age)])
    lines += _uploads(session)
    valid = session.scalar(select(func.count()).select_from(LoginSession).where(LoginSession.expires_at > now)) or 0
    lines += family("sudare_sessions", "gauge", "Sessions of browsers that are valid.", [({}, valid)])
    signs = session.scalars(select(WorkerSign.seen_at).where(WorkerSign.seen_at <= now)).all()
    alive = sum((now - seen).total_seconds() <= settings.lease_seconds for seen in signs)
    lines += family("sudare_workers", "gauge", "Workers that were heard of lately.", [({}, alive)])
    return lines


def _jobs(session: Session) -> Iterator[str]:
    counted = select(Job.kind, Job.status, func.count()).group_by(Job.kind, Job.status)
    found = {(kind, status): count for kind, status, count in session.execute(counted)}
    samples = [
        ({"kind": kind, "status": status}, found.get((kind, status), 0)) for kind in KINDS for status in JOB_STATUSES
    ]
    yield from family("sudare_jobs", "gauge", "Jobs by kind and status.", samples)


def _uploads(session: Session) -> Iterator[str]:
    counts: list[tuple[Labels, float]] = []
    sizes: list[tuple[Labels, float]] = []
    for kind, table in UPLOADS.items():
        grouped = select(table.status, func.count(), func.sum(table.size)).group_by(table.status)
        found = {status: (count, size) for status, count, size in session.execute(grouped)}
        counts += [({"kind": kind, "status": status}, found.get(status, (0, 0))[0]) for status in STATUSES]
        sizes += [({"kind": kind}, float(sum(size for _, size in found.values())))]
    yield from family("sudare_uploads", "gauge", "Files that were handed in, by kind and status.", counts)
    yield from family("sudare_uploads_bytes", "gauge", "Bytes of the files that were handed in.", sizes)


def family(name: str, kind: str, about: str, samples: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    """Return the lines of numbers of one name."""
    yield from _head(name, kind, about)
    for labels, value in samples:
        yield _sample(name, labels, value)


def _head(name: str, kind: str, about: str) -> tuple[str, str]:
    return f"# HELP {name} {about}", f"# TYPE {name} {kind}"


def _sample(name: str, labels: Labels, value: float) -> str:
    told = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{'{' + told + '}' if told else ''} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))
