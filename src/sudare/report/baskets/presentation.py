"""How results about baskets are printed, and drawn in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sudare.baskets.check.km_anonymity import KmAnonymity
from sudare.baskets.check.uncertainty import Verdict
from sudare.baskets.experiments.experiments import Experiments, summarize_experiments
from sudare.baskets.model import Baskets
from sudare.baskets.suppress.suppression import Suppression
from sudare.baskets.utility import BasketUtility
from sudare.baskets.verification import Verification
from sudare.messages import Texts
from sudare.report.baskets.experiment_figures import basket_figures
from sudare.report.baskets.figures import losses_figures
from sudare.report.baskets.findings import losses_of
from sudare.report.baskets.mining_text import (
    itemsets_title,
    km_title,
    rules_title,
    show_basket_utility,
    show_itemsets,
    show_km,
    show_rules,
)
from sudare.report.baskets.report import MOST_NAME_LETTERS
from sudare.report.baskets.text import show_suppression, show_verdict, show_verification, verdict_title
from sudare.report.notebook import MOST_ROWS, Cell, rows_cell
from sudare.report.page import shortened
from sudare.statistics.itemsets import AssociationRules, FrequentItemsets

# Itemsets that are printed.
MOST_SHOWN = 20


def _name(baskets: Baskets, texts: Texts) -> str:
    return Path(baskets.reading.source).name if baskets.reading else texts("report.baskets.unnamed")


def _print_verification(found: Verification, texts: Texts) -> None:
    published = Path(found.file.name).name if found.file else _name(found.published, texts)
    show_verification(found, (_name(found.original, texts), published), texts)


TEXTS: Mapping[type, Any] = {
    Verdict: show_verdict,
    Suppression: show_suppression,
    Verification: _print_verification,
    KmAnonymity: show_km,
    FrequentItemsets: lambda found, texts: show_itemsets(found, MOST_SHOWN, texts),
    AssociationRules: show_rules,
    BasketUtility: lambda found, texts: show_basket_utility(found, texts("report.baskets.unnamed"), texts),
}


def _verdict(found: Verdict, texts: Texts) -> Cell:
    title = verdict_title(found, texts("report.baskets.unnamed"), texts)
    return Cell(title, lead=found.claim(texts), templates=("notebook/verdict.html",), values={"verdict": found})


def _suppressed(found: Suppression | Verification, texts: Texts) -> Cell:
    losses, stopped = losses_of(found.original, found.published), isinstance(found, Suppression) and found.interrupted
    suppression = found if isinstance(found, Suppression) else None
    values = {
        "findings": SimpleNamespace(losses=losses, suppression=suppression),
        "baskets": found.original,
        "figures": losses_figures(losses, texts),
        "short_name": lambda name: shortened(name, texts, most=MOST_NAME_LETTERS),
    }
    title = verdict_title(found.verdict, shortened(_name(found.original, texts), texts), texts)
    claim = found.verdict.claim(texts, interrupted=stopped)
    return Cell(title, lead=claim, templates=("baskets/suppressed.html",), values=values)


def _itemsets(found: FrequentItemsets, texts: Texts) -> Cell:
    cell = rows_cell(itemsets_title(found, texts), found.to_rows(MOST_ROWS), texts)
    return Cell(cell.title, templates=cell.templates, values={**cell.values, "all_rows": len(found)})


def _utility(found: BasketUtility, texts: Texts) -> Cell:
    title = texts("mining.utility.title", source=texts("report.baskets.unnamed"))
    return Cell(title, templates=("baskets/utility.html",), values={"findings": SimpleNamespace(use=found)})


def _experiments(found: Experiments, texts: Texts) -> Cell:
    figures = basket_figures(summarize_experiments(found.rows), texts, found.circumstances)
    return Cell(texts("report.experiment.title"), figures=tuple(figures.values()))


CELLS: Mapping[type, Any] = {
    Verdict: _verdict,
    Suppression: _suppressed,
    Verification: _suppressed,
    KmAnonymity: lambda found, texts: rows_cell(km_title(found, texts), found.to_rows(), texts),
    FrequentItemsets: _itemsets,
    AssociationRules: lambda found, texts: rows_cell(rules_title(found, texts), found.to_rows(), texts),
    BasketUtility: _utility,
    Experiments: _experiments,
}
