"""What the equivalence classes of a published table must satisfy: k, l, t, and their kin."""

from __future__ import annotations

from typing import Literal

from sudare.results import Result
from sudare.showing import dataclass

DiversityKind = Literal["distinct", "entropy", "recursive"]
DistanceKind = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True, slots=True)
class Criteria(Result):
    """The privacy models that hold together; None asks for nothing.

    A class has at least `k` persons (records, where the table has no person column). For each sensitive attribute, it
    is `l`-diverse in the sense of `diversity` (`c` is that of recursive (c, l)-diversity), and its distribution is at
    most `t` away from that of the whole table. With a reference population, the cells of a class match at least `k_map`
    of its records, and nobody in it is in the table with a probability above `presence`. At most the share `suppress`
    of the records may be suppressed.
    """

    k: int = 1
    l: float | None = None  # noqa: E741
    diversity: DiversityKind = "distinct"
    c: float | None = None
    t: float | None = None
    k_map: int | None = None
    presence: float | None = None
    suppress: float = 0.0

    @property
    def looks_at_values(self) -> bool:
        """Whether a class must satisfy more than a size: something about its sensitive values."""
        return self.l is not None or self.t is not None
