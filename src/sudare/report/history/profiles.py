"""Somebody who knows these people from another time: a part of reports on histories.

A page includes the template `profiles/section.html` and gives it `profiles_values`.
"""

from __future__ import annotations

from typing import Any

from sudare.histories.profiles.assessment import ProfileAssessment, ProfileShares
from sudare.messages import Texts
from sudare.report.charts.precision import precision_chart
from sudare.report.charts.vega import ShareBar, share_bars
from sudare.report.history.profiles_text import band_name, change_name, compared, gives_away, remarks, share_rows
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, panel


def profiles_values(found: ProfileAssessment, texts: Texts, *, by_default: bool = False) -> dict[str, Any]:
    """Return what the template shows; `by_default`: nobody chose the attack."""
    worlds: list[tuple[str, ProfileShares]] = [(found.world, found)]
    worlds += [("open", found.open_world)] if found.open_world else []
    return {
        "profiles": found,
        "profile_lines": compared(found, texts, by_default=by_default),
        "profile_worlds": [texts(f"profiles.world.{world}") for world, _ in worlds],
        "profile_shares": share_rows([part for _, part in worlds], texts),
        "profile_remarks": remarks(found, texts),
        "profile_evidence": gives_away(found, texts),
        "profile_changes": [(change_name(case, texts), case) for case in found.what_if],
        "profile_figures": tuple(figure for figure in (_surest(found, texts), _rows(found, texts)) if figure),
    }


def _surest(found: ProfileAssessment, texts: Texts) -> Figure | None:
    """Draw how many of the surest guesses are right, and how many were expected to be."""
    points = [(one.share, one.right, one.expected) for one in found.surest if one.right is not None]
    if len(points) < 2:
        return None
    numbers = Numbers(texts)
    spoken = [
        texts("report.profiles.surest_value", share=numbers.percent(share), right=numbers.percent(right))
        for share, right, _ in points
    ]
    chart = precision_chart(
        points,
        names=(texts("report.profiles.right"), texts("report.profiles.expected")),
        axes=(texts("report.profiles.guessed"), texts("report.profiles.precision")),
        title=texts("report.profiles.surest_title"),
        description=texts("list.comma").join(spoken),
    )
    return Figure((panel(chart, texts),), texts("report.profiles.surest_caption"))


def _rows(found: ProfileAssessment, texts: Texts) -> Figure | None:
    """Draw how many pseudonyms are identified by how many rows they have."""
    if not found.by_rows:
        return None
    numbers = Numbers(texts)
    bars = [
        ShareBar(
            texts("report.profiles.band", band=band_name(band.least, band.most, texts), count=band.pseudonyms),
            band.identified,
            numbers.percent(band.identified),
            *band.interval,
        )
        for band in found.by_rows
    ]
    spoken = texts("list.comma").join(f"{bar.label}: {bar.text}" for bar in bars)
    chart = share_bars(
        bars, axis=texts("report.profiles.rows_axis"), title=texts("report.profiles.rows_title"), description=spoken
    )
    return Figure((panel(chart, texts),), texts("report.profiles.rows_caption"))
