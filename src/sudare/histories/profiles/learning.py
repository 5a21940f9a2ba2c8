"""Learning from pairs of which the truth is known how much each feature tells.

A conditional logit (McFadden, 1974) weights the features: the right one of a group's candidates has the greatest
utility. Gradient-boosted trees of scikit-learn rank the candidates once more, and the mean of both is the score. Where
the attack is tried on the known period itself, scores come from models that did not see the same people
(cross-fitting); they say how much a difference of scores means, and how far guesses can be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Floats32, Ints
from sudare.showing import dataclass

# How strongly the weights of the logit are drawn to 0.
_RIDGE = 3.0
# Small trees, strongly regularized: the pairs of a few hundred people are all there may be.
_TREES: dict[str, Any] = {
    "max_iter": 200, "learning_rate": 0.05, "max_leaf_nodes": 15, "min_samples_leaf": 40, "l2_regularization": 5.0,
    "max_features": 0.5, "early_stopping": False,
}  # fmt: skip
# Groups of pseudonyms that are learnt from at most.
_MOST_GROUPS = 6_000
# The nearest candidates of a group are all learnt from: they have to be told apart. Of the others, one of this many.
_NEAREST, _OF_OTHERS = 24, 4
# Pairs that are scored at once: what is computed of them takes some ten megabytes.
_AT_ONCE = 1 << 17
FOLDS = 4
_ODDS = 1e-6


class Pairs(NamedTuple):
    """Pairs to learn from, those of a group one after the other from `starts` on.

    `owners` says by group whose it is, so that nobody is learnt from and predicted with the same model.
    """

    starts: Ints
    features: Floats32
    right: Bools
    owners: Ints

    @property
    def groups(self) -> Ints:
        """The group of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class _Model(NamedTuple):
    """A conditional logit over features, which are centred and scaled, and trees over the same ones."""

    means: Floats
    scales: Floats
    weights: Floats
    trees: Any

    def scores(self, features: Floats32, starts: Ints) -> Floats:
        """Return the mean of the logit's utilities, measured from a group's best, and of the trees' odds."""
        utilities, odds = np.empty(len(features)), np.empty(len(features))
        for first in range(0, len(features), _AT_ONCE):
            here = slice(first, first + _AT_ONCE)
            utilities[here] = ((features[here] - self.means) / self.scales) @ self.weights
            odds[here] = _log_odds(self.trees.predict_proba(features[here])[:, 1])
        return (from_best(utilities, starts) + odds) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Several models, each learnt without some of the people; scores are their mean."""

    models: tuple[_Model, ...]

    def scores(self, features: Floats32, starts: Ints) -> Floats:
        """Return the scores of pairs, those of a group from `starts` on."""
        return np.asarray(sum(model.scores(features, starts) for model in self.models) / len(self.models))


def from_best(values: Floats, starts: Ints) -> Floats:
    """Return values measured from the greatest of their group."""
    counts = np.diff(starts)
    best = np.maximum.reduceat(values, starts[:-1][counts > 0]) if len(values) else values
    return np.asarray(values - np.repeat(best, counts[counts > 0]))


def learn(parts: Sequence[Pairs], seed: int) -> tuple[Scorer, list[Floats]]:
    """Return what was learnt from all pairs, and the scores of each part by models that did not see its people."""
    from threadpoolctl import threadpool_limits

    together = _together(parts)
    people, owner = np.unique(together.owners, return_inverse=True)
    fold = np.random.default_rng([seed, len(people)]).permutation(len(people)) % FOLDS
    of_group = fold[owner]
    of_pair = of_group[together.groups]
    # Threads within the trees would make sums depend on the machine.
    with threadpool_limits(1), ThreadPoolExecutor(2) as pool:
        models = tuple(pool.map(lambda number: _fit(together, of_group != number, seed), range(FOLDS)))
    scores = np.empty(len(of_pair))
    for number, model in enumerate(models):
        own = np.flatnonzero(of_pair == number)
        starts = _starts(together.groups[own], len(together.starts) - 1)
        scores[own] = model.scores(together.features[own], starts)
    cuts = np.cumsum([len(part.right) for part in parts])[:-1]
    return Scorer(models), np.split(scores, cuts)


def _together(parts: Sequence[Pairs]) -> Pairs:
    """Return all pairs as those of one part; where there is one, nothing is copied."""
    if len(parts) == 1:
        return parts[0]
    counts = np.concatenate([np.diff(part.starts) for part in parts])
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    joined = [np.concatenate([part[place] for part in parts]) for place in range(1, 4)]
    return Pairs(starts, *joined)


def _starts(groups: Ints, size: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=size))]).astype(np.int64)


def _fit(pairs: Pairs, chosen: Bools, seed: int) -> _Model:
    """Learn from the pairs of chosen groups, of some that are drawn if they are many."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    groups = np.flatnonzero(chosen)
    if len(groups) > _MOST_GROUPS:
        groups = np.sort(np.random.default_rng(seed).permutation(groups)[:_MOST_GROUPS])
    places, starts = _learnt_from(pairs.starts, groups)
    features, right = pairs.features[places], pairs.right[places]
    means, scales = features.mean(axis=0, dtype=np.float64), features.std(axis=0, dtype=np.float64) + 1e-9
    weights = conditional_logit((features - means) / scales, right, starts, ridge=_RIDGE)
    trees = HistGradientBoostingClassifier(**_TREES, random_state=seed % 2**32)
    return _Model(means, scales, weights, trees.fit(features, right))


