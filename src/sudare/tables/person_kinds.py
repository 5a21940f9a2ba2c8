"""Persons with the same records, fetched as one group with its size: no person leaves the engine."""

from __future__ import annotations

import numpy as np

from sudare.engine import Engine
from sudare.engine.protocol import Column
from sudare.engine.small_counts import Refuse
from sudare.errors import NotOnEngine

# A kind has a line for each of its records; its persons count once.
_RARE = Refuse(
    lambda count, least: NotOnEngine("errors.tables.rare_persons", count=count, least=least),
    few="sum(CASE WHEN line = first THEN persons ELSE 0 END)",
)


def fetch_person_kinds(engine: Engine, query: str, name: str, attributes: int) -> dict[str, Column]:
    """Fetch the distinct rows of persons, with numbers of this machine in place of the persons.

    The query has the columns person, a0, a1, ... and records; so has the answer, in the order of the persons and the
    attributes. What leaves the engine are the different sets of records, and how many persons have each. Sets that
    fewer persons have than may leave the engine are refused.
    """
    keys = [*(f"a{number}" for number in range(attributes)), "records"]
    tables = {part: f"{name}_{part}" for part in ("persons", "line", "kind")}
    try:
        engine.keep(tables["persons"], query)
        listed = ", ".join(keys)
        lines = f"SELECT {listed}, count(*) AS persons FROM {tables['persons']} GROUP BY {listed}"
        engine.keep(tables["line"], lines, number="line", order=listed)
        same = f"SELECT person, array_sort(array_agg(line)) AS lines FROM {tables['persons']} JOIN {tables['line']} "
        same += f"USING ({listed}) GROUP BY person"
        kinds = f"SELECT lines, count(*) AS persons FROM ({same}) GROUP BY lines"
        engine.keep(tables["kind"], kinds, number="kind", order="lines")
        found = engine.count_columns(
            "SELECT kind, persons, first, line FROM (SELECT kind, persons, list_extract(lines, 1) AS first, "
            f"explode(lines) AS line FROM {tables['kind']}) ORDER BY kind, line",
            cell="persons", small=_RARE,
        )  # fmt: skip
        told = engine.count_columns(
            f"SELECT {listed}, persons, line, line AS first FROM {tables['line']} ORDER BY line",
            cell="persons", small=_RARE,
        )  # fmt: skip
    finally:
        engine.drop(*tables.values())
    return _expanded(found, {key: told[key] for key in keys})


def _expanded(found: dict[str, Column], listed: dict[str, Column]) -> dict[str, Column]:
    """Return the rows of each person of each kind, persons numbered in the order of the kinds."""
    firsts = np.flatnonzero(np.diff(found["kind"], prepend=0))
    sizes = np.diff(np.append(firsts, len(found["kind"])))
    persons = found["persons"][firsts].astype(np.int64)
    lengths, starts = np.repeat(sizes, persons), np.repeat(firsts, persons)
    places = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    rows = found["line"][np.repeat(starts, lengths) + places] - 1
    return {"person": np.repeat(np.arange(len(lengths)), lengths), **{key: listed[key][rows] for key in listed}}
