"""What fails around the server: the database restarts, the disk is full, a deadline passes during an upload."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from sudare.web.game.audit import first_broken
from sudare.web.game.contests import set_frozen
from sudare.web.storage.database import Database
from sudare.web.storage.models import AuditEntry, Contest, Job, Submission
from tests.web.conftest import Masters, RunningServer, make_contest, new_settings, own_cluster
from tests.web.small_contest import SmallContest, anonymized


def until(found: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end
        time.sleep(0.05)


class Uploads:
    """A client that hands in again and again and keeps what was acknowledged, and every other answer."""

    def __init__(self, running: RunningServer, small: SmallContest, name: str = "blue") -> None:
        self.small = small
        self.client = running.client(small.token(name, "read", "submit"), "/api/v1")
        self.acknowledged: list[str] = []
        self.refused: set[tuple[int, str]] = set()

    def send(self, text: str = "") -> bool:
        answer = self.client.post(f"/rounds/{self.small.round}/submissions", content=text or anonymized())
        if answer.status_code == 201:
            self.acknowledged.append(answer.json()["id"])
            return True
        self.refused.add((answer.status_code, answer.json()["error"]["code"]))
        return False

    def check(self, status: str = "valid") -> None:
        """See that what was acknowledged, and nothing else, is there, each with one job that is done."""
        until(lambda: not any(found in ("queued", "running") for found in self.small.statuses()))
        with self.small.database.reading() as session:
            found = {submission.id: submission.status for submission in session.scalars(select(Submission))}
            jobs = session.scalars(select(Job).where(Job.kind == "anonymized")).all()
            assert first_broken(session.scalars(select(AuditEntry).order_by(AuditEntry.id))) is None
        assert found == dict.fromkeys(self.acknowledged, status)
        assert sorted((job.subject_id, job.status) for job in jobs) == sorted((key, "done") for key in found)


@contextmanager
def serving(small: SmallContest) -> Iterator[tuple[RunningServer, BaseProcess]]:
    """Serve a contest without a quota, and yield the server and its worker."""
    with small.database.writing() as session:
        session.execute(update(Contest).values(submissions_per_day=1000))
    running = RunningServer(small.settings)
    try:
        running.start("web")
        yield running, running.start("worker")
    finally:
        running.stop()
        small.database.close()


def test_a_database_that_restarts_is_waited_for_and_nothing_is_lost(tmp_path: Path) -> None:
    with own_cluster() as cluster:
        settings = new_settings(tmp_path / "server", cluster.new_url())
        cluster.make_database(settings.database)
        database = Database(settings.database)
        database.migrate()
        # Not a copy: PostgreSQL forgets on a crash how far the sequences of a copied database were used.
        small = make_contest(settings, database)
        with serving(small) as (running, worker):
            uploads = Uploads(running, small)
            assert uploads.send()
            cluster.stop()
            assert not uploads.send()
            page = running.client().get(f"/contests/{small.contest}")
            assert (page.status_code, "database" in page.text) == (503, True)
            cluster.start()
            until(uploads.send)
            # Again, while jobs are at work.
            uploads.send()
            cluster.stop()
            cluster.start()
            until(uploads.send)
            assert uploads.refused == {(503, "away")}
            uploads.check()
            assert worker.is_alive()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of eight megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Fill a disk to the last byte."""
    path = disk / "filler"
    with path.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(b"\0" * 4096)
    return path


def test_a_full_disk_is_told_and_work_goes_on_when_there_is_room(masters: Masters, small_disk: Path) -> None:
    small = masters.copy_contest(new_settings(small_disk / "server"))
    with serving(small) as (running, worker):
        uploads = Uploads(running, small)
        assert uploads.send()
        filler = fill(small_disk)
        # Neither the file nor, where that has a place already, the entry of the database finds room.
        assert not uploads.send("x" * 150_000)
        until(lambda: not uploads.send("y" * 50_000))
        assert all(status in (503, 507) for status, _ in uploads.refused), uploads.refused
        assert (507, "no_room") in uploads.refused
        assert running.client().get("/login").status_code == 200
        incoming = running.settings.files / "incoming"
        assert not any(path.is_file() for path in incoming.iterdir())
        filler.unlink()
        until(uploads.send)
        uploads.check()
        until(lambda: not list(incoming.iterdir()))  # the folders of jobs are gone too
        assert worker.is_alive()


class SlowUpload:
    """An upload of which the end is sent when told."""

    def __init__(self, running: RunningServer, small: SmallContest, name: str) -> None:
        token, body = small.token(name, "read", "submit"), anonymized().encode()
        head = (
            f"POST /api/v1/rounds/{small.round}/submissions HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self._connection = socket.create_connection(("127.0.0.1", running.settings.port), timeout=60)
        self._connection.sendall(head.encode() + body[:-5])
        self._rest = body[-5:]

    def end(self) -> int:
        """Send the rest and return the status of the answer."""
        with self._connection as connection:
            connection.sendall(self._rest)
            answer = b""
            while chunk := connection.recv(4096):
                answer += chunk
        return int(answer.split(b" ")[1])


def test_an_upload_counts_when_its_last_byte_is_there(small: SmallContest, running: RunningServer) -> None:
    running.start("web")
    early, late = SlowUpload(running, small, "blue"), SlowUpload(running, small, "red")
    assert early.end() == 201
    small.move(anonymization_closes=0)
    assert late.end() == 409
    with small.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Submission)) == 1


def test_an_upload_ends_in_a_round_that_was_stopped_meanwhile(small: SmallContest, running: RunningServer) -> None:
    running.start("web")
    upload = SlowUpload(running, small, "blue")
    with small.database.writing() as session:
        set_frozen(session, small.viewer(session, "organizer"), small.round, True)
    assert upload.end() == 409
    assert small.statuses() == []
    assert list((running.settings.files / "incoming").iterdir()) == []
