"""Page templates and what they need: texts, numbers, times in the contest's time zone, results."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sudare.histories.generalized.rule_sets import BUILT_IN
from sudare.messages import LANGUAGES, Language, Texts, has_entry
from sudare.report.charts.results import ResultPoint, results_chart
from sudare.report.charts.submissions import SubmissionPoint, submissions_chart
from sudare.report.numbers import Numbers
from sudare.report.page import panel
from sudare.web.views.audit_words import entry_actor, entry_details, entry_subject
from sudare.web.views.markdown import markdown
from sudare.web.views.results import ShownFinal, ShownResults
from sudare.web.views.shown_submissions import ShownSubmission

# How the names of statistics of single columns begin among the measures of uses.
COLUMN_MEASURES = ("date_", "price_", "quantity_")
# How often a page looks for news: one whose reader waits for a job, and any other.
WATCH_SECONDS = {"waiting": 2.0, "idle": 30.0}


def result_values(results: ShownResults, language: Language) -> dict[str, Any]:
    """Return what the template of results needs."""
    points = tuple(
        ResultPoint(entry.team, entry.utility, entry.outcome, entry.nearest or 0.0) for entry in results.standings
    )
    finals = {final.team: final for final in results.finals}
    ordered = [finals[entry.team] for entry in results.standings if entry.team in finals]
    return {
        "results": results,
        "finals": ordered,
        "matrix": {(attack.target, attack.attacker): attack for attack in results.attacks},
        "attackers": sorted({attack.attacker for attack in results.attacks}),
        "chart": results_drawing(points, language) if points else None,
        "uses": _errors(ordered, statistics=False),
        "statistics": _errors(ordered, statistics=True),
    }


def _errors(finals: Sequence[ShownFinal], *, statistics: bool) -> list[tuple[str, list[float | None]]]:
    """Return measures, those of single columns or the others, and the mean error of each in every final."""
    lines = zip(*(final.uses for final in finals), strict=True)
    found = [(line[0]["measure"], [error["mean"] for error in line]) for line in lines]
    return [(measure, means) for measure, means in found if measure.startswith(COLUMN_MEASURES) == statistics]


@lru_cache(maxsize=64)
def results_drawing(points: tuple[ResultPoint, ...], language: Language) -> Markup:
    """Draw results; drawing takes a tenth of a second, and everybody looks at the same."""
    texts = Texts(language)
    return panel(results_chart(points, texts), texts).svg


def submissions_drawing(submissions: Sequence[ShownSubmission], zone: str, language: Language) -> Markup | None:
    """Draw U of a team's valid submissions over time; none before there are two."""
    points = tuple(
        SubmissionPoint(found.number, found.utility, found.created_at.astimezone(ZoneInfo(zone)))
        for found in submissions
        if found.utility is not None
    )
    return _submissions_drawing(points, language) if len(points) > 1 else None


@lru_cache(maxsize=256)
def _submissions_drawing(points: tuple[SubmissionPoint, ...], language: Language) -> Markup:
    texts = Texts(language)
    return panel(submissions_chart(points, texts), texts).svg


def warm_up() -> None:
    """Load what draws results and all templates, so that the first readers need not wait for it."""
    for language in LANGUAGES:
        for name in environment(language).list_templates():
            environment(language).get_template(name)
        results_drawing((ResultPoint("", 0.5, "withstood", 0.0),), language)


@cache
def asset(name: str) -> str:
    """Return the address of a static file; browsers keep it for good, so other content has another address."""
    content = files("sudare.web.views").joinpath("static", name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


@cache
def environment(language: Language) -> Environment:
    """Return the templates' environment for one language; an unknown name in a template is an error."""
    texts = Texts(language)
    found = Environment(
        loader=PackageLoader("sudare.web.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(t=texts, language=language, languages=LANGUAGES, built_in=BUILT_IN)
    found.globals.update(asset=asset, watch_seconds=WATCH_SECONDS)
    found.globals.update(submissions_drawing=partial(submissions_drawing, language=language))
    found.filters.update(
        actor=partial(entry_actor, texts), subject=partial(entry_subject, texts),
        details=partial(entry_details, texts), listed=texts.listed, column_name=partial(_column_name, texts),
        moment=_moment, field=_field, machine=_machine, markdown=markdown,
        count=_count, utility=_utility, change=_change, measure=_measure,
        percent=Numbers(texts).percent, at_least=Numbers(texts).at_least, at_most=Numbers(texts).at_most,
    )  # fmt: skip
    return found


def _moment(value: dt.datetime | None, zone: str) -> str | Markup:
    """Show a moment in a time zone, with the moment itself for programs."""
    if value is None:
        return ""
    local = value.astimezone(ZoneInfo(zone))
    return Markup('<time datetime="{}">{}</time>').format(_machine(value), local.strftime("%Y-%m-%d %H:%M:%S %Z"))


def _machine(value: dt.datetime) -> str:
    """Return a moment for programs."""
    return value.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _field(value: dt.datetime, zone: str) -> str:
    """Return a moment as a field of a form has it."""
    return value.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S")


def _column_name(texts: Texts, name: str) -> str:
    """Return the name of a column of histories; rules may name columns that have no text."""
    key = f"web.history.{name}"
    return texts(key) if has_entry(texts.language, key) else name


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _utility(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def _change(value: float | None) -> str:
    return "" if value is None else f"{value:+.6f}"


def _measure(value: float | None) -> str:
    """Write an error of a use: what is left of rounding is none, and large ones need no decimals."""
    if value is None:
        return ""
    if abs(value) < 1e-9:
        return "0"
    return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
