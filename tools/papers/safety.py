"""PWS Cup 2018: details of the safety evaluation (2018-09-05)."""

from __future__ import annotations

from collections.abc import Iterator

import sudare
from papers.rows import Find, Paper, Row

COMMAND = "sudare contest thresholds"

# Table 4 of the report: the first x of each column, and r of this x and those after it; * where no number is enough.
TABLE = {
    0: "* * * * * * * 7 8 9",
    10: "10 10 11 11 12 13 13 14 15 15",
    20: "16 17 17 18 18 19 20 20 21 21",
    30: "22 23 23 24 25 25 26 26 27 28",
    40: "28 29 29 30 31 31 32 32 33 34",
    90: "59 59 60 60 61 62 62 63 63 64",
    990: "606 607 607 608 609 609 610 610 611 612",
}


def rows(find: Find) -> Iterator[Row]:  # noqa: ARG001 (it needs no data)
    """Find the thresholds and the two examples."""
    seven, six = sudare.histories.class_safety([7]), sudare.histories.class_safety([6])
    command = "sudare contest classes T.csv A.csv"
    yield Row("Example 1", "classes of 7 meet H0", "yes", "yes" if seven.holds else "no", command)
    yield Row("Example 2", "classes of 6 meet H0", "no", "yes" if six.holds else "no", command)
    thresholds = sudare.histories.success_thresholds(max(TABLE) + 9)
    for first, printed in TABLE.items():
        found = [int(thresholds[x]) for x in range(first, first + 10)]
        text = " ".join("*" if r > x else str(r) for x, r in enumerate(found, start=first))
        yield Row("Table 4 of the report", f"r({first}) to r({first + 9})", printed, text, COMMAND)


PAPER = Paper(
    "PWS Cup 2018: details of the safety evaluation",
    "r(n') is the least s with u(p, n', s) below alpha, for p = 1/3 and alpha = 0.01/20, in exact arithmetic: "
    "[safety](contest-safety.md).",
    rows,
)
