"""Valid arguments for everything public, made of small data whose texts and numbers are recognizable.

A parameter gets the example of its own (`function.parameter` in OWN), else its default, else the example of its type
(BY_TYPE), else that of its name (BY_NAME). A public function or method that needs more fails the tests of the surface.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

import sudare
from sudare.histories.attackers.published_rows import PublishedCells
from sudare.histories.utility.use_cases import MEASURES, MeasuredError
from sudare.messages import Texts
from sudare.statistics.item_records import ItemRecords
from sudare.tables.classes.criteria import Criteria
from sudare.tables.hierarchies.model import make_hierarchy
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.recoded.write import published_lines
from sudare.tables.roles import Roles
from tests.public import public
from tests.tables.recoded.partitioned import partitioned, roles_of

# What nobody may read in a repr: texts of people and things, and numbers of persons.
MARK = "Hanako"
NUMBER = 771_177

_CUSTOMERS = range(NUMBER * 10, NUMBER * 10 + 8)
# Eight customers with two rows each.
T = "".join(
    f"{customer},2011/{1 + number % 3}/{10 + visit},{MARK}{(number + visit) % 3},{number % 4 + 1}.50,{visit + 1}\n"
    for number, customer in enumerate(_CUSTOMERS)
    for visit in range(2)
)
A = "".join(
    f"{NUMBER * 100 + number},*,{MARK}{(number + visit) % 3},{number % 4 + 1}.50,[1;{visit + 2}]\n"
    for number, _ in enumerate(_CUSTOMERS)
    for visit in range(2)
)
PURCHASES = "customer,date,time,item,price,quantity\n" + "".join(
    f"{MARK}{number % 4},2024-12-{1 + number % 9:02},10:{10 + number % 7},{MARK}{number % 5},{1 + number % 3}.5,1\n"
    for number in range(40)
)
PEOPLE = "sex,age,town,illness\n" + "".join(
    f"{MARK}{number % 2},{NUMBER + number % 3},{MARK}{number % 4},{MARK}{number % 5}\n" for number in range(24)
)
POLICY = """\
[sources.people]
kind = "table"
file = "people.csv"

[[checks]]
source = "people"
measure = "uniques"
known = ["sex", "age"]
fail = 0.5

