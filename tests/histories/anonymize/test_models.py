"""The models of anonymization by their names."""

from __future__ import annotations

import time
from itertools import count

import numpy as np
import pytest

from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.models import anonymize_by_model, check_model
from sudare.histories.anonymize.registry import MODELS
from sudare.histories.generalized.model import ItemColumn, Kind
from tests.histories.attack.histories import history, made_rows

ORIGINAL = history(made_rows(5, customers=12, most_rows=4))


@pytest.mark.parametrize("model", MODELS)
def test_each_model_says_what_it_made(model: str) -> None:
    found = anonymize_by_model(ORIGINAL, 3, model=model, fast=True, rounds=3, seed=4)
    assert (found.model, found.k, found.seed) == (model, 3, 4)
    assert (found.customers, found.rows) == (12, len(ORIGINAL))
    assert found.deleted_rows == found.history.deleted.sum()
    assert 0 <= found.bound <= found.utility
    assert found.to_dict()["model"] == model


@pytest.mark.parametrize("model", MODELS)
def test_a_search_that_ends_by_rounds_never_looks_at_the_clock(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = anonymize_by_model(ORIGINAL, 3, model=model, fast=True, rounds=3, seed=4)
    # A machine on which a day goes by between two looks.
    days = count(step=86_400)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(days)))
    again = anonymize_by_model(ORIGINAL, 3, model=model, fast=True, rounds=3, seed=4)
    assert (again.utility, again.bound, again.converged) == (first.utility, first.bound, first.converged)
    assert again.history.persons.tolist() == first.history.persons.tolist()


@pytest.mark.parametrize("model", MODELS)
def test_fewer_rounds_than_none_are_refused(model: str) -> None:
    with pytest.raises(OptionNotUsable, match="rounds must be 1 or more, not 0"):
        anonymize_by_model(ORIGINAL, 3, model=model, rounds=0)


def test_suppression_has_exact_and_deleted_cells_only() -> None:
    found = anonymize_by_model(ORIGINAL, 3, model="suppression", fast=True, rounds=3)
    kinds = np.concatenate([column.kinds for column in found.history.columns])
    assert set(kinds.tolist()) <= {Kind.EXACT, Kind.DELETED}


def test_sets_have_no_more_items_than_the_rules_allow() -> None:
    found = anonymize_by_model(ORIGINAL, 4, most_items=2, fast=True, rounds=3)
    column = next(column for column in found.history.columns if isinstance(column, ItemColumn))
    assert column.sizes[column.sets[column.kinds == Kind.SET]].max(initial=1) <= 2


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(OptionNotUsable, match="Unknown model 'magic'"):
        anonymize_by_model(ORIGINAL, 3, model="magic")
    with pytest.raises(OptionNotUsable, match="levels cannot be used with the model classes"):
        anonymize_by_model(ORIGINAL, 3, levels={"date": "week"})
    with pytest.raises(OptionNotUsable, match="untouched cannot be used with the model classes"):
        anonymize_by_model(ORIGINAL, 3, untouched=2)
    check_model("levels", {"date": "week"})
    check_model("untouched", None, 3)
