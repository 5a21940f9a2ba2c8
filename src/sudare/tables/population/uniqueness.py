"""Models that estimate from a sample how many of its unique records are unique in the population.

Each works on the number of classes of each size: of u classes of equal records in a sample of n from a population of
N, s_j have j records. F is the size of a class in the population, f in the sample.

Pitman: Hoshino: Applying Pitman's sampling formula to microdata disclosure risk assessment (Journal of Official
Statistics 17, 2001). Zayatz: Estimation of the number of unique population elements using a sample (ASA Survey Research
Methods, 1991). SNB, the slide negative binomial: Chen, Keller-McNulty: Estimation of identification disclosure risk in
microdata (Journal of Official Statistics 14, 1998), with the number of classes in the population after Shlosser, as
modified by Haas, Stokes: Estimating the number of classes in a finite population (JASA 93, 1998).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.population.smooth_sums import find_root, joint_sum_rule, log_gamma_fall, sum_rule

Model = Literal["pitman", "zayatz", "snb"]
Problem = Literal["all_unique", "no_pairs", "no_solution", "not_converged"]

# The logarithms of theta + alpha, and of the odds of alpha, between which the most likely values are sought.
_THETA_RANGE = (-40.0, 100.0)
_ALPHA_RANGE = (-30.0, 30.0)
# Most that the log-likelihood may still rise for a relative change of a parameter, by record.
_FLAT = 1e-9
# The formula of the expected match divides by alpha; below this its limit at 0 has more digits.
_LEAST_ALPHA = 1e-6
_SNB_ODDS = np.linspace(-25, 25, 501)


@dataclass(frozen=True, slots=True)
class Sample:
    """The classes of a sample: their different sizes, how many have each, and the records of the population."""

    sizes: NDArray[np.int64]
    classes: NDArray[np.int64]
    population: int

    @property
    def records(self) -> int:
        """The number of records in the sample."""
        return int((self.sizes * self.classes).sum())

    @property
    def share(self) -> float:
        """The share of the population that is in the sample."""
        return self.records / self.population

    def of_size(self, size: int) -> int:
        """Return the number of classes of a size."""
        return int(self.classes[self.sizes == size].sum())


@dataclass(frozen=True, slots=True)
class UniquenessEstimate(Result):
    """A model's estimate for the population; where it has no answer, the numbers are None and the problem is named.

    `unique_probability` is the probability that a unique record of the sample is unique in the population,
    `sample_uniques` the number of those records, `population_uniques` the number of unique records in the population.
    `match_probability` is the mean of 1 / F over the unique records of the sample, and `expected_matches` its sum: the
    number of records that an attacker who picks one of the F fitting persons names correctly.
    """

    model: Model
    unique_probability: float | None = None
    sample_uniques: float | None = None
    population_uniques: float | None = None
    match_probability: float | None = None
    expected_matches: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    problem: Problem | None = None


def zayatz(sample: Sample) -> UniquenessEstimate:
    """Estimate by Bayes' rule, as if the classes of the population had the sizes of those of the sample.

    P(F = 1 | f = 1) = p_1 P(f = 1 | F = 1) / sum over j of p_j P(f = 1 | F = j), p_j = s_j / u, hypergeometric.
    """
    drawn = np.array([_drawn_once(int(size), sample) for size in sample.sizes]) * sample.classes
    unique = float(drawn[sample.sizes == 1].sum() / drawn.sum())
    match = float((drawn / sample.sizes).sum() / drawn.sum())
    return _estimate("zayatz", sample, unique, match, sample.of_size(1) * unique / sample.share)


def _drawn_once(size: int, sample: Sample) -> float:
    """Return the probability that exactly one record of a class is drawn: F C(N - F, n - 1) / C(N, n)."""
    left = sample.population - sample.records
    if size - 1 > left:
        return 0.0
    others = log_gamma_fall(left + 1, size - 1) - log_gamma_fall(sample.population, size - 1)
    return size * sample.share * math.exp(others)


def snb(sample: Sample) -> UniquenessEstimate:
    """Estimate with F - 1 negative binomial: P(F = 1) = b^a; a, b solve E s_1 = s_1 and E s_2 = s_2.

    With q = (1 - share)(1 - b): P(F = 1 | f = 1) = (1 - q)^(a + 1) / (1 - q + a q), E(1 / F | f = 1) = (1 - q) /
    (1 - q + a q).
    """
    if not sample.of_size(2):
        return UniquenessEstimate("snb", problem="no_pairs")
    classes = population_classes(sample)
    solution = _solve_snb(sample, classes)
    if solution is None:
        return UniquenessEstimate("snb", problem="no_solution")
    a, b = solution
    q = (1 - sample.share) * (1 - b)
    match = (1 - q) / (1 - q + a * q)
    unique = match * math.exp(a * math.log1p(-q))
    parameters = {"a": a, "b": b, "classes": classes}
    return _estimate("snb", sample, unique, match, classes * b**a, parameters)


def population_classes(sample: Sample) -> float:
    """Estimate the number of classes in the population (Haas, Stokes: the modified Shlosser estimator D_Sh3)."""
    q = sample.share
    i, s = sample.sizes.astype(np.float64), sample.classes.astype(np.float64)
    unseen = (s * (1 - q) ** i).sum() / (s * i * q * (1 - q) ** (i - 1)).sum()
    scale = (s * i * q**2 * (1 - q**2) ** (i - 1)).sum() / (s * ((1 - q**2) ** i - (1 - q) ** i)).sum()
    return float(s.sum() + sample.of_size(1) * scale * unseen**2)


def _solve_snb(sample: Sample, classes: float) -> tuple[float, float] | None:
    """Return a and b, or None if no pair gives as many classes of one and of two records as there are."""

    def surplus(odds: float) -> float:
        a, b = _snb_shape(sample, odds)
        q = (1 - sample.share) * (1 - b)
        logarithm = a * (math.log(b) - math.log1p(-q)) + math.log((1 - q + a * q) / (1 - q))
        return math.log(classes * sample.share) + logarithm - math.log(sample.of_size(1))

    values = [surplus(odds) for odds in _SNB_ODDS]
    # Towards b = 1 classes are alike; of several solutions that is the careful one, with the most uniques.
    crossing = next((k for k in range(len(values) - 1, 0, -1) if values[k] > 0 >= values[k - 1]), None)
    if crossing is None:
        return None
    low, high = float(_SNB_ODDS[crossing - 1]), float(_SNB_ODDS[crossing])
    return _snb_shape(sample, find_root(lambda odds: (-surplus(odds), 0.0), low, high))


def _snb_shape(sample: Sample, odds: float) -> tuple[float, float]:
    """Return for b, given by the logarithm of its odds, the a that gives the right E s_2 / E s_1: q a^2 + m a = r."""
    b, rest = 1 / (1 + math.exp(-odds)), 1 / (1 + math.exp(odds))
    q = (1 - sample.share) * rest
    ratio = 2 * sample.of_size(2) / sample.of_size(1) * (1 - q) / (sample.share * rest)
    m, r = 2 - q - ratio * q, ratio * (1 - q)
    root = math.sqrt(m * m + 4 * q * r)
    return (2 * r / (m + root) if m > 0 else (root - m) / (2 * q)), b


def pitman(sample: Sample) -> UniquenessEstimate:
    """Estimate with the most likely alpha and theta of Pitman's sampling formula.

    The population continues the sample: of i records, the next is like a class of j with probability (j - alpha) /
    (theta + i), else new. So a unique record stays unique with the product of (theta + i - 1 + alpha) / (theta + i)
    over i = n, ..., N - 1, and F - 1 is beta-binomial. The number of population uniques is its expectation, which for
    large N is Gamma(theta + 1) / Gamma(theta + alpha) N^alpha.
    """
    if sample.of_size(1) == sample.records:
        return UniquenessEstimate("pitman", problem="all_unique")
    fit = PitmanLikelihood(sample).maximize()
    if fit is None:
        return UniquenessEstimate("pitman", problem="not_converged")
    n, population = sample.records, sample.population
    theta, rest = fit.theta, 1 - fit.alpha
    staying = log_gamma_fall(theta + n, rest) - log_gamma_fall(theta + population, rest)
    alone = log_gamma_fall(theta + 1, rest) - log_gamma_fall(theta + population, rest)
    parameters = {"alpha": fit.alpha, "theta": theta}
    uniques = population * math.exp(alone)
    return _estimate("pitman", sample, math.exp(staying), _pitman_match(sample, fit), uniques, parameters)


@dataclass(frozen=True, slots=True)
class PitmanFit:
    """The parameters of Pitman's sampling formula."""

    alpha: float
    theta: float


