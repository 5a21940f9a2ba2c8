"""The figures of the report on a purchase history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sudare.histories.attackers.assessment import AttackerRisk, AttackersAssessment
from sudare.messages import Texts
from sudare.report.charts.axes import Point, needs_log_axes
from sudare.report.charts.vega import Chart, Pair, ShareBar, cumulative_shares, pairs_on_log_scale, scatter, share_bars
from sudare.report.history.findings import Findings, PartPoints, RiskByCustomer
from sudare.report.history.frequency_figures import frequency_figures
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, panel
from sudare.report.wording import knowledge_label

# Attackers whose customers are shown one by one: all but the one who knows nothing.
KNOWING = slice(1, None)


def history_figures(assessment: AttackersAssessment, findings: Findings, texts: Texts) -> dict[str, Figure]:
    """Return the figures by name; without anything to compare (one customer, one value) a figure is left out."""
    draw = _Figures(texts)
    if assessment.customers == 1:
        return {}
    drawn = {
        **attackers_figures(assessment, texts),
        "scatter": draw.scatter(findings.points),
        **frequency_figures(findings.frequencies, texts),
        "cumulative": draw.cumulative(findings.customers[KNOWING]),
        "unique": draw.unique(findings.customers),
    }
    return {name: figure for name, figure in drawn.items() if figure is not None}


def attackers_figures(assessment: AttackersAssessment, texts: Texts) -> dict[str, Figure]:
    """Return the figures of an assessment by itself: none of a single customer, whom everybody recognizes."""
    draw = _Figures(texts)
    if assessment.customers == 1:
        return {}
    further = draw.further(assessment.knowledge)
    drawn = {"measured": draw.measured(assessment.attackers), "pairs": draw.pairs(assessment.attackers)}
    return drawn | ({"further": further} if further else {})


def risk_label(risk: AttackerRisk, texts: Texts) -> str:
    """Return what an attacker knows in a few words, after its number if it is one of the ten."""
    label = knowledge_label(risk.knowledge, texts)
    return label if risk.attacker is None else texts("report.label.numbered", number=risk.attacker, label=label)


class _Figures:
    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.numbers = Numbers(texts)

    def measured(self, risks: Sequence[AttackerRisk]) -> Figure:
        shares = [self._measured_share(risk) for risk in _worst_first(risks)]
        chart = self._bars(
            shares, "report.history.attackers.bars_title", axis=self.texts("report.history.attackers.axis")
        )
        return Figure((panel(chart, self.texts),), self.texts("report.history.attackers.bars_caption"))

    def further(self, risks: Sequence[AttackerRisk]) -> Figure | None:
        shares = [self._measured_share(risk) for risk in _worst_first(risks) if risk.measured]
        if not shares:
            return None
        chart = self._bars(
            shares, "report.history.further.bars_title", axis=self.texts("report.history.attackers.axis")
        )
        return Figure((panel(chart, self.texts),), self.texts("report.history.further.bars_caption"))

    def unique(self, found: Sequence[RiskByCustomer]) -> Figure:
        shares = [
            ShareBar(
                risk_label(f.risk, self.texts), f.customers.unique_rate, self.numbers.percent(f.customers.unique_rate)
            )
            for f in found
        ]
        chart = self._bars(
            shares, "report.history.customers.bars_title", axis=self.texts("report.history.customers.bars_axis")
        )
        return Figure((panel(chart, self.texts),), self.texts("report.history.customers.bars_caption"))

    def _measured_share(self, risk: AttackerRisk) -> ShareBar:
        low, high = risk.interval or (None, None)
        text = self.numbers.percent(risk.measured)
        return ShareBar(risk_label(risk, self.texts), risk.measured, text, low, high)

    def _bars(self, shares: Sequence[ShareBar], title: str, *, axis: str) -> Chart:
        spoken = [
            self.texts("report.history.attackers.bars_value", label=share.label, value=share.text) for share in shares
        ]
        description = self.texts(
            "report.history.attackers.bars_description", list=self.texts("list.comma").join(spoken)
        )
        return share_bars(shares, axis=axis, title=self.texts(title), description=description)

    def pairs(self, risks: Sequence[AttackerRisk]) -> Figure:
        ordered = _worst_first(risks)
        spoken = [
            self.texts(
                "report.history.attackers.pairs_value",
                label=risk_label(risk, self.texts),
                measured=self.numbers.percent(risk.measured),
                theory=self.numbers.theory(risk.theory),
            )
            for risk in ordered
        ]
        chart = pairs_on_log_scale(
            [Pair(risk_label(risk, self.texts), risk.measured, risk.theory) for risk in ordered],
            names=(
                self.texts("report.history.attackers.measured_name"),
                self.texts("report.history.attackers.theory_name"),
            ),
            axis=self.texts("report.history.attackers.axis"),
            title=self.texts("report.history.attackers.pairs_title"),
            description=self.texts(
                "report.history.attackers.bars_description", list=self.texts("list.comma").join(spoken)
            ),
        )
        return Figure((panel(chart, self.texts),), self.texts("report.history.attackers.pairs_caption"))

    def cumulative(self, found: Sequence[RiskByCustomer]) -> Figure:
        panels = [
            panel(self._distribution(f, label), self.texts, self._with_median(f, label))
            for f, label in ((f, risk_label(f.risk, self.texts)) for f in found)
        ]
        return Figure(tuple(panels), self.texts("report.history.customers.cumulative_caption"))

    def _with_median(self, found: RiskByCustomer, label: str) -> str:
        median = self.numbers.percent(found.customers.quantiles[50])
        return self.texts("report.history.customers.cumulative_label", label=label, median=median)

    def _distribution(self, found: RiskByCustomer, label: str) -> Chart:
        low, median, high = (self.numbers.at_most(found.customers.quantiles[n]) for n in (25, 50, 75))
        return cumulative_shares(
            found.customers.quantiles,
            axes=(
                self.texts("report.history.customers.cumulative_x"),
                self.texts("report.history.customers.cumulative_y"),
            ),
            title=self.texts("report.history.customers.cumulative_title", label=label),
            description=self.texts(
                "report.history.customers.cumulative_description", low=low, median=median, high=high
            ),
        )

    def scatter(self, parts: Sequence[PartPoints]) -> Figure | None:
        panels = tuple(
            panel(self._crowds(part, points), self.texts, self._with_notes(part, points))
            for part, points in ((part, list(_drawn(part))) for part in parts)
            if len(points) > 1
        )
        return Figure(panels, self.texts("report.history.statistics.scatter_caption")) if panels else None

    def _with_notes(self, part: PartPoints, points: Sequence[Point]) -> str:
        name = self.texts(f"part.{part.statistics.part}")
        label = self.texts("report.history.statistics.scatter_label", part=name, correlation=self._correlation(part))
        notes = [self.texts("report.history.statistics.scatter_log")] if needs_log_axes(points) else []
        notes += [self.texts("report.history.statistics.scatter_thinned", step=part.step)] if part.step > 1 else []
        joined = self.texts("list.comma").join(notes)
        return self.texts("report.history.statistics.scatter_note", label=label, notes=joined) if notes else label

    def _crowds(self, part: PartPoints, points: Sequence[Point]) -> Chart:
        return scatter(
            points,
            axes=(
                self.texts("report.history.statistics.occurrences"),
                self.texts("report.history.statistics.customers"),
            ),
            title=self.texts(
                "report.history.statistics.scatter_title", part=self.texts(f"part.{part.statistics.part}")
            ),
            description=self.texts(
                "report.history.statistics.scatter_description",
                values=self.numbers.count(part.statistics.values),
                largest=self.numbers.count(part.statistics.largest),
                correlation=self._correlation(part),
            ),
        )

    def _correlation(self, part: PartPoints) -> str:
        return self.numbers.correlation(part.statistics.correlation)


def _worst_first(risks: Sequence[AttackerRisk]) -> list[AttackerRisk]:
    return sorted(risks, key=lambda risk: -risk.measured)


def _drawn(part: PartPoints) -> Iterator[Point]:
    return (Point(point.occurrences, point.customers, point.values) for point in part.points)
