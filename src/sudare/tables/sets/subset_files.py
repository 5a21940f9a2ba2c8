"""Files with the risk of every attribute subset, and with its class sizes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import quote_text, scratch_engine
from sudare.errors import OptionNotUsable
from sudare.kernels.tables.lattice_ends import BELOW, CLASSES, SMALLEST, UNIQUES
from sudare.sources.writing import check_table_ending, keeps_inputs, whole_file
from sudare.tables.sets.subsets import PLACES, SubsetsAssessment, set_sizes
from sudare.tables.walks.sampled import MEAN_RISK, SHARE_BELOW, UNIQUE_SHARE


@checked
@keeps_inputs()
def write_subsets(found: SubsetsAssessment, path: str | Path) -> int:
    """Write all subsets to a CSV or Parquet file, smallest first, and return how many were written."""
    masks = _smallest_first(found)
    rows = found.results[masks]
    columns = {
        "size": set_sizes(masks),
        **({"classes": rows[:, CLASSES]} if found.estimates is None else {}),
        "max_risk" if found.estimates is None else "max_risk_at_least": 1 / rows[:, SMALLEST],
        "mean_risk": found.expected[masks] / found.records,
        "uniques": rows[:, UNIQUES],
        **({} if found.bound is None else {"share_above": rows[:, BELOW] / found.records}),
        **_ends(found, masks),
    }
    return _write(found, masks, columns, Path(path))


def _ends(found: SubsetsAssessment, masks: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Return the columns of the ends of intervals, where numbers are estimates."""
    if found.estimates is None:
        return {}
    mean, unique, above = (found.estimates[masks, measure] for measure in (MEAN_RISK, UNIQUE_SHARE, SHARE_BELOW))
    ends = {"mean_risk": mean, "uniques": unique * found.records}
    if found.bound is not None:
        ends["share_above"] = above
    return {f"{name}_{end}": part[:, place] for name, part in ends.items() for end, place in PLACES.items()}


@checked
@keeps_inputs()
def write_subset_sizes(found: SubsetsAssessment, path: str | Path) -> int:
    """Write how many classes and records have each class size, for all subsets, to CSV or Parquet.

    Returns the number of lines.
    """
    if found.sizes is None:
        raise OptionNotUsable("errors.sets.no_class_sizes")
    masks = _smallest_first(found)
    sizes = [part for mask in masks if (part := found.sizes[mask]) is not None]
    columns = {
        "size": np.concatenate([part.size for part in sizes]),
        "classes": np.concatenate([part.classes for part in sizes]),
        "records": np.concatenate([part.records for part in sizes]),
    }
    columns["risk"] = 1 / columns["size"]
    return _write(found, np.repeat(masks, [len(part.size) for part in sizes]), columns, Path(path))


def _smallest_first(found: SubsetsAssessment) -> NDArray[np.int64]:
    masks = np.flatnonzero(found.results[:, CLASSES])
    ordered: NDArray[np.int64] = masks[np.lexsort((masks, set_sizes(masks)))]
    return ordered


def _write(
    found: SubsetsAssessment,
    masks: NDArray[np.int64],
    columns: Mapping[str, NDArray[Any]],
    target: Path,
) -> int:
    """Write lines about subsets, each with the names of its attributes first."""
    check_table_ending(target)
    members = ", ".join(
        f"CASE WHEN (mask >> {bit}) & 1 = 1 THEN {quote_text(name)} END" for bit, name in enumerate(found.attributes)
    )
    # What was found is here, wherever the records are.
    with whole_file(target) as temporary, scratch_engine() as engine:
        engine.attach("subset", {"position": np.arange(len(masks)), "mask": masks, **columns})
        engine.write(
            f"SELECT concat_ws(' + ', {members}) AS attributes, {', '.join(columns)} FROM subset ORDER BY position",
            temporary,
        )
    return len(masks)
