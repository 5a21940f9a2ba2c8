"""What commands import: a library that a command does not use takes longer to import than a small file to be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sudare.cli.app import COMMANDS, GROUPS

# Libraries that take tens of milliseconds and more, and that no command on a plain file without a report uses.
SELDOM = {
    "argon2", "asyncio", "fastapi", "httpx", "jinja2", "multiprocessing", "narwhals", "pandas", "polars", "pyarrow",
    "pyspark", "python_calamine", "scipy.optimize", "scipy.sparse", "scipy.stats", "sqlalchemy", "vl_convert",
}  # fmt: skip
KERNELS = {"llvmlite", "numba"}
ENGINE = {"duckdb", "numpy"}

# Runs command lines one after another, so that what they import adds up, and prints the modules.
SCRIPT = """
import json, sys, typer.main
from contextlib import redirect_stdout
from sudare.cli.app import app
command = typer.main.get_command(app)
with redirect_stdout(sys.stderr):
    ends = [command(words, standalone_mode=False) for words in json.loads(sys.argv[1])]
assert not any(ends), ends
print(json.dumps(sorted(sys.modules)))
"""
TABLE = "sex,age,town\n" + "".join(f"{'fm'[n % 2]},{20 + n % 7},{'abc'[n % 3]}\n" for n in range(40))
HISTORY = "customer,day,item\n" + "".join(f"c{n % 5},2024-01-{n % 9 + 1:02},i{n % 4}\n" for n in range(40))
CELLS = "1,2011/1/5,1,2.5,3\n2,2011/1/6,2,1.0,1\n3,2011/1/7,1,2.5,2\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"table.csv": TABLE, "history.csv": HISTORY, "T.csv": CELLS, "A.csv": CELLS}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def imported(folder: Path, *lines: str) -> set[str]:
    """Return what a process has imported that ran these commands."""
    words = json.dumps([line.split() for line in lines])
    ran = subprocess.run([sys.executable, "-c", SCRIPT, words], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return set(json.loads(ran.stdout))


def completed(words: str) -> str:
    """Return what a shell is told when the last of some words is completed."""
    asked = {"_SUDARE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    program = (
        "import sys; sys.argv = ['sudare']\n"
        "from sudare.cli import main\n"
        "try: main()\n"
        "finally: print(*sorted({'pydantic', 'rich', 'numpy'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    return ran.stdout


def test_help_imports_no_library_but_that_of_the_command_line(folder: Path) -> None:
    groups = [f"{words} --help" for words in GROUPS]
    found = imported(folder, "--help", *groups)
    assert found & (SELDOM | KERNELS | ENGINE | {"pydantic", "rich"}) == set()
    found = imported(folder, *(f"{words} --help" for words in COMMANDS))
    assert found & (SELDOM | KERNELS | ENGINE | {"rich"}) == set()


def test_help_of_all_imports_no_command_of_a_group(folder: Path) -> None:
    assert (
        imported(folder, "--help") & {"sudare.cli.table.risk", "sudare.cli.baskets.suppress", "sudare.cli.server"}
        == set()
    )


@pytest.mark.parametrize(("words", "answer"), [("sudare ta", "table"), ("sudare table ri", "risk")])
def test_completion_of_commands_imports_only_what_it_needs(words: str, answer: str) -> None:
    assert completed(words).split("\n")[:2] == [answer, ""]


def test_commands_that_count_on_the_engine_import_no_kernels(folder: Path) -> None:
    found = imported(
        folder, "history knowledge history.csv item*2", "generate table made.csv",
        "generate history made-too.csv --customers 2",
    )  # fmt: skip
    assert found >= ENGINE
    assert found & (SELDOM | KERNELS) == set()


def test_commands_with_kernels_import_no_other_library(folder: Path) -> None:
    found = imported(
        folder, "history attackers history.csv", "history attackers history.csv --json",
        "table hierarchies table.csv -o made",
        "table risk table.csv", "table subsets table.csv", "table sample table.csv --sets 50",
        "table disclosable table.csv --limit 0.9", "table dangerous table.csv",
        "table population table.csv --population-size 900", "baskets itemsets history.csv --per visit --support 0.5",
        "contest thresholds", "contest check T.csv A.csv",
        "contest utility T.csv A.csv", "contest classes T.csv A.csv",
    )  # fmt: skip
    assert found & SELDOM == set()


def test_contest_commands_start_no_engine(folder: Path) -> None:
    found = imported(
        folder, "contest thresholds", "contest check T.csv A.csv", "contest utility T.csv A.csv",
        "contest classes T.csv A.csv",
    )  # fmt: skip
    assert "duckdb" not in found
