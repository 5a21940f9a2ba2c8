"""What pycanon, anjana and anonypy do; runs in an environment of their own, without sudare (see measuring.py)."""

from __future__ import annotations

import contextlib
import io
from itertools import combinations

import pandas
from anjana.anonymity import _k_anonymity, k_anonymity as anjana_k_anonymity, l_diversity as anjana_l_diversity
from anonypy.anonypy import anonymize
from anonypy.mondrian import Mondrian
from pycanon.anonymity import k_anonymity, l_diversity, t_closeness

from measuring import Clock


def pycanon_loop(clock: Clock, path: str, columns: list[str]) -> list[int]:
    """Return the sum of the smallest classes of all subsets of the columns."""
    frame = pandas.read_parquet(path, columns=columns)
    clock.lap("read")
    found = [k_anonymity(frame, list(names)) for n in range(len(columns)) for names in combinations(columns, n + 1)]
    clock.lap("subsets")
    return [int(sum(found))]


def anjana_levels(clock: Clock, path: str, files: dict[str, str], suppress: float) -> dict[str, object]:
    """Return the levels and the number of suppressed records of the one solution that anjana finds for k = 5."""
    frame = pandas.read_csv(path, sep=";", dtype=str)
    hierarchies = read_hierarchies(files)
    clock.lap("read")
    with contextlib.redirect_stdout(io.StringIO()):
        found = _k_anonymity.k_anonymity_inner(frame, [], list(files), 5, 100 * suppress, hierarchies)
    clock.lap("levels")
    _, suppressed, chosen = found
    return {"levels": {name: int(level) for name, level in chosen.items()}, "suppressed": int(suppressed)}


def read_hierarchies(files: dict[str, str]) -> dict[str, dict[int, object]]:
    """Return hierarchies as anjana takes them: for each attribute and level an array of what the values become."""
    found = {}
    for name, file in files.items():
        levels = pandas.read_csv(file, sep=";", header=None, dtype=str)
        found[name] = {level: levels[level].to_numpy() for level in levels.columns}
    return found


def anjana_table(
    clock: Clock, path: str, files: dict[str, str], k: int, diverse: int | None, sensitive: str | None, out: str
) -> None:
    """Write the cells of every record, in the order of the file, of the one table that anjana finds; none is left out.

    It raises the level of the attribute with the most values until k holds, then for l goes on in the same way.
    """
    frame = pandas.read_csv(path, sep=";", dtype=str)
    hierarchies = read_hierarchies(files)
    clock.lap("read")
    with contextlib.redirect_stdout(io.StringIO()):
        if diverse is None:
            found = anjana_k_anonymity(frame, [], list(files), k, 0, hierarchies)
        else:
            found = anjana_l_diversity(frame, [], list(files), sensitive, k, diverse, 0, hierarchies)
    clock.lap("anonymize")
    found[list(files)].to_parquet(out)


def anonypy_table(
    clock: Clock, path: str, numbers: list[str], known: list[str], k: int, diverse: int | None,
    sensitive: str | None, out: str,
) -> None:  # fmt: skip
    """Write the cells of every record, in the order of the file, of anonypy's Mondrian partitions.

    These are the two calls of `Preserver.anonymize_k_anonymity` and `anonymize_l_diversity`, one after the other: they
    return classes with counts only, and the loss of a record needs to know its class. anonypy counts the values of a
    sensitive column and has none for k alone, so that it gets one with a single value.
    """
    frame = pandas.read_csv(path, sep=";", dtype={name: "category" for name in known if name not in numbers})
    counted = sensitive or "anybody"
    if sensitive is None:
        frame[counted] = "x"
    clock.lap("read")
    partitions = Mondrian(frame, known, counted).partition(k, diverse or 0)
    rows = anonymize(frame, partitions, known, counted)
    clock.lap("anonymize")
    table = pandas.DataFrame(index=frame.index, columns=known, dtype=object)
    left = iter(rows)
    for partition in partitions:
        # A class has a row for each of its sensitive values, with its count; all of them have the same cells.
        told = 0
        while told < len(partition):
            row = next(left)
            told += row["count"]
        table.loc[partition, known] = [row[name][0] for name in known]
    table.to_parquet(out)


def pycanon_confirms(
    clock: Clock, path: str, separator: str, known: list[str], sensitive: list[str]
) -> dict[str, int | None]:
    """Return k and, where there is a sensitive attribute, l of a published file."""
    frame = pandas.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    clock.lap("read")
    k = int(k_anonymity(frame, known))
    diverse = int(l_diversity(frame, known, sensitive)) if sensitive else None
    clock.lap("confirm")
    return {"records": len(frame), "k": k, "l": diverse}


def pycanon_gate(clock: Clock, path: str, known: list[str], sensitive: str) -> dict[str, float]:
    """Return the three numbers of a policy that pycanon has: k, l and t of a CSV file."""
    frame = pandas.read_csv(path, dtype=str)
    clock.lap("read")
    found = {
        "highest-risk": 1 / int(k_anonymity(frame, known)),
        "l": int(l_diversity(frame, known, [sensitive])),
        "t": float(t_closeness(frame, known, [sensitive])),
    }
    clock.lap("checks")
    return found
