"""`sudare risk`: how well the records of a table can be singled out by what is known of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.frame import JsonOption, LanguageOption, SeedOption, guarded, note, pairs, show_json, shown_progress
from sudare.cli.options import taking
from sudare.cli.table import TableOptions, names
from sudare.limits import SEARCH_SECONDS

app = typer.Typer(help="Measure how well records of a table can be singled out.", no_args_is_help=True)

KnownOption = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="Attributes the attacker knows. All if not given.")
]
AlreadyKnownOption = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="Attributes the attacker knows already. None if not given.")
]
TopOption = Annotated[int, typer.Option(min=1, metavar="N", help="How many sets to show.")]
BoundOption = Annotated[
    float | None, typer.Option(metavar="RISK", help="Show the share of records with a risk above this, such as 0.2.")
]


@app.command("record")
@guarded
@taking(TableOptions)
def record(
    source: TableOptions,
    known: KnownOption = None,
    bound: BoundOption = None,
    sensitive: Annotated[
        str | None, typer.Option(metavar="A", help="A sensitive attribute: show how much classes give away about it.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write every record's risk to this .csv or .parquet file.")
    ] = None,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure the risk of records for given knowledge.

    The risk of a record is one divided by the number of records that are like it on the known attributes. Also shown
    is what is left of the risk without each of them.
    """
    from sudare.data.writing import check_table_ending, check_writable
    from sudare.messages import Texts
    from sudare.risk.contributions import attribute_contributions
    from sudare.risk.diversity import sensitive_diversity
    from sudare.risk.records import assess_records, write_record_risks
    from sudare.risk.subsets import class_size_within

    texts = Texts(lang)
    if bound is not None:
        class_size_within(bound)
    if records:
        check_table_ending(records)
        check_writable(records)
    with shown_progress() as progress, source.read(progress) as table:
        known_names = names(known)
        if known_names is None and sensitive:
            known_names = [name for name in table.attributes if name != sensitive]
        found = assess_records(table, known_names)
        without = attribute_contributions(table, known_names)
        diverse = sensitive_diversity(table, sensitive, known_names) if sensitive else None
        if records:
            write_record_risks(table, known_names, records)
    share = None if bound is None else found.share_above(bound)
    if json:
        left = [entry.to_dict() for entry in without]
        diversity = diverse.to_dict() if diverse else None
        show_json({**found.to_dict(), "bound": bound, "share_above": share, "without": left, "diversity": diversity})
    else:
        from sudare.cli.risk_text import show_diversity, show_records

        show_records(found, without, bound, texts)
        if diverse:
            show_diversity(diverse, texts)
    if records:
        note(f"Wrote {records}")


@app.command("subsets")
@guarded
@taking(TableOptions)
def subsets(
    source: TableOptions,
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
        Path | None, typer.Option("--out", "-o", metavar="OUT", help="Write all sets to this .csv or .parquet file.")
    ] = None,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure the risk of every set of attributes."""
    from sudare.data.writing import check_table_ending, check_writable
    from sudare.messages import Texts
    from sudare.risk.subsets import assess_subsets, write_subsets

    texts = Texts(lang)
    if out:
        check_table_ending(out)
        check_writable(out)
    with shown_progress() as progress, source.read(progress) as table:
        found = assess_subsets(table, max_size=max_size, bound=bound, threads=source.threads, progress=progress)
        shown = found.ranked(sort, top)
        if out:
            write_subsets(table, found, out)
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.risk_text import show_subsets

        show_subsets(found, shown, texts)
    if out:
        note(f"Wrote {out}")


@app.command("sample")
@guarded
@taking(TableOptions)
def sample(
    source: TableOptions,
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
    from sudare.messages import Texts
    from sudare.risk.subset_sample import sample_subsets

    texts = Texts(lang)
    with shown_progress() as progress, source.read(progress) as table:
        found = sample_subsets(
            table,
            samples=samples,
            seed=seed,
            by=by,  # type: ignore[arg-type]
            known=names(known) or (),
            bound=bound,
            threads=source.threads,
            progress=progress,
        )
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.risk_text import show_sample

        show_sample(found, texts)


@app.command("disclosable")
@guarded
@taking(TableOptions)
def disclosable(
    source: TableOptions,
    limit: Annotated[float, typer.Option(metavar="RISK", help="Highest risk allowed, such as 0.1 for one in ten.")],
    known: AlreadyKnownOption = None,
    quantile: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Share of the records that must be within the limit. All if not given."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also give all sets, not only the maximal ones.")] = False,
    seconds: Annotated[
        float, typer.Option(metavar="N", help="Stop a long search after this time, with what was found.")
    ] = SEARCH_SECONDS,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find the sets of attributes that can be disclosed.

    A set can be disclosed if no record has a risk above the limit when all its attributes are known. Shown are the
    sets to which no attribute can be added.
    """
    from sudare.messages import Texts
    from sudare.risk.disclosable import disclosable_sets

    texts = Texts(lang)
    with shown_progress() as progress, source.read(progress) as table:
        found = disclosable_sets(
            table,
            limit=limit,
            known=names(known) or (),
            quantile=quantile,
            every=every,
            seconds=seconds,
            progress=progress,
        )
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.risk_text import show_disclosable

        show_disclosable(found, top, texts)


