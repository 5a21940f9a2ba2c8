"""The roles of the columns of a table: which identify people, which an attacker may know, which are sensitive.

Nothing is published that nobody decided on: a column that is neither generalized nor named by the user is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.messages import Joined, message
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.hierarchies.suggest import suggest_hierarchy
from sudare.tables.identifiers import MANY, IdentifierKind, identifier_kind, is_measured
from sudare.tables.model import Table

Role = Literal["identifier", "quasi", "sensitive", "kept", "dropped"]
RoleReason = Literal["named", "default", "identifier", "not_known", "no_values", "free_text"]
OtherColumns = Literal["keep", "drop"]

# Words of which more than this share are different are free text: joining the rare ones would leave hardly any.
FREE_TEXT = 0.5


@dataclass(frozen=True, slots=True)
class ColumnRole(Result):
    """What becomes of a column, and why.

    `quasi` is generalized; `sensitive` and `kept` are published unchanged; `identifier` and `dropped` are not
    published. Reasons: `named` (the user asked for it), `default` (it can be known and generalized), `identifier` (it
    names people), `not_known` (others were named as known), `no_values` (all are missing), `free_text` (hardly any
    value occurs twice). `identifier` says what kind of direct identifier a column looks like, whatever its role.
    """

    attribute: str
    role: Role
    identifier: IdentifierKind | None = None
    reason: RoleReason = "default"


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
    other: OtherColumns = "drop",
    hierarchies: Sequence[str] = (),
) -> Roles:
    """Find the role of each column.

    Direct identifiers are dropped unless `keep`, `known` or `sensitive` names them. `known` are the quasi-identifiers;
    by default all columns that can be generalized and are neither identifiers nor sensitive nor kept. Columns in
    `hierarchies` have a hierarchy of their own, so they can be generalized even if they are free text. `other` says
    what becomes of the rest.
    """
    named = {"known": tuple(known or ()), "sensitive": tuple(sensitive), "keep": tuple(keep)}
    _check_named(table, named)
    found = tuple(
        _column_role(table, place, name, named, known is None, other, name in hierarchies)
        for place, name in enumerate(table.attributes)
    )
    if not any(column.role == "quasi" for column in found):
        raise OptionNotUsable("errors.table_roles.no_quasi", source=table.reading.source, columns=role_reasons(found))
    return Roles(found)


def role_reasons(columns: Sequence[ColumnRole]) -> Joined:
    """Say in a few words why columns have their roles; columns with the same reason are named together."""
    named: dict[str, list[str]] = {}
    for column in columns:
        named.setdefault(_reason_key(column), []).append(column.attribute)
    parts = [message("roles.because", name=Joined(names, "comma"), why=message(key)) for key, names in named.items()]
    return Joined(parts, "semicolon")


def _reason_key(column: ColumnRole) -> str:
    if column.reason == "identifier":
        return f"risk.identifier_{column.identifier}"
    return f"roles.why.{column.role}_named" if column.reason == "named" else f"roles.why.{column.reason}"


def _check_named(table: Table, named: Mapping[str, Sequence[str]]) -> None:
    """Refuse columns that there are not, that are named twice or in two roles, or that have no values to use."""
    for argument, names in named.items():
        for place in table.positions(names):
            attribute = table.attributes[place]
            if list(names).count(attribute) > 1:
                raise OptionNotUsable("errors.table_roles.twice", attribute=attribute, argument=argument)
            if argument != "keep" and _has_no_values(table, place):
                raise OptionNotUsable("errors.table_roles.no_values", attribute=attribute, argument=argument)
    for (first, names), (second, others) in combinations(named.items(), 2):
        for attribute in names:
            if attribute in others:
                raise OptionNotUsable("errors.table_roles.two_roles", attribute=attribute, first=first, second=second)


def _has_no_values(table: Table, place: int) -> bool:
    return not any(value is not None for value in table.values[place])


def _column_role(
    table: Table, place: int, name: str, named: Mapping[str, Sequence[str]], by_default: bool, other: OtherColumns,
    has_hierarchy: bool,
) -> ColumnRole:  # fmt: skip
    """Find the role of one column: as it was named, else by its values."""
    counted = _counted(table, place)
    kind = identifier_kind(name, counted)
    for argument, role in _NAMED_ROLES.items():
        if name in named[argument]:
            return ColumnRole(name, role, kind, "named")
    # Fine measurements and dates differ in every record of a small table, but can be generalized.
    if kind and not (kind == "unique" and is_measured(counted)):
        return ColumnRole(name, "identifier", kind, "identifier")
    reason = _reason(name, counted, by_default, has_hierarchy)
    rest: Role = "kept" if other == "keep" else "dropped"
    return ColumnRole(name, "quasi" if reason == "default" else rest, kind, reason)


_NAMED_ROLES: Mapping[str, Role] = {"known": "quasi", "sensitive": "sensitive", "keep": "kept"}


def _counted(table: Table, place: int) -> dict[str, int]:
    """Return how many records have each value of a column; missing ones are left out."""
    values = table.values[place]
    counts = sum_by(table.codes[place], table.counts, len(values)).tolist()
    return {value: count for value, count in zip(values, counts, strict=True) if value is not None}


def _reason(name: str, counted: Mapping[str, int], by_default: bool, has_hierarchy: bool) -> RoleReason:
    if not counted:
        return "no_values"
    if not by_default:
        return "not_known"
    return "free_text" if not has_hierarchy and _is_free_text(name, counted) else "default"


def _is_free_text(name: str, counted: Mapping[str, int]) -> bool:
    """Return whether values are words of which most occur once; numbers, dates and codes can be generalized."""
    if len(counted) < MANY or len(counted) <= FREE_TEXT * sum(counted.values()):
        return False
    return suggest_hierarchy(name, list(counted), counts=list(counted.values())).kind in ("text", "identifier")
