"""Commands that look for sets of attributes: which can be disclosed, are dangerous together, or can be afforded."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.files import READ, TABLE
from sudare.cli.frame import (
    JsonOption,
    LanguageOption,
    SeedOption,
    guarded,
    note,
    note_secret,
    show_json,
    shown_progress,
)
from sudare.cli.options import taking
from sudare.cli.table.options import (
    COSTS,
    AlreadyKnownOption,
    BudgetOption,
    ByCostOption,
    CostsOption,
    EveryOption,
    SamplesOption,
    SecondsOption,
    TopOption,
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
    limit: Annotated[float, typer.Option(metavar="RISK", help="Highest risk allowed, such as 0.1 for one in ten.")],
    known: AlreadyKnownOption = None,
    quantile: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Share of the records that must be within the limit. All if not given."),
    ] = None,
    every: EveryOption = False,
    seconds: SecondsOption = SEARCH_SECONDS,
    costs: CostsOption = None,
    budget: BudgetOption = None,
    by_cost: ByCostOption = False,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find the sets of attributes that can be disclosed.

    A set can be disclosed if no record has a risk above the limit when all its attributes are known. Shown are the
    sets to which no attribute can be added. With --costs, each has what an attacker pays for what is not known already.
    """
    from sudare.messages import Texts
    from sudare.tables.sets.costs import read_costs
    from sudare.tables.sets.disclosable import disclosable_sets
    from sudare.tables.sets.what_if import changed_disclosable, moved_risks, stayed_disclosable

    texts, prices = Texts(lang), read_costs(costs) if costs else None
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        ask = partial(
            disclosable_sets,
            limit=limit,
            known=names(known) or (),
            quantile=quantile,
            every=every,
            seconds=seconds,
            costs=prices,
            budget=budget,
            by_cost=by_cost,
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
    size: Annotated[int, typer.Option(metavar="N", help="Number of attributes in a set, from 2.")] = 2,
    factor: Annotated[
        float, typer.Option(metavar="FACTOR", help="Show sets that raise a risk by more than this.")
    ] = 10,
    records: Annotated[
        Path | None,
        TABLE,
        typer.Option(
            metavar="OUT", help="Write the records that the sets shown endanger, with their risks, to this file."
        ),
    ] = None,
    costs: CostsOption = None,
    budget: BudgetOption = None,
    by_cost: ByCostOption = False,
    samples: SamplesOption = None,
    seed: SeedOption = 0,
    seconds: SecondsOption = SEARCH_SECONDS,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find sets of attributes that are dangerous together.

    Such a set raises the risk of some record by more than the factor, compared with the least of the risks that its
    attributes bring alone. Of more than 20 million sets, some are drawn, and tell how many there are with 95 %
    confidence.
    """
    from sudare.messages import Texts
    from sudare.tables.sets.costs import read_costs
    from sudare.tables.sets.dangerous import compare_dangerous, dangerous_sets
    from sudare.tables.sets.dangerous_records import write_dangerous_records, write_moved_rises

    texts, prices = Texts(lang), read_costs(costs) if costs else None
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        asked = {"size": size, "factor": factor, "samples": samples, "seed": seed, "seconds": seconds}
        ask: dict[str, Any] = {
            **asked,
            "costs": prices,
            "budget": budget,
            "by_cost": by_cost,
            "threads": source.threads,
        }
        # What enters and leaves is known only if all sets are compared.
        compared = compare_dangerous(change.derived, progress=progress, **ask) if change else None
        found = compared.before if compared else dangerous_sets(table, progress=progress, **ask)
        if records:
            shown = [
                entry.attributes for entry in (*found.sets[:top], *(compared.after.sets[:top] if compared else ()))
            ]
            if change:
                write_moved_rises(change.derived, list(dict.fromkeys(shown)), factor, records)
            else:
                write_dangerous_records(table, shown, factor, records)
    _show_dangerous(found, compared, change, top, texts, json=json)
    if records:
        note(f"Wrote {records}")
        note_secret(records, texts)


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
    budget: Annotated[str, typer.Option(metavar="R", help="What the attacker can spend.")],
    known: AlreadyKnownOption = None,
    every: EveryOption = False,
    by_cost: ByCostOption = False,
    samples: SamplesOption = None,
    seed: SeedOption = 0,
    seconds: SecondsOption = SEARCH_SECONDS,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find what an attacker can come to know within a budget.

    Attributes have costs, alone or in bundles. Shown are the sets to which nothing can be added within the budget,
    with their risks, the riskiest first. Where they are too many to measure, some are drawn, and tell the mean risks of
    all with 95 % confidence.
    """
    from sudare.messages import Texts
    from sudare.tables.sets.affordable import affordable_sets
    from sudare.tables.sets.costs import read_costs
    from sudare.tables.sets.what_if import moved_sets

    texts, prices = Texts(lang), read_costs(costs)
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        ask = partial(
            affordable_sets,
            costs=prices,
            budget=budget,
            known=names(known) or (),
            every=every,
            by_cost=by_cost,
            samples=samples,
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
