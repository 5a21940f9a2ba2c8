"""The kind of anonymization of a history, from its cells and its classes of indistinguishable customers.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 5.1 and Table 5.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.histories.anonymize.concealment import fewest_covered
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.utility.description import CellDescription, describe_cells, untouched_rows
from sudare.results import Result
from sudare.showing import dataclass

# From this number of unique customers on, Table 5 speaks of too many.
MANY_UNIQUE = 100

AnonymizationKind = Literal[
    "k_anonymous", "untouched_and_k_anonymous", "based_on_k_anonymous", "few_unique", "many_unique", "nothing"
]


@dataclass(frozen=True, slots=True)
class AnonymizationDescription(Result):
    """The kind of anonymization of a history, with its cells and classes.

    `classes` are the sizes of the classes of indistinguishable customers with the number of classes of each size,
    ascending; `unique_customers` are alone in theirs, and `untouched_unique` of them were left unchanged. `k` is the
    size of the smallest class, without the untouched customers where the kind is `untouched_and_k_anonymous`.

    The kinds of Table 5: all classes have `k` customers or more; the same except for some untouched customers, who are
    unique; some customers are unique, but the rows of each pseudonym cover those of `k` customers or more, at least
    two; 100 customers or more are unique; fewer are, not all of them untouched; nothing is published. The report does
    not define "based on 3-anonymization": that kind is our reading.
    """

    kind: AnonymizationKind
    k: int
    customers_left: int
    unique_customers: int
    untouched_unique: int
    classes: tuple[tuple[int, int], ...]
    cells: CellDescription


@checked
def describe_anonymization(original: CellHistory, anonymized: CellHistory) -> AnonymizationDescription:
    """Describe an anonymized history: its cells, its equivalence classes and its kind of anonymization."""
    found = published_classes(anonymized)
    sizes = found.sizes[found.classes]
    untouched = _untouched(original, anonymized)
    unique, alone = int((sizes == 1).sum()), int(((sizes == 1) & untouched).sum())
    others = found.sizes[found.sizes > 1]
    kind = _kind(len(sizes), unique, alone, len(others))
    smallest = others if kind == "untouched_and_k_anonymous" else found.sizes
    k = int(smallest.min()) if len(smallest) else 0
    if kind in ("few_unique", "many_unique"):
        covered = fewest_covered(original, anonymized)
        kind, k = ("based_on_k_anonymous", covered) if covered > 1 else (kind, k)
    size, number = np.unique(found.sizes, return_counts=True)
    return AnonymizationDescription(
        kind=kind,
        k=k,
        customers_left=len(sizes),
        unique_customers=unique,
        untouched_unique=alone,
        classes=tuple(zip(size.tolist(), number.tolist(), strict=True)),
        cells=describe_cells(original, anonymized),
    )


def _untouched(original: CellHistory, anonymized: CellHistory) -> NDArray[np.bool_]:
    """Say of each pseudonym, in rising order, whether its customer was left as it was."""
    touched = np.unique(original.persons[~untouched_rows(anonymized)])
    left = np.flatnonzero(~anonymized.deleted)
    _, first = np.unique(anonymized.persons[left], return_index=True)
    return ~np.isin(original.persons[left[first]], touched)


def _kind(customers: int, unique: int, untouched: int, other_classes: int) -> AnonymizationKind:
    if not customers:
        return "nothing"
    if unique >= MANY_UNIQUE:
        return "many_unique"
    if not unique:
        return "k_anonymous"
    return "untouched_and_k_anonymous" if unique == untouched and other_classes else "few_unique"
