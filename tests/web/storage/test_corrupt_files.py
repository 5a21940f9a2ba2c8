"""Files that were changed on the disk: never used, named, and only their team is left out."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from sudare.cli.app import app
from sudare.web.jobs.orders import enqueue
from sudare.web.storage.models import AuditEntry, Evaluation, GuessFile, Job, Round, Submission, Target
from sudare.web.views.shown_contests import show_round
from tests.web.conftest import RunningServer
from tests.web.small_contest import TEAMS, SmallContest, T, anonymized, guesses

pytestmark = pytest.mark.slow


def change(small: SmallContest, text: str) -> str:
    """Change a kept file as somebody at the disk would: the same length, the same moment."""
    hash = small.keep(text).hash
    path = small.files.path(hash)
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[content.index(b"5")] = ord("6")
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return hash


def recorded(small: SmallContest) -> list[str]:
    with small.database.reading() as session:
        wanted = select(AuditEntry).where(AuditEntry.action == "file_corrupt").order_by(AuditEntry.id)
        return [f"{entry.subject}: {entry.details}" for entry in session.scalars(wanted)]


def told(small: SmallContest, name: str) -> list[str]:
    with small.database.reading() as session:
        return show_round(session, small.viewer(session, name), session.get_one(Round, small.round)).corrupt_files


def test_an_a_that_was_changed_before_it_is_checked_fails_and_names_itself(small: SmallContest) -> None:
    small.work()
    small.submit("blue", anonymized())
    small.submit("green", anonymized(shift=2))
    hash = change(small, anonymized())
    small.work()
    with small.database.reading() as session:
        found = {found.team_id: found for found in session.scalars(select(Submission))}
        blue, green = (found[small.teams[name]] for name in ("blue", "green"))
        assert (blue.status, blue.result) == ("failed", {"failure": "corrupt"})
        assert green.status == "valid"
    assert len(recorded(small)) == 1
    assert recorded(small)[0].startswith("blue 1: ") and hash in recorded(small)[0]
    assert told(small, "organizer") == ["blue 1"]
    assert told(small, "green") == []


def test_a_final_that_was_changed_is_not_published_and_the_others_are(small: SmallContest) -> None:
    for number, name in enumerate(TEAMS):
        small.submit(name, anonymized(shift=number))
    small.work()
    change(small, anonymized(shift=1))
    small.move(anonymization_closes=0, reidentification_opens=0)
    small.work()
    with small.database.reading() as session:
        assert set(session.scalars(select(Target.team_id))) == {small.teams["blue"], small.teams["red"]}
    assert told(small, "organizer") == ["green 1"]


def evaluated(small: SmallContest) -> tuple[set[str], int]:
    """Return who stands, and how many hits the guesses had."""
    with small.database.reading() as session:
        result = session.scalars(select(Evaluation).order_by(Evaluation.id.desc()).limit(1)).one().result
        names = {identity: name for name, identity in small.teams.items()}
        standing = {names[entry["name"]] for entry in result["standings"]}
        return standing, sum(attack["hits"] for attack in result["attacks"])


def test_what_was_changed_before_the_evaluation_is_left_out_until_it_is_restored(small: SmallContest) -> None:
    small.to_reidentification()
    small.guess("blue", "red", guesses(right=5, shift=2))
    small.guess("green", "red", guesses(right=4, shift=2))
    small.work()
    # Blue's A has dates deleted; see `to_reidentification`.
    changed = [change(small, anonymized(dates=False, shift=0)), change(small, guesses(right=4, shift=2))]
    small.move(reidentification_closes=0)
    small.work()
    assert evaluated(small) == ({"green", "red"}, 5)
    assert {line.partition(":")[0] for line in recorded(small)} == {"blue 1", "green 1"}
    assert all(any(hash in line for line in recorded(small)) for hash in changed)
    # Whoever hands in the same again restores it.
    small.keep(anonymized(dates=False, shift=0))
    small.keep(guesses(right=4, shift=2))
    with small.database.writing() as session:
        small_round = session.get_one(Round, small.round)
        enqueue(session, "evaluate", small_round.id, small_round.contest_id)
        assert set(session.scalars(select(GuessFile.status))) == {"valid"}
    small.work()
    assert evaluated(small) == (set(TEAMS), 9)


def test_a_t_that_was_changed_stops_the_round_and_names_itself(small: SmallContest) -> None:
    small.submit("blue", anonymized())
    hash = change(small, T)
    small.work()
    with small.database.reading() as session:
        failures = {job.kind: job.failure for job in session.scalars(select(Job))}
    assert failures == {"original": "corrupt", "anonymized": "corrupt"}
    assert all(line.startswith("T: ") and hash in line for line in recorded(small))


def test_a_file_that_was_changed_or_is_gone_is_not_sent(small: SmallContest, running: RunningServer) -> None:
    identity = small.submit("blue", anonymized())
    running.start("web")
    api = running.client(small.token("blue", "read"), "/api/v1")

    def get() -> httpx.Response:
        return api.get(f"/submissions/{identity}/file")

    assert get().text == anonymized()
    hash = change(small, anonymized())
    assert (get().status_code, get().json()["error"]["code"]) == (500, "file_corrupt")
    assert hash in get().json()["error"]["message"]
    small.files.path(hash).unlink()
    assert get().json()["error"]["code"] == "file_corrupt"
    small.keep(anonymized())
    assert get().text == anonymized()


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_an_archive_is_not_made_of_files_that_were_changed(small: SmallContest, tmp_path: Path) -> None:
    small.to_reidentification()
    hash = change(small, anonymized(dates=False, shift=0))
    done = CliRunner().invoke(
        app, ["server", "export", str(small.settings.folder), small.contest, str(tmp_path / "out")]
    )
    assert done.exit_code == 2
    assert hash in done.stderr
    assert not (tmp_path / "out").exists()
