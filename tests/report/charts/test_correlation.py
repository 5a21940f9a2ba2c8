import pytest

import sudare
from sudare.contest.measured_histories import MeasuredHistory
from sudare.histories.utility.use_cases import MEASURES, MeasuredError
from sudare.messages import Texts
from sudare.report.charts.correlation import correlation_chart
from sudare.report.charts.vega import render


def correlated(*rows: float) -> sudare.contest.UtilityCorrelation:
    """Return correlations of histories whose U rises and whose numbers of lost rows are given."""
    return sudare.contest.correlate_measures(
        [
            MeasuredHistory(str(n), float(n), tuple(MeasuredError(m, lost * (m == "rows"), 0.0) for m in MEASURES))
            for n, lost in enumerate(rows)
        ]
    )


@pytest.mark.parametrize(("language", "rows", "dash"), [("en", "rows", "–"), ("ja", "行数", "－")])
def test_every_measure_has_a_row_with_its_number_or_a_dash(language: str, rows: str, dash: str) -> None:
    chart = correlation_chart(correlated(1, 2, 4, 8), Texts(language))
    drawn = render(chart)
    assert drawn.count(f">{dash}<") == len(MEASURES) - 1
    assert ">0.959<" in drawn
    assert f"{rows}: 0.959" in chart.description


def test_significant_correlations_are_filled_and_negative_ones_drawn_to_the_left() -> None:
    chart = correlation_chart(correlated(8, 4, 2, 1), Texts("en"))
    shown = next(row for row in chart.spec["data"]["values"] if row["label"] == "rows")
    assert shown["fill"] != "#ffffff"
    assert chart.spec["layer"][0]["encoding"]["x"]["scale"]["domain"][0] == -1
    weak = correlation_chart(correlated(1, 8, 2, 3), Texts("en"))
    assert next(row for row in weak.spec["data"]["values"] if row["label"] == "rows")["fill"] == "#ffffff"
