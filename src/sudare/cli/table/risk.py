"""`sudare risk`: how well the records of a table can be singled out by what is known of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import TABLE
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
from sudare.cli.table.options import AlreadyKnownOption, ByCostOption, CostsOption, KnownOption, TopOption
from sudare.cli.table.source import names
from sudare.cli.table.what_if import WhatIfOptions
from sudare.limits import SAMPLES

BoundOption = Annotated[
    float | None, typer.Option(metavar="RISK", help="Show the share of records with a risk above this, such as 0.2.")
]


@guarded
@taking(WhatIfOptions)
def record(
    source: WhatIfOptions,
    known: KnownOption = None,
    bound: BoundOption = None,
    sensitive: Annotated[
        str | None, typer.Option(metavar="A", help="A sensitive attribute: show how much classes give away about it.")
    ] = None,
    records: Annotated[
        Path | None,
        TABLE,
        typer.Option(
            metavar="OUT",
            help="Write every record's risk, with --added or --levels both risks, to this .csv or .parquet file.",
        ),
    ] = None,
    costs: CostsOption = None,
    budget: Annotated[
        str | None, typer.Option(metavar="R", help="What the attacker can spend: say whether it is enough.")
    ] = None,
    by_cost: ByCostOption = False,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure the risk of records for given knowledge.

    The risk of a record is one divided by the number of records that are like it on the known attributes. Also shown
    is what is left of the risk without each of them and, with --costs, what an attacker pays for it.
    """
    from sudare.messages import Texts
    from sudare.tables.classes.contributions import attribute_contributions
    from sudare.tables.classes.diversity import sensitive_diversity
    from sudare.tables.classes.records import assess_records, write_moved_records, write_record_risks
    from sudare.tables.sets.costs import read_costs
    from sudare.tables.sets.subsets import class_size_within
    from sudare.tables.sets.what_if import moved_records

    texts, prices = Texts(lang), read_costs(costs) if costs else None
    if bound is not None:
        class_size_within(bound)
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        chosen = names(known)
        if chosen is None and sensitive:
            chosen = [name for name in table.attributes if name != sensitive]
        found = assess_records(table, chosen, costs=prices, budget=budget)
        without = attribute_contributions(table, chosen, costs=prices, by_cost=by_cost)
        diverse = sensitive_diversity(table, sensitive, chosen) if sensitive else None
        after = assess_records(change.table, chosen) if change else None
        moved = moved_records(change.derived, chosen) if change else None
        if records:
            if change:
                write_moved_records(change.derived, chosen, records)
            else:
                write_record_risks(table, chosen, records)
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
    if records:
        note(f"Wrote {records}")
        note_secret(records, texts)


@guarded
@taking(WhatIfOptions)
def subsets(
    source: WhatIfOptions,
    max_size: Annotated[
        int | None, typer.Option(metavar="N", help="Most attributes a set may have. All of them if not given.")
    ] = None,
    bound: BoundOption = None,
    sort: Annotated[
        str,
        typer.Option(metavar="MEASURE", help="Order: mean_risk, max_risk, uniques, classes, share_above or size."),
    ] = "mean_risk",
    top: TopOption = 20,
    out: Annotated[
        Path | None,
        TABLE,
        typer.Option("--out", "-o", metavar="OUT", help="Write all sets to this .csv or .parquet file."),
    ] = None,
    class_sizes: Annotated[
        Path | None,
        TABLE,
        typer.Option(metavar="OUT", help="Write how many classes of each size all sets make to this file."),
    ] = None,
    walk: Annotated[
        str | None,
        typer.Option(
            metavar="memory|engine|sample",
            help="How to go through the sets: in memory, on the engine, or by a sample of the records. By size if not "
            "given.",
        ),
    ] = None,
    samples: Annotated[int, typer.Option(metavar="N", help="Records that a sample draws.")] = SAMPLES,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure the risk of every set of attributes.

    If the table has too many distinct rows for memory, the engine counts, which is exact; if that would take too long,
    a sample of the records tells the risk, with the intervals that hold the true numbers with 95 % confidence.
    """
    from functools import partial

    from sudare.messages import Texts
    from sudare.tables.sets.subset_files import write_subset_sizes, write_subsets
    from sudare.tables.sets.subsets import assess_subsets, choose_subsets_walk
    from sudare.tables.sets.what_if import moved_sets

    texts = Texts(lang)
    sizes = class_sizes is not None
    with shown_progress() as progress, source.collapse(progress) as collapsed:
        chosen = choose_subsets_walk(collapsed, max_size=max_size, class_sizes=sizes, walk=walk)  # type: ignore[arg-type]
        table = source.fetch(collapsed, progress) if chosen.how == "memory" else collapsed
        ask = partial(assess_subsets, max_size=max_size, limit=bound, threads=source.threads, progress=progress)
        with source.change(table) as change:
            found = ask(table, class_sizes=sizes, walk=chosen, samples=samples, seed=seed)
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
        note(f"Wrote {path}")


@guarded
@taking(WhatIfOptions)
def sample(
    source: WhatIfOptions,
    known: AlreadyKnownOption = None,
    samples: Annotated[int, typer.Option(metavar="N", help="Number of sets to draw.")] = 2000,
    by: Annotated[
        str, typer.Option(metavar="size|uniform", help="Draw as many sets of each size, or from all sets alike.")
    ] = "size",
    bound: Annotated[float, typer.Option(metavar="RISK", help="Show the share of records above this risk.")] = 0.2,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Estimate the risk of sets of many attributes.

    Where there are too many sets to go through, random ones tell the risk by their size, with the interval that holds
    the true mean with 95 % confidence.
    """
    from functools import partial

    from sudare.messages import Texts
    from sudare.tables.sets.sample import sample_subsets

    texts = Texts(lang)
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        ask = partial(
            sample_subsets,
            samples=samples,
            seed=seed,
            by=by,  # type: ignore[arg-type]
            known=names(known) or (),
            limit=bound,
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
