"""How results about tables are printed, and drawn in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from sudare.errors import SudareError
from sudare.messages import Texts
from sudare.report.notebook import Cell, rows_cell
from sudare.report.page import MOST_LETTERS, shortened
from sudare.report.table.anonymized.cells import anonymized_cell, frontier_cell, show_frontier
from sudare.report.table.anonymized_text import show_anonymized
from sudare.report.table.answers import listed_names
from sudare.report.table.figures import lattice_figure, levels_figures, records_figure, sample_figure, set_label
from sudare.report.table.findings import levels_before_after
from sudare.report.table.population_text import population_title, show_population
from sudare.report.table.question import Question
from sudare.report.table.set_findings import BAND_ENDS, MOST_SHOWN, lattice_of, shown_disclosable
from sudare.report.table.sets_text import (
    affordable_title,
    dangerous_title,
    disclosable_title,
    sample_title,
    show_affordable,
    show_dangerous,
    show_disclosable,
    show_sample,
    show_subsets,
    subsets_title,
)
from sudare.report.table.text import levels_title, records_title, show_diversity, show_levels, show_summary
from sudare.report.table.what_if_text import show_entered_and_left, show_moved_rises
from sudare.tables.anonymize.frontier import TableFrontier
from sudare.tables.anonymize.levels import LevelsFound
from sudare.tables.anonymize.publication import AnonymizedTable
from sudare.tables.classes.diversity import Diversity
from sudare.tables.classes.records import RecordsAssessment
from sudare.tables.population.risk import PopulationRisk
from sudare.tables.sets.affordable import AffordableSets
from sudare.tables.sets.dangerous import DangerousChange, DangerousSets
from sudare.tables.sets.disclosable import DisclosableSets
from sudare.tables.sets.sample import SubsetSample
from sudare.tables.sets.subsets import SubsetsAssessment
from sudare.tables.sets.what_if import SetsChanged

# Sets up to which all are drawn; beyond, listing them takes longer than a notebook should.
MOST_DRAWN = 4096

TEXTS: Mapping[type, Any] = {
    RecordsAssessment: lambda found, texts: show_summary(found, None, texts),
    Diversity: show_diversity,
    SubsetsAssessment: lambda found, texts: show_subsets(found, found.ranked("mean_risk", MOST_SHOWN), texts),
    SubsetSample: show_sample,
    DisclosableSets: lambda found, texts: show_disclosable(found, MOST_SHOWN, texts),
    DangerousSets: lambda found, texts: show_dangerous(found, MOST_SHOWN, texts),
    DangerousChange: lambda found, texts: show_moved_rises(found.moved, MOST_SHOWN, texts),
    AffordableSets: lambda found, texts: show_affordable(found, MOST_SHOWN, texts),
    LevelsFound: lambda found, texts: show_levels(found, MOST_SHOWN, texts),
    TableFrontier: show_frontier,
    PopulationRisk: show_population,
    AnonymizedTable: show_anonymized,
    SetsChanged: lambda found, texts: show_entered_and_left(found, MOST_SHOWN, texts),
}


def _question(limit: float, known: tuple[str, ...] = (), suppress: float = 0.0) -> Question:
    return Question(known=known, limit=limit, sensitive=None, hierarchies=None, suppress=suppress, seed=0)


def _shared(texts: Texts) -> dict[str, Any]:
    return {
        "set_label": lambda attributes: set_label(attributes, texts, most=MOST_LETTERS),
        "names": lambda attributes: listed_names(list(attributes), texts),
    }


def _records(found: RecordsAssessment, texts: Texts) -> Cell:
    title, figures = records_title(found, texts), (records_figure(found, texts),) if found.records > 1 else ()
    return Cell(title, templates=("notebook/records.html",), values={"found": found}, figures=figures)


def _diversity(found: Diversity, texts: Texts) -> Cell:
    values = {"findings": SimpleNamespace(diversity=found), **_shared(texts)}
    title = texts("report.table.sensitive.table", sensitive=shortened(found.sensitive, texts))
    return Cell(title, templates=("table/sensitive.html",), values=values)


def _subsets(found: SubsetsAssessment, texts: Texts) -> Cell:
    figures = []
    if found.estimates is None and len(found) <= MOST_DRAWN:
        figures.append(lattice_figure(_question(1.0), lattice_of(found.ranked("size"), BAND_ENDS, 1.0), texts))
    values = {"found": found, "shown": found.ranked("mean_risk", MOST_SHOWN), **_shared(texts)}
    drawn = tuple(figure for figure in figures if figure)
    return Cell(subsets_title(found, texts), templates=("notebook/subsets.html",), values=values, figures=drawn)


def _sample(found: SubsetSample, texts: Texts) -> Cell:
    figure = sample_figure(_question(found.bound), found, texts)
    return rows_cell(sample_title(found, texts), found.to_rows(), texts, figures=(figure,) if figure else ())


def _disclosable(found: DisclosableSets, texts: Texts) -> Cell:
    title = disclosable_title(found, texts)
    if found.quantile is not None:
        # The page knows no limit that some records may exceed.
        return rows_cell(title, found.to_rows(), texts)
    findings = SimpleNamespace(disclosable=shown_disclosable(found))
    values = {"findings": findings, "question": _question(found.limit), **_shared(texts)}
    return Cell(title, templates=("table/disclosable.html",), values=values)


def _dangerous(found: DangerousSets, texts: Texts) -> Cell:
    title = dangerous_title(found, texts)
    if found.estimate is not None:
        return rows_cell(title, found.to_rows(), texts)
    shown = {found.size: replace(found, sets=found.sets[:MOST_SHOWN])}
    values = {"findings": SimpleNamespace(dangerous=shown), "factor": f"{found.factor:g}", **_shared(texts)}
    return Cell(title, templates=("table/dangerous.html",), values=values)


def _levels(found: LevelsFound, texts: Texts) -> Cell:
    title = levels_title(found, texts)
    try:
        levels = levels_before_after(found)
    except SudareError:
        # The table was closed, and what its values become is not known any more.
        return rows_cell(title, found.to_rows(), texts)
    question = _question(found.limit, found.known, found.suppress)
    values = {
        "findings": SimpleNamespace(levels=levels),
        "question": question,
        "figures": levels_figures(question, levels, texts),
        **_shared(texts),
    }
    return Cell(title, templates=("table/levels.html",), values=values)


CELLS: Mapping[type, Any] = {
    RecordsAssessment: _records,
    Diversity: _diversity,
    SubsetsAssessment: _subsets,
    SubsetSample: _sample,
    DisclosableSets: _disclosable,
    DangerousSets: _dangerous,
    AffordableSets: lambda found, texts: rows_cell(affordable_title(found, texts), found.to_rows(), texts),
    LevelsFound: _levels,
    AnonymizedTable: anonymized_cell,
    TableFrontier: frontier_cell,
    PopulationRisk: lambda found, texts: rows_cell(population_title(found, texts), found.to_rows(), texts),
}
