"""The rules of a contest in the reader's words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from sudare.histories.generalized.rule_sets import EPOCH, ColumnRule, RuleSet
from sudare.messages import Texts, has_entry


def rules_sentences(texts: Texts, rules: RuleSet) -> list[str]:
    """Return the rules that hold for all files and for attacks, a sentence each."""
    return [
        texts("web.rules.rows"),
        texts("web.rules.cells", items=rules.most_items),
        texts("web.rules.line", characters=rules.most_characters),
        texts("web.rules.guesses"),
        texts("web.rules.effective", p=str(rules.p), alpha=f"{float(rules.alpha):.6g}"),
        texts("web.rules.expected", count=rules.attacks),
    ]


def rules_columns(texts: Texts, rules: RuleSet) -> Iterator[tuple[str, str]]:
    """Yield the name of each column, and which cells it may have."""
    for column in rules.columns:
        key = f"web.history.{column.name}"
        name = texts(key) if has_entry(texts.language, key) else column.name
        yield name, texts(f"web.rules.{column.form}", **_bounds(column))


def _bounds(column: ColumnRule) -> dict[str, object]:
    if column.form == "person":
        return {"count": column.digits}
    if column.form == "date":
        return {"low": _day(column, column.low), "high": _day(column, column.high)}
    if column.form == "decimal":
        return {"low": f"{column.low / 100:,.2f}", "high": f"{column.high / 100:,.2f}"}
    return {"low": f"{column.low:,}", "high": f"{column.high:,}"} if column.form == "integer" else {}


def _day(column: ColumnRule, days: int) -> str:
    day = EPOCH + dt.timedelta(days=days)
    return column.separator.join(map(str, (day.year, day.month, day.day)))
