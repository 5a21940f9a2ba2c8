"""Adult in any number of records: resampled and perturbed by a seed, so that most records are new ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars

# A value is replaced with this probability by that of another record; an age moves by up to three years as well.
REPLACED = 0.1
MOVED = 3


def write_records(source: Path, path: Path, *, records: int, seed: int = 1) -> None:
    """Write records drawn from Adult with replacement, some values of which come from others; all values are Adult's.

    Drawn alone they would be copies, and classes of copies lose nothing: a table of many records is hard only if they
    differ. Ages stay between the least and the greatest of Adult.
    """
    rng = np.random.default_rng(seed)
    frame = polars.read_csv(source, separator=";")
    drawn = rng.integers(len(frame), size=records)
    columns = {}
    for name in frame.columns:
        taken = np.where(rng.random(records) < REPLACED, rng.integers(len(frame), size=records), drawn)
        columns[name] = frame[name].gather(taken)
    moved = columns["age"].to_numpy() + rng.integers(-MOVED, MOVED + 1, records)
    columns["age"] = polars.Series(np.clip(moved, frame["age"].min(), frame["age"].max()))
    polars.DataFrame(columns).write_csv(path, separator=";")
