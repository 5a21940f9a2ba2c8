"""How well people are recognized by what they bought at another time, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from sudare.report.terminal import console, exact_percent, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.histories.profiles.assessment import ProfileAssessment, ProfileShares
    from sudare.histories.profiles.what_if import WhatIf
    from sudare.messages import Texts

SHARES = ("alone", "one_to_one", "assigned", "best_ten")
# The share of the surest guesses that is said in a sentence.
SURE = 0.3


def show_profiles(found: ProfileAssessment, source: str, texts: Texts) -> None:
    """Print the whole answer: what was compared, how many are identified, and what gives them away."""
    out = console()
    out.print(texts("profiles.title", source=source), style="bold")
    for line in compared(found, texts):
        out.print(line)
    out.print(_shares_table(found, texts))
    for line in remarks(found, texts):
        out.print(line)
    out.print(_surest_table(found, texts))
    if found.by_rows:
        out.print(_rows_table(found, texts))
    for line in gives_away(found, texts):
        out.print(line)
    if found.items:
        out.print(_items_table(found, texts))
    if found.what_if:
        out.print(_what_if_table(found.what_if, texts))
        out.print(texts("profiles.what_if.meaning"))
    else:
        out.print(texts("profiles.next"))


def compared(found: ProfileAssessment, texts: Texts, *, by_default: bool = False) -> list[str]:
    """Say what is known, what was published, and how it was attacked; `by_default`: nobody chose the attack."""
    lines = []
    for name in ("known", "published"):
        period = getattr(found, f"{name}_period")
        words = {"count": period.rows, "rows": f"{period.rows:,}", "people": f"{period.people:,}"}
        if period.first is None:
            lines.append(texts(f"profiles.{name}_undated", **words))
        else:
            lines.append(texts(f"profiles.{name}", first=period.first, last=period.last, **words))
    if found.same_time:
        lines.append(texts("profiles.same_time"))
    elif found.gap_days:
        lines.append(texts("profiles.gap", count=found.gap_days))
    if found.method == "trained":
        lines.append(texts("profiles.trained"))
    else:
        reason = found.not_trained or ("by_default" if by_default else "not_wanted")
        lines.append(texts("profiles.untrained", reason=texts(f"profiles.not_trained.{reason}")))
    return lines


def _shares_table(found: ProfileAssessment, texts: Texts) -> Table:
    table = _table(texts("profiles.share"))
    worlds = [(found.world, found), *([("open", found.open_world)] if found.open_world else [])]
    for world, _ in worlds:
        table.add_column(texts(f"profiles.world.{world}"), justify="right")
    for label, cells in share_rows([part for _, part in worlds], texts):
        table.add_row(label, *cells)
    return table


def share_rows(worlds: Sequence[ProfileShares], texts: Texts) -> list[tuple[str, list[str]]]:
    """Return the lines of the table of shares: what it says, and the number of each world."""
    counts = [("pseudonyms", [f"{part.pseudonyms:,}" for part in worlds])]
    counts += [("candidates", [f"{part.candidates:,}" for part in worlds])]
    if any(part.shared is not None and part.shared < part.pseudonyms for part in worlds):
        counts.append(("shared", [f"{part.shared:,}" for part in worlds]))
    for name in SHARES:
        if any(getattr(part, name) is not None for part in worlds):
            counts.append((name, [_share(part, name, texts) for part in worlds]))
    counts.append(("guess", [percent(1 / part.candidates, texts) for part in worlds]))
    counts.append(("expected", [percent(part.expected, texts) for part in worlds]))
    if worlds[0].calibration_error is not None:
        counts.append(("calibration_error", [f"{part.calibration_error:.3f}" for part in worlds]))
    return [(texts(f"profiles.{name}"), cells) for name, cells in counts]


def _share(part: ProfileShares, name: str, texts: Texts) -> str:
    low, high = part.intervals[name]
    value = percent(getattr(part, name), texts)
    return texts("profiles.interval", value=value, low=percent(low, texts), high=percent(high, texts))


def remarks(found: ProfileAssessment, texts: Texts) -> list[str]:
    """Say what the numbers mean, and what is special about them."""
    lines = [texts("profiles.meaning")]
    if found.one_to_one is None:
        lines.append(texts("profiles.no_truth"))
    if found.classes:
        ceiling = texts.upper_percent(found.classes.ceiling)
        words = {"classes": f"{found.classes.classes:,}", "smallest": f"{found.classes.smallest:,}"}
        lines.append(texts("profiles.classes", ceiling=ceiling, **words))
        if found.classes.right_class is not None:
            lines.append(texts("profiles.right_class", share=percent(found.classes.right_class, texts)))
    sure = next((one for one in found.surest if one.share == SURE), None)
    if sure is not None and sure.right is not None:
        share, right = exact_percent(sure.share, texts), percent(sure.right, texts)
        lines.append(texts("profiles.sure", share=share, right=right))
    return lines


def _surest_table(found: ProfileAssessment, texts: Texts) -> Table:
    table = _table(texts("profiles.surest.share"))
    judged = found.one_to_one is not None
    for name in ("guesses", "confidence", "expected", *(("right",) if judged else ())):
        table.add_column(texts(f"profiles.surest.{name}"), justify="right")
    for one in found.surest:
        cells = [f"{one.guesses:,}", percent(one.confidence, texts), percent(one.expected, texts)]
        table.add_row(exact_percent(one.share, texts), *cells, *([percent(one.right or 0.0, texts)] if judged else []))
    return table


def _rows_table(found: ProfileAssessment, texts: Texts) -> Table:
    table = _table(texts("profiles.rows.band"))
    for name in ("pseudonyms", "identified"):
        table.add_column(texts(f"profiles.rows.{name}"), justify="right")
    for band in found.by_rows:
        table.add_row(band_name(band.least, band.most, texts), f"{band.pseudonyms:,}", percent(band.identified, texts))
    return table


def band_name(least: int, most: int | None, texts: Texts) -> str:
    """Return the name of a band of numbers of rows."""
    if most is None:
        return texts("profiles.rows.from", least=f"{least:,}")
    return texts("profiles.rows.between", least=f"{least:,}", most=f"{most:,}")


def gives_away(found: ProfileAssessment, texts: Texts) -> list[str]:
    """Say how far each view leads, and which habits people keep."""
    lines = []
    if found.views:
        parts = [f"{texts(f'profiles.view.{one.view}')} {percent(one.identified, texts)}" for one in found.views]
        lines.append(texts("profiles.views", list=", ".join(parts)))
    if found.habits:
        habits = [f"{texts(f'profiles.habit.{one.habit}')} {one.correlation:z.2f}" for one in found.habits]
        lines.append(texts("profiles.habits", list=", ".join(habits)))
    return lines


def _items_table(found: ProfileAssessment, texts: Texts) -> Table:
    table = _table(texts("profiles.items.item"))
    for name in ("pairs", "people", "share"):
        table.add_column(texts(f"profiles.items.{name}"), justify="right")
    for one in found.items:
        table.add_row(Text(one.item), f"{one.pairs:,}", f"{one.people:,}", percent(one.share, texts))
    return table


def _what_if_table(cases: Sequence[WhatIf], texts: Texts) -> Table:
    table = _table(texts("profiles.what_if.change"))
    for name in ("pseudonyms", "candidates", "one_to_one"):
        table.add_column(texts(f"profiles.{name}"), justify="right")
    for case in cases:
        table.add_row(
            change_name(case, texts), f"{case.pseudonyms:,}", f"{case.candidates:,}", percent(case.one_to_one, texts)
        )
    return table


def change_name(case: WhatIf, texts: Texts) -> str:
    """Say what is changed."""
    if case.change == "publish":
        return texts(f"profiles.what_if.publish.{case.value}")
    if case.change == "nothing":
        return texts("profiles.what_if.nothing")
    return texts(f"profiles.what_if.{case.change}", count=case.value)


def _table(first: str) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(first)
    return table
