"""The attack of somebody who knows only the earlier half of a history, and looks for its people in the later half.

Rows are not matched: nothing that is known was published. People are recognized by what they buy again.
"""

from __future__ import annotations

import numpy as np

from sudare.histories.attack.linkage import Linkage
from sudare.histories.generalized.model import Kind, OrderedColumn
from sudare.histories.generalized.purchases import role_columns
from sudare.histories.profiles.attack import attack_profiles
from sudare.histories.profiles.periods import rows_from
from sudare.histories.profiles.sides import make_sides
from sudare.kernels.common.arrays import Floats, Ints
from sudare.progress import Progress, silent


def recognize_later(linkage: Linkage, *, progress: Progress = silent) -> tuple[Ints, Floats, int]:
    """Return by pseudonym the number of a customer (-1: none), how probable that is, and how many were looked at.

    The middle of the known period divides it. Of the published rows, those count whose day is certainly later.
    """
    known, published = linkage.knowledge.history, linkage.published
    days = role_columns(known).day
    cut = _middle(days)
    earlier = known.taken(np.flatnonzero((days.kinds != Kind.DELETED) & (days.high < cut) & ~known.deleted))
    later = published.taken(rows_from(published, cut))
    customers, confidence = np.full(len(linkage.pids), -1), np.zeros(len(linkage.pids))
    if not len(earlier) or not len(later):
        return customers, confidence, 0
    sides = make_sides(earlier, later)
    links = attack_profiles(sides, trained=False, progress=progress)
    best = links.best()[sides.groups]
    order = np.argsort(linkage.customers)
    people = sides.customers[np.append(links.candidates.people, 0)[best]]
    places = np.searchsorted(linkage.pids, sides.pids)
    customers[places] = np.where(best >= 0, order[np.searchsorted(linkage.customers[order], people)], -1)
    confidence[places] = np.where(best >= 0, links.confidence()[sides.groups], 0.0)
    return customers, confidence, len(sides.pids)


def _middle(days: OrderedColumn) -> int:
    there = days.kinds != Kind.DELETED
    if not there.any():
        return 0
    return (int(days.low[there].min()) + int(days.high[there].max()) + 1) // 2