[[checks]]
source = "people"
measure = "smallest-class"
known = ["sex", "age"]
warn = 20
except = { reason = "a pilot", until = 2099-12-31 }
"""
RECORDS = [[f"{MARK}{(user + step) % 6}" for step in range(1 + user % 4)] for user in range(24)]
BASKETS = "".join(" ".join(record) + "\n" for record in RECORDS)
PAIRS = "user,item\n" + "".join(f"{MARK}{user},{item}\n" for user, record in enumerate(RECORDS) for item in record)


class Examples:
    """Small data in a folder, and what the library makes of them when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        texts = {"T.csv": T, "A.csv": A, "purchases.csv": PURCHASES, "people.csv": PEOPLE, "baskets.txt": BASKETS}
        texts |= {"pairs.csv": PAIRS, "costs.csv": "sex,1\nage,2\ntown,1\nillness,3\n", "levels.toml": "age = 1\n"}
        texts |= {"guesses.csv": f"{NUMBER * 100},{NUMBER * 10}\n", "measures.csv": f"name,utility\n{MARK},1\n"}
        texts |= {"policy.toml": POLICY}
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "made" / "folder").mkdir(parents=True)
        self.engine = sudare.DuckDBEngine(threads=1)
        self.rules = sudare.histories.load_rules()
        self.history = sudare.read_history(folder / "purchases.csv", engine=self.engine)
        self.table = sudare.read_table(folder / "people.csv", engine=self.engine)
        self.original = sudare.histories.read_original(folder / "T.csv")
        self.anonymized = sudare.histories.read_valid_anonymized(folder / "A.csv", self.original)
        sudare.contest.publish_anonymized(folder / "A.csv", folder / "published.csv")
        self.published = sudare.histories.read_published(folder / "published.csv", self.original)
        self.baskets = sudare.read_baskets(folder / "baskets.txt")
        self.sensitive = sudare.baskets.read_sensitive("random:0.4", self.baskets)
        self.thresholds = sudare.histories.success_thresholds(len(_CUSTOMERS))
        self.hierarchy = make_hierarchy("age", {n: (str(NUMBER + n), f"{MARK}{n % 2}", "*") for n in range(3)})
        sudare.tables.write_hierarchies({"age": self.hierarchy}, folder / "hierarchies")
        sudare.histories.write_thresholds(self.thresholds, folder / "thresholds.csv")
        sudare.histories.write_cells_parquet(self.original, folder / "T.parquet")

    def close(self) -> None:
        self.engine.close()

    def of(self, owner: str, parameter: inspect.Parameter, hint: Any) -> Any:
        """Return a valid value of a parameter; KeyError if there is no example."""
        own = f"{owner}.{parameter.name}"
        if own in OWN:
            return self._made(OWN[own])
        if parameter.default is not parameter.empty:
            return parameter.default
        for kind in kinds_of(hint):
            if kind in BY_TYPE:
                return BY_TYPE[kind](self, parameter.name)
        return self._made(BY_NAME[parameter.name])

    def _made(self, example: Any) -> Any:
        return example(self) if inspect.isfunction(example) else example

    def arguments(self, owner: str, function: Callable[..., Any]) -> dict[str, Any]:
        """Return valid arguments of a function by their names, those with a default as well."""
        hints = get_type_hints(function.__init__ if inspect.isclass(function) else function)
        return {
            name: self.of(owner, parameter, hints.get(name, Any))
            for name, parameter in inspect.signature(function).parameters.items()
            if name != "self" and parameter.kind is not parameter.VAR_POSITIONAL
        }

    def call(self, owner: str, function: Callable[..., Any], **others: Any) -> Any:
        """Call a function with its example, some arguments replaced."""
        return call_with(function, {**self.arguments(owner, function), **others})

    @cached_property
    def results(self) -> list[Any]:
        """What all public functions return."""
        return [self.call(name, found) for name, found in public().items() if inspect.isfunction(found)]

    @cached_property
    def instances(self) -> dict[type, Any]:
        """An instance of each of our classes that is found in what functions take and return."""
        mine = [value for name, value in vars(self).items() if name != "folder"]
        others = [
            measured(1),
            BY_TYPE[sudare.contest.Guesses](self, ""),
            sudare.contest.FrontierSearch(),
            sudare.tables.Bundle((MARK,), 1),
        ]
        others += [BY_TYPE[sudare.histories.Matchings](self, ""), sudare.histories.PublishedAttackers(self.original)]
        others += [sudare.histories.anonymize_history(self.original, 2, groups=np.arange(8) // 3, fast=True)]
        others += [
            sudare.baskets.RareItemset((MARK,), 1),
            sudare.tables.RiskIntervals((0.0, 1.0), (0, 1), None),
            sudare.histories.Kind.EXACT,
        ]
        others += [
            sudare.tables.ColumnRemark(MARK, "unique"),
            sudare.tables.CodeColumn(MARK, "my_number"),
            sudare.histories.Complaint(1, 2, "invalid", MARK),
        ]
        others += sudare.tables.assess_subsets(self.table).ranked(most=1)
        drawn = sudare.tables.dangerous_sets(self.table, size=2, factor=1, samples=2).estimate
        bought = sudare.tables.affordable_sets(self.table, dict.fromkeys(self.table.attributes, 1), budget=1, samples=2)
        others += [drawn, bought.estimate, sudare.tables.RiseMoved((MARK,), 1.0, 2.0)]
        others += [sudare.tables.MeanMoved(MARK, 1.0, 1.0, 2.0, 1.5), sudare.tables.TellingClass(1, 2, 0.5, 0.1)]
        others += [sudare.tables.ClassifierAccuracy(MARK, "given", 0.9, 0.8, 0.5, 6, 5, 3)]
        split = sudare.histories.assess_profiles
        released = split(self.history, split=["2024-12-04", "2024-12-07"])
        others += [
            split(self.history, trained=False, what_if=True),
            released,
            sudare.histories.ClassLinks(2, 2, 0.5, 1.0),
        ]
        others += [sudare.histories.KeptHabit("rows", 0.5)]
        others += [sudare.histories.WhatIf("gap_days", 30, 10, 12, 0.5, (0.2, 0.8))]
        others += [self.of("evaluate_finals", _parameter("finals"), Any), sudare.DuckDBEngine()]
        return {type(found): found for found in reversed(list(held([*others, *mine, *self.results])))}

    def instance(self, kind: type) -> Any:
        """Return an instance of a public class; KeyError if none is found."""
        return self.instances[kind]

    @cached_property
    def suppression(self) -> sudare.baskets.Suppression:
        return sudare.baskets.suppress_baskets(self.baskets, self.sensitive, rho=0.9)

    @cached_property
    def recoded(self) -> RecodedTable:
        roles = roles_of(self.table, illness="sensitive")
        return partitioned(self.table, roles, [0] * self.table.records, hierarchies={"age": self.hierarchy})

    @cached_property
    def anonymized_table(self) -> sudare.tables.AnonymizedTable:
        return sudare.tables.anonymize_table(self.table, k=4, l=2, sensitive="illness")

    @cached_property
    def recoded_file(self) -> Path:
        sudare.tables.write_recoded(self.recoded, self.folder / "recoded.csv", seed=0)
        return self.folder / "recoded.csv"

    @cached_property
    def held_baskets(self) -> sudare.baskets.HeldBaskets:
        return sudare.baskets.hold_baskets(self.folder / "pairs.csv", engine=self.engine)

    @cached_property
    def experiments(self) -> sudare.baskets.Experiments:
        return sudare.baskets.run_experiments(
            {MARK: self.baskets}, self.folder / "experiments", figures=[5], repetitions=1
        )

    @cached_property
    def certificate(self) -> Path:
        path = self.folder / "certified.txt"
        self.call("write_published", sudare.baskets.write_published, path=path)
        return path.with_name("certified.txt.certificate.json")

    @cached_property
    def gate_run(self) -> sudare.gate.GateRun:
        return sudare.gate.run_gate(self.folder / "policy.toml")

    @cached_property
    def evidence(self) -> Path:
        sudare.gate.write_evidence(self.gate_run, self.folder / "evidence")
        return self.folder / "evidence"

    @cached_property
    def baseline_file(self) -> Path:
        path = self.folder / "baseline.json"
        sudare.gate.write_baseline(sudare.gate.baseline_of(self.gate_run), path)
        return path

    @cached_property
    def archive(self) -> Path:
        """An archive of a contest with one round, as a server would write it."""
        folder = self.folder / "archive"
        (folder / "files").mkdir(parents=True)
        names = {}
        for name in ("T.csv", "A.csv", "published.csv", "guesses.csv"):
            content = (self.folder / name).read_bytes()
            names[name] = hashlib.sha256(content).hexdigest()
            (folder / "files" / names[name]).write_bytes(content)
        evaluated = self.call("evaluate_finals", sudare.contest.evaluate_finals).to_dict()
        guesses = [{"team": MARK, "file": names["guesses.csv"]}]
        final = {"team": MARK, "anonymized": names["A.csv"], "published": names["published.csv"], "guesses": guesses}
        main = {"name": "Main", "original": names["T.csv"], "finals": [final], "evaluation": evaluated}
        described = {"contest": {"name": MARK, "rules": "pwscup2018"}, "rounds": [main]}
        (folder / "archive.json").write_text(json.dumps(described))
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files]
        (folder / "SHA256SUMS").write_text("".join(sums))
        return folder


def call_with(function: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """Call a function with arguments by their names, those that have no name for callers by their places."""
    parameters = inspect.signature(function).parameters.values()
    first = [given[found.name] for found in parameters if found.kind is found.POSITIONAL_ONLY]
    placed = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL
    named = {found.name: given[found.name] for found in parameters if found.kind not in placed}
    return function(*first, **named)


def _parameter(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)


def held(value: Any) -> Iterator[Any]:
    """Yield all values of our classes that are held by a value, itself included."""
    if type(value).__module__.startswith("sudare."):
        yield value
    if is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from held(getattr(value, part.name))
    elif isinstance(value, Mapping):
        yield from held(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value[:1000]:
            yield from held(part)


def measured(number: int) -> sudare.contest.MeasuredHistory:
    """Return what was measured of a history."""
    return sudare.contest.MeasuredHistory(
        f"{MARK}{number}", number / 10, tuple(MeasuredError(measure, number / 20, 0.0) for measure in MEASURES)
    )


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union, or what is none as it is."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


Made = Callable[[Examples], Any]


def made(name: str) -> Made:
    """Return where something is to be written."""
    return lambda e: e.folder / "made" / name


def file(name: str) -> Made:
    """Return a file that is there."""
    return lambda e: e.folder / name


def aligned(examples: Examples) -> Path:
    """Return a file that has the rows of the history as they are, in their order."""
    path = examples.folder / "made" / "aligned.parquet"
    rows = examples.history.rows()
    rows.write_aligned(rows.history, path)
    return path


def released(examples: Examples) -> Path:
    """Return a file in which the rows of the history are published as they are."""
    path = examples.folder / "made" / "released.csv"
    rows = examples.history.rows()
    rows.publish(rows.history, path)
    return path


BY_TYPE: Mapping[Any, Callable[[Examples, str], Any]] = {
    sudare.History: lambda e, _: e.history,
    sudare.Table: lambda e, _: e.table,
    sudare.histories.HistoryRows: lambda e, _: e.history.rows(),
    sudare.histories.CellHistory: lambda e, name: {"original": e.original, "published": e.published}.get(
        name, e.anonymized
    ),
    ItemRecords: lambda e, _: e.baskets,
    sudare.Baskets: lambda e, name: e.suppression.published if name == "published" else e.baskets,
    sudare.baskets.SensitiveItems: lambda e, _: e.sensitive,
    sudare.histories.RuleSet: lambda e, _: e.rules,
    sudare.tables.Hierarchy: lambda e, _: e.hierarchy,
    sudare.contest.Guesses: lambda _e, _: sudare.contest.Guesses(np.array([NUMBER * 100]), np.array([NUMBER * 10])),
    sudare.baskets.Suppression: lambda e, _: e.suppression,
    sudare.tables.CollapsedTable: lambda e, _: sudare.tables.collapse_table(e.folder / "people.csv", engine=e.engine),
    sudare.histories.HeldCells: lambda e, _: e.call("hold_cells", sudare.histories.hold_cells),
    sudare.baskets.HeldBaskets: lambda e, _: e.held_baskets,
    sudare.baskets.HeldSensitive: lambda e, _: e.call("hold_sensitive", sudare.baskets.hold_sensitive),
    sudare.histories.KnownHistory: lambda e, _: sudare.histories.know_history(e.original),
    sudare.baskets.Verdict: lambda e, _: e.suppression.verdict,
    sudare.contest.Frontier: lambda e, _: e.call("trace_frontier", sudare.contest.trace_frontier),
    sudare.histories.AttackersAssessment: lambda e, _: sudare.histories.assess_attackers(e.history),
    sudare.tables.SubsetsAssessment: lambda e, _: sudare.tables.assess_subsets(e.table, class_sizes=True),
    sudare.tables.LevelsFound: lambda e, _: sudare.tables.find_levels(
        e.table, {"age": e.hierarchy}, known=["age"], limit=0.5
    ),
    sudare.tables.AnonymizedTable: lambda e, _: e.anonymized_table,
    sudare.tables.DisclosableSets: lambda e, _: sudare.tables.disclosable_sets(e.table, limit=0.5),
    sudare.baskets.Experiments: lambda e, _: e.experiments,
    sudare.baskets.Certificate: lambda e, _: sudare.baskets.read_certificate(e.certificate),
    sudare.gate.GateRun: lambda e, _: e.gate_run,
    sudare.gate.Policy: lambda e, _: e.gate_run.policy,
    sudare.gate.PolicyCheck: lambda e, _: e.gate_run.policy.checks[0],
    sudare.gate.PolicySource: lambda e, _: e.gate_run.policy.sources[0],
    sudare.gate.Baseline: lambda e, _: sudare.gate.baseline_of(e.gate_run),
    Texts: lambda _e, _: Texts("en"),
    RecodedTable: lambda e, _: e.recoded,
    Roles: lambda e, _: e.recoded.roles,
    Criteria: lambda _e, _: Criteria(),
    sudare.tables.Derived: lambda e, _: e.call("generalize_table", sudare.tables.generalize_table),
    sudare.histories.Matchings: lambda _e, _: sudare.histories.Matchings([[0, 1], [0, 1], [2]]),
    PublishedCells: lambda e, _: sudare.histories.PublishedAttackers(e.original).pack(e.anonymized),
}
BY_NAME: Mapping[str, Any] = {
    "attribute": "age",
    "attributes": ["age", "sex"],
    "bound": 0.5,
    "bundles": [(["age", "sex"], 2)],
    "budget": 3,
    "column": "item",
    "confidence": 0.3,
    "costs": file("costs.csv"),
    "data": lambda e: {MARK: e.baskets},
    "delta": 0.3,
    "epsilon": 0.3,
    "factor": 1.0,
    "folder": made("folder"),
    "hierarchies": lambda e: {"age": e.hierarchy},
    "k": 2,
    "knowledge": "day + item",
    "known": ["age", "sex"],
    "limit": 0.5,
    "m": 2,
    "names": ["age", "sex"],
    "out": made("out.csv"),
    "path": made("out.csv"),
    "rho": 0.9,
    "samples": 20,
    "seed": 0,
    "sets": [["age"], ["age", "sex"]],
    "sensitive": "illness",
    "size": 2,
    "source": file("people.csv"),
    "support": 0.1,
    "text": "day + item*2",
    "thresholds": lambda e: e.thresholds,
    "values": [str(NUMBER), str(NUMBER + 1), None],
}
OWN: dict[str, Any] = {
    "anonymize_table.k": 4,
    "table_frontier.ks": [2],
    "check_recoded_file.cells": "nodes",
    "check_recoded_file.key": lambda e: e.recoded.rows[published_lines(e.recoded, 0)],
    "check_recoded_file.path": lambda e: e.recoded_file,
    "publish_recoded.cells": "nodes",
    "add_records.source": file("people.csv"),
    "affordable_sets.costs": lambda e: sudare.tables.read_costs(e.folder / "costs.csv"),
    "anonymize_by_levels.fast": True,
    "anonymize_by_model.fast": True,
    "anonymize_rows.k": 2,
    "anonymize_rows.fast": True,
    "anonymize_history.fast": True,
    "conceal_history.fast": True,
    "leave_untouched.fast": True,
    "suppress_history.fast": True,
    "assess_records.known": ["age", "sex"],
    "changed_sets.before": [("age",), ("sex",)],
    "changed_sets.after": [("age",)],
    "check_anonymized.path": file("A.csv"),
    "check_guesses.path": file("guesses.csv"),
    "class_safety.sizes": [2, 2, 3],
    "correlate_measures.histories": [measured(number) for number in range(4)],
    "correlate_utility.draws": 2,
    "correlate_utility.histories": lambda e: [(str(n), e.anonymized) for n in range(3)],
    "covered_customers.anonymized": lambda e: e.call("conceal_history", sudare.histories.conceal_history).history,
    "critical_correlation.histories": 5,
    "MeasuredHistory.mean.measure": "rfm",
    "read_measured_histories.path": file("measures.csv"),
    "evaluate_finals.finals": lambda e: [
        sudare.contest.FinalFiles(MARK, e.folder / "A.csv", {MARK: e.folder / "guesses.csv"})
    ],
    "assess_profiles.known": file("purchases.csv"),
    "assess_profiles.what_if": True,
    "assess_profiles.engine": lambda e: e.engine,
    "find_best_guesses.classes": {2: 2, 3: 1},
    "find_hierarchies.folder": file("hierarchies"),
    "generalize_table.levels": {"age": 1},
    "generate_history.customers": 3,
    "generate_history.days": 5,
    "generate_history.items": 5,
    "generate_table.records": 5,
    "hold_baskets.engine": lambda e: e.engine,
    "hold_baskets.source": file("pairs.csv"),
    "hold_cells.anonymized": file("A.csv"),
    "hold_cells.engine": lambda e: e.engine,
    "hold_cells.original": file("T.csv"),
    "hold_sensitive.source": f"item:{MARK}0",
    "collapse_table.engine": lambda e: e.engine,
    "judge_hits.guesses": 4,
    "judge_hits.hits": 3,
    "least_class.p": "1/3",
    "levels_for_risk.mean_limit": 0.9,
    "make_baskets.records": RECORDS,
    "matching_safety.samples": 100,
    "measure_use_cases.draws": 2,
    "moved_records.known": ["age", "sex"],
    "write_dangerous_records.sets": [["age", "sex"]],
    "write_moved_rises.sets": [["age", "sex"]],
    "moved_sets.after": [sudare.tables.SetRisk(("age",), 0.5, 0.4)],
    "moved_sets.before": [sudare.tables.SetRisk(("age",), 0.6, 0.4)],
    "read_history_rows.source": file("purchases.csv"),
    "read_history_rows.engine": lambda e: e.engine,
    "population_risk.share": 0.1,
    "publish_anonymized.path": file("A.csv"),
    "read_anonymized.path": file("A.csv"),
    "read_baskets.source": file("baskets.txt"),
    "read_baskets.engine": lambda e: e.engine,
    "read_cells_parquet.path": file("T.parquet"),
    "read_certificate.path": lambda e: e.certificate,
    "read_costs.path": file("costs.csv"),
    "read_earlier_release.key": aligned,
    "read_earlier_release.published": released,
    "read_baseline.path": lambda e: e.baseline_file,
    "read_guesses.path": file("guesses.csv"),
    "read_hierarchy.path": file("hierarchies/age.csv"),
    "read_history.engine": lambda e: e.engine,
    "read_history.source": file("purchases.csv"),
    "read_levels.path": file("levels.toml"),
    "read_original.path": file("T.csv"),
    "read_policy.path": file("policy.toml"),
    "read_published.path": file("published.csv"),
    "read_sensitive.source": f"item:{MARK}0",
    "read_sensitive.engine": lambda e: e.engine,
    "read_table.engine": lambda e: e.engine,
    "read_thresholds.path": file("thresholds.csv"),
    "read_valid_anonymized.path": file("A.csv"),
    "recompute_archive.folder": lambda e: e.archive,
    "run_duel.methods": ["item-sets", "best"],
    "run_gate.policy": file("policy.toml"),
    "run_experiments.figures": [5],
    "run_experiments.threads": 1,
    "run_experiments.repetitions": 1,
    "run_experiments.folder": made("experiments"),
    "success_threshold.n": 5,
    "success_thresholds.most": 5,
    "summarize_experiments.rows": [sudare.baskets.ExperimentRow(5, MARK, "fixed", 0.5, 1, 0.25, True, 0.25, 0.0, None)],
    "trace_frontier.ks": [2],
    "trace_frontier.search": sudare.contest.FrontierSearch(fast=True, duel=False),
    "verify_evidence.folder": lambda e: e.evidence,
    "verify_baskets.certificate": lambda e: sudare.baskets.read_certificate(e.certificate),
    "write_baseline.path": made("out.json"),
    "write_evidence.folder": lambda e: Path(tempfile.mkdtemp(dir=e.folder / "made")) / "evidence",
    "write_junit.path": made("out.xml"),
    "write_sarif.path": made("out.sarif"),
    "write_baskets_report.path": made("baskets.html"),
    "write_contest_report.anonymized": file("A.csv"),
    "write_contest_report.draws": 2,
    "write_contest_report.guesses": lambda e: [e.folder / "guesses.csv"],
    "write_contest_report.original": file("T.csv"),
    "write_contest_report.path": made("contest.html"),
    "write_cells_parquet.path": made("out.parquet"),
    "write_hierarchies.overwrite": True,
    "write_history_report.path": made("history.html"),
    "write_anonymized_report.path": made("anonymized.html"),
    "write_table_report.path": made("table.html"),
}
# Methods and constructors.
OWN |= {
    "Baskets.only.kept": lambda e: np.ones(len(e.baskets.items), bool),
    "Baskets.record.u": 0,
    "Baskets.select.chosen": lambda e: np.ones(len(e.baskets), bool),
    "CellHistory.column.name": "item",
    "CellHistory.taken.rows": np.array([1, 0]),
    "ItemColumn.taken.rows": np.array([1, 0]),
    "OrderedColumn.taken.rows": np.array([1, 0]),
    "Costs.place.attributes": ["age"],
    "FrequentItemsets.itemset.n": 0,
    "GateRun.report.path": made("gate.html"),
    "SuggestedPolicy.write.path": made("suggested.toml"),
    "SuggestedPolicy.write_questions.path": made("questions.toml"),
    "GuessPlan.is_better.other": lambda e: e.instance(sudare.histories.GuessPlan),
    "HeldBaskets.table.name": "item",
    "Hierarchy.generalize.level": 1,
    "Matchings.candidates": [[0, 1], [0, 1], [2]],
    "Matchings.draw_all.count": 3,
    "Matchings.draw_all.rng": np.random.default_rng(0),
    "Matchings.hits.drawn": lambda e: e.instance(sudare.histories.Matchings).draw_all(3, np.random.default_rng(0)),
    "Matchings.hits.guesses": np.array([[0, 0], [1, 1]]),
    "HistoryRows.read_aligned.path": lambda e: aligned(e),
    "History.derive.name": "two",
    "History.derive.query": "SELECT 2 AS two",
    "History.table.name": "visit",
    "SensitiveItems.has.item": 0,
    "SensitiveItems.has.u": 0,
    "SensitiveItems.of.items": lambda e: len(e.baskets.names),
    "SensitiveItems.of.u": 0,
    "SensitiveItems.select.chosen": lambda e: np.ones(len(e.baskets), bool),
    "Table.marked.marks": lambda e: {"mark": np.zeros(len(e.table.counts), np.int64)},
    "Table.marked.positions": [0, 1],
}
