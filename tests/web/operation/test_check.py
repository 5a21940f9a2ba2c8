"""`sudare server check`: each thing that can be wrong is found, and a server that is well is said to be."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text, update
from typer.testing import CliRunner

from sudare.cli.app import app
from sudare.errors import SourceNotReadable
from sudare.messages import LANGUAGES, Texts
from sudare.web.operation import check as checks
from sudare.web.operation.check import Finding, check_server, verdict
from sudare.web.settings import DATABASE_FILE, SETTINGS_FILE, ServerSettings, write_settings
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.models import Job, Submission
from tests.cli.test_json import check_form
from tests.web.conftest import Masters, RunningServer, free_port, new_settings
from tests.web.operation.test_monitoring import let_sign
from tests.web.small_contest import SmallContest, anonymized

run = CliRunner()
PARTS = ["settings", "permissions", "disk", "database", "migrations", "clock", "audit", "files"]


AS_ROOT = os.geteuid() == 0


def wrong(findings: list[Finding]) -> dict[str, str]:
    """Return what is not well, by the keys of what is said of it; both languages have texts for all of it."""
    for finding in findings:
        for language in LANGUAGES:
            assert Texts(language).say(finding.text)
            assert finding.status == "ok" or (finding.hint and Texts(language).say(finding.hint))
    found = {finding.text.key.rpartition(".")[2]: finding.status for finding in findings if finding.status != "ok"}
    # Where root runs the tests, that is told each time.
    if AS_ROOT and found.pop("root", None):
        assert verdict(findings) != "ok"
    return found


def test_a_server_that_is_well_is_said_to_be(small: SmallContest) -> None:
    small.submit("blue", anonymized())
    found = check_server(small.settings.folder, stopped=True, hashes=True)
    assert (wrong(found), verdict(found)) == ({}, "warning" if AS_ROOT else "ok")
    assert list(dict.fromkeys(finding.part for finding in found)) == PARTS


def statement(text_: str) -> Callable[[SmallContest], None]:
    def change(small: SmallContest) -> None:
        with small.database.writing() as session:
            session.execute(text(text_))

    return change


def set_back(small: SmallContest) -> None:
    with small.database.writing() as session:
        session.execute(update(Job).values(created_at=database_now(session) + dt.timedelta(hours=1)))


def lose_file(small: SmallContest) -> None:
    identity = small.submit("blue", anonymized())
    with small.database.reading() as session:
        small.files.path(session.get_one(Submission, identity).file_hash).unlink()


def change_file(small: SmallContest) -> None:
    identity = small.submit("blue", anonymized())
    with small.database.reading() as session:
        path = small.files.path(session.get_one(Submission, identity).file_hash)
    path.write_text(path.read_text().replace("apple", "bread", 1))


def break_audit(small: SmallContest) -> None:
    with small.database.writing() as session:
        if small.database.dialect == "sqlite":
            for (name,) in session.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
                session.execute(text(f"DROP TRIGGER {name}"))
        else:
            session.execute(text("ALTER TABLE audit_log DISABLE TRIGGER ALL"))
        session.execute(text("UPDATE audit_log SET actor = 'nobody' WHERE id = 1"))


def close_folder(folder: Path) -> None:
    folder.rmdir()
    folder.touch(0o600)


FAULTS: dict[str, Callable[[SmallContest], None]] = {
    "settings_unreadable": lambda small: (small.settings.folder / SETTINGS_FILE).write_text("port =") and None,
    "unknown_setting": lambda small: (small.settings.folder / SETTINGS_FILE).write_text("colour = 1") and None,
    "not_private": lambda small: small.settings.files.chmod(0o755),
    "no_files": lambda small: close_folder(small.settings.files / "incoming"),
    "tables_older": statement("UPDATE alembic_version SET version_num = '0005'"),
    "tables_newer": statement("UPDATE alembic_version SET version_num = '9999'"),
    "clock_back": set_back,
    "audit_broken": break_audit,
    "files_missing": lose_file,
    "files_changed": change_file,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_found(small: SmallContest, fault: str) -> None:
    FAULTS[fault](small)
    found = check_server(small.settings.folder, stopped=True, hashes=True)
    assert wrong(found) == {fault: "failed"}
    assert verdict(found) == "failed"


@pytest.mark.parametrize(("free", "expected"), [
    (300_000, {"disk_full": "failed"}),
    (1_000_000_000, {"disk_low": "warning"}),
    (3_000_000_000, {}),
])  # fmt: skip
def test_a_disk_with_little_room_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, masters: Masters, free: int, expected: dict[str, str]
) -> None:
    settings = plain(tmp_path, masters)
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: type("Usage", (), {"free": free}))
    assert wrong(check_server(settings.folder, stopped=True)) == expected


def plain(folder: Path, masters: Masters, **changed: object) -> ServerSettings:
    """Make a server without a contest, with some settings of its own."""
    made = new_settings(folder / "server")
    settings = replace(made, **changed)  # type: ignore[arg-type]
    (settings.folder / SETTINGS_FILE).unlink()
    write_settings(settings)
    (settings.files / "incoming").mkdir(parents=True)
    settings.files.chmod(0o700)
    masters.copy_tables(settings).close()
    return settings


def test_a_database_that_is_missing_damaged_or_away_is_told(tmp_path: Path, masters: Masters) -> None:
    settings = plain(tmp_path, masters)
    path = settings.folder / DATABASE_FILE
    whole = path.read_bytes()
    path.write_bytes(b"x" * 8192)
    path.chmod(0o600)
    assert wrong(check_server(settings.folder, stopped=True)) == {"database_away": "failed"}
    path.write_bytes(whole[:20_000] + bytes(8192) + whole[28_192:])
    assert set(wrong(check_server(settings.folder, stopped=True))) <= {"damaged", "database_away"} != set()
    for beside in settings.folder.glob(f"{DATABASE_FILE}*"):
        beside.unlink()
    assert wrong(check_server(settings.folder, stopped=True)) == {"no_database": "failed"}
    assert not path.exists()
    (settings.folder / SETTINGS_FILE).write_text('database = "postgresql+psycopg://u:secret@127.0.0.1:1/d"\n')
    found = check_server(settings.folder, stopped=True)
    assert wrong(found) == {"database_away": "failed"}
    assert "secret" not in " ".join(str(finding.text) for finding in found)


@pytest.mark.skipif(not AS_ROOT, reason="only root can give a folder to somebody else")
def test_root_and_other_owners_are_told(tmp_path: Path, masters: Masters) -> None:
    settings = plain(tmp_path, masters)
    found = check_server(settings.folder, stopped=True)
    assert [finding.text.key for finding in found if finding.status != "ok"] == ["server_check.root"]
    os.chown(settings.folder, 65534, 65534)
    assert wrong(check_server(settings.folder, stopped=True)) == {"other_user": "warning"}


def test_a_server_that_does_not_run_is_told(tmp_path: Path, masters: Masters) -> None:
    settings = plain(tmp_path, masters)
    assert wrong(check_server(settings.folder)) == {"no_worker": "failed", "no_pages": "failed"}
    database = Database(settings.database_url)
    let_sign(database, 3600)
    database.close()
    assert wrong(check_server(settings.folder)) == {"worker_silent": "failed", "no_pages": "failed"}


@pytest.mark.slow
def test_how_requests_to_the_public_address_arrive_is_told(tmp_path: Path, masters: Masters) -> None:
    port = free_port()
    settings = plain(tmp_path, masters, port=port, public_url=f"http://127.0.0.1:{port}")
    database = Database(settings.database_url)
    let_sign(database)
    database.close()
    running = RunningServer(settings)
    running.start("web")
    path = settings.folder / SETTINGS_FILE
    try:
        assert wrong(check_server(settings.folder)) == {}
        for public, expected in (
            ("ftp://cup.example", {"public_url": "failed"}),
            ("https://cup.example/below", {"public_url": "failed"}),
            (f"https://127.0.0.1:{port}", {"public_away": "warning"}),
            (f"http://0.0.0.0:{port}", {"public_http": "warning"}),
        ):
            path.unlink()
            write_settings(replace(settings, public_url=public))
            assert wrong(check_server(settings.folder)) == expected, public
    finally:
        running.stop()


def test_the_command_says_it_and_ends_with_three(small: SmallContest) -> None:
    folder = str(small.settings.folder)
    done = run.invoke(app, ["server", "check", folder, "--stopped"])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        0,
        "Nothing is broken; look at the warnings." if AS_ROOT else "Nothing is wrong.",
    )
    set_back(small)
    done = run.invoke(app, ["server", "check", folder, "--stopped"])
    assert done.exit_code == 3
    assert "Clock: failed. The clock is 3,6" in done.stdout
    done = run.invoke(app, ["server", "check", folder, "--stopped", "--lang", "ja"])
    assert "\n時計: 異常。時計が、" in done.stdout
    done = run.invoke(app, ["server", "check", folder, "--stopped", "--json", "--lang", "ja"])
    told = json.loads(done.stdout)
    check_form(told)
    assert (done.exit_code, told["verdict"]) == (3, "failed")
    failed = [finding for finding in told["findings"] if finding["status"] == "failed"]
    assert [finding["key"] for finding in failed] == ["server_check.clock_back"]
    assert "NTP" in failed[0]["hint"]


def test_a_folder_without_a_server_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable):
        check_server(tmp_path)
    assert run.invoke(app, ["server", "check", str(tmp_path)]).exit_code == 2
