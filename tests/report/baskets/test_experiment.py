import datetime as dt
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sudare.baskets.experiments.experiments import PAPER, STUDIES, Experiments, summarize_experiments
from sudare.baskets.experiments.rows import ExperimentRow
from sudare.baskets.model import make_baskets
from sudare.messages import Texts
from sudare.report.baskets.experiment import write_experiment_page
from sudare.report.baskets.experiment_figures import basket_figures
from sudare.report.charts.experiments import MeanPoint, mean_lines
from sudare.report.charts.vega import render

DATA = {"one": make_baskets([["a", "b"], ["c"]]), "<two>": make_baskets([["a"]])}
MADE = dt.datetime(2026, 4, 1, 12, 0)


def rows(value: float = 0.25, safe: bool = True) -> list[ExperimentRow]:
    return [
        ExperimentRow(figure, data, setting, float(x), repetition, value * repetition, safe, 0.1, 0.2, None)
        for study in STUDIES
        for figure in study.figures
        for data in DATA
        for setting in study.settings
        for x in study.values
        for repetition in (1, 2)
    ]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_and_all_figures_are_written(tmp_path: Path, language: str) -> None:
    written = write_experiment_page(
        Experiments(DATA, 0, "paper", None, PAPER, tuple(rows())), tmp_path, language=language, made=MADE
    )
    assert sorted(path.name for path in written) == sorted(path.name for path in tmp_path.iterdir())
    drawings = [path for path in written if path.suffix == ".svg"]
    assert len(drawings) == 10
    for path in drawings:
        ElementTree.parse(path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 10
    assert "<two>" not in page
    assert "0.3750 ± 0.1768" in page
    assert re.search(r"<script|https?://(?!www\.w3\.org)", page) is None


@pytest.mark.slow
def test_the_same_rows_give_the_same_page(tmp_path: Path) -> None:
    pages = []
    for _ in range(2):
        write_experiment_page(Experiments(DATA, 0, "paper", None, PAPER, tuple(rows())), tmp_path, made=MADE)
        pages.append((tmp_path / "index.html").read_text())
    assert pages[0] == pages[1]


def test_results_that_a_check_found_unsafe_are_told(tmp_path: Path) -> None:
    some = [*rows()[:-1], ExperimentRow(7, "one", "fixed+", 0.8, 2, 0.5, False, 0.1, 0.2, 0.5)]
    write_experiment_page(Experiments(DATA, 0, "paper", None, PAPER, tuple(some)), tmp_path, made=MADE)
    assert "1 of 264 values" in (tmp_path / "index.html").read_text()


def test_a_figure_without_rows_is_left_out() -> None:
    found = basket_figures(summarize_experiments([row for row in rows() if row.figure == 5]), Texts("en"))
    assert list(found) == [5]
    assert [panel.label for panel in found[5].panels] == ["<two>", "one"]


def test_bars_reach_one_deviation_to_either_side_within_the_axes() -> None:
    chart = mean_lines(
        [MeanPoint("a", 0.1, 0.3, 0.1), MeanPoint("b", 0.1, 0.05, 0.1), MeanPoint("b", 0.2, 0.95, 0.1)],
        series=("a", "b"),
        axes=("x", "y"),
        formats=("~g", ".2f"),
        ticks=(0.1, 0.2),
        top=1.0,
        title="t",
        description="d",
    )
    ends = [(row["low"], row["high"]) for row in chart.spec["data"]["values"]]
    assert ends == [(pytest.approx(0.2), pytest.approx(0.4)), (0, pytest.approx(0.15)), (pytest.approx(0.85), 1)]
    assert "<svg" in render(chart)


def test_the_axes_of_a_figure_end_at_the_same_value_for_all_data() -> None:
    low = [row for row in rows(value=0.01) if row.data == "one"]
    high = [row for row in rows(value=0.4) if row.data != "one"]
    found = basket_figures(summarize_experiments([*low, *high]), Texts("en"))
    assert all(">80" in str(panel.svg) for panel in found[3].panels)
