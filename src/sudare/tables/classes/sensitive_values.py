"""How often each value of a sensitive attribute comes in each equivalence class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.kernels.common.arrays import Ints
from sudare.statistics.distinct import sum_by
from sudare.tables.classes.match_partitions import ClassList
from sudare.tables.classes.partitions import list_classes
from sudare.tables.classes.rows import table_rows
from sudare.tables.model import Table


class SensitiveValues(NamedTuple):
    """The pairs of a class and a sensitive value in it, as arrays: `owner`, `value`, and how many records have both.

    `pair` is that of each of the rows of `classes`, `records` how many there are of each value in the whole table.
    """

    known: tuple[str, ...]
    classes: ClassList
    owner: Ints
    value: Ints
    joint: Ints
    pair: Ints
    records: Ints


def sensitive_values(table: Table, sensitive: str, known: Sequence[str] | None) -> SensitiveValues:
    """Count sensitive values by class, for an attacker who knows some attributes (None: all others)."""
    names = [name for name in table.attributes if name != sensitive] if known is None else list(known)
    (place,) = table.positions([sensitive])
    if sensitive in names:
        raise OptionNotUsable("errors.diversity.known_and_sensitive", attribute=sensitive)
    classes = list_classes(table_rows(table, table.positions(names)))
    values = table.codes[place].astype(np.int64)
    width = int(values.max()) + 1
    pairs, pair = np.unique(classes.owner * width + values[classes.rows], return_inverse=True)
    joint = sum_by(pair, table.counts[classes.rows], len(pairs))
    records = sum_by(values, table.counts, width)
    return SensitiveValues(tuple(names), classes, pairs // width, pairs % width, joint, pair, records)
