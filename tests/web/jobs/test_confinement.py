"""What a job can no longer do: a program in the place of one tries it."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sudare.web.jobs.confinement import MEASURES, prune_environment
from sudare.web.jobs.process import JobProcess
from tests.web.small_contest import T

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"),
        reason="measures of Linux on two kinds of processors",
    ),
]

TRIES = """
import ctypes, json, os, signal, socket, subprocess, sys
from pathlib import Path
given, folder, secret = sys.argv[1:]
from sudare.web.jobs.confinement import confine
taken = confine([given], Path(folder))
found = {"taken": sorted(taken)}

def attempt(name, action):
    try:
        found[name] = str(action())
    except OSError as error:
        found[name] = type(error).__name__

attempt("given", lambda: Path(given).read_text())
attempt("own", lambda: Path(folder, "new").write_text("x"))
attempt("secret", lambda: Path(secret).read_text())
attempt("listing", lambda: os.listdir(Path(secret).parent))
attempt("change", lambda: Path(given).open("r+"))
attempt("remove", lambda: os.unlink(given))
attempt("outside", lambda: Path(secret).with_name("new").write_text("x"))
attempt("socket", lambda: socket.socket())
attempt("local", lambda: socket.socket(socket.AF_UNIX))
attempt("program", lambda: subprocess.run(["/bin/true"]).returncode)
attempt("signal", lambda: os.kill(os.getppid(), 0))
attempt("parent", lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes())
attempt("thread", lambda: __import__("concurrent.futures").futures.ThreadPoolExecutor().submit(int, "5").result())
found["status"] = Path("/proc/self/status").read_text()
found["environment"] = sorted(os.environ)
print(json.dumps(found))
"""


@pytest.fixture
def found(tmp_path: Path) -> dict[str, str]:
    """What a confined process could do."""
    given, folder, secret = tmp_path / "files" / "given", tmp_path / "job", tmp_path / "server" / "settings.toml"
    for path in (given, secret):
        path.parent.mkdir()
        path.write_text("data")
    folder.mkdir()
    environment = {**os.environ, "SUDARE_DATABASE": "postgresql://u:secret@h/d", "PGPASSWORD": "secret"}
    command = [sys.executable, "-c", TRIES, str(given), str(folder), str(secret)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def needs(found: dict[str, str], *measures: str) -> None:
    missing = set(measures) - set(found["taken"])
    if missing:
        pytest.skip(f"this system has not: {missing}")


def test_a_job_reads_what_it_is_given_and_writes_into_its_folder(found: dict[str, str]) -> None:
    assert set(found["taken"]) <= set(MEASURES)
    assert (found["given"], found["own"], found["thread"]) == ("data", "1", "5")


def test_a_job_sees_and_changes_no_other_file(found: dict[str, str]) -> None:
    needs(found, "files")
    names = ("secret", "listing", "change", "remove", "outside", "parent")
    assert {name: found[name] for name in names} == dict.fromkeys(names, "PermissionError")


def test_a_job_has_no_network_and_starts_and_signals_nothing(found: dict[str, str]) -> None:
    needs(found, "calls")
    names = ("socket", "local", "program", "signal")
    assert {name: found[name] for name in names} == dict.fromkeys(names, "PermissionError")


def test_a_job_has_no_privileges(found: dict[str, str]) -> None:
    needs(found, "privileges", "capabilities")
    lines = dict(line.split(":\t", 1) for line in found["status"].splitlines() if ":\t" in line)
    assert (lines["NoNewPrivs"], int(lines["CapEff"], 16), int(lines["CapPrm"], 16)) == ("1", 0, 0)


def test_a_job_has_nothing_of_the_servers_environment(found: dict[str, str]) -> None:
    assert not {"SUDARE_DATABASE", "PGPASSWORD"} & set(found["environment"])
    environment = {"PATH": "/bin", "LC_ALL": "C", "SUDARE_TOKEN": "x", "AWS_SECRET_ACCESS_KEY": "x"}
    prune_environment(environment)
    assert environment == {"PATH": "/bin", "LC_ALL": "C"}


def test_a_real_job_is_confined(tmp_path: Path) -> None:
    """A T in the place of another file is read; the list of a folder, which nobody gave it, is not."""
    path = tmp_path / "T"
    path.write_text(T)
    (tmp_path / "folder").mkdir()
    given = {"rules": "pwscup2018", "path": str(path)}
    job = JobProcess("original", "check_original", given, folder=tmp_path / "folder", memory_bytes=1 << 32, seconds=60)
    end = time.monotonic() + 60
    while (status := Path(f"/proc/{job._process.pid}/status").read_text()) and "NoNewPrivs:\t1" not in status:
        assert time.monotonic() < end
    while (found := job.outcome()) is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    job.stop()
    assert isinstance(found, dict)
    assert found["valid"]
