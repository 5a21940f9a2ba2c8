import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sudare
from sudare.contest import correlation
from sudare.contest.measured_histories import MeasuredHistory
from sudare.data.cells import CellHistory
from sudare.errors import OptionNotUsable
from sudare.utility.use_cases import MEASURES, MeasuredError
from tests.utility.small_histories import Row, pair

# Tables 6 and 7 of the report: U and some of the errors of thirteen teams, and their correlations.
UTILITIES = [0.193, 0.206, 0.206, 0.206, 0.209, 0.255, 0.262, 0.277, 0.294, 0.365, 0.430, 0.457, 0.476]
TABLES = {
    "itemsets": (
        [0.208, 0.216, 0.214, 0.217, 0.219, 0.202, 0.209, 0.206, 0.243, 0.367, 0.255, 0.231, 0.600],
        0.654,
    ),
    "similarity_retail": (
        [0.759, 0.785, 0.785, 0.785, 0.796, 0.782, 0.802, 0.820, 0.818, 0.885, 0.882, 0.879, 0.885],
        0.949,
    ),
    "rows": ([1912, 2622, 2622, 2622, 2609, 1074, 1588, 1284, 4250, 12423, 5400, 2622, 0], 0.203),
    "top_items": (
        [0.114, 0.108, 0.109, 0.109, 0.120, 0.123, 0.110, 0.117, 0.123, 0.176, 0.151, 0.145, 0.199],
        0.856,
    ),
    "date_max": ([0.0] * 13, None),
}


def measured(name: str, utility: float, **errors: float | None) -> MeasuredHistory:
    found = tuple(MeasuredError(measure, errors.get(measure, 0.0), 0.0) for measure in MEASURES)
    return MeasuredHistory(name, utility, found)


def test_correlations_are_those_of_the_report() -> None:
    histories = [
        measured(f"{n:02}", utility, **{name: values[n] for name, (values, _) in TABLES.items()})
        for n, utility in enumerate(UTILITIES)
    ]
    found = sudare.correlate_measures(histories)
    assert found.critical == pytest.approx(0.5529, abs=1e-4)
    by_measure = {entry.measure: entry for entry in found.measures}
    for name, (_, expected) in TABLES.items():
        # U is printed with three digits.
        assert by_measure[name].correlation == (None if expected is None else pytest.approx(expected, abs=0.002))
    significant = [name for name in TABLES if by_measure[name].significant]
    assert significant == ["itemsets", "similarity_retail", "top_items"]


@pytest.mark.parametrize(("histories", "critical"), [(3, 0.997), (4, 0.950), (13, 0.553), (100, 0.197)])
def test_the_critical_value_is_that_of_tables(histories: int, critical: float) -> None:
    assert sudare.critical_correlation(histories) == pytest.approx(critical, abs=5e-4)


def test_the_critical_value_comes_from_the_quantile_of_students_t() -> None:
    from scipy.stats import t

    for histories in (3, 4, 13, 100, 1000):
        for level in (0.001, 0.05, 0.5):
            quantile = float(t.ppf(1 - level / 2, histories - 2))
            expected = quantile / (histories - 2 + quantile**2) ** 0.5
            assert sudare.critical_correlation(histories, level) == pytest.approx(expected, rel=1e-12)


def test_histories_come_by_rising_utility_and_a_measure_without_value_has_no_correlation() -> None:
    found = sudare.correlate_measures(
        [measured("b", 0.3, rows=1, rfm=None), measured("a", 0.3, rows=2, rfm=1.0), measured("c", 0.1, rows=0, rfm=2.0)]
    )
    assert [history.name for history in found.histories] == ["c", "a", "b"]
    assert {entry.measure for entry in found.measures if entry.correlation is not None} == {"rows"}


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1e6)), min_size=3, max_size=9))
def test_correlation_agrees_with_numpy(values: list[tuple[float, float]]) -> None:
    found = sudare.correlate_measures([measured(str(n), u, rfm=error) for n, (u, error) in enumerate(values)])
    utilities, errors = np.asarray(values).T
    result = next(entry.correlation for entry in found.measures if entry.measure == "rfm")
    if min(utilities.std(), errors.std()) > 1e-6:
        assert result == pytest.approx(np.corrcoef(utilities, errors)[0, 1], abs=1e-9)


def test_two_histories_are_too_few() -> None:
    with pytest.raises(OptionNotUsable, match="3 anonymized histories or more, not 2"):
        sudare.correlate_measures([measured("a", 0.1), measured("b", 0.2)])


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
    found = sudare.correlate_utility(T, histories(), draws=3, seed=2, support=0.5, length=2)
    assert [history.name for history in found.histories] == ["as it was", "less", "wide"]
    wide = pair(ORIGINAL, ANONYMIZED["wide"])[1]
    alone = sudare.measure_use_cases(T, wide, draws=3, seed=2, support=0.5, length=2)
    assert found.histories[2].errors == alone.errors
    assert found.histories[2].utility == sudare.cell_utility(T, wide).utility
    assert found.to_dict()["histories"][0]["utility"] == 0


def test_what_was_measured_is_kept_and_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sudare.correlate_utility(T, histories(), draws=2, folder=tmp_path)
    with (tmp_path / "measures.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == ["as it was", "less", "wide"]
    assert float(rows[1]["rows"]) == 1

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("measured again")

    monkeypatch.setattr(correlation.UseCaseMeasures, "measure", refuse)
    assert sudare.correlate_utility(T, histories(), draws=2, folder=tmp_path) == first
    other = pair(ORIGINAL, [*ORIGINAL[:3], ["*"] * 5])[1]
    with pytest.raises(AssertionError, match="measured again"):
        sudare.correlate_utility(T, [("less", other)], draws=2, folder=tmp_path)


def test_what_was_measured_before_an_interruption_is_kept(tmp_path: Path) -> None:
    def interrupted() -> Iterator[tuple[str, CellHistory]]:
        yield next(histories())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sudare.correlate_utility(T, interrupted(), draws=2, folder=tmp_path)
    assert len((tmp_path / "measures.csv").read_text().splitlines()) == 2


def test_a_folder_with_other_values_is_refused(tmp_path: Path) -> None:
    sudare.correlate_utility(T, histories(), draws=2, folder=tmp_path)
    with pytest.raises(OptionNotUsable, match="draws is 2 there and 3 here"):
        sudare.correlate_utility(T, histories(), draws=3, folder=tmp_path)
    (tmp_path / "measures.csv").write_text("name\nx\n")
    with pytest.raises(OptionNotUsable, match="rows that sudare did not write"):
        sudare.correlate_utility(T, histories(), draws=2, folder=tmp_path)
    (tmp_path / "parameters.json").write_text("[]")
    with pytest.raises(OptionNotUsable, match="was not written by sudare"):
        sudare.correlate_utility(T, histories(), draws=2, folder=tmp_path)
