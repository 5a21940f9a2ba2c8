"""The models that anonymize a purchase history, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.registry import DEFAULT_MODEL, find_model, models_with
from sudare.histories.anonymize.rows import MOST_ITEMS
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.thresholds import CONTEST_ALPHA, CONTEST_P
from sudare.progress import Progress, silent
from sudare.statistics.shares import Share

if TYPE_CHECKING:
    from sudare.histories.safety.matching_safety import MatchingSafety


@runtime_checkable
class AnonymizedResult(Protocol):
    """An anonymized history of any model, and its cost."""

    @property
    def history(self) -> CellHistory:
        """The rows; row i belongs to row i of the original."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def k(self) -> int:
        """The minimum number of indistinguishable customers in the sense of the model, not counting the untouched."""

    @property
    def seed(self) -> int:
        """The seed of everything random."""

    @property
    def customers(self) -> int:
        """The number of customers in the original."""

    @property
    def rows(self) -> int:
        """The number of rows in the original."""

    @property
    def deleted_rows(self) -> int:
        """The number of rows that are not published."""

    @property
    def utility(self) -> float:
        """U, the mean error of all cells; 0 is best."""

    @property
    def bound(self) -> float:
        """A lower bound on U for all histories of the model; 0 if there is none."""

    @property
    def gap(self) -> float:
        """The largest possible reduction of U, as a share of U."""

    @property
    def safety(self) -> MatchingSafety | None:
        """How safe the candidate sets of the pseudonyms are; None where the classes determine the safety."""

    @property
    def converged(self) -> bool:
        """Whether the search ended before its time limit."""

    @property
    def seconds(self) -> float:
        """The run time."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the rows as plain values."""


@checked
def anonymize_by_model(
    original: CellHistory,
    k: int,
    *,
    model: str = DEFAULT_MODEL,
    levels: Mapping[str, str] | None = None,
    untouched: int | None = None,
    groups: NDArray[np.int64] | None = None,
    most_items: int = MOST_ITEMS,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    attacks: int = 1,
    seed: int = 0,
    seconds: float | None = None,
    rounds: int | None = None,
    fast: bool = False,
    threads: int | None = None,
    progress: Progress = silent,
) -> AnonymizedResult:
    """Anonymize a history by the named model, with at most `most_items` items in a set.

    `classes`: every customer has the same published rows as k - 1 others. `suppression`: the same, but a cell holds the
    exact value or nothing. `levels`: the same, each column at one level, as given in `levels` or chosen. `concealment`:
    every pseudonym can be one of k customers; p and alpha determine how likely an attacker who knows this is to be
    effective. `untouched`: that many customers (default 2) stay unchanged, and anybody who knows what they bought
    recognizes them; everybody else has the same published rows as k - 1 others. The classes of `classes` do not mix
    customers of different `groups`; see `anonymize_history`.
    """
    check_model(model, levels, untouched, groups)
    chosen = find_model(model)
    options = {
        "levels": levels, "untouched": untouched, "groups": groups, "most_items": most_items, "p": p, "alpha": alpha,
        "attacks": attacks,
    }  # fmt: skip
    # What is not given is as the model has it.
    given = {name: value for name, value in options.items() if name in chosen.options and value is not None}
    return chosen.anonymize(
        original, k, seed=seed, seconds=seconds, rounds=rounds, fast=fast, threads=threads, progress=progress, **given
    )


def check_model(
    model: str,
    levels: Mapping[str, str] | None = None,
    untouched: int | None = None,
    groups: NDArray[np.int64] | None = None,
) -> None:
    """Raise OptionNotUsable if there is no model of that name, or if it does not take one of these options."""
    options = find_model(model).options
    if levels and "levels" not in options:
        raise OptionNotUsable("errors.anonymize.model_without_levels", model=model, models=models_with("levels"))
    if untouched is not None and "untouched" not in options:
        raise OptionNotUsable("errors.anonymize.model_without_untouched", model=model, models=models_with("untouched"))
    if groups is not None and "groups" not in options:
        raise OptionNotUsable("errors.anonymize.model_without_groups", model=model, models=models_with("groups"))