def _learnt_from(starts: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """Return the places of the pairs of some groups that are learnt from, and where those of each group begin."""
    counts = np.diff(starts)[groups]
    number = np.repeat(np.arange(len(groups)), counts)
    rank = np.arange(len(number)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = (rank < _NEAREST) | ((rank + number) % _OF_OTHERS == 0)
    places = starts[groups][number] + rank
    return places[kept], _starts(number[kept], len(groups))


def conditional_logit(features: Floats, right: Bools, starts: Ints, *, ridge: float) -> Floats:
    """Return the weights by which the right ones of the groups are most likely; groups without one say nothing."""
    groups = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    told = np.bincount(groups, right, len(starts) - 1) > 0
    kept = told[groups]
    features, right = features[kept], right[kept]
    own = _starts(groups[kept], len(told))
    own = own[:-1][np.diff(own) > 0]
    return _most_likely(features, right, own, ridge)


def _most_likely(features: Floats, right: Bools, starts: Ints, ridge: float) -> Floats:
    """Maximize the likelihood of the right alternative of each group; every group has one."""
    if not len(starts):
        return np.zeros(features.shape[1])
    counts = np.diff(np.append(starts, len(features)))

    def loss(weights: Floats) -> tuple[float, Floats]:
        utilities = features @ weights
        best = np.maximum.reduceat(utilities, starts)
        grown = np.exp(utilities - np.repeat(best, counts))
        sums = np.add.reduceat(grown, starts)
        likelihood = utilities[right].sum() - (best + np.log(sums)).sum()
        slope = features.T @ (right - grown / np.repeat(sums, counts))
        return -likelihood + ridge / 2 * weights @ weights, ridge * weights - slope

    return _minimum(loss, np.zeros(features.shape[1]))


class Weights(NamedTuple):
    """By how much a score is multiplied, and the utility of the alternative that none of the candidates is right."""

    step: float
    nobody: float


def weigh_scores(scores: Sequence[Floats], parts: Sequence[Pairs]) -> Weights:
    """Return the weights that make the right alternatives most likely: a candidate, or nobody."""
    pieces, right, counts = [], [], []
    for found, pairs in zip(scores, parts, strict=True):
        groups = len(pairs.starts) - 1
        none = np.bincount(pairs.groups, pairs.right, groups) == 0
        # The last of each group's alternatives is nobody.
        order = np.argsort(np.concatenate([pairs.groups, np.arange(groups)]), kind="stable")
        candidates = np.column_stack([found, np.zeros(len(found))])
        nobody = np.tile([0.0, 1.0], (groups, 1))
        pieces.append(np.concatenate([candidates, nobody])[order])
        right.append(np.concatenate([pairs.right, none])[order])
        counts.append(np.diff(pairs.starts) + 1)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(counts))])[:-1].astype(np.int64)
    step, nobody_ = _most_likely(np.concatenate(pieces), np.concatenate(right), starts, 1e-3).tolist()
    return Weights(max(step, 0.0), nobody_)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the confidence of guesses is corrected: the logarithm of the odds is stretched and moved (Platt, 1999)."""

    slope: float = 1.0
    shift: float = 0.0

    @classmethod
    def of(cls, confidence: Floats, right: Floats) -> Calibration:
        """Return the correction that makes what happened most likely; none where all or no guesses are right."""
        if not 0 < right.sum() < len(right):
            return cls()
        odds = _log_odds(confidence)

        def loss(line: Floats) -> tuple[float, Floats]:
            chances = np.clip(1 / (1 + np.exp(-(line[0] * odds + line[1]))), 1e-9, 1 - 1e-9)
            likelihood = (right * np.log(chances) + (1 - right) * np.log(1 - chances)).sum()
            apart = right - chances
            return -likelihood, -np.array([(apart * odds).sum(), apart.sum()])

        slope, shift = _minimum(loss, np.array([1.0, 0.0]))
        return cls(float(max(slope, 0.0)), float(shift))

    def corrected(self, confidence: Floats) -> Floats:
        """Return the corrected confidence."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * _log_odds(confidence) + self.shift))))


def _log_odds(chances: Floats) -> Floats:
    inside = np.clip(chances, _ODDS, 1 - _ODDS)
    return np.asarray(np.log(inside / (1 - inside)))


def _minimum(loss: Callable[[Floats], tuple[float, Floats]], start: Floats) -> Floats:
    from scipy.optimize import minimize

    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x)
