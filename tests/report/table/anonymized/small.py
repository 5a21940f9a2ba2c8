"""A small anonymized table with results of every kind, whose numbers are all different."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import sudare
from sudare.tables.anonymize.frontier import TableFrontier, TableFrontierPoint
from sudare.tables.anonymize.publication import AnonymizedTable
from sudare.tables.attack.results import (
    AttackControl,
    InferenceFound,
    LinkageFound,
    MembershipFound,
    MembershipScore,
    SubsetLinkage,
    TableAttack,
    TableAttacks,
    TellingClass,
    TightLinkage,
)
from sudare.tables.classes.criteria import Criteria
from sudare.tables.recoded.check import CheckedProperty, TableCheck
from sudare.tables.recoded.losses import table_loss
from sudare.tables.recoded.model import RecodedTable, record_rows
from sudare.tables.recoded.publish import PublishedTable
from sudare.tables.roles import ColumnRole, Roles
from sudare.tables.utility.model import (
    ClassifierAccuracy,
    MarginalMoved,
    MeanMoved,
    PairMoved,
    QueriesError,
    TableUtility,
)
from tests.tables.recoded.partitioned import partitioned

# The women are one class, the men another; the man of 70 is suppressed.
PEOPLE = """name,sex,age,town,illness
Ann,f,30,x,flu
Bea,f,30,x,cold
Cat,f,41,y,flu
Dan,m,30,x,cold
Eli,m,52,x,flu
Fay,f,41,x,gout
Gus,m,30,y,gout
Hal,m,70,y,flu
"""
NAMES = ("Ann", "Bea", "Cat", "Dan", "Eli", "Fay", "Gus", "Hal")
ROLES = Roles(
    (
        ColumnRole("name", "identifier", "name", "identifier"),
        ColumnRole("sex", "quasi"),
        ColumnRole("age", "quasi"),
        ColumnRole("town", "kept", reason="named"),
        ColumnRole("illness", "sensitive", reason="named"),
    )
)
CRITERIA = Criteria(k=3, l=2, suppress=0.25)

UTILITY = TableUtility(
    records=8,
    published=7,
    marginals=(MarginalMoved("sex", 0.0101), MarginalMoved("age", 0.0202, groups=13)),
    means=(MeanMoved("age", 41.25, 40.5, 12.125, 9.0625),),
    pairs=(PairMoved("sex", "age", 0.0303), PairMoved("age", "town", 0.0404)),
    queries=(
        QueriesError(2, 1001, 0.11, 0.1, 0.12, 0.13, 0.14, 2.5),
        QueriesError(3, 1002, 0.21, 0.2, 0.22, 0.23, 0.24, 2.5),
    ),
    classifier=ClassifierAccuracy("illness", "sensitive", 0.91, 0.81, 0.71, 601, 602, 203),
    classifier_not_measured=None,
    seed=5,
)  # fmt: skip
CONTROLS = (AttackControl("original", 0.801, 0.802, True), AttackControl("shuffled", 0.103, 0.104, False))
ATTACKS = TableAttacks(
    attacks=(
        TableAttack("linkage", ("sex", "age"), "within", "class_sizes", success=0.301, interval=(0.301, 0.301),
                    highest=0.333, chance=0.125, limit=0.334, claim="proven", controls=CONTROLS),
        TableAttack("inference", ("sex", "age"), "within", "participation", sensitive="illness", success=0.51,
                    interval=(0.49, 0.53), highest=0.66, chance=0.43, limit=0.52, claim="estimated"),
        TableAttack("membership_distance", ("sex", "age"), "not_tried", "no_outsiders"),
    ),
    linkage=LinkageFound(0.301, (0.301, 0.301), 0.333, 3, 0, 2.01, TightLinkage(0.302, (0.3, 0.31), 0.335, 0.9),
                         (SubsetLinkage(("sex",), 0.251, (0.25, 0.26), 0.252, 4, 17),
                          SubsetLinkage(("age",), 0.261, (0.26, 0.27), 0.262, 6, 18)),
                         all_subsets=2),
    inference=(
        InferenceFound("illness", 0.511, (0.49, 0.53), 0.431, 0.441, 0.07, (0.05, 0.09), 21, 0.67, 22, 23, 24, 25, 26,
                       27, 2.0, 0.2, (TellingClass(31, 32, 0.601, 0.301), TellingClass(33, 34, 0.602, 0.302))),
    ),
    membership=MembershipFound(41, 42, True, (
        MembershipScore("membership_distance", "synthetic", 0.551, (0.5, 0.6), 0.052),
        MembershipScore("membership_weight", "left_out", 0.561, (0.51, 0.61), 0.062),
    )),
    records=8,
    targets=7,
    seed=5,
)  # fmt: skip
CHECK = TableCheck(7, 2, 3, 2, 0.4, (
    CheckedProperty("columns", None, 0, 0, True), CheckedProperty("lines", None, 7, 7, True),
    CheckedProperty("cells", "sex", 0, 0, True), CheckedProperty("cells", "age", 0, 0, True),
    CheckedProperty("suppressed", None, 0.25, 0.125, True), CheckedProperty("k", None, 3, 3, True),
    CheckedProperty("l", "illness", 2, 2.75, True),
))  # fmt: skip
FRONTIER = TableFrontier(8, "entropy", 3.1, "local", ("illness",), "distinct", 5, tuple(
    TableFrontierPoint(k, l, None, 0.5 * k + (l or 0) / 10, 0.4 * k, 9 - k, k - 2, 0.25 * k, "converged")
    for l in (None, 2.0) for k in (2, 3, 4)  # noqa: E741
))  # fmt: skip


def recoded_people(table: sudare.Table) -> RecodedTable:
    """Return the small table in two classes, with ranges of ages."""
    rows = record_rows(table)
    sex, age = (table.attributes.index(name) for name in ("sex", "age"))
    owner = [-1 if table.values[age][table.codes[age][row]] == "70" else int(table.codes[sex][row]) for row in rows]
    return partitioned(table, ROLES, owner, cells="ranges")


@contextmanager
def anonymized_people(folder: Path, **changed: Any) -> Iterator[AnonymizedTable]:
    """Yield the small table, anonymized, with some fields changed."""
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    with sudare.read_table(folder / "people.csv") as table:
        recoded = recoded_people(table)
        made = AnonymizedTable(
            recoded=recoded, hierarchies={}, population=None, source="people.csv", model="local", cells="ranges",
            roles=ROLES, criteria=CRITERIA, suggested=(), loss_name="entropy", loss=table_loss(recoded), bound=0.75,
            utility=UTILITY, attacks=ATTACKS, seed=5, seconds=1.5, ended="converged",
        )  # fmt: skip
        yield replace(made, **changed)


def published_people(folder: Path, check: TableCheck = CHECK) -> PublishedTable:
    """Return a published file with its check."""
    (folder / "safe.csv").write_text("sex,age,town,illness\n", encoding="utf-8")
    return PublishedTable(str(folder / "safe.csv"), ("sex", "age", "town", "illness"), 7, 1, check)
