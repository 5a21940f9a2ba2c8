"""How results about purchase histories are printed, and drawn in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from sudare.histories.anonymize.classes import AnonymizedHistory
from sudare.histories.anonymize.concealment import ConcealedHistory
from sudare.histories.anonymize.publication import Publication
from sudare.histories.attack.attack import Attack
from sudare.histories.attack.duel import Duel
from sudare.histories.attackers.assessment import AttackerRisk, AttackersAssessment
from sudare.histories.attackers.customers import CustomerRisks
from sudare.histories.attackers.persons import PersonsRisk
from sudare.histories.attackers.published import PublishedAssessment
from sudare.histories.attackers.values import KnowledgeValue
from sudare.histories.safety.classes import ClassSafety
from sudare.histories.safety.judgement import Judgement
from sudare.histories.safety.matching_safety import MatchingSafety
from sudare.histories.utility.cost import CellUtility
from sudare.histories.utility.use_cases import UseCases
from sudare.messages import Texts
from sudare.report.contest.answers import safety_values
from sudare.report.contest.duel_text import show_duel
from sudare.report.contest.figures import classes_figure, utility_figures
from sudare.report.contest.findings import size_rows
from sudare.report.contest.report import MOST_NAME_LETTERS, planned
from sudare.report.contest.safety_text import show_classes, show_judgement
from sudare.report.contest.utility_text import show_use_cases, show_utility
from sudare.report.history.anonymized_text import (
    anonymized_title,
    show_anonymized,
    show_concealment,
    show_made,
    show_sizes,
)
from sudare.report.history.attack_text import show_attack
from sudare.report.history.figures import attackers_figures
from sudare.report.history.published import published_values
from sudare.report.history.text import (
    show_attackers,
    show_customers,
    show_persons,
    show_published,
    show_risk,
    show_values,
)
from sudare.report.notebook import Cell, rows_cell
from sudare.report.numbers import Numbers
from sudare.report.page import shortened
from sudare.results import flat
from sudare.statistics.class_sizes import ClassSize, Sizes
from sudare.statistics.intervals import CONFIDENCE


def _original(texts: Texts) -> str:
    return texts("report.contest.unnamed_original")


def _anonymized(texts: Texts) -> str:
    return texts("report.contest.unnamed")


def _sizes(found: AnonymizedHistory) -> tuple[ClassSize, ...]:
    sizes = np.array(found.sizes, np.int64)
    return Sizes.of(sizes, sizes).listed()


def _print_anonymized(found: AnonymizedHistory, texts: Texts) -> None:
    show_made(found, _original(texts), texts)
    show_sizes(found, _sizes(found), texts)


def _print_concealed(found: ConcealedHistory, texts: Texts) -> None:
    show_made(found, _original(texts), texts)
    show_concealment(found.safety, texts)


def _source(found: Publication, texts: Texts) -> str:
    return Path(found.rows.reading.source).name if found.rows.reading else _original(texts)


def _words(found: Publication, texts: Texts) -> Texts:
    return texts if found.rows.of_contest else texts.in_plain_words()


def _print_publication(found: Publication, texts: Texts) -> None:
    texts = _words(found, texts)
    show_anonymized(found.found, found.safety, found.duel, _source(found, texts), texts)


TEXTS: Mapping[type, Any] = {
    AttackersAssessment: lambda found, texts: show_attackers(found, found.history.reading.source, texts),
    AttackerRisk: lambda found, texts: show_risk(found, texts, counted=found.sample is None),
    CustomerRisks: show_customers,
    KnowledgeValue: lambda found, texts: show_values([found], texts),
    PersonsRisk: lambda found, texts: show_persons([found], [None], texts),
    PublishedAssessment: lambda found, texts: show_published(found, _original(texts), texts),
    AnonymizedHistory: _print_anonymized,
    Publication: _print_publication,
    ConcealedHistory: _print_concealed,
    Attack: lambda found, texts: show_attack(found, _anonymized(texts), texts),
    Duel: lambda found, texts: show_duel(found, _anonymized(texts), texts),
    Judgement: lambda found, texts: show_judgement(found, _anonymized(texts), texts),
    ClassSafety: lambda found, texts: show_classes(found, _anonymized(texts), texts),
    MatchingSafety: show_concealment,
    CellUtility: lambda found, texts: show_utility(found, _anonymized(texts), texts),
    UseCases: lambda found, texts: show_use_cases(found, _anonymized(texts), None, texts),
}


def _attackers(found: AttackersAssessment, texts: Texts) -> Cell:
    figures = attackers_figures(found, texts)
    values = {
        "assessment": found,
        "sampled": [risk for risk in found.knowledge if risk.sample],
        "confidence": texts("report.number.percent", value=f"{100 * CONFIDENCE:g}"),
        "figures": {},
    }
    counts = {
        "rows": texts("count.rows", count=found.records),
        "customers": texts("count.customers", count=found.customers),
    }
    return Cell(
        texts("attackers.title", source=shortened(Path(found.history.reading.source).name, texts)),
        lead=texts("attackers.read", **counts, weighting=found.weighting),
        templates=("history/attackers.html", *(("history/further.html",) if found.knowledge else ())),
        values=values,
        figures=tuple(figures[name] for name in ("measured", "further") if name in figures),
    )


def _published(found: PublishedAssessment, texts: Texts) -> Cell:
    title = texts("attackers.published.title", source=_original(texts))
    return Cell(title, templates=("published/before_after.html",), values=published_values(found, texts))


def _made(found: AnonymizedHistory, texts: Texts) -> Cell:
    values = {"findings": SimpleNamespace(made=found)}
    title, sizes = anonymized_title(found, _original(texts), texts), _sizes(found)
    figures = (classes_figure(sizes, texts),) if sizes else ()
    return Cell(title, templates=("contest/made.html",), values=values, figures=figures)


def _concealed(found: ConcealedHistory, texts: Texts) -> Cell:
    values = {"findings": SimpleNamespace(made=found, matchings=found.safety)}
    title = anonymized_title(found, _original(texts), texts)
    return Cell(title, templates=("contest/made.html", "contest/matchings.html"), values=values)


def _publication(found: Publication, texts: Texts) -> Cell:
    """Return how it was made, how safe it is and what the attacks reached, as far as that is known."""
    texts = _words(found, texts)
    made = _listed_cell(found.found, texts)
    parts = [made, *([_classes(found.safety, texts)] if found.safety else [])]
    parts += [_duel(found.duel, texts)] if found.duel else []
    findings = SimpleNamespace(made=found.found, matchings=found.found.safety, safety=found.safety, duel=found.duel)
    values = {name: value for part in reversed(parts) for name, value in part.values.items()}
    title = anonymized_title(found.found, _source(found, texts), texts)
    # The figure of the classes stands with them.
    figures = () if found.safety else made.figures
    templates = tuple(name for part in parts for name in part.templates)
    return Cell(title, templates=templates, values={**values, "findings": findings}, figures=figures, plain=texts.plain)


def _listed_cell(found: Any, texts: Texts) -> Cell:
    return _concealed(found, texts) if isinstance(found, ConcealedHistory) else _made(found, texts)


def _classes(found: ClassSafety, texts: Texts) -> Cell:
    attacks = Numbers(texts).count(found.tests[0].attacks)
    rule = {"attacks": attacks, "p": str(found.p), "alpha": str(found.alpha)}
    values = {
        "findings": SimpleNamespace(safety=found),
        "figures": {"classes": classes_figure(found.sizes, texts)},
        "size_rows": size_rows(found.sizes),
        "words": rule | safety_values(found, texts),
        "planned": lambda plan: planned(plan, texts),
    }
    title = texts("contest.safety.classes_title", source=_anonymized(texts))
    safety = () if texts.plain else ("contest/safety.html",)
    return Cell(title, templates=("contest/classes.html", *safety), values=values, plain=texts.plain)


def _matchings(found: MatchingSafety, texts: Texts) -> Cell:
    values = {"findings": SimpleNamespace(matchings=found)}
    return Cell(texts("report.contest.section.matchings"), templates=("contest/matchings.html",), values=values)


def _utility(found: CellUtility, texts: Texts) -> Cell:
    utility = Numbers(texts).decimal(found.utility, 4)
    values = {
        "findings": SimpleNamespace(utility=found),
        "words": {"utility": utility},
        "figures": utility_figures(found, texts),
        "short_name": lambda name: shortened(name, texts, most=MOST_NAME_LETTERS),
        "customer_name": str,
    }
    title = texts("contest.utility.title", source=_anonymized(texts), utility=utility)
    return Cell(title, templates=("contest/utility.html",), values=values)


def _attack(found: Attack, texts: Texts) -> Cell:
    # Only numbers: guesses link people to pseudonyms, and a notebook is handed on.
    return rows_cell(
        texts("attack.title", source=_anonymized(texts), method=found.method), [flat(found.to_dict())], texts
    )


def _duel(found: Duel, texts: Texts) -> Cell:
    values = {
        "findings": SimpleNamespace(duel=found, safety=found.classes),
        "words": safety_values(found.classes, texts) if found.classes else {},
    }
    title = texts("contest.duel.title", source=_anonymized(texts), pseudonyms=f"{found.pseudonyms:,}")
    return Cell(title, templates=("contest/duel.html",), values=values)


CELLS: Mapping[type, Any] = {
    AttackersAssessment: _attackers,
    PublishedAssessment: _published,
    AnonymizedHistory: _made,
    ConcealedHistory: _concealed,
    Publication: _publication,
    ClassSafety: _classes,
    MatchingSafety: _matchings,
    CellUtility: _utility,
    Attack: _attack,
    Duel: _duel,
}
