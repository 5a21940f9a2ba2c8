"""What the attack identifies in real data: Online Retail, and T of PWSCUP 2018."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import sudare
from sudare.engine import DuckDBEngine
from sudare.histories import ProfileAssessment, anonymize_history
from sudare.histories.generalized.model import CellHistory, ItemColumn
from sudare.histories.profiles.assessment import link_profiles
from sudare.histories.profiles.periods import cut_days, cut_rows
from sudare.histories.profiles.read import NamedCells, cells_of_history
from tests.histories.profiles.small_profiles import named

# Seconds each.
pytestmark = pytest.mark.slow

Halves = tuple[CellHistory, CellHistory]


def halves(cells: CellHistory, split: str) -> Halves:
    """Return the rows before and from a day of the customers who have both."""
    parts = [cells.taken(rows) for rows in cut_rows(cells, cut_days(cells, split))]
    both = np.intersect1d(parts[0].persons, parts[1].persons)
    early, late = (part.taken(np.flatnonzero(np.isin(part.persons, both))) for part in parts)
    return early, late


@pytest.fixture(scope="module")
def retail(real_data: Callable[[str], Path], engine: DuckDBEngine) -> NamedCells:
    path, options = real_data("online-retail.parquet"), {"missing_values": {"customer": ["0"]}, "bad_rows": "drop"}
    with sudare.read_history(path, engine=engine, **options) as read:  # type: ignore[arg-type]
        return cells_of_history(read)


@pytest.fixture(scope="module")
def contest(real_data: Callable[[str], Path], engine: DuckDBEngine) -> NamedCells:
    with sudare.read_history(real_data("pwscup2018-T.csv"), engine=engine) as read:
        return cells_of_history(read)


def plain_cosine(early: CellHistory, late: CellHistory) -> float:
    """Return the share that the cosine of having items identifies, each by itself, ties in expectation."""
    vectors = []
    for part in (early, late):
        column = part.column("item")
        assert isinstance(column, ItemColumn)
        persons = np.unique(part.persons, return_inverse=True)[1]
        had = sparse.csr_array((np.ones(len(part)), (persons, column.sets)), (persons.max() + 1, len(column.names)))
        had.data[:] = 1
        vectors.append(sparse.diags_array(1 / np.sqrt(had.sum(axis=1))) @ had)
    similar = (vectors[1] @ vectors[0].T).toarray().round(12)
    own = similar.diagonal()[:, None]
    right = (similar > own).sum(axis=1) == 0
    return float((right / (similar == own).sum(axis=1)).mean())


def check(found: ProfileAssessment, people: int, shares: dict[str, float]) -> None:
    assert (found.world, found.pseudonyms, found.candidates, found.shared) == ("closed", people, people, people)
    for name, least in shares.items():
        assert getattr(found, name) >= least, name
    assert found.calibration_error is not None
    assert found.calibration_error <= 0.05


def test_online_retail_untrained(retail: NamedCells) -> None:
    early, late = halves(retail.cells, "2011-06-10")
    truth = {name: name for name in retail.names}
    known, published = (NamedCells(part, retail.names) for part in (early, late))
    found = link_profiles(known, published, truth=truth, trained=False, closed=True)
    check(found, 1_948, {"one_to_one": 0.55, "best_ten": 0.73})
    assert plain_cosine(early, late) == pytest.approx(0.426, abs=0.002)
    # The surest guesses are nearly all right.
    sure = next(one for one in found.surest if one.share == 0.3)
    assert sure.right is not None
    assert sure.right > 0.95


def test_t_of_2018_untrained(contest: NamedCells) -> None:
    found = sudare.histories.assess_profiles(contest, split="2011-06-01", trained=False)
    assert isinstance(found, ProfileAssessment)
    check(found, 447, {"one_to_one": 0.62, "best_ten": 0.78})
    assert found.open_world is not None
    assert found.open_world.shared == 447
    assert plain_cosine(*halves(contest.cells, "2011-06-01")) == pytest.approx(0.534, abs=0.002)


def test_t_of_2018_trained(contest: NamedCells) -> None:
    known, published = (NamedCells(part, contest.names) for part in halves(contest.cells, "2011-06-01"))
    truth = {name: name for name in contest.names}
    found = link_profiles(known, published, truth=truth, trained=True, closed=True)
    assert found.method == "trained"
    check(found, 447, {"one_to_one": 0.63, "best_ten": 0.79})


def test_classes_of_three_of_t_are_identified_nearly_as_often_as_can_be(contest: NamedCells) -> None:
    early, late = halves(contest.cells, "2011-06-01")
    chosen = np.random.default_rng(1).choice(np.unique(early.persons), 300, replace=False)
    known, shown = (part.taken(np.flatnonzero(np.isin(part.persons, chosen))) for part in (early, late))
    made = anonymize_history(shown, 3, seed=1, fast=True, rounds=1).history
    owners = dict(zip(made.persons.tolist(), shown.persons.tolist(), strict=True))
    truth = {f"x{pid}": f"c{owner}" for pid, owner in owners.items() if pid}
    found = link_profiles(named(known, "c"), named(made, "x"), truth=truth, closed=True)
    assert found.classes is not None
    assert (found.pseudonyms, found.classes.smallest) == (300, 3)
    assert found.classes.ceiling <= 1 / 3
    assert found.one_to_one is not None
    assert 0.27 <= found.one_to_one <= 1 / 3
    assert found.guesses.confidence.max() <= 1 / 3
