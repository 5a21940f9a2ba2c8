"""What a gate can measure of tables."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.gate.arguments import Argument
from sudare.gate.measures.model import Asked, Measure, Measured
from sudare.gate.measures.published_tables import PUBLISHED_TABLES
from sudare.messages import Joined, message
from sudare.sources.spellings import plain
from sudare.statistics.distinct import sum_by

if TYPE_CHECKING:
    from sudare.gate.opened.table import OpenTable
    from sudare.statistics.class_sizes import ClassSize

# Fewer people than this make a value rare, if nothing is said.
RARE_BELOW = 3
_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d*)?")
_KNOWN = {"known": Argument("names")}
_NAME, _FILE = Argument("text", needed=True), Argument("file", needed=True)
_SENSITIVE = {"sensitive": _NAME, **_KNOWN}


def _known(source: OpenTable, asked: Asked) -> tuple[str, ...]:
    return asked.get("known") or source.collapsed.attributes


def _sizes(source: OpenTable, asked: Asked) -> tuple[ClassSize, ...]:
    return source.class_sizes(_known(source, asked))


def _records(sizes: tuple[ClassSize, ...]) -> int:
    return sum(part.records for part in sizes)


def _highest_risk(source: OpenTable, asked: Asked) -> Measured:
    sizes = _sizes(source, asked)
    return Measured(
        1 / sizes[0].size, facts=(message("gate.fact.smallest_class", size=sizes[0].size, count=sizes[0].records),)
    )


def _mean_risk(source: OpenTable, asked: Asked) -> Measured:
    sizes = _sizes(source, asked)
    return Measured(sum(part.records / part.size for part in sizes) / _records(sizes))


def _smallest_class(source: OpenTable, asked: Asked) -> Measured:
    sizes = _sizes(source, asked)
    return Measured(sizes[0].size, facts=(message("gate.fact.records", count=sizes[0].records),))


def _share_below(source: OpenTable, asked: Asked, size: int) -> Measured:
    sizes = _sizes(source, asked)
    below, records = sum(part.records for part in sizes if part.size < size), _records(sizes)
    return Measured(below / records, facts=(message("gate.fact.of_records", count=below, all=records),))


def _uniques(source: OpenTable, asked: Asked) -> Measured:
    return _share_below(source, asked, 2)


def _above_limit(source: OpenTable, asked: Asked) -> Measured:
    from sudare.tables.sets.subsets import class_size_within

    return _share_below(source, asked, class_size_within(asked["limit"]))


def _l(source: OpenTable, asked: Asked) -> Measured:
    found = source.diversity(asked["sensitive"], asked.get("known"))
    value = found.l if asked.get("diversity", "distinct") == "distinct" else found.entropy_l
    return Measured(value, facts=(message("gate.fact.revealed", count=found.revealed),))


def _t(source: OpenTable, asked: Asked) -> Measured:
    return Measured(source.diversity(asked["sensitive"], asked.get("known")).t)


def _inference(source: OpenTable, asked: Asked) -> Measured:
    from sudare.tables.classes.guesses import guess_sensitive

    found = guess_sensitive(source.table, asked["sensitive"], asked.get("known"))
    facts = (
        message("gate.fact.most_common", count=found.most_common, all=found.records),
        message("gate.fact.revealed", count=found.certain),
    )
    return Measured(found.right / found.records, facts=facts)


def _k_map(source: OpenTable, asked: Asked) -> Measured:
    from sudare.tables.population.reference import reference_risk

    known = _known(source, asked)
    found = reference_risk(source.table, source.other(asked.file("population"), known), known)
    facts = [message("gate.fact.of_population", count=found.population)]
    if found.absent:
        facts.append(message("gate.fact.absent", count=found.absent))
    unproven = message("gate.unproven.absent") if found.smallest is None else None
    return Measured(found.smallest or 0, facts=tuple(facts), unproven=unproven)


def _subsets(source: OpenTable, asked: Asked) -> Measured:
    from sudare.tables.sets.subsets import assess_subsets

    attributes = asked.get("attributes") or source.collapsed.attributes
    most = min(asked["size"], len(attributes))
    table = source.collapsed if source.collapsed.rare_records() else source.table
    found = assess_subsets(
        table, attributes=attributes, max_size=most, seed=asked.seed, threads=source.options.get("threads"),
        progress=asked.progress,
    )  # fmt: skip
    ranked = found.ranked("max_risk")
    worst, limit = ranked[0], min(asked.limits, default=1.0)
    above = sum(one.max_risk_at_least > limit for one in ranked)
    facts = (
        message("gate.fact.sets", count=len(ranked)),
        message("gate.fact.worst_set", names=Joined(worst.attributes)),
        *((message("gate.fact.sets_above", count=above),) if above else ()),
    )
    if worst.max_risk is None:
        return Measured(worst.max_risk_at_least, "estimated", facts, unproven=message("gate.unproven.sampled"))
    return Measured(worst.max_risk, facts=facts)


def _disclosable(source: OpenTable, asked: Asked) -> Measured:
    risks = {names: 1 / source.class_sizes(names)[0].size for names in asked["sets"]}
    limit = min(asked.limits, default=1.0)
    above = [Joined(names) for names, risk in risks.items() if risk > limit]
    told = (message("gate.fact.no_longer", sets=Joined(above, "semicolon")),) if above else ()
    return Measured(max(risks.values()), facts=(message("gate.fact.sets", count=len(risks)), *told))


def _population_uniques(source: OpenTable, asked: Asked) -> Measured:
    from sudare.tables.population.risk import population_risk

    found = population_risk(
        source.table, asked.get("known"), share=asked.get("share"), population=asked.get("population-size")
    )
    if not found.uniques:
        return Measured(0.0, "estimated")
    estimate = found.estimate
    if estimate is None or estimate.population_uniques is None:
        return Measured(1.0, "estimated", unproven=message("gate.unproven.no_model"))
    facts = (message("gate.fact.model", model=estimate.model), message("gate.fact.unique_records", count=found.uniques))
    return Measured(min(1.0, estimate.population_uniques / found.population), "estimated", facts)


def _affordable(source: OpenTable, asked: Asked) -> Measured:
    from sudare.tables.sets.affordable import affordable_sets
    from sudare.tables.sets.costs import read_costs

    found = affordable_sets(
        source.table, read_costs(asked.file("costs")), budget=asked["budget"],
        known=asked.get("known", ()), seed=asked.seed, progress=asked.progress,
    )  # fmt: skip
    worst = max(found.maximal, key=lambda one: one.max_risk)
    bought = any(set(one.attributes) - set(found.known) for one in found.maximal)
    told = message("gate.fact.worst_set", names=Joined(worst.attributes))
    facts = (told if bought else message("gate.fact.nothing_affordable"),)
    if found.estimate is not None:
        return Measured(worst.max_risk, "estimated", facts, unproven=message("gate.unproven.sampled"))
    return Measured(worst.max_risk, facts=facts)


def _identifiers(source: OpenTable, _: Asked) -> Measured:
    return _columns([found.attribute for found in source.identifiers])


def _codes(source: OpenTable, _: Asked) -> Measured:
    return _columns([found.attribute for found in source.codes if found.kind != "card"])


def _card_numbers(source: OpenTable, _: Asked) -> Measured:
    return _columns([found.attribute for found in source.codes if found.kind == "card"])


def _columns(names: list[str]) -> Measured:
    return Measured(len(names), facts=(message("gate.fact.columns", names=Joined(names)),) if names else ())


def _rare_values(source: OpenTable, asked: Asked) -> Measured:
    table, least = source.table, int(asked.get("people", RARE_BELOW))
    names = asked.get("attributes") or table.attributes
    rare = {}
    for name, place in zip(names, table.positions(names), strict=True):
        codes, counts = table.codes[place], table.counts
        if table.persons is not None:
            pairs = np.unique(np.stack([codes, table.persons]), axis=1)
            codes, counts = pairs[0], np.ones(pairs.shape[1], np.int64)
        of_value = sum_by(codes, counts, len(table.values[place]))
        rare[name] = int(((of_value > 0) & (of_value < least)).sum())
    told = Joined([message("gate.fact.rare_of", name=name, count=count) for name, count in rare.items() if count])
    return Measured(sum(rare.values()), facts=(message("gate.fact.rare", values=told),) if told.parts else ())


def _smallest_count(source: OpenTable, asked: Asked) -> Measured:
    published = [number for number in _numbers_of(source, asked["counts"], "not_counts") if number > 0]
    if not published:
        raise OptionNotUsable("errors.gate.no_counts", name=asked["counts"], source=source.table.reading.source)
    return Measured(float(min(published)))


def _oldest(source: OpenTable, asked: Asked) -> Measured:
    ages = _numbers_of(source, asked["age"], "not_ages")
    if not ages:
        raise OptionNotUsable("errors.gate.not_ages", name=asked["age"], source=source.table.reading.source)
    return Measured(float(max(ages)))


def _numbers_of(source: OpenTable, name: str, refused: str) -> list[Decimal]:
    """Return the different numbers of a column; what is missing is left out, and what is not a number is refused."""
    table = source.table
    (place,) = table.positions([name])
    texts = [table.values[place][code] for code in np.unique(table.codes[place]).tolist()]
    there = [plain(text) for text in texts if text is not None]
    if not all(map(_NUMBER.fullmatch, there)):
        raise OptionNotUsable(f"errors.gate.{refused}", name=name, source=table.reading.source)
    return [Decimal(text.replace(",", "")) for text in there]


def _shared_pseudonyms(source: OpenTable, asked: Asked) -> Measured:
    table, name = source.table, asked["column"]
    other = source.other(asked.file("other"), (asked.get("other-column", name),))
    (place,) = table.positions([name])
    own = {value for value in table.values[place] if value is not None}
    shared = own & {value for value in other.values[0] if value is not None}
    return Measured(
        len(shared) / max(len(own), 1), facts=(message("gate.fact.of_pseudonyms", count=len(shared), all=len(own)),)
    )


_RISK = ("table risk {source} --known {known}",)
_CLASSES = ("table risk {source} --sensitive {sensitive} --known {known}",)
_COLUMNS = ("table risk {source}",)
TABLES = (
    Measure("highest-risk", "low", "share", _highest_risk, _KNOWN, _RISK),
    Measure("mean-risk", "low", "share", _mean_risk, _KNOWN, _RISK),
    Measure(
        "above-limit", "low", "share", _above_limit, {"limit": Argument("share", needed=True), **_KNOWN},
        ("table risk {source} --known {known} --limit {limit}",),
    ),
    Measure("uniques", "low", "share", _uniques, _KNOWN, _RISK),
    Measure("smallest-class", "high", "count", _smallest_class, _KNOWN, _RISK),
    Measure(
        "l", "high", "number", _l, {**_SENSITIVE, "diversity": Argument("text", choices=("distinct", "entropy"))},
        _CLASSES,
    ),
    Measure("t", "low", "number", _t, _SENSITIVE, _CLASSES),
    Measure("inference", "low", "share", _inference, _SENSITIVE, _CLASSES),
    Measure("k-map", "high", "count", _k_map, {"population": _FILE, **_KNOWN}),
    Measure(
        "subsets", "low", "share", _subsets, {"size": Argument("count", needed=True), "attributes": Argument("names")},
        ("table subsets {source} --max-size {size} --attributes {attributes} --limit {limit} --seed {seed}",),
    ),
    Measure(
        "disclosable", "low", "share", _disclosable, {"sets": Argument("sets", needed=True)},
        ("table disclosable {source} --limit {limit:1}",),
    ),
    Measure(
        "population-uniques", "low", "share", _population_uniques,
        {"share": Argument("share"), "population-size": Argument("count"), **_KNOWN},
        ("table population {source} --share {share} --population-size {population-size} --known {known}",),
    ),
    Measure(
        "affordable", "low", "share", _affordable,
        {"costs": _FILE, "budget": Argument("number", needed=True), **_KNOWN},
        ("table affordable {source} --costs {costs} --budget {budget} --known {known} --seed {seed}",),
    ),
    Measure("identifiers", "low", "count", _identifiers, {}, _COLUMNS),
    Measure("codes", "low", "count", _codes, {}, _COLUMNS),
    Measure("card-numbers", "low", "count", _card_numbers, {}, _COLUMNS),
    Measure(
        "rare-values", "low", "count", _rare_values, {"people": Argument("count"), "attributes": Argument("names")},
        ("table subsets {source} --max-size 1 --attributes {attributes}",),
    ),
    Measure("smallest-count", "high", "count", _smallest_count, {"counts": _NAME}),
    Measure("oldest", "low", "number", _oldest, {"age": _NAME}),
    *PUBLISHED_TABLES,
    Measure(
        "shared-pseudonyms", "low", "share", _shared_pseudonyms,
        {"column": _NAME, "other": _FILE, "other-column": Argument("text")},
    ),
)  # fmt: skip
