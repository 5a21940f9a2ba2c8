"""The page on the cost of anonymity, and its chart as a file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from sudare.arguments import checked
from sudare.contest.frontier import Frontier
from sudare.contest.frontier_points import VALUES
from sudare.histories.generalized.rule_sets import ContestResult
from sudare.messages import Language, Texts
from sudare.report.charts.frontier import frontier_chart
from sudare.report.charts.vega import Chart, render
from sudare.report.page import Figure, Page, Section, panel, render_page, shortened
from sudare.sources.writing import whole_file
from sudare.version import __version__

PAGE, DRAWING = "index.html", "frontier.svg"
SECTIONS = ("figure", "numbers", "reading", "parameters")


@checked
def write_frontier_page(
    found: Frontier,
    folder: str | Path,
    *,
    source: str = "",
    rules: str = "",
    results: Sequence[ContestResult] = (),
    language: Language = "en",
    made: dt.datetime | None = None,
) -> tuple[Path, ...]:
    """Draw U and safety against k as an SVG file, write one HTML page about them, and return the files written.

    `source` is the name of the original history; `results` are results under the contest `rules` to compare with.
    Either all files are written or none. `made` is the date shown on the page (None: now).
    """
    texts = Texts(language)
    chart = frontier_chart(found, results, texts)
    drawn = render(chart, percent_sign=texts("report.number.percent", value=""))
    page = _page(found, chart, texts, source, rules, results, made or dt.datetime.now().astimezone())
    paths = {Path(folder) / DRAWING: f"{drawn}\n", Path(folder) / PAGE: page}
    with ExitStack() as files:
        for path, text in paths.items():
            files.enter_context(whole_file(path)).write_text(text, encoding="utf-8", newline="\n")
    return tuple(paths)


def _page(
    found: Frontier,
    chart: Chart,
    texts: Texts,
    source: str,
    rules: str,
    results: Sequence[ContestResult],
    made: dt.datetime,
) -> str:
    name = shortened(source, texts) if source else texts("report.contest.unnamed_original")
    values = {
        "found": found,
        "figure": Figure((panel(chart, texts),), texts("report.frontier.caption")),
        "rules": shortened(rules, texts),
        "results": results,
        "values_file": VALUES,
        "made": made,
        "version": __version__,
    }
    page = Page(
        folder="frontier",
        kind=texts("report.frontier.kind"),
        title=texts("frontier.title", source=name),
        sections=tuple(Section(section, texts(f"report.frontier.section.{section}")) for section in SECTIONS),
        footer=(
            (texts("report.page.version"), f"sudare {__version__}"),
            (texts("report.page.seed"), str(found.search.seed)),
        ),
    )
    return render_page(page, texts, values)
