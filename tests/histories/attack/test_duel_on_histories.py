"""What the built-in attacks break, and what they do not: the contest's own history, and what `anonymize` makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sudare.histories.anonymize.classes import anonymize_history
from sudare.histories.attack.duel import run_duel, with_pseudonyms
from sudare.histories.attack.methods import METHODS, PROFILES
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.generalized.text import read_original
from sudare.histories.safety.classes import class_safety
from tests.histories.attack.histories import history, made_rows

OTHER_ITEMS = np.array([1, 7, 40, 300])
SEEDS = 20


def widened(column: OrderedColumn, most: int, random: np.random.Generator) -> OrderedColumn:
    """Return ranges that begin and end up to so far from the value."""
    before, after = random.integers(0, most, (2, len(column.low)))
    low, high = np.maximum(column.low - before, 1), column.high + after
    return replace(column, kinds=np.full_like(column.kinds, Kind.RANGE), low=low, high=high)


def in_sets(column: ItemColumn) -> ItemColumn:
    """Return sets of the item and four others."""
    items = (column.sets[:, np.newaxis] + np.concatenate([[0], OTHER_ITEMS])) % len(column.names)
    sets = len(column.names) + np.arange(len(items), dtype=np.int32)
    starts = np.concatenate([column.starts, column.starts[-1] + items.shape[1] * np.arange(1, len(items) + 1)])
    members = np.concatenate([column.members, items.ravel()]).astype(np.int32)
    kinds = np.full_like(column.kinds, Kind.SET)
    return replace(column, kinds=kinds, sets=sets, starts=starts, members=members)


def deleted(column: Column, share: float, random: np.random.Generator) -> Column:
    """Return a column of which a share of the cells is deleted."""
    gone = random.random(len(column.kinds)) < share
    kinds = np.where(gone, np.uint8(Kind.DELETED), column.kinds)
    if isinstance(column, ItemColumn):
        return replace(column, kinds=kinds, sets=np.where(gone, np.int32(-1), column.sets))
    return replace(column, kinds=kinds, low=np.where(gone, 0, column.low), high=np.where(gone, 0, column.high))


def badly_anonymized(original: CellHistory, how: str) -> CellHistory:
    """Return a history under pseudonyms whose cells are generalized one by one, as the contest's samples were."""
    random, columns = np.random.default_rng(1), []
    for column in with_pseudonyms(original, seed=1).columns:
        changed: Column = column
        if isinstance(column, ItemColumn) and how in ("item sets", "random"):
            changed = in_sets(column)
        if isinstance(column, OrderedColumn) and (how == "random" or (how == "date ranges" and column.form == "date")):
            changed = widened(column, 60 if column.form == "date" else 200, random)
        columns.append(deleted(changed, 0.2, random) if how in ("deleted cells", "random") else changed)
    return CellHistory(with_pseudonyms(original, seed=1).persons, tuple(columns))


@pytest.fixture(scope="module")
def contest_history() -> list[CellHistory]:
    """Return a place for the contest's history, which is read once."""
    return []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["identity", "date ranges", "item sets", "deleted cells", "random"])
def test_cells_that_are_generalized_one_by_one_protect_nobody(
    real_data: Callable[[str], Path], contest_history: list[CellHistory], how: str
) -> None:
    if not contest_history:
        contest_history.append(read_original(real_data("pwscup2018-T.csv")))
    original = contest_history[0]
    found = run_duel(original, badly_anonymized(original, how), methods=["scoreboard", "feasibility"])
    assert found.verdict == "broken"
    assert found.best is not None
    assert found.best.judgement is not None
    assert found.best.judgement.hits > 990


@pytest.mark.slow
def test_classes_of_three_survive_as_often_as_the_classes_say() -> None:
    original = history(made_rows(7, customers=45, most_rows=8))
    hits, guesses, broken = Counter[str](), Counter[str](), 0
    for seed in range(SEEDS):
        made = anonymize_history(original, 3, seed=seed, fast=True, rounds=20)
        assert made.sizes == (3,) * 15
        found = run_duel(original, made.history, seed=seed)
        broken += found.verdict == "broken"
        for attack in found.attacks:
            assert attack.judgement is not None
            hits[attack.method] += attack.judgement.hits
            guesses[attack.method] += attack.judgement.guesses
    # Seven guesses are right as a whole with 1/108; three or more of twenty such attacks with less than 0.001.
    chance = class_safety([3] * 15).tests[0].plan_found.probability
    assert chance == pytest.approx(1 / 108)
    assert broken <= 2
    tried = [method for method in METHODS if guesses[method]]
    assert {"scoreboard", "feasibility", "likelihood", "assignment", "best"} <= set(tried)
    # Who knows people from another time guesses no class; these people have no habits besides.
    for method in set(tried) - {PROFILES}:
        # Each guess is right with 1/3, and the hits of a class of three that is guessed have the variance 1.
        assert hits[method] == pytest.approx(guesses[method] / 3, abs=4 * (guesses[method] / 3) ** 0.5)
