"""Permissions: everything that a server writes is for its owner only, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sudare.cli.app import app
from tests.web.conftest import RunningServer
from tests.web.small_contest import SmallContest, anonymized

run = CliRunner()


@pytest.fixture(autouse=True)
def generous() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def loose(*folders: Path) -> dict[str, str]:
    """Return what others may do with what is in folders and with the folders themselves."""
    found = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    assert len(found) > 3
    modes = {str(path): stat.S_IMODE(path.lstat().st_mode) for path in found}
    return {path: oct(mode) for path, mode in modes.items() if mode & 0o077}


def test_a_new_server_is_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    made = run.invoke(app, ["server", "init", str(folder), "--database", f"sqlite:///{folder}/other.sqlite"])
    assert made.exit_code == 0, made.output
    assert (folder / "other.sqlite").exists()
    assert loose(folder) == {}


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_what_a_server_at_work_writes_is_for_its_owner_only(
    small: SmallContest, running: RunningServer, tmp_path: Path
) -> None:
    folder = small.settings.folder
    running.start("web")
    api = running.client(small.token("blue", "read", "submit"), "/api/v1")
    assert api.post(f"/rounds/{small.round}/submissions", content=anonymized(dates=False)).status_code == 201
    small.work()
    out = [tmp_path / "backup", tmp_path / "archive"]
    assert run.invoke(app, ["server", "backup", str(folder), str(out[0])]).exit_code == 0
    assert run.invoke(app, ["server", "export", str(folder), small.contest, str(out[1])]).exit_code == 0
    assert loose(folder, *out) == {}


@pytest.mark.parametrize("name", [".", "settings.toml", "server.sqlite", "files"])
@pytest.mark.parametrize("command", ["run", "web", "worker"])
def test_a_folder_that_others_may_look_into_is_refused_at_start(tmp_path: Path, name: str, command: str) -> None:
    folder = tmp_path / "s"
    run.invoke(app, ["server", "init", str(folder)])
    path = folder / name
    path.chmod(path.stat().st_mode | 0o040)
    done = run.invoke(app, ["server", command, str(folder)])
    assert done.exit_code == 2
    assert f"{path} can be read by other users" in done.stderr
    assert f"chmod -R go= {folder}" in done.stderr
