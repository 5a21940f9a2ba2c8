"""`sudare server` and `sudare contest submit`."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sudare.cli.app import app
from sudare.web.settings import load_settings
from tests.cli.test_json import check_form
from tests.web.conftest import COMMAND, RunningServer
from tests.web.small_contest import SmallContest, anonymized, guesses

run = CliRunner()


def test_init_makes_a_folder_with_an_account(tmp_path: Path) -> None:
    made = run.invoke(app, ["server", "init", str(tmp_path / "s"), "--public-url", "https://cup.example"])
    assert made.exit_code == 0, made.output
    assert "https://cup.example/resets/" in made.stdout
    assert load_settings(tmp_path / "s").secure
    listed = run.invoke(app, ["server", "user", "list", str(tmp_path / "s"), "--json"])
    assert json.loads(listed.stdout)["users"] == [{"login": "admin", "admin": True, "disabled": False}]
    again = run.invoke(app, ["server", "init", str(tmp_path / "s")])
    assert again.exit_code == 2
    assert "already exists" in again.stderr


def test_a_file_that_is_no_database_is_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / "server.sqlite").write_text("my own notes\n" * 100)
    made = run.invoke(app, ["server", "init", str(tmp_path)])
    assert made.exit_code == 2
    assert f"{tmp_path / 'server.sqlite'} is not an SQLite database" in made.stderr
    assert (tmp_path / "server.sqlite").read_text() == "my own notes\n" * 100


def test_users_are_added_and_get_links(tmp_path: Path) -> None:
    run.invoke(app, ["server", "init", str(tmp_path / "s")])
    for words in (["add", "maria"], ["reset", "maria"]):
        done = run.invoke(app, ["server", "user", words[0], str(tmp_path / "s"), words[1]])
        assert done.exit_code == 0
        assert "/resets/" in done.stdout
    assert run.invoke(app, ["server", "user", "add", str(tmp_path / "s"), "maria"]).exit_code == 2
    missing = run.invoke(app, ["server", "user", "reset", str(tmp_path / "s"), "nobody"])
    assert missing.exit_code == 2
    assert "There is no user nobody" in missing.stderr


def test_a_folder_that_is_no_server_is_told(tmp_path: Path) -> None:
    for words in (["run"], ["web"], ["worker"], ["contests"], ["user", "list"]):
        done = run.invoke(app, ["server", *words, str(tmp_path)])
        assert done.exit_code == 2
        assert "sudare server init" in done.stderr


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_no_file_of_the_folder_one_stands_in_is_taken_for_a_module(small: SmallContest, tmp_path: Path) -> None:
    for name in ("secrets", "numpy", "org"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    small.submit("blue", anonymized())
    command = [sys.executable, "-P", *COMMAND[1:], "server", "run", str(small.settings.folder)]
    with subprocess.Popen(command, cwd=tmp_path) as server:
        end = time.monotonic() + 60
        while small.statuses() == ["queued"] and time.monotonic() < end:
            time.sleep(0.1)
        server.terminate()
    assert small.statuses() == ["valid"]


def test_a_team_hands_in_by_the_command_line(small: SmallContest, running: RunningServer, tmp_path: Path) -> None:
    running.start("web")
    running.start("worker")
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(anonymized(), newline="")
    bad.write_text("x\n" + anonymized().partition("\n")[2], newline="")
    url, token = running.settings.public_url, small.token("blue", "read", "submit")

    def submit(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "SUDARE_TOKEN": token}
        return subprocess.run(
            [*COMMAND, "contest", "submit", url, *words], capture_output=True, text=True, env=environment
        )

    done = submit(str(good), "--note", "by program", "--final")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Submission 1: valid, U = 0.000000, final\n"
    assert hashlib.sha256(good.read_bytes()).hexdigest() in done.stderr
    done = submit(str(bad))
    assert done.returncode == 3
    assert "Submission 2: breaks the rules" in done.stdout
    done = submit(str(good), "--json")
    check_form(json.loads(done.stdout))
    done = submit(str(good), "--target", "1")
    assert done.returncode == 2
    assert "It is not clear which round is meant" in done.stderr
    done = submit(str(tmp_path / "missing.csv"))
    assert done.returncode == 2


def test_submit_waits_for_a_server_that_begins_again(
    small: SmallContest, running: RunningServer, tmp_path: Path
) -> None:
    web = running.start("web")
    (tmp_path / "A.csv").write_text(anonymized(), newline="")
    environment = {**os.environ, "SUDARE_TOKEN": small.token("blue", "read", "submit")}
    command = [*COMMAND, "contest", "submit", running.settings.public_url, str(tmp_path / "A.csv"), "--wait", "60"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as waiting:
        end = time.monotonic() + 60
        while not small.statuses() and time.monotonic() < end:
            time.sleep(0.1)
        web.terminate()
        web.join()
        time.sleep(1.5)  # several questions long
        assert waiting.poll() is None
        small.work()
        running.start("web")
        said, _ = waiting.communicate(timeout=60)
    assert (waiting.returncode, said) == (0, "Submission 1: valid, U = 0.000000\n")


def test_submit_tells_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("x\n")
    done = run.invoke(app, ["contest", "submit", "http://127.0.0.1:1", str(file)], env={"SUDARE_TOKEN": ""})
    assert (done.exit_code, "SUDARE_TOKEN" in done.stderr) == (2, True)
    done = run.invoke(app, ["contest", "submit", "http://127.0.0.1:1", str(file)], env={"SUDARE_TOKEN": "x"})
    assert (done.exit_code, "does not answer" in done.stderr) == (2, True)


def test_an_export_has_all_that_counts_and_its_sums(small: SmallContest, tmp_path: Path) -> None:
    small.to_reidentification()
    small.guess("blue", "red", guesses(right=12, shift=2))
    small.work()
    small.move(reidentification_closes=0)
    small.work()
    out = tmp_path / "out"
    folder = str(small.settings.folder)
    done = run.invoke(app, ["server", "export", folder, small.contest, str(out)])
    assert done.exit_code == 0, done.output
    described = json.loads((out / "archive.json").read_text())
    standings = described["rounds"][0]["evaluation"]["standings"]
    assert [(entry["name"], entry["rank"]) for entry in standings] == [("green", 1), ("blue", 2), ("red", None)]
    for line in (out / "SHA256SUMS").read_text().splitlines():
        hash, name = line.split("  ")
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == hash
    assert "  archive.json\n" in (out / "SHA256SUMS").read_text()
    # The standings follow from the files alone.
    again = run.invoke(app, ["contest", "recompute", str(out)])
    assert again.exit_code == 0, again.output
    assert "Same: everything is as recorded." in again.stdout
    final = next(entry for entry in described["rounds"][0]["finals"] if entry["team"] == "red")
    names = (described["rounds"][0]["original"], final["anonymized"], final["guesses"][0]["file"])
    judged = run.invoke(app, ["contest", "safety", *(str(out / "files" / name) for name in names), "--json"])
    assert judged.exit_code == 3
    attack = described["rounds"][0]["evaluation"]["attacks"][0]
    assert json.loads(judged.stdout)["hits"] == attack["hits"] == 12
    audit = json.loads((out / "audit.json").read_text())
    assert audit["chain_broken_at"] is None
    assert "password" not in (out / "archive.json").read_text()
    assert run.invoke(app, ["server", "export", folder, small.contest, str(out)]).exit_code == 2
    assert run.invoke(app, ["server", "export", folder, "nothing", str(tmp_path / "o")]).exit_code == 2


def test_a_backup_can_be_run_in_place_of_the_server(small: SmallContest, tmp_path: Path) -> None:
    identity = small.submit("blue", anonymized())
    done = run.invoke(app, ["server", "backup", str(small.settings.folder), str(tmp_path / "copy")])
    if small.database.dialect == "postgresql":
        assert done.exit_code == 2
        assert "pg_dump" in done.stderr
        return
    assert done.exit_code == 0, done.output
    listed = run.invoke(app, ["server", "contests", str(tmp_path / "copy")])
    assert small.contest in listed.stdout
    kept = [path.read_text() for path in (tmp_path / "copy" / "files").rglob("*") if path.is_file()]
    assert anonymized() in kept
    assert identity


def test_a_missing_package_is_named_with_what_to_do(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['sqlalchemy'] = None; from sudare.cli import main; "
    program = f"{hidden} sys.argv[1:] = ['server', 'init', {str(tmp_path / 'cup')!r}]; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: The contest server needs a package that is not installed: sqlalchemy.")
    assert "Hint: pip install 'sudare[web]'" in done.stderr


def test_a_backup_that_fails_leaves_nothing_behind(
    small: SmallContest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if small.database.dialect == "postgresql":
        pytest.skip("PostgreSQL has its own backups")

    def fill_the_disk(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copytree", fill_the_disk)
    (tmp_path / "out").mkdir()
    done = run.invoke(app, ["server", "backup", str(small.settings.folder), str(tmp_path / "out" / "copy")])
    assert done.exit_code == 2
    assert "no space left on the disk. Nothing was left half-written" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@pytest.mark.parametrize("kilobytes", [64, 600])
def test_a_backup_onto_a_disk_that_is_too_small_leaves_nothing(
    small: SmallContest, tmp_path: Path, kilobytes: int
) -> None:
    """The disk is full within the database, then within the files."""
    small.files.keep(io.BytesIO(os.urandom(2_000_000)), 2_000_000, 60)
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        done = run.invoke(app, ["server", "backup", str(small.settings.folder), str(disk / "copy")])
        assert done.exit_code == 2, done.output
        assert "no space left on the disk. Nothing was left half-written" in done.stderr
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_backup_does_not_copy_itself(small: SmallContest) -> None:
    if small.database.dialect == "postgresql":
        pytest.skip("PostgreSQL has its own backups")
    out = small.settings.files / "copy"
    assert run.invoke(app, ["server", "backup", str(small.settings.folder), str(out)]).exit_code == 2
    assert not out.exists()


def test_a_demonstration_that_is_interrupted_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        assert (tmp_path / "s" / "server.sqlite").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr("sudare.web.demo.fill", interrupted)
    result = run.invoke(app, ["server", "demo", str(tmp_path / "s")])
    assert result.exit_code == 130
    assert "Nothing was left half-written." in result.stderr
    assert list(tmp_path.iterdir()) == []
