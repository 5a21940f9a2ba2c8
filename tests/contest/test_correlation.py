import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.contest import correlation
from sudare.contest.measured_histories import MeasuredHistory
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.utility.use_cases import MEASURES, MeasuredError
from tests.histories.utility.small_histories import Row, pair


def test_tables_6_to_10_of_the_report_are_reproduced() -> None:
    found = sudare.contest.correlate_measures(sudare.contest.published_results())
    assert found.critical == pytest.approx(0.5529, abs=5e-5)
    assert [history.name for history in found.histories][:5] == ["10", "01", "11", "14", "06"]
    # As printed, with what rounding the values to three digits can change; None is a dash.
    printed = {
        "itemsets": 0.654, "rfm": 0.612, "similarity_wholesale": 0.877, "similarity_retail": 0.949,
        "similarity_top": 0.594, "rows": 0.203, "top_items": 0.856,
        "date_sum": 0.283, "date_mean": 0.599, "date_variance": 0.512, "date_deviation": 0.522, "date_max": None,
        "date_min": None, "date_median": 0.442,
        "price_sum": 0.515, "price_mean": 0.516, "price_variance": 0.508, "price_deviation": 0.365,
        "price_max": 0.502, "price_min": 0.794, "price_median": 0.528,
        "quantity_sum": 0.500, "quantity_mean": 0.502, "quantity_variance": 0.481, "quantity_deviation": 0.281,
        "quantity_max": 0.507, "quantity_min": None, "quantity_median": 0.527,
    }  # fmt: skip
    assert [entry.measure for entry in found.measures] == list(printed)
    for entry in found.measures:
        expected = printed[entry.measure]
        assert entry.correlation == (None if expected is None else pytest.approx(expected, abs=0.0035)), entry.measure
    # Section 6.4: all uses, the top items, the mean date and the least price.
    significant = [entry.measure for entry in found.measures if entry.significant]
    assert significant == [*MEASURES[:5], "top_items", "date_mean", "price_min"]


def test_a_table_has_any_measures_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("utility,name,rows,rows_sd,itemsets,sha256\n0.5, b ,3,1,,x\n0.25,a,1,1,0.5,y\n\n")
    assert sudare.contest.read_measured_histories(path) == (
        MeasuredHistory("b", 0.5, (MeasuredError("itemsets", None, None), MeasuredError("rows", 3.0, None))),
        MeasuredHistory("a", 0.25, (MeasuredError("itemsets", 0.5, None), MeasuredError("rows", 1.0, None))),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no column name"),
        ("name,rows\na,1\n", "has no column utility"),
        ("name,utility,rain\na,1,1\n", "unknown measure 'rain'"),
        ("name,utility,rows,rows\na,1,1,1\n", "'rows' occurs twice"),
        ("name,utility,rows\na,1\n", "row 2: 2 cells, but the first row has 3"),
        ("name,utility,rows\na,1,1\nb,much,1\n", "row 3: utility must be a number, not 'much'"),
        ("name,utility,rows\na,1,inf\n", "row 2: rows must be a number, not 'inf'"),
        ('name,utility\n"a,1\n', "is not CSV"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text(text)
    with pytest.raises(sudare.SudareError, match=said) as caught:
        sudare.contest.read_measured_histories(tmp_path / "values.csv")
    assert "Hint:" in str(caught.value)


def measured(name: str, utility: float, **errors: float | None) -> MeasuredHistory:
    found = tuple(MeasuredError(measure, errors.get(measure, 0.0), 0.0) for measure in MEASURES)
    return MeasuredHistory(name, utility, found)


@pytest.mark.parametrize(("histories", "critical"), [(3, 0.997), (4, 0.950), (13, 0.553), (100, 0.197)])
def test_the_critical_value_is_that_of_tables(histories: int, critical: float) -> None:
    assert sudare.contest.critical_correlation(histories) == pytest.approx(critical, abs=5e-4)


def test_the_critical_value_comes_from_the_quantile_of_students_t() -> None:
    from scipy.stats import t

    for histories in (3, 4, 13, 100, 1000):
        for level in (0.001, 0.05, 0.5):
            quantile = float(t.ppf(1 - level / 2, histories - 2))
            expected = quantile / (histories - 2 + quantile**2) ** 0.5
            assert sudare.contest.critical_correlation(histories, level) == pytest.approx(expected, rel=1e-12)


def test_histories_come_by_rising_utility_and_a_measure_without_value_has_no_correlation() -> None:
    found = sudare.contest.correlate_measures(
        [measured("b", 0.3, rows=1, rfm=None), measured("a", 0.3, rows=2, rfm=1.0), measured("c", 0.1, rows=0, rfm=2.0)]
    )
    assert [history.name for history in found.histories] == ["c", "a", "b"]
    assert {entry.measure for entry in found.measures if entry.correlation is not None} == {"rows"}


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1e6)), min_size=3, max_size=9))
def test_correlation_agrees_with_numpy(values: list[tuple[float, float]]) -> None:
    found = sudare.contest.correlate_measures([measured(str(n), u, rfm=error) for n, (u, error) in enumerate(values)])
    utilities, errors = np.asarray(values).T
    result = next(entry.correlation for entry in found.measures if entry.measure == "rfm")
    if min(utilities.std(), errors.std()) > 1e-6:
        assert result == pytest.approx(np.corrcoef(utilities, errors)[0, 1], abs=1e-9)


