"""What is asked of a server by those who watch it: /health, /ready and /metrics."""

from __future__ import annotations

import datetime as dt
import re
import shutil
from collections import Counter
from dataclasses import replace

import pytest
from sqlalchemy import text, update

from sudare.web.http.app import make_app
from sudare.web.jobs.queue import last_sign, sign
from sudare.web.jobs.worker import Worker
from sudare.web.operation.metrics import SECONDS, RequestCounts
from sudare.web.operation.readiness import ready_parts
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import Job, WorkerSign
from tests.web.conftest import Masters, RunningServer, log_in, new_settings
from tests.web.http.test_fault_answers import asked
from tests.web.small_contest import SmallContest, anonymized

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="[^"\n\\]*",?)*)\})? (-?[0-9.e+-]+|\+Inf|NaN)')
WELL = {"database": "ok", "migrations": "ok", "folder": "ok", "worker": "ok"}


def read(page: str) -> dict[tuple[str, str], float]:
    """Read the text format of Prometheus, strictly: each name has its HELP and TYPE before its numbers, once."""
    found: dict[tuple[str, str], float] = {}
    told: Counter[str] = Counter()
    assert page.endswith("\n")
    for line in page.splitlines():
        if line.startswith("# "):
            _, word, name, *_ = line.split(" ")
            told[f"{word} {name}"] += 1
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, line
        family = re.sub("_(bucket|sum|count)$", "", sample[1])
        assert told[f"HELP {family}"] == told[f"TYPE {family}"] == 1 or told[f"TYPE {sample[1]}"] == 1
        assert (sample[1], sample[2] or "") not in found
        found[sample[1], sample[2] or ""] = float(sample[3])
    return found


def let_sign(database: Database, seconds: float = 0.0) -> None:
    """Leave the sign of a worker that was heard of so long ago."""
    with database.writing() as session:
        sign(session, "worker")
        session.execute(update(WorkerSign).values(seen_at=database_now(session) - dt.timedelta(seconds=seconds)))


def test_a_server_is_ready_when_all_its_parts_are(settings: ServerSettings, database: Database) -> None:
    FileStore(settings.files).make()
    let_sign(database)
    assert ready_parts(settings, database) == WELL
    let_sign(database, settings.lease_seconds + 1)
    assert ready_parts(settings, database) == {**WELL, "worker": "failed"}
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0005'"))
    let_sign(database)
    assert ready_parts(settings, database) == {**WELL, "migrations": "failed"}
    shutil.rmtree(settings.files)
    assert ready_parts(settings, database)["folder"] == "failed"


def test_a_worker_leaves_a_sign_while_it_works_and_none_when_it_stops(
    settings: ServerSettings, database: Database
) -> None:
    files = FileStore(settings.files)
    files.make()
    worker = Worker(settings, database, files)
    with database.reading() as session:
        assert last_sign(session) is None
    worker.turn()
    with database.reading() as session:
        seconds = last_sign(session)
        assert seconds is not None and 0 <= seconds < 10
    worker.close()
    with database.reading() as session:
        assert last_sign(session) is None


def test_a_sign_from_before_the_clock_was_set_back_is_none(database: Database) -> None:
    let_sign(database, -3600)
    with database.reading() as session:
        assert last_sign(session) is None


