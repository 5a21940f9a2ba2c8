"""Seven tries as a new user makes them, each from a file to a decision; commands and lines until then are counted."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sudare.histories.synthetic import generate_history
from sudare.tables.synthetic import generate_table
from tests.conftest import DATA

HERE = Path(__file__).parent
ERAS = ("平成22年12月1日", "H22.12.2", "2010年12月3日", "２０１０/１２/４", "平成22年12月5日")


class Tried(NamedTuple):
    """How a script ended: its exit code, what a user reads, and how often something had to be typed."""

    code: int
    lines: list[str]
    commands: int


def tried(script: str, folder: Path, *, most_lines: int) -> Tried:
    """Run a script as a user would; the decision must be on the screen within so many lines."""
    text = (HERE / script).read_text(encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    known = {"PATH": path, "SUDARE_DATA": str(DATA), "HOME": str(folder), "LANG": "C.UTF-8", "COLUMNS": "120"}
    done = subprocess.run(
        ["bash", "-c", text], cwd=folder, env=known, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    found = Tried(done.returncode, done.stdout.splitlines(), len(re.findall(r"^sudare ", text, re.M)))
    assert "Traceback" not in done.stdout
    assert len(found.lines) <= most_lines, done.stdout
    return found


def members(folder: Path) -> None:
    """Write a member list with names and e-mail addresses."""
    generate_table(folder / "plain.csv", records=600, seed=1)
    with (folder / "plain.csv").open(encoding="utf-8", newline="") as file:
        rows: list[Mapping[str, str]] = list(csv.DictReader(file))
    with (folder / "members.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["name", "email", *rows[0]])
        writer.writeheader()
        for number, row in enumerate(rows):
            who = {"name": f"Person {number} Family{number}", "email": f"person{number}@example.org"}
            writer.writerow({**who, **row})


def test_raw_online_retail_to_a_decision(tmp_path: Path, real_data: Callable[[str], Path]) -> None:
    real_data("online-retail.parquet")
    found = tried("online-retail.sh", tmp_path, most_lines=25)
    assert (found.code, found.commands) == (3, 1)
    assert found.lines[-1] == "No: The risk 0.9993 is above 0.05."
    assert any("To lower these risks: sudare history anonymize" in line for line in found.lines)


def test_a_dirty_file_with_era_dates(tmp_path: Path) -> None:
    rows = [f'{1000 + n % 7},{ERAS[n % 5]},商品{n % 4},"￥1,{200 + n}",{n % 3 + 1}\n' for n in range(20)]
    text = "顧客番号,購入日,商品コード,単価,数量\n" + "".join(rows) + "1003,平成32年1月1日,商品1,￥900,1\n"
    (tmp_path / "dirty.csv").write_text(text, encoding="cp932")
    found = tried("dirty-file.sh", tmp_path, most_lines=30)
    assert found.code == 0
    refused = found.lines[: found.lines.index("ended with 2")]
    assert any("row 22: '平成32年1月1日'" in line for line in refused)
    assert any("20 rows of 7 customers" in line for line in found.lines)
    assert "平成32年1月1日" in (tmp_path / "bad.csv").read_text(encoding="utf-8")


def test_a_member_list_to_a_safe_file(tmp_path: Path) -> None:
    members(tmp_path)
    found = tried("member-list.sh", tmp_path, most_lines=110)
    assert found.code == 0
    text = (tmp_path / "safe.csv").read_text(encoding="utf-8")
    assert text.splitlines()[0] == "sex,age,prefecture"
    assert "@" not in text
    assert any("name" in line and "email" in line for line in found.lines)


@pytest.mark.slow
def test_bms_baskets_to_a_certified_publication(tmp_path: Path, real_data: Callable[[str], Path]) -> None:
    real_data("bms-webview-1.txt")
    found = tried("baskets.sh", tmp_path, most_lines=50)
    assert (found.code, found.commands) == (0, 2)
    assert json.loads((tmp_path / "published.txt.certificate.json").read_text())["safe"] is True


def test_a_contest_from_t_to_guesses(tmp_path: Path) -> None:
    rows = [f"{1 + n % 30},2011/{1 + n % 12}/{1 + n % 28},i{n % 17},{1 + n % 9}.5,{1 + n % 4}\n" for n in range(240)]
    (tmp_path / "T.csv").write_text("".join(rows))
    found = tried("contest.sh", tmp_path, most_lines=60)
    assert found.code in (0, 3)
    assert found.commands == 5
    assert (tmp_path / "guesses.csv").is_file()
    assert any("VALID" in line for line in found.lines)


def test_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generate_history(tmp_path / "purchases.csv", customers=30, seed=1)
    members(tmp_path)
    monkeypatch.chdir(tmp_path)
    shown, known = [], dict[str, Any]()
    for line in ast.parse((HERE / "notebook.py").read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Expr):
            found = eval(compile(ast.Expression(line.value), "cell", "eval"), known)
            shown += [found._repr_html_()] if hasattr(found, "_repr_html_") else []
        else:
            exec(compile(ast.Module([line], []), "cell", "exec"), known)
    assert len(shown) == 3
    assert all(html.startswith("<") and "</" in html for html in shown)
    assert (tmp_path / "published.csv").is_file()


def test_a_pipeline_stops_before_it_publishes(tmp_path: Path) -> None:
    members(tmp_path)
    found = tried("pipeline.sh", tmp_path, most_lines=1)
    assert found.code == 3
    assert json.loads(found.lines[-1])["exit_code"] == 3
    assert json.loads((tmp_path / "risk.json").read_text())["max_risk"] == 1.0
    assert not (tmp_path / "published.csv").exists()