def test_two_histories_are_too_few() -> None:
    with pytest.raises(OptionNotUsable, match="at least 3 anonymized histories; there are only 2"):
        sudare.contest.correlate_measures([measured("a", 0.1), measured("b", 0.2)])


ORIGINAL: list[Row] = [
    ["1", "2011/1/1", "a", "1.00", "20"],
    ["1", "2011/1/2", "b", "2.00", "12"],
    ["2", "2011/1/2", "a", "1.00", "4"],
    ["2", "2011/1/2", "b", "2.00", "3"],
]
ANONYMIZED: dict[str, list[Row]] = {
    "as it was": ORIGINAL,
    "wide": [[row[0], "[2011/1/1;2011/1/4]", row[2], row[3], "[1;40]"] for row in ORIGINAL],
    "less": [["*"] * 5, *ORIGINAL[1:]],
}


def histories() -> Iterator[tuple[str, CellHistory]]:
    return ((name, pair(ORIGINAL, rows)[1]) for name, rows in ANONYMIZED.items())


T = pair(ORIGINAL, ORIGINAL)[0]


def test_histories_are_measured_one_by_one() -> None:
    found = sudare.contest.correlate_utility(T, histories(), draws=3, seed=2, support=0.5, length=2)
    assert [history.name for history in found.histories] == ["as it was", "less", "wide"]
    wide = pair(ORIGINAL, ANONYMIZED["wide"])[1]
    alone = sudare.histories.measure_use_cases(T, wide, draws=3, seed=2, support=0.5, length=2)
    assert found.histories[2].errors == alone.errors
    assert found.histories[2].utility == sudare.histories.cell_utility(T, wide).utility
    assert found.to_dict()["histories"][0]["utility"] == 0


def test_what_was_measured_is_kept_and_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sudare.contest.correlate_utility(T, histories(), draws=2, folder=tmp_path)
    with (tmp_path / "measures.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == ["as it was", "less", "wide"]
    assert float(rows[1]["rows"]) == 1

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("measured again")

    monkeypatch.setattr(correlation.UseCaseMeasures, "measure", refuse)
    assert sudare.contest.correlate_utility(T, histories(), draws=2, folder=tmp_path) == first
    other = pair(ORIGINAL, [*ORIGINAL[:3], ["*"] * 5])[1]
    with pytest.raises(AssertionError, match="measured again"):
        sudare.contest.correlate_utility(T, [("less", other)], draws=2, folder=tmp_path)


def test_what_was_measured_before_an_interruption_is_kept(tmp_path: Path) -> None:
    def interrupted() -> Iterator[tuple[str, CellHistory]]:
        yield next(histories())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sudare.contest.correlate_utility(T, interrupted(), draws=2, folder=tmp_path)
    assert len((tmp_path / "measures.csv").read_text().splitlines()) == 2


def test_a_folder_with_other_values_is_refused(tmp_path: Path) -> None:
    sudare.contest.correlate_utility(T, histories(), draws=2, folder=tmp_path)
    with pytest.raises(OptionNotUsable, match="draws is 2 there and 3 here"):
        sudare.contest.correlate_utility(T, histories(), draws=3, folder=tmp_path)
    (tmp_path / "measures.csv").write_text("name\nx\n")
    with pytest.raises(OptionNotUsable, match="rows that sudare did not write"):
        sudare.contest.correlate_utility(T, histories(), draws=2, folder=tmp_path)
    (tmp_path / "parameters.json").write_text("[]")
    with pytest.raises(OptionNotUsable, match="was not written by sudare"):
        sudare.contest.correlate_utility(T, histories(), draws=2, folder=tmp_path)
