"""The most identifying values of a kind of knowledge: tables 8 and 9 of Ito, Kikuchi, Nakagawa for any attacker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.attackers.assessment import check_weighting
from sudare.histories.attackers.crowds import Weighting, by_value, count_crowds
from sudare.histories.attackers.facts import facts, observation_table, value_table, visit_keys
from sudare.histories.attackers.knowledge import Knowledge, parse_knowledge
from sudare.histories.attackers.parts import PARTS, Part
from sudare.histories.attackers.sampling import combinations
from sudare.histories.model import History
from sudare.limits import MOST_COMBINATIONS
from sudare.messages import message
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, keeps_inputs, whole_file

# A set of items as text; shown to people, so the divider is one they can read.
ITEM_DIVIDER = " | "
# What an engine that shows no people does not show.
PEOPLE = message("errors.people.values")


@dataclass(frozen=True, slots=True)
class KnowledgeValue(Result):
    """One value of a kind of knowledge: how often it occurs, who has it, and what it gives away.

    `probability` is how likely an attacker is to know it, `identification` is 1 / `customers`, `risk` their product;
    the risks of all values add up to the measured value of the attacker.
    """

    value: dict[str, Any]
    occurrences: int
    probability: float
    customers: int
    identification: float
    risk: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, the value itself first."""
        return {**self.value, **{name: getattr(self, name) for name in self.__slots__ if name != "value"}}


@checked
def most_identifying(
    history: History,
    knowledge: str | Knowledge,
    *,
    weighting: Weighting = "occurrence",
    most: int | None = 10,
) -> list[KnowledgeValue]:
    """Return the values of a kind of knowledge, most identifying first: smallest crowd, then most occurrences."""
    history.engine.check_people(PEOPLE)
    names, query = values_query(history, knowledge, weighting=weighting, most=most)
    rows = history.engine.people(query, PEOPLE)
    return [
        KnowledgeValue(dict(zip(names, row, strict=False)), *(_number(cell) for cell in row[len(names) :]))
        for row in rows
    ]


@checked
@keeps_inputs()
def write_values(
    history: History,
    knowledge: str | Knowledge,
    path: str | Path,
    *,
    weighting: Weighting = "occurrence",
) -> int:
    """Write all values of a kind of knowledge, most identifying first, to CSV or Parquet; return their number."""
    target = Path(path)
    check_table_ending(target)
    history.engine.check_people(PEOPLE)
    _, query = values_query(history, knowledge, weighting=weighting)
    with whole_file(target) as temporary:
        history.engine.write(query, temporary)
    known = parse_knowledge(knowledge) if isinstance(knowledge, str) else knowledge
    return int(history.engine.total(f"SELECT count(*) FROM ({by_value(facts(history, known))})")[0])


def check_countable(history: History, knowledge: Knowledge) -> None:
    """Raise OptionNotUsable where the combinations of a knowledge are too many to list."""
    if combinations(history, knowledge) > MOST_COMBINATIONS:
        raise OptionNotUsable("errors.attackers.too_many", knowledge=str(knowledge), most=MOST_COMBINATIONS)


def values_query(
    history: History, knowledge: str | Knowledge, *, weighting: Weighting, most: int | None = None
) -> tuple[list[str], str]:
    """Return the names of the value's columns and the query of all or the `most` identifying values, in order."""
    check_weighting(weighting)
    known = parse_knowledge(knowledge) if isinstance(knowledge, str) else knowledge
    check_countable(history, known)
    found = facts(history, known)
    shown = _Shown(history)
    shown.knowledge(known)
    weight = "occurrences" if weighting == "occurrence" else "records"
    total = sum(size.weight(weighting) for size in count_crowds(history, known).sizes)
    order = ", ".join(["x.customers", "x.occurrences DESC", *(f"x.{key}" for key in found.keys)])
    # Only the values asked for are given names: the limit stands before the joins.
    limit = f" ORDER BY {order} LIMIT {most}" if most is not None else ""
    values = f"(SELECT * FROM ({by_value(found)}) AS x{limit}) AS x"
    measures = [
        "x.occurrences",
        f"{weight} / {total} AS probability",
        "x.customers",
        "1 / x.customers AS identification",
        f"{weight} / {total} / x.customers AS risk",
    ]
    columns = ", ".join([*(f"{text} AS {name}" for name, text in shown.columns), *measures])
    source = " LEFT JOIN ".join([values, *shown.joins])
    return [name for name, _ in shown.columns], f"SELECT {columns} FROM {source} ORDER BY {order}"


