"""Forty attributes of a hundred thousand records: sets that are disclosable, dangerous, affordable, drawn; levels."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars

import sudare
from measuring import Clock, in_child
from results import Found, Line
from sudare.limits import SEARCH_SECONDS

TITLE = "Forty attributes of 100,000 generated records: disclosable, dangerous, affordable and drawn sets; levels"
PACKAGES = ("polars",)
RECORDS, ATTRIBUTES = 100_000, 40
LIMITS = (0.2, 0.1, 0.05, 0.01)
SAMPLES = 2_000
# What an answer may take.
BAR_SECONDS = 60
# Sets that the child process checks by grouping the records in polars.
CHECKED = 20


def write_data(path: Path) -> None:
    """Write attributes of 2 to 60 values, skewed, that depend on six hidden traits of each record."""
    rng = np.random.default_rng(1)
    traits = rng.standard_normal((6, RECORDS))
    columns = {}
    for a in range(ATTRIBUTES):
        mixed = rng.dirichlet(np.full(6, 0.4)) @ traits + 0.5 * rng.standard_normal(RECORDS)
        values = int(rng.choice([2, 2, 3, 4, 5, 7, 10, 20, 60]))
        ends = np.quantile(mixed, np.cumsum(rng.dirichlet(np.full(values, 1.5)))[:-1])
        columns[f"a{a}"] = np.searchsorted(ends, mixed)
    polars.DataFrame(columns).write_csv(path)


def disclosable(clock: Clock, path: str, limit: float) -> dict[str, Any]:
    with sudare.read_table(path) as table:
        clock.lap("read")
        found = sudare.tables.disclosable_sets(table, limit=limit)
        clock.lap("found")
    check_disclosable(polars.read_csv(path), found)
    return {"complete": found.complete, "maximal": len(found.maximal), "unsafe": len(found.minimal_unsafe)}


def check_disclosable(frame: polars.DataFrame, found: sudare.tables.DisclosableSets) -> None:
    """Group the records by some of the sets: maximal ones are safe and no more with any other, minimal ones unsafe."""

    def smallest(names: list[str]) -> int:
        return frame.group_by(names).len()["len"].min()  # type: ignore[return-value]

    for entry in pick(found.maximal):
        names = list(entry.attributes)
        assert round(1 / entry.max_risk) == smallest(names) >= found.class_size, names
        assert all(smallest([*names, more]) < found.class_size for more in frame.columns if more not in names), names
    for unsafe in pick(found.minimal_unsafe):
        assert smallest(list(unsafe)) < found.class_size, unsafe
        fewer = [[name for name in unsafe if name != left] for left in unsafe]
        assert all(smallest(names) >= found.class_size for names in fewer if names), unsafe


def pick(sets: Any) -> list[Any]:
    return list(sets)[:: max(1, len(sets) // CHECKED)][:CHECKED]


def sample(clock: Clock, path: str) -> dict[str, Any]:
    with sudare.read_table(path) as table:
        clock.lap("read")
        found = sudare.tables.sample_subsets(table, samples=SAMPLES, seed=1)
        clock.lap("found")
    frame = polars.read_csv(path)
    alone = np.mean([frame[name].n_unique() / RECORDS for name in frame.columns])
    assert np.isclose(found.sizes[1].mean_risk.value, alone), (found.sizes[1], alone)
    assert np.isclose(found.sizes[-1].mean_risk.value, frame.n_unique() / RECORDS), found.sizes[-1]
    return {"complete": found.complete, "sets": found.samples}


def dangerous(clock: Clock, path: str, size: int) -> dict[str, Any]:
    with sudare.read_table(path) as table:
        clock.lap("read")
        found = sudare.tables.dangerous_sets(table, size=size, factor=100)
        clock.lap("found")
    frame = polars.read_csv(path)
    for entry in pick(found.sets):
        names = list(entry.attributes)
        alone = [polars.len().over(name) for name in names]
        rise = (polars.max_horizontal(alone) / polars.len().over(names)).alias("rise")
        rises = frame.select(rise)["rise"]
        assert np.isclose(rises.max(), entry.max_factor), entry  # type: ignore[arg-type]
        assert (rises > found.factor).sum() == entry.records, entry
    share = found.estimate and [found.estimate.drawn, found.estimate.low, found.estimate.high]
    return {"found": found.found, "sets": found.combinations, "share": share}


def affordable(clock: Clock, path: str, budget: int) -> dict[str, Any]:
    with sudare.read_table(path) as table:
        clock.lap("read")
        costs = {name: a % 5 + 1 for a, name in enumerate(table.attributes)}
        found = sudare.tables.affordable_sets(table, costs, budget=budget)
        clock.lap("found")
    frame = polars.read_csv(path)
    for entry in pick(found.maximal):
        names, cost = list(entry.attributes), sum(costs[name] for name in entry.attributes)
        others = [costs[name] for name in frame.columns if name not in names]
        assert cost <= budget < cost + min(others), entry
        assert np.isclose(entry.mean_risk, frame.select(names).n_unique() / RECORDS), entry
    estimate = found.estimate
    risks = estimate and [estimate.mean_risk.low, estimate.mean_risk.high, estimate.riskier_at_most]
    maximal = len(found.maximal) if estimate is None else estimate.maximal
    return {"maximal": maximal, "drawn": estimate and estimate.drawn, "risks": risks}


def levels(clock: Clock, path: str, suppress: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, sudare.read_table(path) as table:
        hierarchies = {found.attribute: found.hierarchy for found in sudare.tables.suggest_hierarchies(table)}
        clock.lap("read")
        found = sudare.tables.find_levels(table, hierarchies, limit=0.2, suppress=suppress)
        clock.lap("found")
        # The file is read again and its risk measured on it.
        written = sudare.tables.write_levels(found, Path(folder) / "out.csv")
    assert written.max_risk <= 0.2, written
    return {"nodes": found.nodes, "loss": found.loss, "bound": found.bound, "gap": found.gap}


def run() -> Found:
    """Measure and return the section of the results."""
    lines = ["| question | reading | answer | peak memory | found |", "|---|---:|---:|---:|---|"]
    complete = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_data(path)
        for limit in LIMITS:
            done = in_child("many_attributes", "disclosable", str(path), limit)
            sets = f"{done.answer['maximal']:,} maximal sets, {done.answer['unsafe']:,} minimal unsafe ones"
            if done.answer["complete"]:
                complete.append(Line(f"Disclosable sets of 40 attributes, risk at most {limit}", done.parts["found"]))
            state = "complete" if done.answer["complete"] else "stopped by the time limit"
            lines.append(row(f"disclosable, risk at most {limit}", done, f"{sets}; {state}"))
        done = in_child("many_attributes", "sample", str(path))
        lines.append(row(f"sample of {SAMPLES:,} sets", done, f"{done.answer['sets']:,} sets measured"))
        for question, done, found in barred(str(path)):
            within = "within" if done.parts["found"] <= BAR_SECONDS else "over"
            lines.append(row(question, done, f"{found}; {within} the bar of {BAR_SECONDS} s"))
            complete.append(Line(f"40 attributes of 100,000 records: {question}", done.parts["found"]))
    lines.append("")
    lines.append(
        f"The search stops after {SEARCH_SECONDS:.0f} seconds unless told otherwise. Checked in polars, "
        f"for up to {CHECKED} sets of each answer: maximal sets are safe and with any further attribute unsafe, "
        "minimal unsafe sets are unsafe and without any attribute safe; the rises of dangerous sets; costs and risks "
        "of affordable ones; of the sample, the sizes known exactly. The table at the levels found was written and "
        "measured. "
        "Peak memory includes the check. A set costs polars one grouping of all records; there are 2^40 sets."
    )
    return Found("\n".join(lines), tuple(complete))


def barred(path: str) -> Iterator[tuple[str, Any, str]]:
    """Ask the questions that have to be answered within a minute."""
    for size in (4, 8):
        done = in_child("many_attributes", "dangerous", path, size)
        found = f"{done.answer['found']:,} dangerous of {done.answer['sets']:,} sets, exact"
        if done.answer["share"]:
            drawn, low, high = done.answer["share"]
            found = f"of {done.answer['sets']:,} sets {drawn:,} drawn: {low:.1%} to {high:.1%} are dangerous"
        yield f"dangerous sets of {size}", done, found
    for budget in (5, 15):
        done = in_child("many_attributes", "affordable", path, budget)
        found = f"{done.answer['maximal']:,} maximal sets, exact"
        if done.answer["risks"]:
            low, high, riskier = done.answer["risks"]
            found = (
                f"of {done.answer['maximal']:,} maximal sets {done.answer['drawn']:,} drawn: mean risk {low:.1%} to "
            )
            found += f"{high:.1%}; at most {riskier:.2%} are riskier than the riskiest drawn"
        yield f"affordable sets for {budget}", done, found
    for suppress in (0.0, 0.04):
        done = in_child("many_attributes", "levels", path, suppress)
        found = (
            f"best of {done.answer['nodes']:.1e} choices found; at most {done.answer['gap']:.1%} of its loss avoidable"
        )
        yield f"levels, risk at most 0.2, {suppress:.0%} suppressed", done, found


def row(question: str, done: Any, found: str) -> str:
    return (
        f"| {question} | {done.parts['read']:.2f} s | {done.parts['found']:.1f} s | {done.gigabytes:.2f} GB | {found} |"
    )
