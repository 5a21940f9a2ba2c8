"""Small baskets for properties, and adversaries enumerated one by one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from sudare.baskets.check.adversaries import KnownFrom
from sudare.baskets.model import Baskets, SensitiveItems, make_baskets, sensitive_rows

NAMES = "abcde"


@dataclass(frozen=True)
class Case:
    """Records, which occurrences of items are published, whose secrets are which, and what is asked."""

    records: list[set[str]]
    shown: list[set[str]]
    secrets: list[set[str]]
    rho: str
    max_known: int | None
    knowledge: KnownFrom

    @property
    def baskets(self) -> Baskets:
        return make_baskets(self.records)

    @property
    def published(self) -> Baskets:
        baskets = self.baskets
        kept = [
            name in shown for record, shown in zip(self.records, self.shown, strict=True) for name in sorted(record)
        ]
        return baskets.only(np.asarray(kept, np.bool_))

    @property
    def sensitive(self) -> SensitiveItems:
        names = self.baskets.names
        mask = np.asarray([[name in secret for name in names] for secret in self.secrets], np.bool_)
        return sensitive_rows(mask.reshape(len(self.records), len(names)), np.arange(len(self.records)), "own")


def unsafe_by_hand(
    case: Case, shown: list[set[str]] | None = None
) -> dict[tuple[int, frozenset[str]], tuple[int, float]]:
    """Return the unsafe adversaries, by user and known items, with the support and the highest confidence."""
    shown = case.shown if shown is None else shown
    found = {}
    for u, record in enumerate(case.records if case.knowledge == "original" else shown):
        for size in range(1, min(len(record), case.max_known or len(record)) + 1):
            for known in map(frozenset, combinations(sorted(record), size)):
                crowd = [other for other in shown if known <= other]
                shares = [
                    Fraction(sum(e in other for other in crowd), len(crowd))
                    for e in case.secrets[u] - known
                    if crowd and e in set().union(*case.records)
                ]
                if max(shares, default=Fraction(0)) > Fraction(case.rho):
                    found[u, known] = (len(crowd), float(max(shares)))
    return found


@st.composite
def cases(draw: st.DrawFn) -> Case:
    some = st.sets(st.sampled_from(NAMES), max_size=4)
    records = draw(st.lists(some, min_size=1, max_size=10))
    return Case(
        records,
        [record & draw(some | st.just(set(NAMES))) for record in records],
        [draw(some) for _ in records],
        draw(st.sampled_from(["0.2", "0.3", "0.5", "0.7", "1"])),
        draw(st.sampled_from([None, 1, 2])),
        draw(st.sampled_from(["original", "published"])),
    )
