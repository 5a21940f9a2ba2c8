"""k^m-anonymity: any m known items of a record, or fewer, fit at least k records.

Terrovitis, Mamoulis, Kalnis: Privacy-preserving anonymization of set-valued data (2008).
"""

from __future__ import annotations

from math import comb

import numpy as np

from sudare.arguments import checked
from sudare.baskets.model import Baskets
from sudare.errors import OptionNotUsable
from sudare.kernels.baskets.subset_supports import BELOW, OCCURRING, SMALLEST, count_subsets
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.record_index import RecordIndex

# Looks at places of records: some tens of seconds.
MOST_STEPS = 3_000_000_000


@dataclass(frozen=True, slots=True)
class RareItemset(Result):
    """Items that few records have together."""

    items: tuple[str, ...]
    support: int


@dataclass(frozen=True, slots=True)
class SizeSupports(Result):
    """The itemsets of one size that occur: how many, how many in fewer than k records, the smallest support."""

    size: int
    itemsets: int
    below: int
    smallest: int


@dataclass(frozen=True, slots=True)
class KmAnonymity(Result):
    """Whether baskets are k^m-anonymous, and how far they are from it.

    `itemsets` of up to m items occur in some record; `below` of them in fewer than k. `smallest` is the smallest
    support of any itemset (None if all records are empty): the largest k that holds. `examples` are the rarest; ties go
    to the smaller itemset, then to the order of their items. Supersets of an itemset in a single record are counted but
    not listed.
    """

    _further = ("anonymous",)
    _rows = ("sizes",)
    _row = SizeSupports

    k: int
    m: int
    records: int
    itemsets: int
    below: int
    smallest: int | None
    sizes: tuple[SizeSupports, ...]
    examples: tuple[RareItemset, ...]

    @property
    def anonymous(self) -> bool:
        """Whether every itemset of up to m items that occurs is in at least k records."""
        return self.below == 0


@checked
def check_km_anonymity(baskets: Baskets, *, k: int, m: int, most_examples: int = 20) -> KmAnonymity:
    """Count all itemsets of up to m items that occur and find those in fewer than k records, exactly.

    The work grows with the number of m-subsets of the records; anything that would take minutes is refused.
    """
    _check(baskets, k, m)
    index = RecordIndex(baskets)
    largest = min(m, int(baskets.lengths.max(initial=0)))
    counted = count_subsets(index.arrays, largest, k, most_examples, MOST_STEPS)
    if not counted.complete:
        raise OptionNotUsable("errors.km.too_many", m=m)
    rows = counted.results[1:].tolist()
    sizes = tuple(SizeSupports(n, row[OCCURRING], row[BELOW], row[SMALLEST]) for n, row in enumerate(rows, 1))
    return KmAnonymity(
        k,
        m,
        len(baskets),
        itemsets=sum(entry.itemsets for entry in sizes),
        below=sum(entry.below for entry in sizes),
        smallest=min((entry.smallest for entry in sizes), default=None),
        sizes=sizes,
        examples=tuple(
            RareItemset(tuple(baskets.names[item] for item in row[1 : row[0] + 1]), support)
            for row, support in zip(*(part.tolist() for part in counted.rarest), strict=True)
            if row[0]
        ),
    )


def _check(baskets: Baskets, k: int, m: int) -> None:
    if k < 1 or m < 1:
        raise OptionNotUsable("errors.km.numbers", k=k, m=m)
    lengths, times = np.unique(baskets.lengths, return_counts=True)
    subsets = sum(
        sum(comb(length, size) for size in range(1, min(m, length) + 1)) * records
        for length, records in zip(lengths.tolist(), times.tolist(), strict=True)
    )
    if subsets >= 2**62:
        raise OptionNotUsable("errors.km.too_many", m=m)
