"""The roles of the columns of a table: which identify people, which an attacker may know, which are sensitive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sudare.arguments import checked
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.identifiers import IdentifierKind, direct_identifiers
from sudare.tables.model import Table

Role = Literal["identifier", "quasi", "sensitive", "kept", "dropped"]


@dataclass(frozen=True, slots=True)
class ColumnRole(Result):
    """What becomes of a column: `quasi` is generalized, `sensitive` and `kept` are published unchanged, others not.

    `identifier` says what kind of direct identifier a column looks like, whatever its role.
    """

    attribute: str
    role: Role
    identifier: IdentifierKind | None = None


@dataclass(frozen=True, slots=True)
class Roles(Result):
    """The role of each column of a table, in the order of the columns."""

    _rows = ("columns",)
    _row = ColumnRole

    columns: tuple[ColumnRole, ...]

    def named(self, *roles: Role) -> tuple[str, ...]:
        """Return the columns of some roles."""
        return tuple(column.attribute for column in self.columns if column.role in roles)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers, which are generalized."""
        return self.named("quasi")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return self.named("sensitive")

    @property
    def published(self) -> tuple[str, ...]:
        """The columns of the published file."""
        return self.named("quasi", "sensitive", "kept")


@checked
def find_roles(
    table: Table,
    *,
    known: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    other: Literal["keep", "drop"] = "drop",
) -> Roles:
    """Find the role of each column.

    Direct identifiers are dropped unless `keep` or `known` names them. `known` are the quasi-identifiers; by default
    all columns that are no identifiers, not sensitive and not kept, and that repeat often enough to be generalized.
    """
    identifiers = {found.attribute: found.kind for found in direct_identifiers(table)}
    table.positions([*(known or ()), *sensitive, *keep])

    def role(name: str) -> Role:
        if name in sensitive:
            return "sensitive"
        if name in keep:
            return "kept"
        if known is not None and name in known:
            return "quasi"
        if name in identifiers:
            return "identifier"
        if known is None:
            return "quasi"
        return "kept" if other == "keep" else "dropped"

    return Roles(tuple(ColumnRole(name, role(name), identifiers.get(name)) for name in table.attributes))
