"""Who knows only the earlier half, and looks for its people in the later one."""

from __future__ import annotations

import numpy as np
import pytest

from sudare.histories.attack.another_time import recognize_later
from sudare.histories.attack.attack import attack_history
from sudare.histories.attack.known import know_history
from sudare.histories.attack.linkage import Linkage
from sudare.histories.generalized.model import CellHistory
from tests.histories.attack.histories import Row, anonymize, history, name, pseudonyms
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import habitual_rows

ROWS = habitual_rows(1, 40)


def published_of(rows: list[Row]) -> tuple[CellHistory, dict[int, int]]:
    """Return some rows under pseudonyms, and the customer of each pseudonym."""
    kept = [place for place, row in enumerate(ROWS) if row in rows]
    owners = {pid: customer for customer, pid in pseudonyms(ROWS, 3).items()}
    return anonymize(ROWS, "identity", 3).taken(np.array(kept)), owners


def linked(
    published: CellHistory, known: CellHistory | None = None, seed: int = 0
) -> tuple[Linkage, tuple[np.ndarray, np.ndarray, int]]:
    linkage = Linkage(know_history(known or history(ROWS)), published, seed=seed)
    return linkage, recognize_later(linkage)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_people_are_found_by_what_they_bought_before_whatever_the_order_of_customers(seed: int) -> None:
    published, owners = published_of(ROWS)
    linkage, (customers, confidence, seen) = linked(published, seed=seed)
    assert seen == 40
    right = [
        linkage.customers[place] == owners[pid] for place, pid in zip(customers, linkage.pids.tolist(), strict=True)
    ]
    assert np.mean(right) > 0.8
    assert ((confidence > 0) & (confidence <= 1)).all()


def test_rows_of_the_earlier_half_are_not_looked_at() -> None:
    """What is published of the earlier half says who is who, but nobody who knows these rows is meant here."""
    middle = [row for row in ROWS if row[1] < 95]
    published, _ = published_of(middle)
    _, (customers, confidence, seen) = linked(published)
    assert seen == 0
    assert set(customers.tolist()) == {-1}
    assert set(confidence.tolist()) == {0.0}


def test_who_has_no_later_rows_is_nobody() -> None:
    published, owners = published_of([row for row in ROWS if row[0] > 5 or row[1] < 95])
    linkage, (customers, confidence, seen) = linked(published)
    absent = np.array([owners[pid] <= 5 for pid in linkage.pids.tolist()])
    assert seen == 35
    assert (customers[absent] == -1).all()
    assert (confidence[absent] == 0).all()
    assert (customers[~absent] >= 0).all()


def test_a_known_history_without_days_tells_nothing() -> None:
    published, _ = published_of(ROWS)
    undated = cells([[str(row[0]), "*", name(row[2]), "1", "1"] for row in ROWS])
    _, (customers, _, seen) = linked(published, undated)
    assert (seen, set(customers.tolist())) == (0, {-1})


def test_the_attack_is_one_of_the_methods() -> None:
    published, owners = published_of(ROWS)
    found = attack_history(know_history(history(ROWS)), published, method="profiles")
    hits = sum(
        owners[pid] == customer for pid, customer in zip(found.pids.tolist(), found.customers.tolist(), strict=True)
    )
    assert (found.method, found.tried) == ("profiles", 40)
    assert hits > 30
