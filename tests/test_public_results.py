"""Every public result gives itself as plain values, rows and frames, and shows itself as text and in a notebook."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

from sudare.errors import EngineNotAvailable, OptionNotUsable
from sudare.results import BACKENDS, Result
from sudare.showing import MOST_CHARACTERS
from tests.public import public
from tests.public_examples import Examples

# What is read, made or asked, not found: data, rules, prices, options, and what an attacker knows.
INPUTS = {
    "Baskets", "Bundle", "CellHistory", "Circumstances", "CollapsedTable", "ColumnRule", "ContestResult", "Costs",
    "Derived", "EarlierRelease", "FinalFiles", "FrontierSearch", "Guesses", "HeldBaskets", "HeldCells",
    "HeldSensitive", "Hierarchy", "History", "HistoryRows", "ItemColumn", "Knowledge", "KnownHistory", "OrderedColumn",
    "ParsedCells", "RuleSet", "SensitiveItems", "Table",
}  # fmt: skip


def result_types() -> list[type]:
    found = (value for name, value in public().items() if name not in INPUTS)
    return [kind for kind in found if inspect.isclass(kind) and dataclasses.is_dataclass(kind)]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Examples]:
    found = Examples(tmp_path_factory.mktemp("examples"))
    yield found
    found.close()


def test_every_public_dataclass_is_a_result_or_an_input() -> None:
    assert {kind.__name__ for kind in result_types() if not issubclass(kind, Result)} == set()
    for name in INPUTS:
        assert not issubclass(public()[name], Result), name


@pytest.mark.slow
@pytest.mark.parametrize("kind", result_types(), ids=lambda kind: kind.__name__)
def test_a_result_shows_itself(kind: type, examples: Examples) -> None:
    found: Result = examples.instance(kind)
    json.dumps(found.to_dict(), allow_nan=False)
    rows = found.to_rows()
    assert all(is_flat(value) for row in rows for value in row.values())
    for backend in BACKENDS:
        frame = found.to_frame(backend)
        assert type(frame).__module__.partition(".")[0] == backend
        assert len(frame) == len(rows)
        assert len(frame.columns) > 0
    assert str(found) == found.text() != ""
    assert found.text("ja") != ""
    assert len(repr(found)) <= MOST_CHARACTERS
    check_html(found._repr_html_())


def is_flat(value: Any) -> bool:
    if isinstance(value, list):
        return all(is_flat(part) and not isinstance(part, list) for part in value)
    return value is None or type(value) in (bool, int, float, str)


def check_html(page: str) -> None:
    """One element with its own style, no script, nothing from elsewhere, no style that reaches beyond it."""
    assert page.startswith('<div class="sudare"')
    assert page.endswith("</div>")
    assert page.count("<div") == page.count("</div>")
    assert "<script" not in page
    assert not re.search(r"(src|href)=|@import|url\((?!#)", page)
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert style.strip().startswith(".sudare {")
    assert style.count("{") == style.count("}")


@dataclasses.dataclass(frozen=True)
class Entry(Result):
    """A row."""

    name: str
    size: int
    interval: tuple[float, float] | None = None
    cost: float | None = None

    _optional = ("cost",)


@dataclasses.dataclass(frozen=True)
class Listing(Result):
    """Rows, and a number that is too large for 64 bits."""

    entries: tuple[Entry, ...] = ()
    possible: int = 2**70

    _rows = ("entries",)
    _row = Entry


def test_columns_are_kept_without_rows() -> None:
    for backend in BACKENDS:
        frame = Listing().to_frame(backend)
        names = frame.column_names if backend == "pyarrow" else list(frame.columns)
        assert names == ["name", "size", "interval"]
        assert len(frame) == 0


def test_lists_stay_lists_and_missing_costs_are_null() -> None:
    listing = Listing((Entry("a", 1, (0.0, 0.5)), Entry("b", 2, None, 1.5)))
    assert listing.to_rows() == [
        {"name": "a", "size": 1, "interval": [0.0, 0.5]},
        {"name": "b", "size": 2, "interval": None, "cost": 1.5},
    ]
    frame = listing.to_frame("polars")
    assert frame.schema["interval"] == polars.List(polars.Float64)
    assert frame["cost"].to_list() == [None, 1.5]
    assert listing.to_frame("pyarrow").column("interval").to_pylist() == [[0.0, 0.5], None]


def test_a_number_beyond_64_bits_becomes_floating_point() -> None:
    @dataclasses.dataclass(frozen=True)
    class Large(Result):
        possible: int

    for backend in BACKENDS:
        frame = Large(10**400).to_frame(backend)
        assert frame["possible"][0] == float("inf") or frame["possible"][0].as_py() == float("inf")
    assert Large(2**70).to_frame("polars")["possible"].to_list() == [float(2**70)]


def test_an_unknown_backend_and_one_that_is_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionNotUsable, match="backend"):
        Listing().to_frame("dask")  # type: ignore[arg-type]
    monkeypatch.setattr("sudare.results.find_spec", lambda _: None)
    with pytest.raises(EngineNotAvailable, match=r"needs pandas, .*\nHint: Run pip install pandas"):
        Listing().to_frame("pandas")
    with pytest.raises(EngineNotAvailable, match="polars, pandas or pyarrow"):
        Listing().to_frame()


def test_a_text_leaves_stdout_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = Entry("[bold]a[/bold]", 3).text()
    assert "[bold]a[/bold]" in shown
    assert "\x1b" not in shown
    assert capsys.readouterr().out == ""
    with pytest.raises(OptionNotUsable):
        Entry("a", 1).text("fr")


def test_names_from_data_are_escaped_in_notebooks() -> None:
    page = Listing((Entry("<script>x</script>", 1), Entry("b", 2)))._repr_html_()
    assert "&lt;script&gt;" in page
    check_html(page)


def test_who_only_computes_loads_no_frames_and_no_reports(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("customer,date,item\na,2024-01-01,x\nb,2024-01-02,y\n")
    code = (
        "import sys, sudare; history = sudare.read_history('p.csv');"
        "sudare.histories.assess_attackers(history).to_rows();"
        "unwanted = ('polars', 'pandas', 'pyarrow', 'rich', 'jinja2', 'sudare.report');"
        "print([name for name in unwanted if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert shown.stdout.strip() == "[]"
