"""The canonical text of single values of ordered columns."""

from __future__ import annotations

from datetime import timedelta

from sudare.histories.generalized.rule_sets import EPOCH, ColumnRule


def written(value: int, rule: ColumnRule) -> str:
    """Return a value as text: 2010/12/1 without padding, 2.1 and 3 as short as possible."""
    if rule.form == "date":
        day = EPOCH + timedelta(days=value)
        return rule.separator.join((f"{day.year:04}", str(day.month), str(day.day)))
    if rule.form == "integer":
        return str(value)
    whole, part = divmod(abs(value), 100)
    places = f".{part:02}".rstrip("0").rstrip(".")
    return f"{'-' if value < 0 else ''}{whole}{places}"
