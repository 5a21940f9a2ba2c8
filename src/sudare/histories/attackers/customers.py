"""Which customers an attacker recognizes: each one's probability of identification, and the distribution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.histories.attackers.assessment import check_weighting
from sudare.histories.attackers.crowds import Weighting
from sudare.histories.attackers.facts import facts
from sudare.histories.attackers.knowledge import TEN_ATTACKERS, Knowledge, parse_knowledge
from sudare.histories.attackers.values import check_countable
from sudare.histories.model import History
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, keeps_inputs, whole_file

# The distribution is told at these shares of the customers.
STEPS = 100
# What an engine that shows no people does not show.
PEOPLE = message("errors.people.customers")


@dataclass(frozen=True, slots=True)
class CustomerRisk(Result):
    """How well an attacker recognizes one customer.

    `probability` is the mean of 1/|U_x| over what can be known about the customer; `unique` tells whether something can
    be known that nobody else has.
    """

    customer: str
    probability: float
    unique: bool


@dataclass(frozen=True, slots=True)
class CustomerRisks(Result):
    """How an attacker's success is distributed over the customers.

    `quantiles[i]` is the probability that i percent of the customers do not exceed (nearest rank), so the list plotted
    against 0..100 is the cumulative distribution. `unique` customers have at least one value nobody else has; `certain`
    customers are identified by everything that can be known about them. Customers about whom nothing of the kind can be
    known are `untouched` and not in the distribution.
    """

    _rows = ("highest",)
    _row = CustomerRisk

    knowledge: Knowledge
    customers: int
    unique: int
    certain: int
    untouched: int
    quantiles: tuple[float, ...]
    highest: tuple[CustomerRisk, ...]

    @property
    def unique_rate(self) -> float:
        """The share of all customers who have a value nobody else has."""
        return self.unique / self.customers if self.customers else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "knowledge": str(self.knowledge),
            "customers": self.customers,
            "unique": self.unique,
            "unique_rate": self.unique_rate,
            "certain": self.certain,
            "untouched": self.untouched,
            "quantiles": list(self.quantiles),
            "highest": [
                {"customer": risk.customer, "probability": risk.probability, "unique": risk.unique}
                for risk in self.highest
            ],
        }


@checked
def customer_risks(
    history: History,
    knowledge: str | Knowledge,
    *,
    weighting: Weighting = "occurrence",
    most: int = 10,
) -> CustomerRisks:
    """Return how an attacker's success is distributed over the customers, with the `most` customers at highest risk."""
    history.engine.check_people(PEOPLE)
    known = _countable(history, knowledge, weighting)
    history.engine.keep("sudare_customer_risk", _query(history, known, weighting))
    table = "sudare_customer_risk"
    touched, unique, certain = history.engine.total(
        f"SELECT count(*), count(*) FILTER (WHERE uniques > 0), count(*) FILTER (WHERE probability = 1) FROM {table}"
    )
    highest = history.engine.people(
        f"SELECT name, probability, uniques > 0 FROM {table} JOIN {history.table('customer')} ON code = customer "
        f"ORDER BY probability DESC, uniques DESC, code LIMIT {most}",
        PEOPLE,
    )
    return CustomerRisks(
        known,
        customers=history.customers,
        unique=unique,
        certain=certain,
        untouched=history.customers - touched,
        quantiles=_quantiles(history, table) if touched else (),
        highest=tuple(CustomerRisk(str(name), float(p), bool(u)) for name, p, u in highest),
    )


def _quantiles(history: History, table: str) -> tuple[float, ...]:
    ordered = (
        f"SELECT probability, row_number() OVER (ORDER BY probability) AS place, count(*) OVER () AS n FROM {table}"
    )
    steps = ", ".join(f"({step})" for step in range(STEPS + 1))
    places = f"greatest(CAST(ceil(n * step / {STEPS}.0) AS BIGINT), 1)"
    rows = history.engine.people(
        f"SELECT probability FROM ({ordered}) JOIN (VALUES {steps}) AS steps(step) ON place = {places} ORDER BY step",
        PEOPLE,
    )
    return tuple(float(row[0]) for row in rows)


@checked
@keeps_inputs()
def write_customer_risks(
    history: History,
    path: str | Path,
    *,
    knowledge: Sequence[str | Knowledge] = (),
    weighting: Weighting = "occurrence",
    progress: Progress = silent,
) -> int:
    """Write every customer's probability of being identified by each of the ten attackers and by further knowledge.

    One row per customer, in name order; the columns are attacker_0 to attacker_9 and the further knowledge as written.
    A cell is empty where nothing of the kind can be known about the customer. Returns the number of customers.
    """
    target = Path(path)
    check_table_ending(target)
    history.engine.check_people(PEOPLE)
    named: dict[str, Knowledge] = {f"attacker_{n}": known for n, known in enumerate(TEN_ATTACKERS)}
    named.update({str(known): known for known in (_countable(history, text, weighting) for text in knowledge)})
    columns = ["name AS customer"]
    source = f"{history.table('customer')} AS c"
    for number, (name, known) in enumerate(named.items()):
        progress(message("progress.customers_of", knowledge=name), number, len(named))
        table = f"sudare_risk_{number}"
        history.engine.keep(table, f"SELECT customer, probability FROM ({_query(history, known, weighting)})")
        source += f" LEFT JOIN {table} ON {table}.customer = c.code"
        columns.append(f'{table}.probability AS "{name}"')
    progress(message("progress.customers"), len(named), len(named))
    with whole_file(target) as temporary:
        history.engine.write(f"SELECT {', '.join(columns)} FROM {source} ORDER BY c.code", temporary)
    history.engine.drop(*(f"sudare_risk_{number}" for number in range(len(named))))
    return history.customers


def _countable(history: History, knowledge: str | Knowledge, weighting: Weighting) -> Knowledge:
    check_weighting(weighting)
    known = parse_knowledge(knowledge) if isinstance(knowledge, str) else knowledge
    check_countable(history, known)
    return known


def _query(history: History, known: Knowledge, weighting: Weighting) -> str:
    """Return customer, probability and how many of its values are unique.

    Rounding to twelve digits hides in which order the engine added up, so that runs agree.
    """
    found = facts(history, known)
    weight = "occurrences" if weighting == "occurrence" else "records"
    keys = ", ".join(found.keys)
    if not found.keys:
        uniques = 1 if history.customers == 1 else 0
        probability = f"round(1 / {history.customers}, 12)"
        return f"SELECT customer, {probability} AS probability, {uniques} AS uniques FROM ({found.query})"
    same = " AND ".join(f"f.{key} IS NOT DISTINCT FROM u.{key}" for key in found.keys)
    crowds = f"SELECT {keys}, count(*) AS customers FROM ({found.query}) GROUP BY {keys}"
    return (
        f"SELECT customer, round(sum({weight} / customers) / sum({weight}), 12) AS probability, "
        "count(*) FILTER (WHERE customers = 1) AS uniques "
        f"FROM ({found.query}) AS f JOIN ({crowds}) AS u ON {same} GROUP BY customer"
    )
