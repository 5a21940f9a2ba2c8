"""The visits of a history with their items: the table T(id, day) of Ito, Kikuchi, Nakagawa (section 3, Table 6)."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from sudare.arguments import checked
from sudare.histories.attackers.values import ITEM_DIVIDER
from sudare.histories.model import History
from sudare.messages import message
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, keeps_inputs, whole_file

PEOPLE = message("errors.people.visits")


@dataclass(frozen=True, slots=True)
class Visit(Result):
    """What one customer bought on one day: the numbers of `rows` and of different items (`kinds`), and the items."""

    customer: str
    day: dt.date
    rows: int
    kinds: int
    items: tuple[str, ...]


@checked
def list_visits(history: History, *, most: int | None = None) -> list[Visit]:
    """Return the visits ordered by customer and day: all of them, or the first `most`."""
    history.engine.check_people(PEOPLE)
    rows = history.engine.people(_query(history, "list(i.name ORDER BY i.code)", most), PEOPLE)
    return [Visit(str(customer), day, rows, kinds, tuple(items)) for customer, day, rows, kinds, items in rows]


@checked
@keeps_inputs()
def write_visits(history: History, path: str | Path) -> int:
    """Write all visits to a CSV or Parquet file, their items separated by bars, and return how many there are."""
    target = Path(path)
    check_table_ending(target)
    history.engine.check_people(PEOPLE)
    with whole_file(target) as temporary:
        history.engine.write(_query(history, f"string_agg(i.name, '{ITEM_DIVIDER}' ORDER BY i.code)"), temporary)
    return count_visits(history)


def count_visits(history: History) -> int:
    """Return the number of visits."""
    return int(history.engine.total(f"SELECT count(*) FROM {history.table('visit')}")[0])


def _query(history: History, items: str, most: int | None = None) -> str:
    # Only the visits asked for are given names: the limit stands before the joins.
    limit = f" ORDER BY visit LIMIT {most}" if most is not None else ""
    visits = f"(SELECT * FROM {history.table('variety')}{limit}) AS v"
    lines = f"{history.table('line')} AS l ON l.visit = v.visit"
    names = f"{history.table('item')} AS i ON i.code = l.item"
    customers = f"{history.table('customer')} AS c ON c.code = v.customer"
    return (
        f"SELECT c.name AS customer, v.day, v.rows, v.kinds, {items} AS items "
        f"FROM {visits} JOIN {lines} JOIN {names} JOIN {customers} "
        "GROUP BY v.visit, c.name, v.day, v.rows, v.kinds ORDER BY v.visit"
    )
