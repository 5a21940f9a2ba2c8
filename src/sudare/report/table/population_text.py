"""How many records of a sample are unique in the population, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.report.terminal import console, percent

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.population.risk import PopulationRisk
    from sudare.tables.population.uniqueness import UniquenessEstimate


def show_population(found: PopulationRisk, texts: Texts) -> None:
    """Print what the models say, and what follows."""
    from sudare.tables.population.risk import FEW_PAIRS

    out = console()
    out.print(population_title(found, texts), style="bold")
    counts = {"records": f"{found.records:,}", "population": f"{found.population:,}"}
    out.print(texts("population.sample", share=percent(found.share, texts), **counts))
    uniques = percent(found.uniques / found.records, texts)
    out.print(texts("population.uniques", uniques=f"{found.uniques:,}", share=uniques, pairs=f"{found.pairs:,}"))
    if found.estimates:
        _show_estimates(found, texts)
    out.print(texts(f"population.reason.{found.reason}"))
    if found.estimate:
        _show_conclusion(found.estimate, found, texts)
    if found.estimates and found.pairs < FEW_PAIRS:
        out.print(texts("population.few_pairs", count=found.pairs))


def population_title(found: PopulationRisk, texts: Texts) -> str:
    """Say what the attacker knows."""
    return texts("population.title", known=", ".join(found.attributes) or texts("risk.nothing"))


def _show_estimates(found: PopulationRisk, texts: Texts) -> None:
    from rich.table import Table as TextTable

    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("model", "unique_probability", "sample_uniques", "population_uniques", "matches"):
        table.add_column(texts(f"population.{name}"), justify="left" if name == "model" else "right", no_wrap=True)
    for entry in found.estimates:
        mark = "*" if entry.model == found.chosen else ""
        table.add_row(texts(f"population.name.{entry.model}") + mark, *_numbers(entry, texts))
    console().print(table)
    for entry in found.estimates:
        if entry.problem:
            name, why = texts(f"population.name.{entry.model}"), texts(f"population.problem.{entry.problem}")
            console().print(texts("population.no_answer", model=name, why=why))


def _numbers(entry: UniquenessEstimate, texts: Texts) -> tuple[str, ...]:
    if entry.unique_probability is None:
        return ("-",) * 4
    counts = (entry.sample_uniques, entry.population_uniques, entry.expected_matches)
    return percent(entry.unique_probability, texts), *(_about(count or 0.0) for count in counts)


def _about(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:,.1f}"


def _show_conclusion(entry: UniquenessEstimate, found: PopulationRisk, texts: Texts) -> None:
    unique, matches, alone = entry.sample_uniques or 0.0, entry.expected_matches or 0.0, entry.population_uniques or 0.0
    numbers = {"unique": _about(unique), "matches": _about(matches), "uniques": f"{found.uniques:,}"}
    shares = {
        "unique_share": percent(unique / found.records, texts),
        "match_share": percent(matches / found.records, texts),
        "population_share": percent(alone / found.population, texts),
    }
    console().print(texts("population.conclusion", **numbers, **shares))
    if found.simulated_match is not None:
        console().print(texts("population.simulated", share=percent(found.simulated_match, texts)))
