"""Which customers fit which value of a kind of knowledge: the one query behind every measure.

A fact is (value, customer, occurrences, records): how often the value occurs for the customer, and how many rows of the
history carry it there. An occurrence is a row for knowledge of one row; a choice of k rows with different values for k
rows; a visit without rows; one choice in each visit for several visits; and the customer for knowledge of the customer
alone.
"""

from __future__ import annotations

from sudare.errors import KnowledgeNotUnderstood
from sudare.histories.attackers.knowledge import Knowledge
from sudare.histories.attackers.parts import PARTS, Part
from sudare.histories.model import History
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """A query of facts and the names of its key columns, which together are the value."""

    keys: tuple[str, ...]
    query: str


def check_parts(history: History, knowledge: Knowledge) -> None:
    """Raise KnowledgeNotUnderstood if the history lacks a column that the knowledge speaks of."""
    for part in knowledge.parts:
        column = PARTS[part].needs
        if column and column not in history.parts:
            raise KnowledgeNotUnderstood(
                "errors.attackers.no_column", knowledge=str(knowledge), column=column, source=history.reading.source
            )


def facts(history: History, knowledge: Knowledge) -> Facts:
    """Return the facts of a knowledge; `nothing` has one value without keys that every customer fits."""
    check_parts(history, knowledge)
    if not (knowledge.visit_parts or knowledge.row_parts):
        calendar = history.table("calendar")
        keys = knowledge.customer_parts
        columns = "".join(f"{PARTS[part].sql} AS {part}, " for part in keys)
        return Facts(keys, f"SELECT {columns}customer, 1 AS occurrences, rows AS records FROM {calendar}")
    found = _one_visit(history, knowledge) if knowledge.visits == 1 else _several_visits(history, knowledge)
    return _with_customer_parts(history, knowledge, found)


def _with_customer_parts(history: History, knowledge: Knowledge, found: Facts) -> Facts:
    if not knowledge.customer_parts:
        return found
    keys = (*knowledge.customer_parts, *found.keys)
    columns = ", ".join([*keys, "customer", "occurrences", "records"])
    known = ", ".join(f"{PARTS[part].sql} AS {part}" for part in knowledge.customer_parts)
    calendar = f"(SELECT customer, {known} FROM {history.table('calendar')})"
    return Facts(keys, f"SELECT {columns} FROM ({found.query}) JOIN {calendar} USING (customer)")


def _one_visit(history: History, knowledge: Knowledge) -> Facts:
    seen = observations(history, knowledge)
    keys = ", ".join(seen.keys)
    if "day" in knowledge.visit_parts:
        # A customer and a day are a visit, so no customer has the same value twice.
        return Facts(seen.keys, f"SELECT {keys}, customer, occurrences, records FROM ({seen.query})")
    return Facts(
        seen.keys,
        f"SELECT {keys}, customer, sum(occurrences) AS occurrences, sum(records) AS records "
        f"FROM ({seen.query}) GROUP BY {keys}, customer",
    )


def visit_keys(knowledge: Knowledge) -> list[Part]:
    """Return the parts of a visit that make two observations differ."""
    return [PARTS[part] for part in knowledge.key_visit_parts]


def observations(history: History, knowledge: Knowledge) -> Facts:
    """Return what can be observed of each single visit: (visit, customer, keys, occurrences, records)."""
    visit_parts = visit_keys(knowledge)
    keys = tuple(part.key for part in visit_parts)
    columns = ["visit", "customer", *(part.column for part in visit_parts)]
    if not knowledge.row_parts:
        table = visit_table(history, knowledge)
        columns += ["1 AS occurrences", "rows AS records"]
        return Facts(keys, f"SELECT {', '.join(columns)} FROM {table}")
    copies = range(1, knowledge.rows + 1)
    columns += [f"l{n}.value AS value{n}" for n in copies]
    # Of one row both are the same expression, which the engine then adds up once; products need the wider type.
    times = ["l1.times"] if knowledge.rows == 1 else [f"CAST(l{n}.times AS BIGINT)" for n in copies]
    columns.append(" * ".join(times) + " AS occurrences")
    columns.append(" + ".join(times) + " AS records")
    keys = (*keys, *(f"value{n}" for n in copies))
    return Facts(keys, f"SELECT {', '.join(columns)} FROM {_joined_rows(history, knowledge)}")


def _joined_rows(history: History, knowledge: Knowledge) -> str:
    table = row_values(history, knowledge.row_parts)
    source = f"{visit_rows(history, knowledge)} AS l1"
    for n in range(2, knowledge.rows + 1):
        other = f"(SELECT visit AS visit{n}, value, times FROM {table}) AS l{n}"
        source += f" JOIN {other} ON visit{n} = l1.visit AND l{n}.value > l{n - 1}.value"
    return source