@app.command("dangerous")
@guarded
@taking(TableOptions)
def dangerous(
    source: TableOptions,
    size: Annotated[int, typer.Option(metavar="N", help="Number of attributes in a set, from 2.")] = 2,
    factor: Annotated[
        float, typer.Option(metavar="FACTOR", help="Show sets that raise a risk by more than this.")
    ] = 10,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find sets of attributes that are dangerous together.

    Such a set raises the risk of some record by more than the factor, compared with the least of the risks that its
    attributes bring alone.
    """
    from sudare.messages import Texts
    from sudare.risk.dangerous import dangerous_sets

    texts = Texts(lang)
    with shown_progress() as progress, source.read(progress) as table:
        found = dangerous_sets(table, size=size, factor=factor, threads=source.threads, progress=progress)
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.risk_text import show_dangerous

        show_dangerous(found, top, texts)


@app.command("affordable")
@guarded
@taking(TableOptions)
def affordable(
    source: TableOptions,
    costs: Annotated[
        Path, typer.Option(metavar="COSTS", help="A CSV file with attribute and cost (a+b for a bundle), or TOML.")
    ],
    budget: Annotated[str, typer.Option(metavar="R", help="What the attacker can spend.")],
    known: AlreadyKnownOption = None,
    every: Annotated[bool, typer.Option("--all", help="Also give all sets, not only the maximal ones.")] = False,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find what an attacker can come to know within a budget.

    Attributes have costs, alone or in bundles. Shown are the sets to which nothing can be added within the budget,
    with their risks.
    """
    from sudare.messages import Texts
    from sudare.risk.affordable import affordable_sets
    from sudare.risk.costs import read_costs

    texts, prices = Texts(lang), read_costs(costs)
    with shown_progress() as progress, source.read(progress) as table:
        found = affordable_sets(table, prices, budget=budget, known=names(known) or (), every=every, progress=progress)
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.risk_text import show_affordable

        show_affordable(found, top, texts)


@app.command("levels")
@guarded
@taking(TableOptions)
def levels(
    source: TableOptions,
    limit: Annotated[float, typer.Option(metavar="RISK", help="Highest risk allowed, such as 0.2 for one in five.")],
    hierarchies: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of hierarchy files, each named after its attribute.")
    ] = None,
    hierarchy: Annotated[
        list[str] | None, typer.Option(metavar="A=FILE", help="Hierarchy file of one attribute (repeatable).")
    ] = None,
    known: KnownOption = None,
    suppress: Annotated[float, typer.Option(metavar="SHARE", help="Share of the records that may be left out.")] = 0.0,
    loss: Annotated[
        str, typer.Option(metavar="entropy|discernibility|precision", help="What is kept as small as possible.")
    ] = "entropy",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="OUT", help="Write the generalized table to this .csv or .parquet file."),
    ] = None,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find the generalization levels that keep most.

    Every attribute has levels, from its values as they are to one value for all. Found are all minimal choices of
    levels at which no record has a risk above the limit, and the best of all choices.
    """
    from sudare.anonymize.levels import find_levels, write_levels
    from sudare.data.hierarchy import find_hierarchies, read_hierarchy
    from sudare.data.writing import check_table_ending, check_writable
    from sudare.messages import Texts

    texts = Texts(lang)
    if out:
        check_table_ending(out)
        check_writable(out)
    given = {attribute: Path(files[-1]) for attribute, files in pairs(hierarchy, "--hierarchy", "age=age.csv").items()}
    with shown_progress() as progress, source.read(progress) as table:
        table.positions(list(given))
        files = {**(find_hierarchies(hierarchies, table.attributes) if hierarchies else {}), **given}
        read = {attribute: read_hierarchy(file, attribute) for attribute, file in files.items()}
        found = find_levels(
            table, read, known=names(known), limit=limit, suppress=suppress, loss=loss, progress=progress
        )
        if out:
            write_levels(table, read, found, out)
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.risk_text import show_levels

        show_levels(found, top, texts)
    if out:
        note(f"Wrote {out}")
