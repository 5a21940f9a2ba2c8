"""The models of anonymization by their names."""

from __future__ import annotations

import numpy as np
import pytest

from sudare.anonymize.models import MODELS, anonymize_by_model, check_model
from sudare.data.cells import ItemColumn, Kind
from sudare.errors import OptionNotUsable
from tests.attack.histories import history, made_rows

ORIGINAL = history(made_rows(5, customers=12, most_rows=4))


@pytest.mark.parametrize("model", MODELS)
def test_each_model_says_what_it_made(model: str) -> None:
    found = anonymize_by_model(ORIGINAL, 3, model=model, fast=True, seconds=2, seed=4)
    assert (found.model, found.k, found.seed) == (model, 3, 4)
    assert (found.customers, found.rows) == (12, len(ORIGINAL))
    assert found.deleted_rows == found.history.deleted.sum()
    assert 0 <= found.bound <= found.utility
    assert found.to_dict()["model"] == model


def test_suppression_has_exact_and_deleted_cells_only() -> None:
    found = anonymize_by_model(ORIGINAL, 3, model="suppression", fast=True)
    kinds = np.concatenate([column.kinds for column in found.history.columns])
    assert set(kinds.tolist()) <= {Kind.EXACT, Kind.DELETED}


def test_sets_have_no_more_items_than_the_rules_allow() -> None:
    found = anonymize_by_model(ORIGINAL, 4, most_items=2, fast=True)
    column = next(column for column in found.history.columns if isinstance(column, ItemColumn))
    assert column.sizes[column.sets[column.kinds == Kind.SET]].max(initial=1) <= 2


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(OptionNotUsable, match="There is no model 'magic'"):
        anonymize_by_model(ORIGINAL, 3, model="magic")
    with pytest.raises(OptionNotUsable, match="The model classes has no levels"):
        anonymize_by_model(ORIGINAL, 3, levels={"date": "week"})
    check_model("levels", {"date": "week"})
