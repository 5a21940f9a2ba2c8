"""Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import sudare
from papers.rows import Find, Paper, Row, row

T = "pwscup2018-T.csv"
CORRELATE = "sudare contest correlate pwscup2018"
# Customers of T that are anonymized for the kinds of Table 5.
FEW = 40
USES = "itemsets rfm similarity_wholesale similarity_retail similarity_top".split()
STATISTICS = "sum mean variance deviation max min median".split()

# The last rows of Tables 6 to 10; "-" where there is no correlation.
CORRELATIONS = {
    "Table 6": ("", USES, "0.654 0.612 0.877 0.949 0.594"),
    "Table 7": ("", ["rows", "top_items"], "0.203 0.856"),
    "Table 8": ("date_", STATISTICS, "0.283 0.599 0.512 0.522 - - 0.442"),
    "Table 9": ("price_", STATISTICS, "0.515 0.516 0.508 0.365 0.502 0.794 0.528"),
    "Table 10": ("quantity_", STATISTICS, "0.500 0.502 0.481 0.281 0.507 - 0.527"),
}  # fmt: skip
ROUNDED = "Of the printed values, which are rounded; the paper's correlation is of those before rounding."
BEST = (
    "The best guesses against classes of two are found exactly. The report reckons with 13 attacks that fail "
    "independently of each other."
)


def rows(find: Find) -> Iterator[Row]:
    """Find the numbers of the report."""
    results = sudare.histories.load_rules().results
    safe = [result.utility for result in results if result.safe]
    yield row(
        "Table 3",
        "teams, safe ones, least U of a safe one",
        "13, 5, 0.206",
        (len(results), len(safe), min(safe)),
        CORRELATE,
    )
    original = sudare.histories.read_original(find(T))
    same = sudare.histories.cell_utility(original, original).utility
    yield Row("Section 2.4.2", "U of T as it is", "", f"{same:g}", f"sudare contest utility {T} {T}")
    yield from _safety()
    yield from _kinds(find(T), original)
    yield from _correlations()


def _safety() -> Iterator[Row]:
    tests = sudare.histories.class_safety([2] * 500, attacks=13).tests
    contest = next(test for test in tests if test.test == "contest")
    plan = contest.plan_found
    command = "sudare contest classes T.csv A.csv --attacks 13"
    yield row(
        "Section 5.3",
        "2-anonymous: guesses, probability to succeed",
        "24, 0.073",
        (plan.guesses, plan.probability),
        command,
    )
    yield row(
        "Section 5.3",
        "2-anonymous: no one of 13 succeeds",
        "0.37",
        (contest.survives_at_least_if_independent,),
        command,
        remark=BEST,
    )


def _kinds(path: Path, original: sudare.histories.CellHistory) -> Iterator[Row]:
    few = _first_customers(path)
    anonymized = {
        "as it is": original,
        "2-anonymous": sudare.histories.anonymize_history(few, 2, fast=True, rounds=1).history,
        "2 untouched + 2-anonymous": sudare.histories.leave_untouched(few, 2, untouched=2, fast=True, rounds=1).history,
        "3-anonymous": sudare.histories.anonymize_history(few, 3, fast=True, rounds=1).history,
    }
    for name, history in anonymized.items():
        found = sudare.contest.describe_anonymization(original if history is original else few, history)
        kind = f"{found.kind}, {found.unique_customers:,} unique, k = {found.k}"
        yield Row(
            "Table 5", f"kind of a history that is {name}", "", kind, f"sudare contest report {T} A.csv -o r.html"
        )


def _first_customers(path: Path) -> sudare.histories.CellHistory:
    """Return the history of the first customers of a file, which is anonymized in a moment."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    chosen = set(sorted({line.partition(",")[0] for line in lines})[:FEW])
    with tempfile.TemporaryDirectory() as folder:
        few = Path(folder) / T
        few.write_text("".join(line for line in lines if line.partition(",")[0] in chosen), encoding="utf-8")
        return sudare.histories.read_original(few)


def _correlations() -> Iterator[Row]:
    found = sudare.contest.correlate_measures(sudare.contest.published_results())
    by_measure = {entry.measure: entry.correlation for entry in found.measures}
    for table, (prefix, names, printed) in CORRELATIONS.items():
        for name, value in zip(names, printed.split(), strict=True):
            correlation = by_measure[f"{prefix}{name}"]
            text = "-" if correlation is None else f"{correlation:.3f}"
            remark = "" if text == value else ROUNDED
            yield Row(table, f"correlation of U and {prefix}{name}", value, text, CORRELATE, remark)
    yield Row(
        "Section 6.4", "critical correlation of 13 at 5 %", "0.552...", f"{found.critical:.6f}"[:5] + "...", CORRELATE
    )


PAPER = Paper(
    "Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018",
    "The data of the main round and the teams' files are not public: what was measured of them is held by the rule set "
    "`pwscup2018`, and the preliminary round's T is used otherwise. Rules, files and U: "
    "[Contests](../reference/contest.md), [utility](contest-utility.md); definition 1 and the test: "
    "[safety](contest-safety.md).",
    rows,
)
