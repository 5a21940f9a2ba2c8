"""What is learnt of pairs whose truth is known, against closed forms and slopes."""

from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.histories.profiles import learning
from sudare.histories.profiles.learning import (
    FOLDS,
    Calibration,
    Pairs,
    conditional_logit,
    from_best,
    learn,
    weigh_scores,
)


def pairs(groups: list[list[float]], right: list[int | None]) -> Pairs:
    """Return pairs with one feature; of each group the right one's place is given."""
    starts = np.cumsum([0, *map(len, groups)]).astype(np.int64)
    features = np.array([[value] for group in groups for value in group], np.float32)
    truth = [place == own for group, own in zip(groups, right, strict=True) for place in range(len(group))]
    return Pairs(starts, features, np.array(truth, np.bool_), np.arange(len(groups)))


@pytest.mark.parametrize(("right", "of"), [(3, 4), (5, 10), (1, 8)])
def test_the_weight_of_a_single_feature_is_the_logarithm_of_the_odds(right: int, of: int) -> None:
    # Two candidates, one of which has the feature, and is the right one so many times: exp(w) / (1 + exp(w)).
    made = pairs([[1.0, 0.0]] * of, [0] * right + [1] * (of - right))
    (weight,) = conditional_logit(made.features.astype(float), made.right, made.starts, ridge=1e-9)
    assert weight == pytest.approx(log(right / (of - right)), abs=1e-4)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 6), st.floats(0.1, 5))
def test_at_the_weights_of_the_logit_the_likelihood_has_no_slope(seed: int, groups: int, ridge: float) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 5, groups)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    features, right = random.normal(size=(sizes.sum(), 3)), np.zeros(sizes.sum(), np.bool_)
    for start, size in zip(starts, sizes, strict=False):
        if size and random.random() < 0.7:
            right[start + random.integers(0, size)] = True
    weights = conditional_logit(features, right, starts, ridge=ridge)
    slope = -ridge * weights
    for start, end in pairwise(starts):
        if right[start:end].any():
            chances = np.exp(features[start:end] @ weights)
            slope += features[start:end].T @ (right[start:end] - chances / chances.sum())
    assert slope == pytest.approx(np.zeros(3), abs=1e-3)


def test_a_score_weighs_as_much_as_it_makes_somebody_likelier_than_nobody() -> None:
    # The only candidate has the score 0 in four groups, and is right in one of them; with the score 2 in three of four.
    made = pairs([[0.0]] * 4 + [[2.0]] * 4, [0, None, None, None, 0, 0, 0, None])
    found = weigh_scores([made.features[:, 0].astype(float)], [made])
    assert found.nobody == pytest.approx(log(3), abs=1e-2)
    assert found.step == pytest.approx(log(3), abs=1e-2)


def test_scores_that_mislead_have_no_weight() -> None:
    made = pairs([[1.0, 0.0]] * 5, [1] * 5)
    assert weigh_scores([made.features[:, 0].astype(float)], [made]).step == 0


def test_confidence_is_corrected_to_what_came_true() -> None:
    # Of what is said with 0.2, two of five are right; of what is said with 0.8, three of five.
    confidence = np.repeat([0.2, 0.8], 5)
    right = np.array([1, 1, 0, 0, 0, 1, 1, 1, 0, 0.0])
    found = Calibration.of(confidence, right)
    assert found.corrected(np.array([0.2, 0.8])) == pytest.approx([0.4, 0.6], abs=1e-3)
    # The order of guesses stays.
    assert (np.diff(found.corrected(np.linspace(0, 1, 21))) >= 0).all()


@pytest.mark.parametrize("right", [[0, 0, 0], [1, 1, 1], []])
def test_where_all_or_none_were_right_nothing_is_corrected(right: list[int]) -> None:
    found = Calibration.of(np.full(len(right), 0.3), np.array(right, float))
    assert (found.slope, found.shift) == (1, 0)
    assert found.corrected(np.array([0.3])) == pytest.approx([0.3])


def test_confidence_that_says_the_opposite_is_made_the_same_for_all() -> None:
    found = Calibration.of(np.repeat([0.2, 0.8], 5), np.array([1] * 4 + [0] + [0] * 4 + [1.0]))
    assert found.slope == 0


def test_values_are_measured_from_the_best_of_their_group() -> None:
    starts = np.array([0, 2, 2, 5])
    assert from_best(np.array([1.0, 3, 2, 5, 4]), starts).tolist() == [-2, 0, -3, 0, -1]
    assert from_best(np.empty(0), np.array([0, 0])).tolist() == []


def test_nobody_is_judged_by_a_model_that_has_seen_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every model knows the people it was learnt from, and gives their pairs a score that nobody else gets."""
    random = np.random.default_rng(1)
    parts = []
    for seed in (1, 2):
        owners = np.random.default_rng(seed).permutation(40)[:30]
        starts = np.arange(0, 61, 2)
        right = np.tile([True, False], 30)
        features = np.column_stack([np.repeat(owners, 2), random.normal(size=60)]).astype(np.float32)
        parts.append(Pairs(starts, features, right, owners))

    class Remembering:
        def __init__(self, seen: set[int]) -> None:
            self.seen = seen

        def scores(self, features: np.ndarray, _: np.ndarray) -> np.ndarray:
            return np.isin(features[:, 0], list(self.seen)).astype(float)

    def remember(made: Pairs, chosen: np.ndarray, seed: int) -> Remembering:
        return Remembering(set(made.owners[chosen].tolist()))

    monkeypatch.setattr(learning, "_fit", remember)
    scorer, scores = learn(parts, seed=3)
    assert len(scorer.models) == FOLDS
    assert [found.tolist() for found in scores] == [[0.0] * 60, [0.0] * 60]
    # For everybody else all models count.
    assert scorer.scores(parts[0].features, parts[0].starts).mean() == pytest.approx(1 - 1 / FOLDS, abs=0.05)


def test_what_tells_people_apart_is_learnt_and_what_does_not_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(learning._TREES, "max_iter", 10)
    random = np.random.default_rng(5)
    people, each = 80, 5
    right = np.tile([True] + [False] * (each - 1), people)
    features = np.column_stack([right + random.normal(size=people * each) / 3, random.normal(size=people * each)])
    made = Pairs(np.arange(0, people * each + 1, each), features.astype(np.float32), right, np.arange(people))
    scorer, (scores,) = learn([made], seed=1)
    best = scores.reshape(people, each).argmax(axis=1)
    assert (best == 0).mean() > 0.9
    for model in scorer.models:
        assert abs(model.weights[1]) < 0.2 * model.weights[0]
    again = learn([made], seed=1)[1][0]
    assert again.tolist() == scores.tolist()
