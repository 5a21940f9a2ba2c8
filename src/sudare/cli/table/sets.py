"""Commands that find attribute sets: disclosable, dangerous together, or affordable."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.files import READ, TABLE
from sudare.cli.frame import (
    JsonOption,
    SeedOption,
    guarded,
    note_secret,
    note_written,
    show_json,
    shown_progress,
    spoken,
)
from sudare.cli.options import share_of, taking
from sudare.cli.table.options import (
    COSTS,
    BudgetOption,
    CostsOption,
    EveryOption,
    KnownOption,
    KOption,
    LimitOption,
    SecondsOption,
    SetsOption,
    SortOption,
    TopOption,
    needed_limit,
)
from sudare.cli.table.source import names
from sudare.cli.table.what_if import WhatIfOptions
from sudare.interruption import is_settled
from sudare.limits import SEARCH_SECONDS

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.change import Change
    from sudare.tables.sets.dangerous import DangerousChange, DangerousSets


@guarded
@taking(WhatIfOptions)
def disclosable(
    source: WhatIfOptions,
    limit: LimitOption = None,
    k: KOption = None,
    known: KnownOption = None,
    quantile: Annotated[float | None, typer.Option(metavar="SHARE", parser=share_of)] = None,
    every: EveryOption = False,
    seconds: SecondsOption = SEARCH_SECONDS,
    costs: CostsOption = None,
    budget: BudgetOption = None,
    sort: SortOption = "risk",
    top: TopOption = 20,
    json: JsonOption = False,
) -> None:
    """Find the sets of attributes that can be disclosed."""
    from sudare.tables.sets.costs import read_costs
    from sudare.tables.sets.disclosable import disclosable_sets
    from sudare.tables.sets.what_if import changed_disclosable, moved_risks, stayed_disclosable

    texts, prices = spoken(), read_costs(costs) if costs else None
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        ask = partial(
            disclosable_sets,
            limit=needed_limit(limit, k),
            known=names(known) or (),
            quantile=quantile,
            every=every,
            seconds=seconds,
            costs=prices,
            budget=budget,
            by_cost=sort == "cost",
            progress=progress,
        )
        found = ask(table)
        after = ask(change.table) if change and not found.interrupted else None
        moved = moved_risks(table, change.table, stayed_disclosable(found, after)) if change and after else []
    changed = changed_disclosable(found, after) if after else None
    if json:
        moves = [pair.to_dict() for pair in moved]
        told = (
            change.told(after=after.to_dict(), **changed.to_dict(), moved=moves) if change and after and changed else {}
        )
        show_json("disclosable", {**found.to_dict(), **told})
    else:
        from sudare.report.table.sets_text import show_disclosable
        from sudare.report.table.what_if_text import show_change, show_entered_and_left, show_stayed

        show_disclosable(found, top, texts)
        if change and after and changed:
            show_change(change, texts)
            show_disclosable(after, top, texts)
            show_entered_and_left(changed, top, texts)
            show_stayed(moved, top, texts)


@guarded
@taking(WhatIfOptions)
def dangerous(
    source: WhatIfOptions,
    size: Annotated[int, typer.Option(metavar="N")] = 2,
    factor: Annotated[float, typer.Option(metavar="FACTOR")] = 10,
    record_risks: Annotated[Path | None, TABLE, typer.Option(metavar="OUT")] = None,
    costs: CostsOption = None,
    budget: BudgetOption = None,
    sort: SortOption = "risk",
    sets: SetsOption = None,
    seed: SeedOption = 0,
    seconds: SecondsOption = SEARCH_SECONDS,
    top: TopOption = 20,
    json: JsonOption = False,
) -> None:
    """Find sets of attributes that are dangerous together."""
    from sudare.tables.sets.costs import read_costs
    from sudare.tables.sets.dangerous import compare_dangerous, dangerous_sets
    from sudare.tables.sets.dangerous_records import write_dangerous_records, write_moved_rises

    texts, prices = spoken(), read_costs(costs) if costs else None
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        asked = {"size": size, "factor": factor, "samples": sets, "seed": seed, "seconds": seconds}
        ask: dict[str, Any] = {
            **asked,
            "costs": prices,
            "budget": budget,
            "by_cost": sort == "cost",
            "threads": source.threads,
        }
        # What enters and leaves is known only if all sets are compared.
        compared = compare_dangerous(change.derived, progress=progress, **ask) if change else None
        found = compared.before if compared else dangerous_sets(table, progress=progress, **ask)
        if record_risks:
            shown = [
                entry.attributes for entry in (*found.sets[:top], *(compared.after.sets[:top] if compared else ()))
            ]
            if change:
                write_moved_rises(change.derived, list(dict.fromkeys(shown)), factor, record_risks)
            else:
                write_dangerous_records(table, shown, factor, record_risks)
    _show_dangerous(found, compared, change, top, texts, json=json)
    if record_risks:
        note_written(record_risks)
        note_secret(record_risks)


def _show_dangerous(
    found: DangerousSets,
    compared: DangerousChange | None,
    change: Change | None,
    top: int,
    texts: Texts,
    *,
    json: bool,
) -> None:
    from sudare.tables.sets.what_if import changed_sets

    then = compared.after.sets if compared else ()
    changed = changed_sets([s.attributes for s in found.sets], [s.attributes for s in then])
    if json:
        told = {}
        if change and compared:
            moved = [pair.to_dict() for pair in compared.moved]
            told = change.told(after=compared.after.to_dict(), **changed.to_dict(), moved=moved)
        show_json("dangerous", {**found.to_dict(), **told})
        return
    from sudare.report.table.sets_text import show_dangerous
    from sudare.report.table.what_if_text import show_change, show_entered_and_left, show_moved_rises

    show_dangerous(found, top, texts)
    if change and compared:
        show_change(change, texts)
        show_dangerous(compared.after, top, texts)
        show_entered_and_left(changed, top, texts)
        show_moved_rises(compared.moved, top, texts)


@guarded
@taking(WhatIfOptions)
def affordable(
    source: WhatIfOptions,
    costs: Annotated[Path, READ, COSTS],
    budget: Annotated[str, typer.Option(metavar="R")],
    known: KnownOption = None,
    every: EveryOption = False,
    sort: SortOption = "risk",
    sets: SetsOption = None,
    seed: SeedOption = 0,
    seconds: SecondsOption = SEARCH_SECONDS,
    top: TopOption = 20,
    json: JsonOption = False,
) -> None:
    """Find what an attacker can come to know within a budget."""
    from sudare.tables.sets.affordable import affordable_sets
    from sudare.tables.sets.costs import read_costs
    from sudare.tables.sets.what_if import moved_sets

    texts, prices = spoken(), read_costs(costs)
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        ask = partial(
            affordable_sets,
            costs=prices,
            budget=budget,
            known=names(known) or (),
            every=every,
            by_cost=sort == "cost",
            samples=sets,
            seed=seed,
            seconds=seconds,
            progress=progress,
        )
        found = ask(table)
        after = ask(change.table) if change and not is_settled() else None
    moved = moved_sets(found.sets or found.maximal, after.sets or after.maximal) if after else []
    if json:
        told = change.told(after=after.to_dict(), moved=[pair.to_dict() for pair in moved]) if change and after else {}
        show_json("affordable", {**found.to_dict(), **told})
    else:
        from sudare.report.table.sets_text import show_affordable
        from sudare.report.table.what_if_text import show_moved_sets

        show_affordable(found, top, texts)
        if change and after:
            show_moved_sets(change, moved, top, texts)
