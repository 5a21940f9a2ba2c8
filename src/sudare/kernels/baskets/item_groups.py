"""Item sets with a common prefix, depth first: records with a larger set are among those with the smaller.

Sets lie on a stack, at each depth one group of records for each item that was added there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.baskets.records import Counting, Records
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.common.rooms import room_for
from sudare.kernels.entry import inner


class Groups(NamedTuple):
    """Group g has the item item_of[g] and the entries from begins_at[g] to before begins_at[g + 1].

    An entry is the occurrence of the last item in a record that has all items of the set; `alive` says whether it is
    published with all of them.
    """

    item_of: Ints
    begins_at: Ints
    entries: Ints
    alive: Bools


@inner
def no_groups() -> Groups:
    """Return room for groups."""
    return Groups(
        np.empty(1024, np.int64), np.empty(1025, np.int64), np.empty(1024, np.int64), np.empty(1024, np.bool_)
    )


@inner
def first_group(records: Records, item: int, groups: Groups) -> Groups:
    """Make group 0 of all records with an item."""
    first, number = records.begins[item], records.begins[item + 1] - records.begins[item]
    entries, alive = room_for(groups.entries, number), room_for(groups.alive, number)
    for i in range(number):
        entries[i] = records.places[first + i]
        alive[i] = records.kept[entries[i]]
    groups.item_of[0], groups.begins_at[0], groups.begins_at[1] = item, 0, number
    return Groups(groups.item_of, groups.begins_at, entries, alive)


@inner
def divide(
    records: Records, groups: Groups, group: int, top: int, counting: Counting, wanted: Bools | None
) -> tuple[Groups, int]:
    """Divide the records of a group by the later items that they have, those that are wanted; return how many groups.

    The new groups are those from `top` on. Counts are zero before and after.
    """
    starts, items, kept, owner = records.starts, records.items, records.kept, records.owner
    counted, met = counting
    low, high = groups.begins_at[group], groups.begins_at[group + 1]
    different = total = 0
    for i in range(low, high):
        for o in range(groups.entries[i] + 1, starts[owner[groups.entries[i]] + 1]):
            item = items[o]
            if wanted is None or wanted[item]:
                if counted[item] == 0:
                    met[different] = item
                    different += 1
                counted[item] += 1
                total += 1
    place = groups.begins_at[top]
    item_of, begins_at = room_for(groups.item_of, top + different), room_for(groups.begins_at, top + different + 1)
    entries, alive = room_for(groups.entries, place + total), room_for(groups.alive, place + total)
    for f in range(different):
        item_of[top + f], begins_at[top + f] = met[f], place
        place += counted[met[f]]
        counted[met[f]] = begins_at[top + f]
    begins_at[top + different] = place
    for i in range(low, high):
        for o in range(entries[i] + 1, starts[owner[entries[i]] + 1]):
            item = items[o]
            if wanted is None or wanted[item]:
                at = counted[item]
                counted[item] = at + 1
                entries[at] = o
                alive[at] = alive[i] and kept[o]
    for f in range(different):
        counted[met[f]] = 0
    return Groups(item_of, begins_at, entries, alive), different