def test_without_a_database_the_server_is_alive_and_not_ready(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = new_settings(tmp_path_factory.mktemp("away") / "server")
    app = make_app(settings)
    app.state.server.database.close()
    away = Database("postgresql+psycopg://user:secret@127.0.0.1:1/none")
    app.state.server = replace(app.state.server, database=away)
    assert (asked(app, "/health").status_code, asked(app, "/health").json()["status"]) == (200, "ok")
    ready = asked(app, "/ready")
    assert (ready.status_code, ready.json()["ready"], ready.json()["database"]) == (503, False, "failed")
    assert read(asked(app, "/metrics").text)["sudare_database_up", ""] == 0
    assert "secret" not in ready.text


def test_numbers_say_what_was_done_and_name_nobody(small: SmallContest) -> None:
    identity = small.submit("blue", anonymized())
    small.work()
    small.submit("green", anonymized())
    with small.database.writing() as session:
        hour_ago = database_now(session) - dt.timedelta(hours=1)
        session.execute(update(Job).where(Job.status == "queued").values(created_at=hour_ago))
    let_sign(small.database)
    app = make_app(small.settings)
    for path in ("/login", "/login", "/submissions/" + identity, "/invitations/" + "z" * 43, "/nowhere"):
        asked(app, path)
    asked(app, "/nowhere", "BREW")
    page = asked(app, "/metrics")
    app.state.server.database.close()
    assert page.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = read(page.text)

    def number(name: str, **labels: str) -> float:
        return found[name, ",".join(f'{label}="{value}"' for label, value in labels.items())]

    requests = "sudare_http_requests_total"
    assert number(requests, method="GET", route="/login", status="2xx") == 2
    assert number(requests, method="GET", route="/submissions/{submission_id}", status="4xx") == 1
    assert number(requests, method="GET", route="/invitations/{token}", status="4xx") == 1
    assert number(requests, method="GET", route="other", status="4xx") == 1
    assert number(requests, method="other", route="other", status="4xx") == 1
    assert number("sudare_http_request_duration_seconds_count", route="/login") == 2
    assert number("sudare_jobs", kind="anonymized", status="done") == 1
    assert number("sudare_jobs", kind="anonymized", status="queued") == 1
    assert 3600 <= number("sudare_jobs_oldest_waiting_seconds") < 3700
    assert number("sudare_uploads", kind="anonymized", status="valid") == 1
    assert number("sudare_uploads", kind="anonymized", status="queued") == 1
    assert number("sudare_uploads_bytes", kind="anonymized") == 2 * len(anonymized())
    assert (number("sudare_sessions"), number("sudare_workers"), number("sudare_database_up")) == (0, 1, 1)
    named = [*small.teams.values(), *small.users.values(), small.contest, small.round, identity, "zzz"]
    assert [name for name in (*named, "blue", "organizer", "Small", "127.0.0.1") if name in page.text] == []


def test_durations_are_counted_up_to_each_end() -> None:
    counts = RequestCounts()
    for seconds in (0.004, 0.005, 0.2, 1000.0):
        counts.count("GET", "/x", 200, seconds)
    found = read("\n".join(counts.lines()) + "\n")
    name = "sudare_http_request_duration_seconds"
    upto = {end: found[f"{name}_bucket", f'route="/x",le="{end}"'] for end in (*SECONDS, "+Inf")}
    assert (upto[0.005], upto[0.1], upto[0.25], upto[300.0], upto["+Inf"]) == (2, 2, 3, 3, 4)
    assert list(upto.values()) == sorted(upto.values())
    assert found[f"{name}_sum", 'route="/x"'] == pytest.approx(1000.209)


def test_numbers_are_for_those_whom_the_settings_name(
    tmp_path_factory: pytest.TempPathFactory, masters: Masters
) -> None:
    settings = new_settings(tmp_path_factory.mktemp("metrics") / "server")
    masters.copy_tables(settings).close()
    FileStore(settings.files).make()
    passed_on = {"X-Forwarded-For": "192.0.2.7"}
    for allowed, header, status in (
        (("127.0.0.1",), {}, 200),
        (("192.0.2.1",), {}, 404),
        (("127.0.0.1",), passed_on, 404),
        (("192.0.2.0/24",), passed_on, 200),
        # A web server that passes on what strangers say of themselves.
        (("127.0.0.1",), {"X-Forwarded-For": "127.0.0.1"}, 404),
    ):
        app = make_app(replace(settings, metrics_from=allowed))
        found = asked(app, "/metrics", **header)
        app.state.server.database.close()
        assert found.status_code == status, (allowed, header)
        assert ("sudare_jobs" in found.text) == (status == 200)


@pytest.mark.slow
def test_a_running_server_becomes_ready_with_its_worker(running: RunningServer, small: SmallContest) -> None:
    running.start("web")
    client = running.client()
    assert client.get("/ready").json() == {"ready": False, **WELL, "worker": "failed"}
    worker = running.start("worker")
    for _ in range(100):
        ready = client.get("/ready")
        if ready.status_code == 200:
            break
        worker.join(0.2)
    assert ready.json() == {"ready": True, **WELL}
    assert client.head("/health").status_code == 200
    log_in(running, "blue")
    assert read(client.get("/metrics").text)["sudare_sessions", ""] == 1
    assert small.contest
