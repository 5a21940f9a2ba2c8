import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories.attack.guesses import Guesses
from sudare.histories.safety.judgement import Judgement, judge_guesses, judge_hits
from sudare.histories.safety.thresholds import success_thresholds
from tests.histories.generalized.small_cells import cells

ORIGINAL = cells([[str(customer), "2011/1/1", "a", "1", "1"] for customer in range(11, 21)])
# Pseudonym 1 is customer 20, 2 is 19, ..., 9 is 12; customer 11 has no row left.
ANONYMIZED = cells(
    [["*"] * 5, *([str(pid), "*", "*", "*", "*"] for pid in range(9, 0, -1))], names=ORIGINAL.column("item").names
)


def judged(pairs: list[tuple[int, int]], **options: object) -> Judgement:
    pids, customers = np.array(pairs, np.int64).reshape(-1, 2).T
    return judge_guesses(Guesses(pids, customers), ORIGINAL, ANONYMIZED, **options)  # type: ignore[arg-type]


def test_seven_right_guesses_are_effective() -> None:
    found = judged([(pid, 21 - pid) for pid in range(1, 8)])
    assert found.to_dict() == {
        "tried": True,
        "guesses": 7,
        "hits": 7,
        "threshold": 7,
        "margin": 0,
        "effective": True,
        "tight": {"threshold": 7, "margin": 0, "effective": True},
    }


def test_six_right_guesses_are_not_and_neither_are_seven_of_eight() -> None:
    six = judged([(pid, 21 - pid) for pid in range(1, 7)])
    assert (six.hits, six.contest.threshold, six.contest.margin, six.effective) == (6, 7, -1, False)
    eight = judged([(9, 11), *((pid, 21 - pid) for pid in range(1, 8))])
    assert (eight.guesses, eight.hits, eight.contest.margin, eight.effective) == (8, 7, -1, False)


def test_two_pseudonyms_may_claim_the_same_customer() -> None:
    assert judged([(1, 20), (2, 20)]).hits == 1


def test_a_pseudonym_that_was_not_published_is_no_hit() -> None:
    assert judged([(10, 11), (1000, 20), (1, 20)]).hits == 1


def test_without_guesses_nothing_was_tried() -> None:
    found = judged([])
    assert (found.tried, found.effective, found.guesses, found.contest.margin) == (False, False, 0, -1)


def test_the_tests_can_disagree() -> None:
    found = judge_hits(1000, 500)
    assert (found.contest.threshold, found.contest.effective) == (612, False)
    assert (found.tight.threshold, found.tight.effective) == (392, True)
    assert not found.effective


def test_a_contests_own_thresholds_win() -> None:
    own = np.array([1, 1, 2, 3], np.int64)
    assert judge_hits(1, 1, thresholds=own).effective
    assert not judge_hits(1, 1, thresholds=own).tight.effective
    with pytest.raises(OptionNotUsable, match="There can be 4 guesses, but there is no threshold for 4"):
        judge_hits(4, 1, thresholds=own)


@given(guesses=st.integers(0, 60), data=st.data())
def test_an_attack_is_effective_from_the_threshold_on(guesses: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, guesses))
    found = judge_hits(guesses, hits)
    assert found.effective == (hits >= success_thresholds(guesses)[guesses])
    assert found.tight.effective or not found.effective


@pytest.mark.parametrize(("guesses", "hits"), [(3, 4), (3, -1)])
def test_impossible_numbers_are_refused(guesses: int, hits: int) -> None:
    with pytest.raises(OptionNotUsable, match="cannot be right"):
        judge_hits(guesses, hits)
