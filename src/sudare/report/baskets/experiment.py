"""The page of the experiments on baskets, and their figures as files."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from sudare.arguments import checked
from sudare.baskets.experiments.experiments import (
    LONGEST,
    STUDIES,
    Experiments,
    ExperimentSpread,
    summarize_experiments,
)
from sudare.baskets.experiments.rows import ROWS, ExperimentRow
from sudare.messages import Language, Texts
from sudare.report.baskets.experiment_figures import basket_figures, figure_data
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, Page, Section, render_page, shortened
from sudare.sources.writing import whole_file
from sudare.version import __version__

PAGE = "index.html"
MEASURES = ("suppressed_share", "kl_divergence", "rules_distance")
SECTIONS = ("settings", "figures", "numbers", "parameters")


@checked
def write_experiment_page(
    found: Experiments,
    folder: str | Path,
    *,
    language: Language = "en",
    made: dt.datetime | None = None,
) -> tuple[Path, ...]:
    """Draw the figures of the experiments as SVG files and write one HTML page with them; return the files written.

    Either all files are written or none. `made` is the date shown on the page (None: now).
    """
    texts, spreads = Texts(language), summarize_experiments(found.rows)
    figures = basket_figures(spreads, texts, found.circumstances)
    page = _page(found, spreads, figures, texts, made or dt.datetime.now().astimezone())
    contents = {**_drawings(figures, spreads), PAGE: page}
    paths = {Path(folder) / name: text for name, text in contents.items()}
    with ExitStack() as files:
        for path, text in paths.items():
            files.enter_context(whole_file(path)).write_text(text, encoding="utf-8", newline="\n")
    return tuple(paths)


def _drawings(figures: Mapping[int, Figure], spreads: Sequence[ExperimentSpread]) -> dict[str, str]:
    return {
        f"figure-{number}-{name}.svg": f"{drawing.svg}\n"
        for number, figure in figures.items()
        for name, drawing in zip(figure_data(spreads, number), figure.panels, strict=True)
    }


def _table(spreads: Sequence[ExperimentSpread], number: int) -> dict[tuple[str, float], dict[str, ExperimentSpread]]:
    """Return the spreads of a figure, by data set and place on the axis, then by setting."""
    found: dict[tuple[str, float], dict[str, ExperimentSpread]] = {}
    for spread in sorted((s for s in spreads if s.figure == number), key=lambda s: (s.data, s.x)):
        found.setdefault((spread.data, spread.x), {})[spread.setting] = spread
    return found


def _losses(rows: Sequence[ExperimentRow]) -> dict[tuple[str, str, float, str], dict[str, float]]:
    """Return the means of all three measures by study, data set, place on its axis and setting."""
    varied = {number: study.varied for study in STUDIES for number in study.figures}
    found: dict[tuple[str, str, float, str], list[ExperimentRow]] = {}
    for row in rows:
        found.setdefault((varied[row.figure], row.data, row.x, row.setting), []).append(row)
    return {place: _means(some) for place, some in sorted(found.items())}


def _means(rows: Sequence[ExperimentRow]) -> dict[str, float]:
    """Return the mean of each measure, of those rows that have it."""
    values = {name: [getattr(row, name) for row in rows] for name in MEASURES}
    known = {name: [value for value in some if value is not None] for name, some in values.items()}
    return {name: sum(some) / len(some) for name, some in known.items() if some}


def _page(
    found: Experiments,
    spreads: Sequence[ExperimentSpread],
    figures: Mapping[int, Figure],
    texts: Texts,
    made: dt.datetime,
) -> str:
    numbers, data, rows = Numbers(texts), found.data, found.rows
    values = {
        "data": {shortened(name, texts): baskets for name, baskets in data.items()},
        "short": {shortened(name, texts): baskets.lengths <= LONGEST for name, baskets in data.items()},
        "figures": figures,
        "tables": {number: _table(spreads, number) for number in figures},
        "settings": {number: study.settings for study in STUDIES for number in study.figures},
        "measures": {number: name for study in STUDIES for number, name in study.figures.items()},
        "varied": {number: study.varied for study in STUDIES for number in study.figures},
        "rows": rows,
        "unsafe": sum(not row.safe for row in rows),
        "repetitions": max((row.repetition for row in rows), default=0),
        "rows_file": ROWS,
        "constants": {
            "drawn": numbers.short_percent(found.circumstances.sample),
            "sensitive": numbers.short_percent(found.circumstances.sensitive),
            "noise": numbers.short_percent(found.circumstances.noise),
            "longest": LONGEST,
        },
        "seed": found.seed,
        "strategy": found.strategy,
        "keep_low": found.keep_low,
        "losses": _losses(rows),
        "made": made,
        "version": __version__,
    }
    page = Page(
        folder="experiment",
        kind=texts("report.experiment.kind"),
        title=texts("report.experiment.title"),
        sections=tuple(Section(name, texts(f"report.experiment.section.{name}")) for name in SECTIONS),
        footer=(
            (texts("report.page.version"), f"sudare {__version__}"),
            (texts("report.page.seed"), str(found.seed)),
            (texts("report.experiment.strategy"), found.strategy),
        ),
    )
    return render_page(page, texts, values)
