import numpy as np
import pytest

from sudare.errors import OptionNotUsable
from sudare.histories.attack.known import know_history
from tests.histories.attack.histories import history, made_rows


def test_everything_is_known_if_nothing_else_is_said() -> None:
    original = history(made_rows(0))
    known = know_history(original)
    assert known.complete
    assert known.to_dict() == {
        "customers": 30,
        "rows": len(original),
        "share": 1.0,
        "columns": ["date", "item", "price", "quantity"],
        "noisy_dates": 0,
    }


def test_a_share_of_rows_is_chosen_by_the_seed() -> None:
    original = history(made_rows(0))
    first, again, other = (know_history(original, share=0.5, seed=seed) for seed in (1, 1, 2))
    assert not first.complete
    assert len(first.history) == round(len(original) / 2)
    assert len(first.customers) == 30
    assert first.history.column("date").low.tolist() == again.history.column("date").low.tolist()
    assert first.history.column("date").low.tolist() != other.history.column("date").low.tolist()


def test_a_noisy_date_is_a_range_that_holds_the_day() -> None:
    original = history(made_rows(0))
    date, noisy = original.column("date"), know_history(original, noisy_dates=3, seed=1).history.column("date")
    assert (noisy.high - noisy.low == 6).all()
    assert ((noisy.low <= date.low) & (date.low <= noisy.high)).all()
    assert len(np.unique(date.low - noisy.low)) == 7


def test_some_columns_are_known_in_their_order() -> None:
    known = know_history(history(made_rows(0)), columns=["quantity", "date"])
    assert [column.name for column in known.history.columns] == ["date", "quantity"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 0.0}, "above 0"),
        ({"share": float("nan")}, "share must be a finite number"),
        ({"share": 1.5}, "at most 1"),
        ({"columns": ["colour"]}, "'colour'"),
        ({"columns": []}, "at least one column"),
        ({"noisy_dates": -1}, "not -1"),
        ({"seed": -1}, "seed"),
    ],
)
def test_knowledge_that_cannot_be_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionNotUsable, match=message):
        know_history(history(made_rows(0)), **options)  # type: ignore[arg-type]
