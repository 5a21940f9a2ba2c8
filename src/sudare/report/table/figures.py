"""The figures of the table report."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.messages import Texts
from sudare.report.charts.vega import Chart, ShareBar, cumulative_curve, heat_map, share_bars
from sudare.report.numbers import Numbers
from sudare.report.page import MOST_LETTERS, Figure, Panel, panel, shortened
from sudare.report.table.findings import AttributeRisk, Findings, Levels
from sudare.report.table.question import Question
from sudare.report.table.set_findings import Lattice
from sudare.tables.classes.records import RecordsAssessment
from sudare.tables.sets.sample import MeanEstimate, SubsetSample

# A curve is drawn through at most this number of steps; more cannot be told apart at its size.
MOST_STEPS = 200
MOST_BARS = 30
# Long names are cut, so that a set of them still fits above its drawing.
MOST_NAME_LETTERS = 24
MEASURES = ("max_risk", "mean_risk", "unique_share", "share_above")


def table_figures(question: Question, findings: Findings, texts: Texts) -> dict[str, Figure]:
    """Return the figures by name; without anything to compare a figure is left out."""
    draw = _Figures(question, texts)
    if findings.records.records == 1:
        return {}
    drawn = {
        "curve": draw.curves(findings),
        "max_lattice": draw.lattice(findings.lattice, "max"),
        "mean_lattice": draw.lattice(findings.lattice, "mean"),
        "sample": draw.sample(findings.lattice.sample),
        "contributions": draw.contributions(findings.attributes),
        "levels": draw.levels(findings.levels),
    }
    return {name: figure for name, figure in drawn.items() if figure is not None}


def levels_figures(question: Question, levels: Levels, texts: Texts) -> dict[str, Figure]:
    """Return the figure of levels of generalization; without safe levels there is none."""
    drawn = _Figures(question, texts).levels(levels)
    return {"levels": drawn} if drawn else {}


def lattice_figure(question: Question, lattice: Lattice, texts: Texts) -> Figure | None:
    """Draw the mean risk of sets by their number of attributes; None if all have the same."""
    return _Figures(question, texts).lattice(lattice, "mean")


def sample_figure(question: Question, sample: SubsetSample, texts: Texts) -> Figure | None:
    """Draw the estimated risk of sets by their number of attributes."""
    return _Figures(question, texts).sample(sample)


def records_figure(found: RecordsAssessment, texts: Texts) -> Figure:
    """Draw how many records have at most each risk."""
    numbers = Numbers(texts)
    shares = {name: numbers.percent(getattr(found, name)) for name in ("max_risk", "mean_risk")}
    uniques = {"uniques": numbers.count(found.uniques), "share": numbers.percent(found.uniques / found.records)}
    label = set_label(found.attributes, texts) or texts("risk.nothing")
    title = texts("report.table.curve.title", label=label)
    chart = cumulative_curve(
        curve_steps(found),
        axes=(texts("report.table.curve.x"), texts("report.table.curve.y")),
        title=title,
        description=texts("risk.summary", **shares, **uniques),
    )
    return Figure((panel(chart, texts, label),), title)


def set_label(attributes: Sequence[str], texts: Texts, *, most: int = MOST_NAME_LETTERS) -> str:
    """Return the names of a set of attributes, long ones cut."""
    return texts("report.label.plus").join(shortened(name, texts, most=most) for name in attributes)


def set_or_rest(attributes: Sequence[str], known: Sequence[str], texts: Texts) -> str:
    """Return a set by its attributes or, where that is much shorter, by the known ones it lacks."""
    rest = [name for name in known if name not in attributes]
    if not rest:
        return texts("report.table.lattice.whole")
    if 2 * len(rest) > len(attributes):
        return set_label(attributes, texts, most=MOST_LETTERS)
    return texts("report.table.lattice.all_but", attributes=set_label(rest, texts, most=MOST_LETTERS))


def risk_curve(found: RecordsAssessment, label: str, limit: float, texts: Texts) -> Panel:
    """Draw the risks of some records against the share of the records, with a limit."""
    numbers = Numbers(texts)
    chart = cumulative_curve(
        curve_steps(found),
        axes=(texts("report.table.curve.x"), texts("report.table.curve.y")),
        title=texts("report.table.curve.title", label=label),
        description=texts(
            "report.table.curve.description",
            max=numbers.percent(found.max_risk),
            mean=numbers.percent(found.mean_risk),
            above=numbers.percent(found.share_above(limit)),
        ),
        limit=limit,
    )
    return panel(chart, texts, label)


class _Figures:
    def __init__(self, question: Question, texts: Texts) -> None:
        self.question = question
        self.texts = texts
        self.numbers = Numbers(texts)

    def curves(self, findings: Findings) -> Figure:
        known = self.numbers.count(len(self.question.known))
        panels = [self._curve(findings.records, self.texts("report.table.curve.label_all", count=known))]
        panels += [self._curve(found, set_label(found.attributes, self.texts)) for found in findings.curves]
        return Figure(tuple(panels), self.texts("report.table.curve.caption"))

    def levels(self, levels: Levels | None) -> Figure | None:
        if levels is None or levels.after is None:
            return None
        panels = (
            self._curve(levels.before, self.texts("report.table.levels.before")),
            self._curve(levels.after, self.texts("report.table.levels.after")),
        )
        return Figure(panels, self.texts("report.table.levels.caption"))

    def _curve(self, found: RecordsAssessment, label: str) -> Panel:
        return risk_curve(found, label, self.question.limit, self.texts)

    def lattice(self, lattice: Lattice, measure: str) -> Figure | None:
        if len(lattice.sizes) < 2:
            return None
        rows = []
        for place in reversed(range(len(lattice.bands))):
            counts = [getattr(entry, f"{measure}_bands")[place] for entry in lattice.sizes]
            shares = [count / entry.sets or None for count, entry in zip(counts, lattice.sizes, strict=True)]
            rows.append((self._band(lattice.bands, place), shares))
        line = len(lattice.bands) - 1 - lattice.bands.index(self.question.limit) if measure == "max" else None
        chart = heat_map(
            rows,
            columns=[entry.size for entry in lattice.sizes],
            axis=self.texts("report.table.lattice.axis"),
            title=self.texts(f"report.table.lattice.{measure}_title"),
            description=self._spoken(lattice, measure),
            line_below=line or None,
        )
        return Figure((panel(chart, self.texts),), self.texts(f"report.table.lattice.{measure}_caption"))

    def _band(self, bands: Sequence[float], place: int) -> str:
        ends = {"low": self.numbers.short_percent(bands[place - 1]), "high": self.numbers.short_percent(bands[place])}
        if place == 0:
            return self.texts("report.table.lattice.band_first", high=ends["high"])
        key = "band_last" if place == len(bands) - 1 else "band"
        return self.texts(f"report.table.lattice.{key}", **ends)

    def _spoken(self, lattice: Lattice, measure: str) -> str:
        said = [
            self.texts(
                "report.table.lattice.spoken",
                count=entry.size,
                value=self.numbers.percent(getattr(entry, f"{measure}_risk")),
            )
            for entry in lattice.sizes
        ]
        return self.texts("report.table.lattice.description", list=self.texts("list.comma").join(said))

    def sample(self, sample: SubsetSample | None) -> Figure | None:
        if sample is None:
            return None
        sizes = [entry for entry in sample.sizes if entry.size]
        limit = self.numbers.short_percent(self.question.limit)
        rows = [
            (self.texts(f"report.table.lattice.measure_{name}", limit=limit), [_mean(entry, name) for entry in sizes])
            for name in MEASURES
        ]
        said = [
            self.texts(
                "report.table.lattice.spoken", count=entry.size, value=self.numbers.percent(entry.mean_risk.value)
            )
            for entry in sizes
        ]
        chart = heat_map(
            rows,
            columns=[entry.size or 0 for entry in sizes],
            axis=self.texts("report.table.lattice.axis"),
            title=self.texts("report.table.lattice.sample_title"),
            description=self.texts("report.table.lattice.description", list=self.texts("list.comma").join(said)),
        )
        return Figure((panel(chart, self.texts),), self.texts("report.table.lattice.sample_caption"))

    def contributions(self, found: Sequence[AttributeRisk]) -> Figure | None:
        shares = [
            ShareBar(
                shortened(entry.without.attribute, self.texts, most=MOST_NAME_LETTERS),
                entry.without.mean_risk,
                self.numbers.percent(entry.without.mean_risk),
            )
            for entry in found[:MOST_BARS]
        ]
        if len({share.text for share in shares}) == 1:
            return None
        return Figure((panel(self._bars(shares), self.texts),), self.texts("report.table.contributions.caption"))

    def _bars(self, shares: Sequence[ShareBar]) -> Chart:
        said = [
            self.texts("report.table.contributions.spoken", label=share.label, value=share.text) for share in shares
        ]
        return share_bars(
            shares,
            axis=self.texts("report.table.contributions.axis"),
            title=self.texts("report.table.contributions.title"),
            description=self.texts("report.table.contributions.description", list=self.texts("list.comma").join(said)),
        )


def _mean(entry: object, name: str) -> float:
    mean: MeanEstimate = getattr(entry, name)
    return mean.value


def curve_steps(found: RecordsAssessment) -> list[tuple[float, float]]:
    """Return the distribution of the risk with a maximum number of steps, the first and last one included."""
    curve = found.curve()
    every = -(-len(curve) // MOST_STEPS)
    return [*curve[:-1:every], curve[-1]]
