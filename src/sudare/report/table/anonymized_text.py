"""What `sudare table anonymize` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.table import Table as TextTable

from sudare.report.page import shortened
from sudare.report.table.cell_examples import CellExample, cell_examples
from sudare.report.terminal import console, decimal_at_least, exact_percent, percent
from sudare.tables.anonymize.registry import DEFAULT_MODEL
from sudare.tables.roles import ColumnRole, role_reasons

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.anonymize.publication import AnonymizedTable
    from sudare.tables.attack.results import TableAttack, TableAttacks
    from sudare.tables.classes.criteria import Criteria
    from sudare.tables.recoded.check import TableCheck
    from sudare.tables.recoded.publish import PublishedTable
    from sudare.tables.utility.model import ClassifierAccuracy, TableUtility

# Letters of an example, a value and its cell together, and at least of each, so that a line fits a narrow terminal.
MOST_LETTERS = 17
FEWEST_LETTERS = 8
# Columns that a list names; the table above it has them all.
MOST_NAMED = 8
# The share of the entropy of a column from which on nearly nothing is left of it.
LITTLE_LEFT = 0.9
# Attacks that order people by how likely they are members.
AREAS = ("membership_distance", "membership_weight")
# In which roles a column is published, in the order in which they are shown.
PUBLISHED = ("quasi", "sensitive", "kept")


def show_anonymized(
    found: AnonymizedTable, texts: Texts, *, published: PublishedTable | None = None, command: str | None = None
) -> None:
    """Print what became of each column, what holds in the file, what was lost, what attacks reach, what to decide.

    `published` is the file that was written, if any, and `command` what was typed.
    """
    console().print(anonymized_title(found, texts), style="bold")
    _show_columns(found, texts)
    _show_little_left(found, texts)
    _show_hierarchies(found, texts)
    _show_classes(found, texts)
    _show_criteria(found, published, texts)
    _show_loss(found, texts)
    if found.utility:
        _show_use(found.utility, texts)
    if found.attacks:
        _show_attacks(found.attacks, texts)
    else:
        console().print(texts("table_anonymized.not_attacked"), style="bold")
    _show_settings(found, texts)
    _show_undecided(found, texts)
    _show_next(found, published, command, texts)


def anonymized_title(found: AnonymizedTable, texts: Texts) -> str:
    """Say what was anonymized, and by which model."""
    return texts("table_anonymized.title", source=found.recoded.table.reading.source, model=found.model)


def _show_columns(found: AnonymizedTable, texts: Texts) -> None:
    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("column", "role", "values", "cells", "lost", "example"):
        right = name in ("values", "cells", "lost")
        table.add_column(texts(f"table_anonymized.{name}"), justify="right" if right else "left", no_wrap=right)
    examples = {example.attribute: example for example in cell_examples(found.recoded, k=found.criteria.k)}
    for column in found.roles.columns:
        if column.role in PUBLISHED:
            table.add_row(column.attribute, *_column_cells(found, column, examples.get(column.attribute), texts))
    console().print(table)


def _show_little_left(found: AnonymizedTable, texts: Texts) -> None:
    """Name the columns that lost nearly everything, if others could keep more without them."""
    lost = {column.attribute for column in found.loss.columns if column.entropy >= LITTLE_LEFT * column.highest_entropy}
    rest = [name for name in found.roles.quasi if name not in lost]
    if lost and rest:
        columns = _named([name for name in found.roles.quasi if name in lost], texts)
        console().print(texts("table_anonymized.little_left", count=len(lost), columns=columns, known=",".join(rest)))


def _column_cells(
    found: AnonymizedTable, column: ColumnRole, example: CellExample | None, texts: Texts
) -> Sequence[str]:
    """Return what is said of a column: its role, values, cells, the share of its entropy that is lost, an example."""
    if example is None:
        kept = "-" if column.role == "quasi" else texts("table_anonymized.unchanged")
        return texts(f"table_anonymized.roles.{column.role}"), "", "", "", kept
    lost = next(loss for loss in found.loss.columns if loss.attribute == column.attribute)
    share = percent(lost.entropy / lost.highest_entropy, texts) if lost.highest_entropy else "-"
    means = {cells.attribute for cells in found.recoded.columns if cells.mean}
    role = texts(f"table_anonymized.roles.{'mean' if column.attribute in means else 'quasi'}")
    return role, f"{example.values:,}", f"{example.cells:,}", share, _example_text(example, texts)


def _example_text(example: CellExample, texts: Texts) -> str:
    """Return a value and its cell, each shortened only as far as both together are too long."""
    value, cell = (
        texts("table_anonymized.missing") if text is None else text for text in (example.value, example.cell)
    )
    first = shortened(value, texts, most=max(FEWEST_LETTERS, MOST_LETTERS - len(cell)))
    return f"{first} -> {shortened(cell, texts, most=max(FEWEST_LETTERS, MOST_LETTERS - len(first)))}"


def _show_hierarchies(found: AnonymizedTable, texts: Texts) -> None:
    """Say which hierarchies were suggested: whoever knows the data should look at them."""
    if found.suggested:
        everything = set(found.suggested) == set(found.roles.quasi)
        key = "table_anonymized.suggested_all" if everything else "table_anonymized.suggested"
        console().print(texts(key, columns=_named(found.suggested, texts)))


def _show_classes(found: AnonymizedTable, texts: Texts) -> None:
    sizes = found.recoded.persons
    if not len(sizes):
        console().print(texts("table_anonymized.no_classes"))
        return
    counts = {
        "classes": texts("count.classes", count=len(sizes)),
        "records": texts("count.records", count=int(found.recoded.published.sum())),
        "smallest": f"{int(sizes.min()):,}",
        "mean": f"{float(sizes.mean()):,.1f}",
        "suppressed": f"{found.loss.suppressed_records:,}",
        "share": percent(found.loss.suppressed_records / len(found.recoded.rows), texts),
    }
    key = "table_anonymized.classes" if found.recoded.table.persons is None else "table_anonymized.classes_persons"
    console().print(texts(key, **counts))


def _show_criteria(found: AnonymizedTable, published: PublishedTable | None, texts: Texts) -> None:
    """Print what was asked for, and what the check measured in the file: nothing is claimed of what is not written."""
    asked = texts("list.comma").join(_asked(found.criteria, texts))
    if published is None:
        console().print(texts("table_anonymized.asked", criteria=asked))
    else:
        held = texts("list.comma").join(_held(published.check, texts))
        console().print(texts("table_anonymized.asked_and_held", criteria=asked, path=published.path, held=held))
    if found.roles.sensitive and not found.criteria.looks_at_values:
        columns = texts("list.comma").join(found.roles.sensitive)
        console().print(texts("table_anonymized.not_asked", columns=columns), style="bold")


def _asked(criteria: Criteria, texts: Texts) -> Iterator[str]:
    """Yield the criteria that were asked for."""
    if criteria.k > 1 or (criteria.k_map is None and criteria.presence is None):
        yield texts("table_anonymized.criteria.k", k=criteria.k)
    if criteria.l is not None:
        c = "" if criteria.c is None else f", c = {criteria.c:g}"
        yield texts("table_anonymized.criteria.l_kind", l=f"{criteria.l:g}", kind=criteria.diversity + c)
    for name in ("t", "k_map", "presence"):
        value = getattr(criteria, name)
        if value is not None:
            yield texts(f"table_anonymized.criteria.{name}", **{name: f"{value:g}"})


def _held(check: TableCheck, texts: Texts) -> Iterator[str]:
    """Yield what the check measured: k, then l and t where there is a sensitive column, then what else was asked."""
    yield texts("table_anonymized.criteria.k", k=check.k)
    if check.l is not None:
        yield texts("table_anonymized.criteria.l", l=f"{check.l:.4g}")
    if check.t is not None:
        yield texts("table_anonymized.criteria.t", t=f"{check.t:.3f}")
    for part in check.checks:
        if part.name in ("k_map", "presence"):
            yield texts(f"table_anonymized.criteria.{part.name}", **{part.name: f"{part.measured:.4g}"})


def _show_loss(found: AnonymizedTable, texts: Texts) -> None:
    """Print what was lost, and what every table that meets the criteria must lose."""
    loss = found.loss
    bits = {"entropy": f"{loss.entropy:.2f}", "highest": f"{loss.highest_entropy:.2f}"}
    share = percent(loss.entropy / loss.highest_entropy if loss.highest_entropy else 0.0, texts)
    others = {
        "ncp": f"{loss.ncp:.4f}",
        "discernibility": f"{loss.discernibility:,}",
        "cells": f"{loss.suppressed_cells:,}",
    }
    console().print(texts("table_anonymized.loss", **bits, **others, share=share, bound=_bound(found, texts)))


def _bound(found: AnonymizedTable, texts: Texts) -> str:
    # That losses are not negative needs no proof.
    if not found.bound:
        return ""
    bound = decimal_at_least(found.bound, 2 if found.loss_name == "entropy" else 4, texts)
    return texts("table_anonymized.bound", bound=bound, unit=texts(f"table_anonymized.units.{found.loss_name}"))


def _show_use(utility: TableUtility, texts: Texts) -> None:
    moved = {"marginal": utility.mean_marginal, "pair": utility.mean_pair}
    words = {name: "-" if value is None else percent(value, texts) for name, value in moved.items()}
    queries = [
        texts("table_anonymized.query", attributes=entry.attributes, median=percent(entry.median, texts))
        for entry in utility.queries
    ]
    console().print(texts("table_anonymized.use", **words, queries=texts.listed(queries) or "-"))
    console().print(_classifier(utility.classifier, utility, texts))


def _classifier(classifier: ClassifierAccuracy | None, utility: TableUtility, texts: Texts) -> str:
    if classifier is None:
        return texts(f"table_anonymized.not_measured.{utility.classifier_not_measured}")
    shares = {name: percent(getattr(classifier, name), texts) for name in ("before", "after", "baseline")}
    return texts("table_anonymized.classifier", target=classifier.target, **shares)


def _show_attacks(attacks: TableAttacks, texts: Texts) -> None:
    """Print what each attack reached beside its limit; no verdict says that a table is safe."""
    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("attack", "reached", "limit", "verdict"):
        right = name in ("reached", "limit")
        table.add_column(texts(f"table_anonymized.{name}"), justify="right" if right else "left", no_wrap=right)
    for attack in attacks.attacks:
        if attack.reason != "no_sensitive":
            table.add_row(*_attack_cells(attack, texts), style="bold" if attack.verdict in ("above", "beyond") else "")
    console().print(table)
    key = "table_anonymized.attacked_some" if attacks.sampled else "table_anonymized.attacked_all"
    console().print(texts(key, targets=f"{attacks.targets:,}", records=f"{attacks.records:,}", seed=attacks.seed))


def _attack_cells(attack: TableAttack, texts: Texts) -> Sequence[str]:
    name = texts.say(attack.title)
    if attack.sensitive:
        name = texts("roles.because", name=name, why=attack.sensitive)
    shares = [_share(attack, share, texts) for share in (attack.success, attack.limit)]
    verdict = texts.say(attack.judgement)
    if attack.certainty:
        verdict = texts("roles.because", name=verdict, why=attack.certainty)
    return name, *shares, verdict


def _share(attack: TableAttack, share: float | None, texts: Texts) -> str:
    """Write what an attack reached: a share of people, or for membership the area under the ROC curve."""
    if share is None:
        return "-"
    return f"AUC {share:.3f}" if attack.name in AREAS else percent(share, texts)


def _show_undecided(found: AnonymizedTable, texts: Texts) -> None:
    """Name the columns that are not published, and those that are published as they are."""
    out, columns, table = console(), found.roles.columns, found.recoded.table
    if table.person is not None:
        out.print(texts("table_anonymized.person", column=table.person))
    if table.weight is not None:
        out.print(texts("table_anonymized.weight", column=table.weight))
    for role in ("identifier", "dropped", "kept"):
        chosen = [column for column in columns if column.role == role]
        if chosen:
            out.print(texts(f"table_anonymized.columns_{role}", columns=role_reasons(chosen)))
    named = [column for column in columns if column.identifier and column.role in ("sensitive", "kept")]
    if named:
        out.print(texts("table_anonymized.looks_named", columns=_kinds(named, texts)), style="bold")


def _kinds(columns: Sequence[ColumnRole], texts: Texts) -> str:
    kinds = (texts("risk.identifier", name=column.attribute, kind=texts(f"risk.identifier_{column.identifier}"))
             for column in columns)  # fmt: skip
    return texts("list.comma").join(kinds)


def _named(columns: Sequence[str], texts: Texts) -> str:
    more = [texts("list.more", count=len(columns) - MOST_NAMED)] if len(columns) > MOST_NAMED else []
    return texts("list.comma").join([*columns[:MOST_NAMED], *more])


def _show_settings(found: AnonymizedTable, texts: Texts) -> None:
    words = {"loss": found.loss_name, "suppress": exact_percent(found.criteria.suppress, texts), "seed": found.seed}
    ended = texts(f"table_anonymized.ended.{found.ended}", seconds=f"{found.seconds:.0f}")
    # Only the model with cells of their own chooses kinds of cells.
    cells = texts("table_anonymized.cells_kind", cells=found.cells) if found.model == DEFAULT_MODEL else ""
    console().print(texts("table_anonymized.settings", **words, cells=cells, ended=ended))


def _show_next(found: AnonymizedTable, published: PublishedTable | None, command: str | None, texts: Texts) -> None:
    """Say what to do next: lower what attacks reach, write the file, or write a page about it."""
    if found.attacks and found.attacks.above:
        console().print(texts("table_anonymized.next_above"))
    elif found.attacks and found.attacks.beyond:
        console().print(texts("table_anonymized.next_beyond"))
    if published is None and command:
        console().print(texts("table_anonymized.next_write", command=f"{command} -o safe.csv"))
    elif command and "--report" not in command:
        console().print(texts("table_anonymized.next_report"))
