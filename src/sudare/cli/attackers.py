"""`sudare attackers` and `sudare knowledge`: how dangerous background knowledge is for a purchase history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sudare.cli.frame import (
    JsonOption,
    LanguageOption,
    SeedOption,
    console,
    guarded,
    note,
    percent,
    show_json,
    shown_progress,
)
from sudare.cli.history import HistoryOptions, reads_history
from sudare.limits import MOST_COMBINATIONS, SAMPLES

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.risk.attackers import AttackerRisk, AttackersAssessment
    from sudare.risk.customers import CustomerRisks
    from sudare.risk.values import KnowledgeValue

WeightingOption = Annotated[
    Literal["occurrence", "record"],
    typer.Option(
        metavar="occurrence|record",
        help="How likely a value is to be known: by its occurrences, or by the rows that carry it.",
    ),
]
MostCombinationsOption = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Count exactly up to this many combinations, estimate from a sample beyond."),
]
SamplesOption = Annotated[int, typer.Option(min=2, metavar="N", help="Size of such a sample.")]

QUANTILES = (10, 50, 90)


@guarded
@reads_history
def attackers(
    source: HistoryOptions,
    weighting: WeightingOption = "occurrence",
    knowledge: Annotated[
        list[str] | None,
        typer.Option(metavar="KNOWLEDGE", help="Further knowledge, such as 'day + item*2' (repeatable)."),
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="OUT", help="Write an HTML report to this file.")] = None,
    customers: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT", help="Write each customer's probability to be identified to this .csv or .parquet file."
        ),
    ] = None,
    seed: SeedOption = 0,
    most_combinations: MostCombinationsOption = MOST_COMBINATIONS,
    samples: SamplesOption = SAMPLES,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure how well ten attackers recognize the customers of a purchase history.

    Each attacker knows something else about a customer's visit: the day, how many rows it has, one item or all items.
    Shown is how often each picks the right customer, measured on the data and by theory.
    """
    from sudare.messages import Texts
    from sudare.risk.attackers import assess_attackers
    from sudare.risk.knowledge import parse_knowledge

    texts = Texts(lang)
    known = [parse_knowledge(text) for text in knowledge or []]
    _check_outputs(report, customers)
    with shown_progress() as progress, source.read(progress) as history:
        found = assess_attackers(
            history,
            weighting=weighting,
            knowledge=known,
            seed=seed,
            most_combinations=most_combinations,
            samples=samples,
            progress=progress,
        )
        if customers:
            from sudare.risk.customers import write_customer_risks

            write_customer_risks(history, customers, knowledge=known, weighting=weighting, progress=progress)
        if report:
            from sudare.report.history import write_history_report

            write_history_report(report, history, found, language=lang, progress=progress)
        reading = history.reading
    if json:
        show_json({**found.to_dict(), "reading": reading.to_dict()})
    else:
        show_attackers(found, reading.source, texts)
    for path in (customers, report):
        if path:
            note(f"Wrote {path}")


def _check_outputs(report: Path | None, customers: Path | None) -> None:
    """Find out before the work whether its results can be written."""
    from sudare.data.writing import check_writable
    from sudare.risk.values import check_table_ending

    if report:
        check_writable(report)
    if customers:
        check_table_ending(customers)
        check_writable(customers)


def show_attackers(found: AttackersAssessment, source: str, texts: Texts) -> None:
    """Print the table of the ten attackers and further knowledge, with what its columns mean."""
    from rich.markup import escape
    from rich.table import Table

    out = console()
    out.print(f"[bold]{escape(texts('attackers.title', source=source))}[/bold]")
    out.print(
        texts(
            "attackers.read",
            records=f"{found.records:,}",
            customers=f"{found.customers:,}",
            weighting=found.weighting,
        )
    )
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(texts("attackers.attacker"), no_wrap=True)
    table.add_column(texts("attackers.knows"))
    for name in ("measured", "unique", "theory", "rank", "rank_theory"):
        table.add_column(texts(f"attackers.{name}"), justify="right", no_wrap=name != "rank_theory")
    for risk in (*found.attackers, *found.knowledge):
        table.add_row(*_row(risk, texts))
    out.print(table)
    for remark in _remarks(found, texts):
        out.print(remark)


def _row(risk: AttackerRisk, texts: Texts) -> list[str]:
    from sudare.report.wording import knowledge_sentence

    return [
        str(risk.attacker) if risk.attacker is not None else str(risk.knowledge),
        knowledge_sentence(risk.knowledge, texts),
        _measured(risk, texts),
        percent(risk.unique_share),
        f"{risk.theory:,.4f}" if risk.theory < 1e6 else f"{risk.theory:.3g}",
        str(risk.rank_measured or ""),
        str(risk.rank_theory or ""),
    ]


def _measured(risk: AttackerRisk, texts: Texts) -> str:
    if risk.interval is None:
        return percent(risk.measured)
    low, high = (percent(end) for end in risk.interval)
    return texts("attackers.sampled", value=percent(risk.measured), low=low, high=high)


