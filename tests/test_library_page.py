"""The scripts of docs/reference/library.md: at most six lines each, and they run."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import polars
import pytest

import sudare

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "library.md"
SCRIPTS = re.findall(r"^([^\n]+):\n\n```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
WRITTEN = {
    "Assess a purchase history": ["history.html"],
    "The risk of a table": [],
    "Safe levels, published": ["members-safe.csv"],
    "Suppress items of baskets": ["visits-safe.txt", "visits-safe.txt.certificate.json"],
    "Anonymize a purchase history, attack it and report": ["published.csv", "report.html"],
}


def test_there_are_five_scripts_of_at_most_six_lines() -> None:
    assert [title for title, _ in SCRIPTS] == list(WRITTEN)
    for title, script in SCRIPTS:
        assert len([line for line in script.splitlines() if line.strip()]) <= 6, title


@pytest.mark.slow
@pytest.mark.parametrize(("title", "script"), SCRIPTS, ids=[title for title, _ in SCRIPTS])
def test_a_script_runs(
    title: str, script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sudare.generate_history("purchases.csv", customers=12, seed=1)
    sudare.generate_table("members.csv", records=300, seed=1)
    Path("visits.txt").write_text("bread milk\nbread milk medicine\nbread tea\nmilk medicine\n")
    Path("secrets.csv").write_text("user,item\n1,medicine\n2,medicine\n4,medicine\n")
    Path("script.py").write_text(script)
    made = runpy.run_path("script.py")
    if "frame" in made:
        assert isinstance(made["frame"], polars.DataFrame)
    assert len(capsys.readouterr().out.splitlines()) > 3
    assert [name for name in WRITTEN[title] if not Path(name).stat().st_size] == []
