"""What all server tables share: UTC timestamps, random identifiers, links to other tables."""

from __future__ import annotations

import datetime as dt
import secrets
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Connection,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    TypeDecorator,
    event,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, Mapper, mapped_column

from sudare.web.game.refusals import Refused

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


def new_identity() -> str:
    """Return a random identity of sixteen letters, 79 bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(16))


class UtcTime(TypeDecorator[dt.datetime]):
    """A moment, in UTC on every database."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Take a moment to UTC; one without a zone is an error."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone")
        moved = value.astimezone(dt.UTC)
        return moved.replace(tzinfo=None) if dialect.name == "sqlite" else moved

    def process_result_value(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Return the moment with its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=dt.UTC) if dialect.name == "sqlite" else value.astimezone(dt.UTC)


class Base(DeclarativeBase):
    """What all tables share."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map = {  # noqa: RUF012
        dt.datetime: UtcTime,
        dict[str, Any]: JSON,
        list[dict[str, Any]]: JSON,
        bool: Boolean,
        float: Float,
        int: Integer,
        str: String(200),
    }


@event.listens_for(Base, "before_insert", propagate=True)
@event.listens_for(Base, "before_update", propagate=True)
def check_lengths(mapper: Mapper[Any], _: Connection, line: Base) -> None:
    """Refuse texts that are longer than their columns: PostgreSQL would complain, SQLite would keep them."""
    for column in mapper.columns:
        most = column.type.length if isinstance(column.type, String) else None
        text = line.__dict__.get(mapper.get_property_by_column(column).key)
        if most is not None and isinstance(text, str) and len(text) > most:
            raise Refused("errors.requests.text_too_long", 422, column=column.name, most=most)


def identity() -> Mapped[str]:
    """Return the column of a random identity."""
    return mapped_column(String(16), primary_key=True, default=new_identity)


def link(target: str) -> Mapped[str]:
    """Return a column that names a line of another table."""
    return mapped_column(String(16), ForeignKey(target), index=True)


def maybe_link(target: str) -> Mapped[str | None]:
    """Return a column that names a line of another table, or none."""
    return mapped_column(String(16), ForeignKey(target), index=True, nullable=True)


def one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    """Return the rule that a column has one of some values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)
