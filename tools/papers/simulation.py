"""Risk analysis of k-anonymized personal data by attack simulation (Algorithms 1 to 7)."""

from __future__ import annotations

from collections.abc import Iterator

import sudare
from papers.rows import Find, Paper, Row

TABLE = "adult.csv"
LIMIT, SIZE, FACTOR, BUDGET = 0.2, 2, 10.0, 2.0


def rows(find: Find) -> Iterator[Row]:
    """Find what the algorithms of the paper find on Adult; it prints no results of its own."""
    with sudare.read_table(find(f"adult/{TABLE}"), delimiter=";") as table:
        yield from _records(table)
        yield from _sets(table)
        yield from _levels(table, find)


def _records(table: sudare.Table) -> Iterator[Row]:
    found = sudare.tables.assess_records(table)
    command = f"sudare table risk {TABLE}"
    below = 1 - found.share_above(0.5)
    risks = f"{found.max_risk:g}, {found.mean_risk:.4f}"
    yield Row("Algorithm 1", "classes of equal records", "", f"{found.classes:,}", command)
    yield Row("Algorithm 2", "share of the attacks with a risk of at most 0.5", "", f"{below:.4f}", f"{command} --json")
    yield Row("Figure 1", "risk against share of attacks", "", "chart", f"sudare table report {TABLE} -o r.html")
    yield Row("Algorithm 3", "highest and mean risk", "", risks, f"{command} --record-risks risks.csv")


def _sets(table: sudare.Table) -> Iterator[Row]:
    subsets = sudare.tables.assess_subsets(table)
    what = "sets of u = 9 attributes, the sum of uCi"
    yield Row("Section 5", what, "", f"{len(subsets):,}", f"sudare table subsets {TABLE}")
    disclosable = sudare.tables.disclosable_sets(table, limit=LIMIT, every=True)
    found = f"{len(disclosable.sets or ()):,}, {len(disclosable.maximal):,}"
    command = f"sudare table disclosable {TABLE} --limit {LIMIT} --all"
    yield Row("Algorithm 4", f"sets with a risk of at most {LIMIT}, maximal ones", "", found, command)
    dangerous = sudare.tables.dangerous_sets(table, size=SIZE, factor=FACTOR)
    found = f"{dangerous.found:,} of {dangerous.combinations:,}"
    command = f"sudare table dangerous {TABLE} --size {SIZE} --factor {FACTOR:g}"
    yield Row("Algorithm 5", f"pairs with a jump z above {FACTOR:g}", "", found, command)
    affordable = sudare.tables.affordable_sets(table, dict.fromkeys(table.attributes, 1), budget=BUDGET)
    found = f"{len(affordable.maximal):,}, {affordable.maximal[0].max_risk:g}"
    command = f"sudare table affordable {TABLE} --costs costs.csv --budget {BUDGET:g}"
    what = f"largest sets for {BUDGET:g} at a cost of 1 each, the highest risk"
    yield Row("Algorithm 6", what, "", found, command)


def _levels(table: sudare.Table, find: Find) -> Iterator[Row]:
    folder = find(f"adult/{TABLE}").parent
    hierarchies = sudare.tables.find_hierarchies(folder, table.attributes)
    found = sudare.tables.find_levels(table, hierarchies, limit=LIMIT)
    command = f"sudare table levels {TABLE} --hierarchies adult --limit {LIMIT} -o safe.csv"
    vectors = f"{found.safe_choices:,} of {found.nodes:,}, {len(found.minimal):,}"
    yield Row("Algorithm 7", f"level vectors with a risk of at most {LIMIT}, minimal ones", "", vectors, command)
    yield Row("Algorithm 7", "least loss, bits", "", f"{found.loss or 0:,.0f}", command)
    yield Row("Section 5", "level vectors of nine attributes, the product of S", "", f"{found.nodes:,}", command)


PAPER = Paper(
    "Risk analysis of k-anonymized personal data by attack simulation",
    "The paper prints algorithms and no results of theirs; these are found on Adult (30,162 records, nine attributes). "
    "What-ifs, D against D_d and D_F: `--what-if-added` and `--what-if-levels` of the same commands. "
    "Costs, D_C: `--costs`. "
    "[Risk of tables](table-risk.md), [sets of attributes](table-risk-sets.md), [levels](levels.md).",
    rows,
)