class _Shown:
    """Turns key columns into columns a person reads: names for numbers, joined where they are kept."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.columns: list[tuple[str, str]] = []
        self.joins: list[str] = []

    def knowledge(self, known: Knowledge) -> None:
        self.columns += [(part, f"x.{part}") for part in known.customer_parts]
        if known.visits == 1:
            self._observation(known, "x", "")
            return
        table = observation_table(self.history, known)
        for n in range(1, known.visits + 1):
            self.joins.append(f"{table} AS v{n} ON v{n}.observation = x.observation{n}")
            self._observation(known, f"v{n}", f"visit{n}_")

    def _observation(self, known: Knowledge, table: str, prefix: str) -> None:
        for part in visit_keys(known):
            self._visit_part(part, f"{table}.{part.key}", prefix)
        for n in range(1, known.rows + 1) if known.row_parts else ():
            suffix = str(n) if known.rows > 1 else ""
            self._row(known.row_parts, f"{table}.value{n}", prefix, suffix)

    def _visit_part(self, part: Part, key: str, prefix: str) -> None:
        text = part.shown.format(key=key)
        if part.name == "items":
            name = f"sets{len(self.joins)}"
            self.joins.append(f"({self._set_names()}) AS {name} ON {name}.item_set = {key}")
            text = f"{name}.items"
        self.columns.append((prefix + part.name, text))

    def _set_names(self) -> str:
        pairs = f"SELECT item_set, unnest(items) AS code FROM {self.history.table('item_set')}"
        return (
            f"SELECT item_set, string_agg(name, '{ITEM_DIVIDER}' ORDER BY code) AS items FROM ({pairs}) "
            f"JOIN {self.history.table('item')} USING (code) GROUP BY item_set"
        )

    def _row(self, parts: tuple[str, ...], key: str, prefix: str, suffix: str) -> None:
        name = f"row{len(self.joins)}"
        self.joins.append(f"{value_table(self.history, parts)} AS {name} ON {name}.value = {key}")
        for part in parts:
            text = PARTS[part].shown.format(key=f"{name}.{part}")
            if part == "item":
                item = f"item{len(self.joins)}"
                self.joins.append(f"{self.history.table('item')} AS {item} ON {item}.code = {name}.item")
                text = f"{item}.name"
            self.columns.append((prefix + part + suffix, text))


def _number(cell: Any) -> Any:
    return float(cell) if not isinstance(cell, int) else cell


@dataclass(frozen=True, slots=True)
class CrowdPoint:
    """The number of values with given numbers of occurrences and customers: a point of Figures 4 to 6."""

    occurrences: int
    customers: int
    values: int


def crowd_points(history: History, knowledge: str | Knowledge, *, most: int = 2000) -> tuple[list[CrowdPoint], int]:
    """Return the points of the scatter plot of occurrences and customers, and the step by which they were thinned.

    If there are more than `most` points, every n-th in order of occurrences and customers is kept, the last one always.
    """
    known = parse_knowledge(knowledge) if isinstance(knowledge, str) else knowledge
    check_countable(history, known)
    points = f"SELECT occurrences, customers, count(*) AS values FROM ({by_value(facts(history, known))}) GROUP BY ALL"
    step = 1 + (history.engine.total(f"SELECT count(*) FROM ({points})")[0] - 1) // most
    numbered = f"SELECT *, row_number() OVER (ORDER BY occurrences DESC, customers DESC) AS place FROM ({points})"
    rows = history.engine.people(
        f"SELECT occurrences, customers, values FROM ({numbered}) WHERE place % {step} = 1 % {step} "
        "ORDER BY place DESC",
        PEOPLE,
    )
    return [CrowdPoint(*row) for row in rows], step