def _pitman_match(sample: Sample, fit: PitmanFit) -> float:
    """Return E(1 / F | f = 1), F - 1 being beta-binomial of N - n with 1 - alpha and b = theta + n - 1 + alpha.

    It is the mean over i = 0, ..., N - n of the products of (b + k) / (b + 1 - alpha + k) over k < i, which telescopes;
    at alpha = 0 the products are b / (b + i).
    """
    alpha, terms = fit.alpha, sample.population - sample.records + 1
    before = fit.theta + sample.records - 1
    if alpha < _LEAST_ALPHA:
        places, weights = sum_rule(terms)
        return float(weights @ (before / (before + places))) / terms
    grown = log_gamma_fall(fit.theta + sample.population + alpha, alpha) - log_gamma_fall(before + alpha, alpha)
    return before * math.expm1(grown) / (alpha * terms)


class PitmanLikelihood:
    """The logarithm of Pitman's sampling formula of a sample, as far as it depends on alpha and theta.

    ln L = sum over i < u of ln(theta + i alpha) - sum over i < n of ln(theta + i) + sum over j of s_j times the sum
    over i < j of ln(i - alpha), i from 1.
    """

    def __init__(self, sample: Sample) -> None:
        self._records = sample.records
        self._of_classes = sum_rule(int(sample.classes.sum()) - 1)
        self._of_records = sum_rule(sample.records - 1)
        self._of_sizes = joint_sum_rule(sample.sizes - 1, sample.classes)

    def maximize(self) -> PitmanFit | None:
        """Return the most likely parameters, 0 <= alpha < 1 and theta > -alpha; None if they were not found.

        For each alpha the best theta is found by Newton's method within a bracket, and so is the alpha at which the
        likelihood along these thetas is highest. Where it falls from alpha = 0 on, that is alpha = 0.
        """
        low, high = _ALPHA_RANGE
        if self._along(low)[0] <= 0:
            alpha, rest = 0.0, 1.0
        else:
            alpha, rest = _from_odds(find_root(self._along, low, high))
        scale = self._best_scale(alpha, rest)
        by_theta, by_alpha = self.gradient(alpha, rest, scale)
        flat = _FLAT * self._records
        found = abs(by_theta * scale) <= flat and abs(by_alpha * alpha * rest) <= flat
        return PitmanFit(alpha, scale - alpha) if found else None

    def value(self, alpha: float, theta: float) -> float:
        """Return ln L."""
        rest, scale = 1 - alpha, theta + alpha
        (x, v), (y, w), (z, t) = self._of_classes, self._of_records, self._of_sizes
        terms = v @ np.log(scale + x * alpha) - w @ np.log(scale + rest + y) + t @ np.log(z + rest)
        return float(terms)

    def gradient(self, alpha: float, rest: float, scale: float) -> tuple[float, float]:
        """Return the derivatives of ln L by theta and alpha; rest is 1 - alpha, scale is theta + alpha."""
        (x, v), (z, t) = self._of_classes, self._of_sizes
        by_alpha = v @ ((x + 1) / (scale + x * alpha)) - t @ (1 / (z + rest))
        return self._by_theta(alpha, rest, scale)[0], float(by_alpha)

    def _by_theta(self, alpha: float, rest: float, scale: float) -> tuple[float, float]:
        """Return the first and second derivative by theta."""
        (x, v), (y, w) = self._of_classes, self._of_records
        new, all_ = 1 / (scale + x * alpha), 1 / (scale + rest + y)
        return float(v @ new - w @ all_), float(w @ all_**2 - v @ new**2)

    def _best_scale(self, alpha: float, rest: float) -> float:
        """Return the theta + alpha that is most likely for an alpha."""

        def slope(logarithm: float) -> tuple[float, float]:
            scale = math.exp(logarithm)
            first, second = self._by_theta(alpha, rest, scale)
            return first * scale, (second * scale + first) * scale

        return math.exp(find_root(slope, *_THETA_RANGE))

    def _along(self, odds: float) -> tuple[float, float]:
        """Return the slope by alpha along the best thetas, and its slope by the logarithm of the odds of alpha."""
        alpha, rest = _from_odds(odds)
        scale = self._best_scale(alpha, rest)
        (x, v), (z, t) = self._of_classes, self._of_sizes
        new = (x + 1) / (scale + x * alpha)
        mixed = -v @ (new / (scale + x * alpha))
        curvature = -v @ new**2 - t @ (1 / (z + rest)) ** 2 - mixed**2 / self._by_theta(alpha, rest, scale)[1]
        return float(v @ new - t @ (1 / (z + rest))), float(curvature * alpha * rest)


def _from_odds(logarithm: float) -> tuple[float, float]:
    """Return a probability and its rest from the logarithm of its odds."""
    return 1 / (1 + math.exp(-logarithm)), 1 / (1 + math.exp(logarithm))


def _estimate(
    model: Model,
    sample: Sample,
    unique: float,
    match: float,
    population_uniques: float,
    parameters: Mapping[str, float] | None = None,
) -> UniquenessEstimate:
    uniques = sample.of_size(1)
    return UniquenessEstimate(
        model, unique, uniques * unique, population_uniques, match, uniques * match, parameters or {}
    )
