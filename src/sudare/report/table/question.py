"""The questions that the table report answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sudare.errors import OptionNotUsable
from sudare.messages import Joined
from sudare.showing import dataclass
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.tables.sets.subsets import class_size_within


@dataclass(frozen=True, slots=True)
class Question:
    """What the report is asked: what the attacker knows, which risk is too high, and how to make it lower."""

    known: tuple[str, ...]
    limit: float
    sensitive: str | None
    hierarchies: Mapping[str, Hierarchy] | None
    suppress: float
    seed: int

    @property
    def class_size(self) -> int:
        """The records that must at least be equal for their risk to be within the limit."""
        return class_size_within(self.limit)


def ask(
    table: Table,
    *,
    known: Sequence[str] | None,
    limit: float,
    sensitive: str | None,
    hierarchies: Mapping[str, Hierarchy] | None,
    suppress: float,
    seed: int,
) -> Question:
    """Return a question that fits the table: without `known`, all attributes are known but the sensitive one.

    The levels are searched for the same attacker.
    """
    class_size_within(limit)
    table.positions([*(known or ()), *(hierarchies or ()), *([sensitive] if sensitive else [])])
    names = tuple(known) if known is not None else tuple(name for name in table.attributes if name != sensitive)
    if not names or len(set(names)) < len(names) or sensitive in names:
        attributes = [name for name in table.attributes if name != sensitive]
        raise OptionNotUsable("errors.report.known", attributes=Joined(attributes))
    if hierarchies and not set(hierarchies) & set(names):
        raise OptionNotUsable("errors.report.hierarchies_unknown", hierarchies=Joined(list(hierarchies), "comma"))
    return Question(names, limit, sensitive, hierarchies or None, suppress, seed)
