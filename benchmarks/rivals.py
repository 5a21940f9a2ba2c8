"""What pycanon and anjana do; runs in an environment of their own, without sudare (see measuring.py)."""

from __future__ import annotations

import contextlib
import io
from itertools import combinations

import pandas
from anjana.anonymity import _k_anonymity
from pycanon.anonymity import k_anonymity

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
    hierarchies = {}
    for name, file in files.items():
        levels = pandas.read_csv(file, sep=";", header=None, dtype=str)
        hierarchies[name] = {level: levels[level].to_numpy() for level in levels.columns}
    clock.lap("read")
    with contextlib.redirect_stdout(io.StringIO()):
        found = _k_anonymity.k_anonymity_inner(frame, [], list(files), 5, 100 * suppress, hierarchies)
    clock.lap("levels")
    _, suppressed, chosen = found
    return {"levels": {name: int(level) for name, level in chosen.items()}, "suppressed": int(suppressed)}
