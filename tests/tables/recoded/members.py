"""Eight members of a club, in four classes of two by age and town."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import sudare
from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable, record_rows
from tests.tables.recoded.partitioned import partitioned, roles_of

LINES = """name,age,town,disease,visits
Ann,21,Ueno,flu,1
Bob,24,Ueno,cold,2
Cid,35,Ueno,flu,3
Dan,38,Kanda,cold,4
Eve,52,Kanda,flu,5
Fay,57,Kanda,asthma,6
Gil,61,,cold,7
Hal,68,Kanda,flu,8
"""
AGES = {21: "20-29", 24: "20-29", 35: "30-39", 38: "30-39", 52: "50-59", 57: "50-59", 61: "60-69", 68: "60-69"}
HIERARCHIES: dict[str, Hierarchy] = {
    "age": make_hierarchy("age", {n: [str(age), decade, "*"] for n, (age, decade) in enumerate(AGES.items())}),
    "town": make_hierarchy("town", {1: ["Ueno", "*"], 2: ["Kanda", "*"]}),
}
# The class of each member: twenties, thirties, fifties, sixties.
CLASSES = {"Ann": 0, "Bob": 0, "Cid": 1, "Dan": 1, "Eve": 2, "Fay": 2, "Gil": 3, "Hal": 3}


@contextmanager
def members(
    tmp_path: Path, *, person: str | None = None, weight: str | None = None, lines: str = LINES
) -> Iterator[Table]:
    """Read the members."""
    path = tmp_path / "members.csv"
    path.write_text(lines)
    with sudare.read_table(path, person=person, weight=weight) as table:
        yield table


def recoded_members(
    table: Table, *, suppressed: str = "", cells: str = "nodes", means: tuple[str, ...] = ()
) -> RecodedTable:
    """Recode the members; those of the class of a `suppressed` one are left out."""
    roles = roles_of(table, name="identifier", disease="sensitive", visits="kept")
    names = table.attributes.index("name")
    owner = [CLASSES[str(table.values[names][code])] for code in table.codes[names][record_rows(table)]]
    left_out = CLASSES.get(suppressed, -2)
    classes = np.array([-1 if one == left_out else one for one in owner])
    return partitioned(table, roles, classes.tolist(), cells=cells, hierarchies=HIERARCHIES, means=means)
