"""The figures of the experiments on baskets: one drawing for each figure and data set."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from sudare.baskets.experiments.experiments import PAPER, STUDIES, Circumstances, ExperimentSpread, Study
from sudare.messages import Texts
from sudare.report.charts.experiments import MeanPoint, mean_lines
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, Panel, panel, shortened

# Divergences have no greatest value: the axis ends at the next such step.
STEP = 0.05
TICKS = {"rho": (0.1, 0.3, 0.5, 0.7, 0.9), "epsilon": (0.01, 0.05, 0.1), "share": (0.0, 0.4, 0.8)}


def basket_figures(
    spreads: Sequence[ExperimentSpread], texts: Texts, circumstances: Circumstances = PAPER
) -> dict[int, Figure]:
    """Return the figures by their number, with a drawing for each data set in the order of their names."""
    return {
        number: _Drawing(number, study, spreads, texts).figure(circumstances)
        for study in STUDIES
        for number in sorted(study.figures)
        if any(spread.figure == number for spread in spreads)
    }


def figure_data(spreads: Sequence[ExperimentSpread], number: int) -> list[str]:
    """Return the names of the data sets of a figure, in the order of its drawings."""
    return sorted({spread.data for spread in spreads if spread.figure == number})


class _Drawing:
    def __init__(self, number: int, study: Study, spreads: Sequence[ExperimentSpread], texts: Texts) -> None:
        self.number, self.study, self.texts = number, study, texts
        self.measure = study.figures[number]
        self.spreads = [spread for spread in spreads if spread.figure == number]
        self.numbers = Numbers(texts)

    def figure(self, circumstances: Circumstances) -> Figure:
        panels = tuple(self._panel(name) for name in figure_data(self.spreads, self.number))
        words = {"rho": circumstances.rho, "known": circumstances.max_known}
        return Figure(panels, self.texts(f"report.experiment.caption.figure_{self.number}", **words))

    def _panel(self, data: str) -> Panel:
        found = [spread for spread in self.spreads if spread.data == data]
        said = [
            self.texts(
                "report.experiment.spoken",
                setting=self._setting(spread.setting),
                x=self._x(spread.x),
                mean=self._value(spread.mean),
                deviation=self._value(spread.deviation),
            )
            for spread in found
        ]
        label = shortened(data, self.texts)
        first, second = self.study.settings
        chart = mean_lines(
            [MeanPoint(self._setting(spread.setting), spread.x, spread.mean, spread.deviation) for spread in found],
            series=(self._setting(first), self._setting(second)),
            axes=(
                self.texts(f"report.experiment.varied.{self.study.varied}"),
                self.texts(f"report.experiment.measure.{self.measure}"),
            ),
            formats=(".0%" if self.study.varied == "share" else "~g", ".0%" if self._is_share() else ".2f"),
            ticks=TICKS[self.study.varied],
            top=self._top(),
            title=self.texts("report.experiment.drawing", number=self.number, data=label),
            description=self.texts("list.comma").join(said),
        )
        return panel(chart, self.texts, label)

    def _setting(self, setting: str) -> str:
        return self.texts(f"report.experiment.setting.{setting.replace('+', '_plus')}")

    def _x(self, x: float) -> str:
        return self.numbers.short_percent(x) if self.study.varied == "share" else f"{x:g}"

    def _value(self, value: float) -> str:
        return self.numbers.percent(value) if self._is_share() else self.numbers.decimal(value, 4)

    def _is_share(self) -> bool:
        return self.measure == "suppressed_share"

    def _top(self) -> float:
        """Return where the upright axes of all drawings of the figure end."""
        if self.measure == "rules_distance":
            return 1.0
        highest = max(spread.mean + spread.deviation for spread in self.spreads)
        top = max(1, ceil(highest / STEP)) * STEP
        return min(1.0, top) if self._is_share() else top