def _remarks(found: AttackersAssessment, texts: Texts) -> list[str]:
    remarks = [texts("attackers.meaning")]
    risks = (*found.attackers, *found.knowledge)
    if any(risk.theory > 1 for risk in risks):
        remarks.append(texts("attackers.theory_remark"))
    sampled = next((risk for risk in risks if risk.sample), None)
    if sampled:
        remarks.append(texts("attackers.sample_remark", sample=f"{sampled.sample:,}", seed=found.seed))
    if found.customers == 1:
        remarks.append(texts("attackers.one_customer"))
    return remarks


@guarded
@reads_history
def knowledge(
    source: HistoryOptions,
    known: Annotated[
        str,
        typer.Argument(metavar="KNOWLEDGE", help="What is known: 'day + item*2', or the number of an attacker."),
    ],
    values: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Write all values of the knowledge to this .csv or .parquet file."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many values and customers to show.")] = 10,
    weighting: WeightingOption = "occurrence",
    seed: SeedOption = 0,
    most_combinations: MostCombinationsOption = MOST_COMBINATIONS,
    samples: SamplesOption = SAMPLES,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Look into one kind of background knowledge: its risk, its most identifying values, the customers at most risk.

    Parts of a visit: day, weekday, month, count, items. Parts of its rows: item, price, quantity, time, hour. Of the
    customer: days. 'item*2' is two items of one visit, '(day + item)*2' two visits.
    """
    from sudare.data.writing import check_writable
    from sudare.messages import Texts
    from sudare.risk.attackers import assess_knowledge
    from sudare.risk.customers import customer_risks
    from sudare.risk.knowledge import parse_knowledge
    from sudare.risk.values import check_table_ending, most_identifying, write_values

    texts, parsed = Texts(lang), parse_knowledge(known)
    if values:
        check_table_ending(values)
        check_writable(values)
    with shown_progress() as progress, source.read(progress) as history:
        risk = assess_knowledge(
            history,
            parsed,
            weighting=weighting,
            seed=seed,
            most_combinations=most_combinations,
            samples=samples,
            progress=progress,
        )
        listed, people = [], None
        if risk.sample is None:
            progress("values and customers", 0, 1)
            listed = most_identifying(history, parsed, weighting=weighting, most=top)
            people = customer_risks(history, parsed, weighting=weighting, most=top)
        if values:
            write_values(history, parsed, values, weighting=weighting)
    if json:
        show_json(
            {
                **risk.to_dict(),
                "weighting": weighting,
                "most_identifying": [value.to_dict() for value in listed],
                "customers": people.to_dict() if people else None,
            }
        )
    else:
        _show_knowledge(risk, listed, people, texts)
    if values:
        note(f"Wrote {values}")


def _show_knowledge(
    risk: AttackerRisk, listed: list[KnowledgeValue], people: CustomerRisks | None, texts: Texts
) -> None:
    from sudare.report.wording import knowledge_sentence

    out = console()
    out.print(f"[bold]{risk.knowledge}[/bold]  {knowledge_sentence(risk.knowledge, texts)}")
    out.print(texts("knowledge.summary", measured=_measured(risk, texts), unique=percent(risk.unique_share)))
    theory = f"{risk.theory:,.4f}" if risk.theory < 1e6 else f"{risk.theory:.3g}"
    values = f"{risk.values:,}" if risk.values is not None else "?"
    out.print(texts("knowledge.values", values=values, possible=f"{risk.possible:,}", theory=theory))
    if people is None:
        out.print(texts("knowledge.sampled"))
        return
    _show_values(listed, texts)
    _show_customers(people, texts)


def _show_values(listed: list[KnowledgeValue], texts: Texts) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=texts("knowledge.most_identifying"), show_edge=False, pad_edge=False, title_justify="left")
    for name in listed[0].value if listed else ():
        table.add_column(name, overflow="ellipsis", no_wrap=True, max_width=50)
    for name in ("occurrences", "probability", "customers", "identification", "risk"):
        table.add_column(texts(f"knowledge.{name}"), justify="right", no_wrap=True)
    for value in listed:
        cells = [escape(str(cell)) for cell in value.value.values()]
        table.add_row(
            *cells,
            f"{value.occurrences:,}",
            percent(value.probability),
            f"{value.customers:,}",
            percent(value.identification),
            percent(value.risk),
        )
    console().print(table)


def _show_customers(people: CustomerRisks, texts: Texts) -> None:
    from rich.markup import escape

    out = console()
    counts = {"unique": f"{people.unique:,}", "customers": f"{people.customers:,}"}
    out.print(texts("knowledge.customers_unique", share=percent(people.unique_rate), **counts))
    if people.untouched:
        out.print(texts("knowledge.untouched", untouched=f"{people.untouched:,}"))
    if people.quantiles:
        shown = [f"{share} %: {percent(people.quantiles[share])}" for share in QUANTILES]
        out.print(texts("knowledge.quantiles", quantiles=", ".join(shown)))
    highest = ", ".join(f"{escape(risk.customer)} ({percent(risk.probability)})" for risk in people.highest)
    out.print(texts("knowledge.highest", customers=highest))
