"""What a recipient estimates, record by record and value by value."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from sudare.tables.recoded.model import RecodedTable
from sudare.tables.roles import Role
from tests.tables.recoded.small import recoded_of
from tests.tables.small_tables import record_lists, table_of

Joint = dict[tuple[int, ...], Fraction]


@st.composite
def recoded_tables(draw: st.DrawFn) -> RecodedTable:
    """Draw a small table whose records have any cells that cover them, some columns unchanged, some suppressed."""
    table = table_of(draw(record_lists(most_attributes=4, most_records=12)))
    roles: dict[str, Role] = {name: draw(st.sampled_from(["quasi", "quasi", "kept"])) for name in table.attributes[1:]}
    quasi = [a for a, name in enumerate(table.attributes) if roles.get(name, "quasi") == "quasi"]
    rows = [row for row, count in enumerate(table.counts) for _ in range(count)]
    classes, owner = [], []
    for row in rows:
        owner.append(-1 if draw(st.integers(0, 5)) == 0 else len(classes))
        cells = [{int(table.codes[a, row])} | draw(st.sets(st.integers(0, len(table.values[a]) - 1))) for a in quasi]
        classes.append([tuple(sorted(cell)) for cell in cells])
    return recoded_of(table, classes, owner, roles=roles)


def cell_values(found: RecodedTable, name: str, record: int) -> list[int]:
    """Return the values that the cell of a record covers."""
    if name not in found.quasi:
        return [int(found.codes(name)[record])]
    place = found.quasi.index(name)
    return found.columns[place].covered(int(found.cells[place, found.owner[record]])).tolist()


def spread(found: RecodedTable, name: str, record: int) -> dict[int, Fraction]:
    """Return the share of each value in the cell of a record: its exact records and one, of those of the cell."""
    cells = [cell_values(found, name, other) for other in there(found)]
    exact = Counter(cell[0] for cell in cells if len(cell) == 1)
    own = cell_values(found, name, record)
    whole = sum(exact[value] + 1 for value in own)
    return {value: Fraction(exact[value] + 1, whole) for value in own}


def there(found: RecodedTable) -> list[int]:
    return [record for record, owner in enumerate(found.owner) if owner >= 0]


def original(found: RecodedTable, names: Sequence[str]) -> Joint:
    """Return the counts of the combinations of values of the original."""
    columns = [found.codes(name).tolist() for name in names]
    return {key: Fraction(count) for key, count in Counter(zip(*columns, strict=True)).items()}


def estimated(found: RecodedTable, names: Sequence[str]) -> Joint:
    """Return the counts of the combinations of values as a recipient estimates them."""
    joint: Joint = {}
    for record in there(found):
        shares = [spread(found, name, record).items() for name in names]
        for combination in itertools.product(*shares):
            key, share = tuple(value for value, _ in combination), Fraction(1)
            for _, part in combination:
                share *= part
            joint[key] = joint.get(key, Fraction(0)) + share
    return joint


def distance(before: Joint, after: Joint) -> Fraction:
    """Return the total variation distance of two distributions given by counts."""
    if not after:
        return Fraction(1)
    n, m = sum(before.values()), sum(after.values())
    return sum((abs(before.get(key, 0) / n - after.get(key, 0) / m) for key in {*before, *after}), Fraction(0)) / 2
