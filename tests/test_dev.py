"""The set-up script, as far as it can be tried without setting up."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def dev(*words: str, script: Path = ROOT / "dev", **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script), *words], capture_output=True, text=True, **options)  # type: ignore[call-overload, no-any-return]


def test_help_names_every_task() -> None:
    for words in ([], ["help"], ["--help"]):
        text = dev(*words).stdout
        assert all(f"\n  {task} " in text for task in ("demo", "test", "check", "bench", "docs", "lock", "help"))


def test_an_unknown_task_is_refused() -> None:
    done = dev("tset")
    assert done.returncode == 2
    assert "no task 'tset'" in done.stderr


def test_a_python_without_venv_is_told_in_one_line(tmp_path: Path) -> None:
    for name in ("dev", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "venv.py").write_text("raise SystemExit(1)")
    script = (tmp_path / "dev").read_text().replace("os.geteuid() == 0", "False")
    (tmp_path / "dev").write_text(script)
    done = dev("demo", script=tmp_path / "dev", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path), "PATH": "/nowhere"})
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("dev: cannot make .venv: python3-venv is missing")


def test_pins_are_plain() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert lines
    assert all(line.count("==") == 1 and "/" not in line and "@" not in line for line in lines)
