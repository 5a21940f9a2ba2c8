"""What the classes of a search must satisfy beside their size, in the form in which kernels take it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.table_classes import secrets as kernels
from sudare.showing import dataclass
from sudare.tables.classes.class_criteria import ClassCriteria
from sudare.tables.classes.closeness import SensitiveColumn
from sudare.tables.classes.criteria import Criteria
from sudare.tables.recoded.model import Numbers

_DIVERSITIES = {"distinct": kernels.DISTINCT, "entropy": kernels.ENTROPY, "recursive": kernels.RECURSIVE}
# A distance that every class is within.
_ANY = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class _Secret:
    """One secret: its number in each record, what is asked of it, and the groups of values whose shares differ."""

    codes: Numbers
    diversity: int
    least: float
    ratio: float
    farthest: float
    shares: NDArray[np.float64]
    groups: NDArray[np.int64]
    scale: float


def kernel_secrets(criteria: ClassCriteria, rows: Numbers, persons: Numbers | None) -> kernels.Secrets:
    """Return the sensitive columns of records (`rows` are their distinct rows), and their persons if there are any."""
    wanted = criteria.criteria
    found = [] if criteria.trivial else [_sensitive(column, wanted, rows) for column in criteria.columns]
    if persons is not None:
        found.append(_persons(persons[rows], wanted.k))
    largest = max((len(secret.shares) for secret in found), default=0)
    return kernels.Secrets(
        codes=np.asarray([secret.codes for secret in found], np.int32).reshape(len(found), len(rows)),
        diversity=np.asarray([secret.diversity for secret in found], np.int64),
        least=np.asarray([secret.least for secret in found], np.float64),
        ratio=np.asarray([secret.ratio for secret in found], np.float64),
        farthest=np.asarray([secret.farthest for secret in found], np.float64),
        first=_starts([secret.shares for secret in found]),
        shares=np.concatenate([np.zeros(0), *(secret.shares for secret in found)]),
        group=_starts([secret.groups for secret in found]),
        begin=np.concatenate([np.zeros(0, np.int64), *(secret.groups[:, 0] for secret in found)]),
        end=np.concatenate([np.zeros(0, np.int64), *(secret.groups[:, 1] for secret in found)]),
        scale=np.asarray([secret.scale for secret in found], np.float64),
        counts=np.zeros(largest, np.int64),
        touched=np.zeros(largest, np.int64),
    )


def with_own_memory(secrets: kernels.Secrets) -> kernels.Secrets:
    """Return the same secrets for another thread."""
    return secrets._replace(counts=np.zeros_like(secrets.counts), touched=np.zeros_like(secrets.touched))


def _starts(parts: Sequence[NDArray[np.generic]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, parts)])


def _sensitive(column: SensitiveColumn, wanted: Criteria, rows: Numbers) -> _Secret:
    ranks = np.zeros(len(column.values), np.int32)
    ranks[column.order] = np.arange(len(column.order))
    return _Secret(
        codes=ranks[column.codes[rows]],
        diversity=_DIVERSITIES[wanted.diversity],
        least=wanted.l or 1.0,
        ratio=wanted.c or 0.0,
        farthest=_ANY if wanted.t is None else wanted.t,
        shares=column.overall[column.order],
        groups=_groups(column),
        scale=column.scale,
    )


def _groups(column: SensitiveColumn) -> NDArray[np.int64]:
    """Return where the groups of values begin and end whose shares make the distance."""
    values = len(column.order)
    if column.distance == "ordered":
        found = [(0, end) for end in range(1, values)]
    else:
        found = [pair for starts in column.starts for pair in itertools.pairwise([*starts.tolist(), values])]
    return np.asarray(found, np.int64).reshape(-1, 2)


def _persons(persons: Numbers, k: int) -> _Secret:
    """Return the persons as a secret of which a class has k different ones."""
    number = int(persons.max(initial=0)) + 1
    nothing = np.zeros((0, 2), np.int64)
    return _Secret(persons, kernels.DISTINCT, float(k), 0.0, _ANY, np.zeros(number), nothing, 0.0)
