"""How the risk of a table changes, as terminal text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table as TextTable

from sudare.report.table.text import level_list, say_more, set_members
from sudare.report.terminal import console, percent, ratio

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.change import Change
    from sudare.tables.classes.records import RecordsAssessment
    from sudare.tables.sets.dangerous import RiseMoved
    from sudare.tables.sets.what_if import RecordsMoved, SetMoved, SetsChanged


def show_change(change: Change, texts: Texts) -> None:
    """Print what is supposed to change."""
    out = console()
    out.print()
    if change.source is not None:
        told = texts("what_if.added", count=change.added, source=change.source)
        out.print(told, style="bold")
    if change.levels:
        out.print(texts("what_if.levels", levels=level_list(change.levels)), style="bold")


def show_moved_records(
    change: Change, before: RecordsAssessment, after: RecordsAssessment, moved: RecordsMoved, texts: Texts
) -> None:
    """Print the risk of the records before and after, and how many have another one."""
    show_change(change, texts)
    table = _before_and_after(texts, "measure")
    for name in ("records", "classes_column"):
        field = name.removesuffix("_column")
        table.add_row(texts(f"risk.{name}"), f"{getattr(before, field):,}", f"{getattr(after, field):,}")
    for name in ("max_risk", "mean_risk"):
        row = (percent(getattr(found, name), texts) for found in (before, after))
        table.add_row(texts(f"risk.{name}"), *row)
    table.add_row(texts("risk.uniques"), f"{before.uniques:,}", f"{after.uniques:,}")
    console().print(table)
    counts = {"records": f"{moved.records:,}", "moved": f"{moved.moved:,}", "unique": f"{moved.no_longer_unique:,}"}
    means = {"before": percent(moved.mean_before, texts), "after": percent(moved.mean_after, texts)}
    console().print(texts("what_if.moved_records", **counts, **means))


def show_moved_sets(change: Change, moved: Sequence[SetMoved], top: int, texts: Texts) -> None:
    """Print the sets whose risk is another, those that move most first."""
    show_change(change, texts)
    _show_moves(moved, top, texts, title="moved_sets")


def show_stayed(moved: Sequence[SetMoved], top: int, texts: Texts) -> None:
    """Print the sets that are in both answers with another risk, those that move most first."""
    _show_moves(moved, top, texts, title="stayed")


def _show_moves(moved: Sequence[SetMoved], top: int, texts: Texts, *, title: str) -> None:
    if not moved:
        console().print(texts(f"what_if.{title}_none"))
        return
    table = TextTable(title=texts(f"what_if.{title}"), show_edge=False, pad_edge=False, title_justify="left")
    table.add_column(texts("risk.attributes"))
    for name in ("max_risk", "mean_risk"):
        for when in ("before", "after"):
            heading = texts(f"what_if.{when}_of", measure=texts(f"risk.{name}"))
            table.add_column(heading, justify="right")
    for entry in moved[:top]:
        risks = (entry.max_before, entry.max_after, entry.mean_before, entry.mean_after)
        table.add_row(set_members(entry.attributes, texts), *(percent(risk, texts) for risk in risks))
    console().print(table)
    say_more(min(top, len(moved)), len(moved), texts)


def show_moved_rises(moved: Sequence[RiseMoved], top: int, texts: Texts) -> None:
    """Print the sets whose largest rise is another, those that move most first."""
    if not moved:
        console().print(texts("what_if.rises_none"))
        return
    table = TextTable(title=texts("what_if.rises"), show_edge=False, pad_edge=False, title_justify="left")
    table.add_column(texts("risk.attributes"))
    for name in ("before", "after", "difference"):
        table.add_column(texts(f"what_if.{name}"), justify="right", no_wrap=True)
    for pair in moved[:top]:
        sign = "+" if pair.difference > 0 else "-"
        difference = f"{sign}{ratio(abs(pair.difference))}"
        table.add_row(set_members(pair.attributes, texts), ratio(pair.before), ratio(pair.after), difference)
    console().print(table)
    say_more(min(top, len(moved)), len(moved), texts)


def show_entered_and_left(changed: SetsChanged, top: int, texts: Texts) -> None:
    """Print which sets, or choices of levels, are in one answer only."""
    for name, found in (("entered", changed.entered), ("left", changed.left)):
        shown = "; ".join(_one(entry, texts) for entry in found[:top]) + (" ..." if len(found) > top else "")
        console().print(texts(f"what_if.{name}", count=f"{len(found):,}", sets=shown or "-"))
    if not changed.complete:
        console().print(texts("what_if.more"))


def _one(entry: Any, texts: Texts) -> str:
    return level_list(entry) if isinstance(entry, dict) else set_members(entry, texts)


def _before_and_after(texts: Texts, first: str) -> TextTable:
    table = TextTable(show_edge=False, pad_edge=False)
    table.add_column(texts(f"what_if.{first}"))
    for when in ("before", "after"):
        table.add_column(texts(f"what_if.{when}"), justify="right", no_wrap=True)
    return table
