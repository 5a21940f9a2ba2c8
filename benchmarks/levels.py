"""The best generalization levels of Adult: sudare against trying every combination of levels, and against anjana."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import polars

import sudare
from measuring import Clock, fastest, real_data
from results import Found, Line

TITLE = "Best generalization levels of Adult, nine hierarchies, risk at most 0.2 (k = 5)"
PACKAGES = ("polars", "anjana")
K = 5
ROUNDS = 3


def ours(clock: Clock, path: str, files: dict[str, str], suppress: float) -> dict[str, Any]:
    with sudare.read_table(path) as table:
        hierarchies = {name: sudare.tables.read_hierarchy(file, name) for name, file in files.items()}
        clock.lap("read")
        # The first call compiles the kernels, once after installation, or loads them.
        sudare.tables.find_levels(table, hierarchies, limit=1 / K, suppress=suppress)
        clock.restart()
        found = sudare.tables.find_levels(table, hierarchies, limit=1 / K, suppress=suppress)
        clock.lap("levels")
    answer = {"safe": found.safe_choices, "levels": found.best, "suppressed": found.suppressed, "loss": found.loss}
    return {**answer, "nodes": found.nodes, "evaluated": found.evaluated, "minimal": len(found.minimal)}


def polars_exhaustion(clock: Clock, path: str, files: dict[str, str], suppress: float) -> dict[str, Any]:
    """Group the distinct rows once for every combination of levels; the best form of trying them all."""
    columns = Generalized(path, files)
    clock.lap("read")
    records = int(columns.rows["records"].sum())
    best: tuple[float, int, dict[str, int]] = (math.inf, 0, {})
    safe = 0
    for levels in product(*(range(len(columns.base[name])) for name in files)):
        names = [f"{name} {level}" for name, level in zip(files, levels, strict=True)]
        sizes = columns.rows.group_by(names).agg(polars.col("records").sum())
        small = sizes.filter(polars.col("records") < K)
        suppressed = int(small["records"].sum())
        if suppressed > suppress * records:
            continue
        safe += 1
        loss = columns.loss(dict(zip(files, levels, strict=True)), small)
        best = min(best, (loss, suppressed, dict(zip(files, levels, strict=True))), key=lambda found: found[:2])
    clock.lap("levels")
    return {"safe": safe, "levels": best[2], "suppressed": best[1], "loss": best[0]}


class Generalized:
    """The distinct rows with a column for every attribute and level, and the losses by entropy.

    `base[a][l]` is the loss of attribute a at level l, `penalty[c][v]` what a suppressed record with the value v of the
    column c loses more.
    """

    def __init__(self, path: str, files: dict[str, str]) -> None:
        frame = polars.read_csv(path, separator=";", infer_schema=False)
        rows = frame.group_by(frame.columns).len("records")
        self.base: dict[str, list[float]] = {}
        self.penalty: dict[str, polars.Series] = {}
        for name, file in files.items():
            hierarchy = polars.read_csv(file, separator=";", has_header=False, infer_schema=False)
            own = frame[name].value_counts(name="original")
            for level, column in enumerate(hierarchy.columns):
                raised = f"{name} {level}"
                values = hierarchy.select(
                    polars.col(hierarchy.columns[0]).alias(name), polars.col(column).alias(raised)
                )
                values = values.unique().join(own, on=name)
                values = values.with_columns(polars.col("original").sum().over(raised).alias("crowd"))
                lost = (values["original"] * (values["crowd"] / values["original"]).log(2)).sum()
                self.base.setdefault(name, []).append(float(lost))
                kinds = polars.Enum(values[raised].unique().sort())
                rows = rows.join(values.select(name, polars.col(raised).cast(kinds)), on=name)
                crowds = values.group_by(raised).agg(polars.col("crowd").first()).sort(raised)["crowd"]
                self.penalty[raised] = (frame.height / crowds).log(2)
        self.rows = rows

    def loss(self, levels: dict[str, int], suppressed: polars.DataFrame) -> float:
        """Return the loss of all cells at some levels, if the records of some classes are left out."""
        base = sum(self.base[name][level] for name, level in levels.items())
        names = [f"{name} {level}" for name, level in levels.items()]
        left_out = (self.penalty[name][suppressed[name].to_physical()] * suppressed["records"] for name in names)
        return base + sum(float(lost.sum()) for lost in left_out)


def run() -> Found:
    """Measure and return the section of the results."""
    path = real_data("adult/adult.csv")
    table = ["| suppression | | levels | grouped of all | loss | sudare is faster |", "|---:|---|---:|---:|---:|---:|"]
    lines = []
    with sudare.read_table(path) as read:
        files = {name: str(file) for name, file in sudare.tables.find_hierarchies(path.parent, read.attributes).items()}
        for suppress in (0.0, 0.04):
            own, exhausted, anjana = fastest(
                "levels",
                ["ours", "polars_exhaustion", "rivals.anjana_levels"],
                str(path),
                files,
                suppress,
                rounds=ROUNDS,
            )
            check(own.answer, exhausted.answer)
            greedy = price(str(path), files, **anjana.answer)
            seconds = own.parts["levels"]
            nodes = own.answer["nodes"]
            others = {}
            for name, run_, grouped, loss in (
                ("sudare", own, f"{own.answer['evaluated']:,} of {nodes:,}", own.answer["loss"]),
                ("polars, every combination", exhausted, f"{nodes:,} of {nodes:,}", exhausted.answer["loss"]),
                ("anjana, one solution", anjana, "", greedy),
            ):
                taken = run_.parts["levels"]
                ratio = f"{taken / seconds:.0f} x" if run_ is not own else ""
                table.append(f"| {suppress:.0%} | {name} | {taken:.3f} s | {grouped} | {loss:,.0f} bits | {ratio} |")
                if run_ is not own:
                    others[name] = taken
            lines.append(Line(f"Best levels of Adult, {suppress:.0%} suppressed", seconds, others))
    return Found("\n".join([*table, "", REMARKS]), tuple(lines))


def check(own: dict[str, Any], other: dict[str, Any]) -> None:
    assert all(own[key] == other[key] for key in ("safe", "levels", "suppressed")), f"{own} is not {other}"
    assert math.isclose(own["loss"], other["loss"], rel_tol=1e-9), f"{own} is not {other}"


def price(path: str, files: dict[str, str], levels: dict[str, int], suppressed: int) -> float:
    """Return the loss by entropy of the levels that anjana chose, and check that they are safe."""
    columns = Generalized(path, files)
    names = [f"{name} {levels[name]}" for name in files]
    sizes = columns.rows.group_by(names).agg(polars.col("records").sum())
    small = sizes.filter(polars.col("records") < K)
    assert int(small["records"].sum()) == suppressed, f"anjana left out {suppressed}, not {small['records'].sum()}"
    return columns.loss({name: levels[name] for name in files}, small)


REMARKS = (
    "The time to find the levels, after reading; for sudare after the first call in a process, which loads the "
    "compiled kernels. Both exact ways find the same number of safe combinations, the same best one and the same loss "
    "(checked). anjana raises the attribute with the most values until the table is safe and returns that one table; "
    "its loss is computed here. ARX, which searches too, is a Java program that is in none of PyPI, Debian and npm, so "
    "that it was not run."
)
