"""`sudare table risk | subsets | sample`: how well known attributes single out the records of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sudare.cli.files import TABLE
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
from sudare.cli.options import FailAboveOption, fail_if_above, taking
from sudare.cli.table.options import CostsOption, KnownOption, KOption, LimitOption, SortOption, TopOption, limit_of
from sudare.cli.table.source import names
from sudare.cli.table.what_if import WhatIfOptions
from sudare.limits import SAMPLES

# The risk above which records are counted if nothing is said.
DEFAULT_LIMIT = 0.2


@guarded
@taking(WhatIfOptions)
def risk(
    source: WhatIfOptions,
    known: KnownOption = None,
    limit: LimitOption = None,
    k: KOption = None,
    fail_above: FailAboveOption = None,
    sensitive: Annotated[str | None, typer.Option(metavar="A")] = None,
    record_risks: Annotated[Path | None, TABLE, typer.Option(metavar="OUT")] = None,
    costs: CostsOption = None,
    budget: Annotated[str | None, typer.Option(metavar="R")] = None,
    sort: SortOption = "risk",
    json: JsonOption = False,
) -> None:
    """Measure the risk of records for given knowledge."""
    from sudare.tables.classes.contributions import attribute_contributions
    from sudare.tables.classes.diversity import sensitive_diversity
    from sudare.tables.classes.records import assess_records, write_moved_records, write_record_risks
    from sudare.tables.sets.costs import read_costs
    from sudare.tables.sets.subsets import class_size_within
    from sudare.tables.sets.what_if import moved_records

    texts, prices = spoken(), read_costs(costs) if costs else None
    bound = limit_of(limit, k)
    if bound is not None:
        class_size_within(bound)
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        chosen = names(known)
        if chosen is None and sensitive:
            chosen = [name for name in table.attributes if name != sensitive]
        found = assess_records(table, chosen, costs=prices, budget=budget)
        without = attribute_contributions(table, chosen, costs=prices, by_cost=sort == "cost")
        diverse = sensitive_diversity(table, sensitive, chosen) if sensitive else None
        after = assess_records(change.table, chosen) if change else None
        moved = moved_records(change.derived, chosen) if change else None
        if record_risks:
            if change:
                write_moved_records(change.derived, chosen, record_risks)
            else:
                write_record_risks(table, chosen, record_risks)
    if json:
        share = None if bound is None else found.share_above(bound)
        left = [entry.to_dict() for entry in without]
        diversity = diverse.to_dict() if diverse else None
        beside = {"bound": bound, "share_above": share, "without": left, "diversity": diversity}
        told = change.told(after=after.to_dict(), moved=moved.to_dict()) if change and after and moved else {}
        show_json("table-risk", {**found.to_dict(), **beside, **told})
    else:
        from sudare.report.table.text import show_diversity, show_records
        from sudare.report.table.what_if_text import show_moved_records

        show_records(found, without, bound, texts)
        if diverse:
            show_diversity(diverse, texts)
        if change and after and moved:
            show_moved_records(change, found, after, moved, texts)
    if record_risks:
        note_written(record_risks)
        note_secret(record_risks)
    fail_if_above(found.max_risk, fail_above)


@guarded
@taking(WhatIfOptions)
def subsets(
    source: WhatIfOptions,
    max_size: Annotated[int | None, typer.Option(metavar="N")] = None,
    limit: LimitOption = None,
    k: KOption = None,
    sort: Annotated[
        Literal["mean_risk", "max_risk", "uniques", "classes", "share_above", "size"], typer.Option()
    ] = "mean_risk",
    top: TopOption = 20,
    out: Annotated[Path | None, TABLE, typer.Option("--out", "-o", metavar="OUT")] = None,
    class_sizes: Annotated[Path | None, TABLE, typer.Option(metavar="OUT")] = None,
    walk: Annotated[Literal["memory", "engine", "sample"] | None, typer.Option()] = None,
    sample_records: Annotated[int, typer.Option(metavar="N")] = SAMPLES,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Measure the risk of every set of attributes."""
    from functools import partial

    from sudare.tables.sets.subset_files import write_subset_sizes, write_subsets
    from sudare.tables.sets.subsets import assess_subsets, choose_subsets_walk
    from sudare.tables.sets.what_if import moved_sets

    texts = spoken()
    sizes = class_sizes is not None
    with shown_progress() as progress, source.collapse(progress) as collapsed:
        chosen = choose_subsets_walk(collapsed, max_size=max_size, class_sizes=sizes, walk=walk)
        table = source.fetch(collapsed, progress) if chosen.how == "memory" else collapsed
        ask = partial(
            assess_subsets, max_size=max_size, limit=limit_of(limit, k), threads=source.threads, progress=progress
        )
        with source.change(table) as change:
            found = ask(table, class_sizes=sizes, walk=chosen, samples=sample_records, seed=seed)
            shown = found.ranked(sort, top)
            after = ask(change.table) if change else None
        if out:
            write_subsets(found, out)
        if class_sizes:
            write_subset_sizes(found, class_sizes)
    moved = moved_sets(found.ranked("size"), after.ranked("size")) if after else []
    if json:
        told = change.told(after=after.to_dict(), moved=[pair.to_dict() for pair in moved]) if change and after else {}
        show_json("subsets", {**found.to_dict(), **told})
    else:
        from sudare.report.table.sets_text import show_subsets
        from sudare.report.table.what_if_text import show_moved_sets

        show_subsets(found, shown, texts)
        if change:
            show_moved_sets(change, moved, top, texts)
    for path in filter(None, (out, class_sizes)):
        note_written(path)


@guarded
@taking(WhatIfOptions)
def sample(
    source: WhatIfOptions,
    known: KnownOption = None,
    sets: Annotated[int, typer.Option(metavar="N")] = 2000,
    by: Annotated[Literal["size", "uniform"], typer.Option()] = "size",
    limit: LimitOption = None,
    k: KOption = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Estimate the risk of sets of many attributes."""
    from functools import partial

    from sudare.tables.sets.sample import sample_subsets

    texts = spoken()
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        ask = partial(
            sample_subsets,
            samples=sets,
            seed=seed,
            by=by,
            known=names(known) or (),
            limit=DEFAULT_LIMIT if (given := limit_of(limit, k)) is None else given,
            threads=source.threads,
            progress=progress,
        )
        found = ask(table)
        after = ask(change.table) if change and found.complete else None
    if json:
        told = change.told(after=after.to_dict()) if change and after else {}
        show_json("subset-sample", {**found.to_dict(), **told})
    else:
        from sudare.report.table.sets_text import show_sample
        from sudare.report.table.what_if_text import show_change

        show_sample(found, texts)
        if change and after:
            show_change(change, texts)
            show_sample(after, texts)
