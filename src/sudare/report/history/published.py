"""The ten attackers before and after: a part of reports on anonymized histories.

A page includes the template `published/before_after.html` and gives it `published_values`.
"""

from __future__ import annotations

from typing import Any

from sudare.histories.attackers.published import PublishedAssessment, PublishedRisk
from sudare.messages import Texts
from sudare.report.charts.vega import Pair, pairs_on_log_scale
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, panel
from sudare.report.wording import knowledge_label
from sudare.statistics.intervals import CONFIDENCE


def published_values(found: PublishedAssessment, texts: Texts) -> dict[str, Any]:
    """Return what the template shows."""
    sampled = next((risk for risk in found.knowledge if risk.sample), None)
    return {
        "published": found,
        "published_figure": before_after_figure(found, texts),
        "published_sample": sampled.sample if sampled else None,
        "published_confidence": texts("report.number.percent", value=f"{100 * CONFIDENCE:g}"),
    }


def before_after_figure(found: PublishedAssessment, texts: Texts) -> Figure | None:
    """Draw how often each attacker is right before and after, those that are never right afterwards left out."""
    shown = [risk for risk in (*found.attackers, *found.knowledge) if risk.before > 0 and risk.after > 0]
    if not shown:
        return None
    shown.sort(key=lambda risk: -risk.after)
    spoken = [_spoken(risk, texts) for risk in shown]
    chart = pairs_on_log_scale(
        [Pair(_label(risk, texts), risk.before, risk.after) for risk in shown],
        names=(texts("report.published.before_name"), texts("report.published.after_name")),
        axis=texts("report.published.axis"),
        title=texts("report.published.figure_title"),
        description=texts("report.published.figure_description", list=texts("list.comma").join(spoken)),
    )
    return Figure((panel(chart, texts),), texts("report.published.figure_caption"))


def _label(risk: PublishedRisk, texts: Texts) -> str:
    label = knowledge_label(risk.knowledge, texts)
    return label if risk.attacker is None else texts("report.label.numbered", number=risk.attacker, label=label)


def _spoken(risk: PublishedRisk, texts: Texts) -> str:
    numbers = Numbers(texts)
    shares = {"before": numbers.percent(risk.before), "after": numbers.percent(risk.after)}
    return texts("report.published.figure_value", label=_label(risk, texts), **shares)