def visit_table(history: History, knowledge: Knowledge) -> str:
    """Return the table of visits that has the known parts of a visit; of all items and their number, the items do."""
    elsewhere = (part.elsewhere for part in visit_keys(knowledge) if part.elsewhere)
    return history.table(next(elsewhere, "visit"))


def visit_rows(history: History, knowledge: Knowledge) -> str:
    """Return the different row values of each visit, with the known parts of the visit: see `row_values`."""
    rows = row_values(history, knowledge.row_parts)
    missing = [part.sql for part in visit_keys(knowledge) if part.elsewhere]
    if not missing:
        return f"(SELECT * FROM {rows})"
    parts = f"(SELECT visit, {', '.join(missing)} FROM {visit_table(history, knowledge)})"
    return f"(SELECT l.*, {', '.join(missing)} FROM {rows} AS l JOIN {parts} USING (visit))"


def row_values(history: History, parts: tuple[str, ...]) -> str:
    """Return the table of the different row values of each visit: visit, customer, day, rows, value, times.

    The value of (item,) is the item's number; other parts get a table of values, `value_table`.
    """
    if parts == ("item",):
        line = history.table("line")
        return f"(SELECT visit, customer, day, rows, item AS value, times FROM {line})"
    name = "row_" + "_".join(parts)
    values = ", ".join(f"{PARTS[part].sql} AS {part}" for part in parts)
    same = " AND ".join(f"s.{part} IS NOT DISTINCT FROM v.{part}" for part in parts)
    purchase = f"(SELECT customer, day, {values} FROM {history.table('purchase')})"
    grouped = f"SELECT customer, day, {', '.join(parts)}, count(*) AS times FROM {purchase} GROUP BY ALL"
    return history.derive(
        name,
        f"SELECT visit, customer, day, rows, value, CAST(times AS INTEGER) AS times FROM ({grouped}) AS s "
        f"JOIN {value_table(history, parts)} AS v ON {same} JOIN {history.table('visit')} USING (customer, day)",
    )


def value_table(history: History, parts: tuple[str, ...]) -> str:
    """Return the table that says what the numbers of row values stand for: value and the parts."""
    if parts == ("item",):
        return f"(SELECT code AS value, code AS item FROM {history.table('item')})"
    values = ", ".join(f"{PARTS[part].sql} AS {part}" for part in parts)
    return history.derive(
        "values_" + "_".join(parts),
        f"SELECT DISTINCT {values} FROM {history.table('purchase')}",
        number="value",
        order=", ".join(f"{part} NULLS LAST" for part in parts),
    )


def _several_visits(history: History, knowledge: Knowledge) -> Facts:
    """Combine the numbered observations of different visits; the numbers are sorted, since visits have no order."""
    numbered = numbered_observations(history, knowledge)
    copies = range(1, knowledge.visits + 1)
    source = f"{numbered} AS o1"
    for n in copies[1:]:
        source += f" JOIN {numbered} AS o{n} ON o{n}.customer = o1.customer AND o{n}.visit > o{n - 1}.visit"
    numbers = history.engine.in_order([f"o{n}.observation" for n in copies])
    occurrences = " * ".join(f"o{n}.occurrences" for n in copies)
    records = " + ".join(f"o{n}.records" for n in copies)
    keys = tuple(f"observation{n}" for n in copies)
    columns = ", ".join(f"list_extract(numbers, {n}) AS observation{n}" for n in copies)
    combined = (
        f"SELECT {numbers} AS numbers, o1.customer, {occurrences} AS occurrences, {records} AS records FROM {source}"
    )
    return Facts(
        keys,
        f"SELECT {columns}, customer, sum(occurrences) AS occurrences, sum(records) AS records "
        f"FROM ({combined}) GROUP BY {', '.join(keys)}, customer",
    )


def numbered_observations(history: History, knowledge: Knowledge) -> str:
    """Return the table of observations, their values numbered: visit, customer, observation, occurrences, records."""
    seen = observations(history, knowledge)
    same = " AND ".join(f"s.{key} IS NOT DISTINCT FROM v.{key}" for key in seen.keys)
    return history.derive(
        _table_name("seen", knowledge),
        f"SELECT visit, customer, observation, occurrences, records FROM ({seen.query}) AS s "
        f"JOIN {observation_table(history, knowledge)} AS v ON {same}",
    )


def observation_table(history: History, knowledge: Knowledge) -> str:
    """Return the table that says what the numbers of observations stand for: observation and the keys of one visit."""
    seen = observations(history, knowledge)
    keys = ", ".join(seen.keys)
    return history.derive(
        _table_name("observation", knowledge),
        f"SELECT DISTINCT {keys} FROM ({seen.query})",
        number="observation",
        order=", ".join(f"{key} NULLS LAST" for key in seen.keys),
    )


def _table_name(kind: str, knowledge: Knowledge) -> str:
    rows = "_".join([*knowledge.row_parts, str(knowledge.rows)])
    return "_".join([kind, *knowledge.key_visit_parts, rows])
