"""The frame of every report: one self-contained HTML page without network access or scripts."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from markupsafe import Markup

from sudare.messages import Texts
from sudare.report.charts.vega import Chart, render
from sudare.report.numbers import Numbers
from sudare.report.wording import knowledge_label, knowledge_sentence
from sudare.showing import dataclass

if TYPE_CHECKING:
    from jinja2 import Environment

# A name is shown whole up to here: a cell may hold anything, and the page must stay small.
MOST_LETTERS = 80


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: its name, which is also that of its template, and its title."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Page:
    """What a report says of itself; its sections and what stands below the title are templates in `folder`.

    `footer` gives names and values of what made the page.
    """

    folder: str
    kind: str
    title: str
    sections: tuple[Section, ...]
    footer: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a figure, with a line of text above it where a figure has several."""

    svg: Markup
    label: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One or more drawings under one caption."""

    panels: tuple[Panel, ...]
    caption: str


def panel(chart: Chart, texts: Texts, label: str = "") -> Panel:
    """Draw a chart; its SVG is made here and escapes its texts, so it goes into the page as it is."""
    drawn = render(chart, percent_sign=texts("report.number.percent", value=""))
    return Panel(Markup(drawn), label)  # noqa: S704


def render_page(page: Page, texts: Texts, values: Mapping[str, object]) -> str:
    """Return the whole page as text; every value is escaped unless it is a drawing made here."""
    return environment(texts).get_template("page.html").render(page=page, **values)


def environment(texts: Texts) -> Environment:
    """Return the templates' environment for one language; an unknown name in a template is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("sudare.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    numbers = Numbers(texts)
    found.globals.update(t=texts, language=texts.language, next_number=_counter(texts))
    found.filters.update(
        count=numbers.count,
        correlation=numbers.correlation,
        day=lambda day: numbers.day(dt.date.fromisoformat(str(day))),
        decimal=numbers.decimal,
        moment=numbers.moment,
        percent=numbers.percent,
        at_least=numbers.at_least,
        at_most=numbers.at_most,
        exact_percent=numbers.exact_percent,
        decimal_at_least=numbers.decimal_at_least,
        short_percent=numbers.short_percent,
        theory=numbers.theory,
        label=lambda knowledge: knowledge_label(knowledge, texts),
        sentence=lambda knowledge: knowledge_sentence(knowledge, texts),
        short=lambda text: shortened(text, texts),
    )
    return found


def _counter(texts: Texts) -> Callable[[str], str]:
    """Return a function that numbers figures and tables in the order in which they are asked for."""
    counts: Counter[str] = Counter()

    def next_number(kind: str) -> str:
        counts[kind] += 1
        return texts(f"report.page.{kind}", number=counts[kind])

    return next_number


def shortened(text: str, texts: Texts, *, most: int = MOST_LETTERS) -> str:
    """Return a text as it is, or its beginning where it is longer than `most` letters."""
    return text if len(text) <= most else texts("report.label.cut", text=text[:most].rstrip())
