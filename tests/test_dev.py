"""The set-up script, as far as it can be tried without setting up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def dev(*words: str, script: Path = ROOT / "dev", **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script), *words], capture_output=True, text=True, **options)  # type: ignore[call-overload, no-any-return]


def test_help_names_every_task() -> None:
    for words in ([], ["help"], ["--help"]):
        text = dev(*words).stdout
        assert all(
            f"\n  {task} " in text for task in ("demo", "test", "check", "bench", "docs", "build", "lock", "help")
        )


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


def loaded() -> ModuleType:
    """Return the script as a module."""
    loader = SourceFileLoader("dev", str(ROOT / "dev"))
    spec = spec_from_loader("dev", loader)
    assert spec is not None
    found = module_from_spec(spec)
    loader.exec_module(found)
    return found


def test_quick_is_all_that_is_not_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    script = loaded()
    called: list[list[str]] = []
    monkeypatch.setattr(script, "call", lambda _, *words: called.append(list(words)))
    script.test(["--quick", "-k", "risk"])
    script.test(["-k", "risk"])
    quick, whole = called
    assert quick[-4:] == ["-m", "not slow", "-k", "risk"]
    assert [*quick[:-4], *quick[-2:]] == whole


def test_a_build_takes_the_packages_of_the_environment_and_compiles_kernels_unless_it_is_pure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    # Set and deleted, so that it is deleted again in the end.
    monkeypatch.setenv("SUDARE_PURE_WHEEL", "")
    monkeypatch.delenv("SUDARE_PURE_WHEEL")
    script = loaded()
    called: list[tuple[list[str], bool]] = []
    monkeypatch.setattr(
        script, "call", lambda _, *words: called.append(([*map(str, words)], "SUDARE_PURE_WHEEL" in os.environ))
    )
    script.build(["--wheel"])
    script.build(["--pure", "--wheel"])
    words = ["-m", "build", "--no-isolation", "--outdir", str(ROOT / "dist"), "--wheel"]
    assert called == [(words, False), (words, True)]
    # What asks for the wheel without kernels is the same word in both scripts.
    assert f'PURE = "{script.PURE}"' in (ROOT / "hatch_build.py").read_text(encoding="utf-8")


def test_what_a_task_needs_is_an_extra_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    script = loaded()
    assert {name for needed in script.EXTRAS.values() for name in needed} <= set(extras)
    assert set(script.EXTRAS) == set(script.TASKS) - {"lock"}


def collected(*words: str) -> set[str]:
    """Return the tests of some files, as they are chosen by words."""
    files = ["tests/engine/test_shared_suite.py", "tests/report/test_in_browser.py", "tests/report/test_numbers.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", *words, *files],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    return {line for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.slow
def test_what_starts_a_browser_or_a_cluster_is_slow_and_only_quick_leaves_it_out() -> None:
    whole, quick = collected(), collected(*loaded().QUICK)
    starting = {name for name in whole if "[spark" in name or "test_in_browser" in name}
    assert len(starting) > 20
    assert whole - quick == starting
    assert quick
