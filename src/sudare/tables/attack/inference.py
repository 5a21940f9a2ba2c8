"""Inference: somebody who knows the quasi-identifiers of a person guesses the person's sensitive value.

Records in small cells count more. If the values of a column were independent of those of others, a record in cells that
cover the share s of all records would be somebody in particular among them with a probability in proportion to 1/s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.distinct import number_rows
from sudare.statistics.intervals import mean_interval
from sudare.statistics.random_streams import stream
from sudare.tables.attack.class_values import SKEW_ABOVE, SKEW_FACTOR, ClassValues, class_values
from sudare.tables.attack.covering import Covering, PublishedKinds, original_kinds, published_kinds
from sudare.tables.attack.linkage import interval_of
from sudare.tables.attack.promises import keeps_diversity, share_limit
from sudare.tables.attack.results import (
    AttackClaim,
    AttackControl,
    AttackVerdict,
    InferenceFound,
    Interval,
    TableAttack,
    with_controls,
)
from sudare.tables.attack.targets import Targets
from sudare.tables.classes.criteria import Criteria
from sudare.tables.recoded.model import RecodedTable

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
# Counts of values that are held at once, and in all: with very many different values fewer people are attacked.
CHUNK_COUNTS = 8_000_000
MOST_COUNTS = 400_000_000
LEAST_TARGETS = 200
CONTROL_TARGETS = 5_000
# The weight of a record is a whole number of this many bits before and after the point, so that sums are exact. Where
# that is not enough, the smallest cells keep their order, and the largest all weigh least.
WHOLE_BITS, PART_BITS = 20, 12


@dataclass(frozen=True, eq=False)
class _Guesses:
    """For each target the chance that its guess is right, also without its own records, and whether it is certain."""

    right: Floats
    left_out: Floats
    certain: NDArray[np.bool_]


def attack_inference(
    found: RecodedTable, targets: Targets, sensitive: str, criteria: Criteria, seed: int
) -> tuple[InferenceFound, TableAttack]:
    """Guess the sensitive value of each target from the records that cover it, and judge the share of right guesses."""
    codes = found.codes(sensitive)
    targets = targets.some(max(MOST_COUNTS // max(int(codes.max()) + 1, 1), LEAST_TARGETS), seed)
    values = _published_values(found, codes)
    guesses = _guess(targets, published_kinds(found), values, codes, codes, found.owner)
    reached = _found(sensitive, targets, guesses, values, codes, _shuffled_values(found, codes, seed))
    judged = _judge(found, targets, criteria, values, reached)
    some = targets.some(CONTROL_TARGETS, seed)
    controls = (_original_control(found, some, codes), _shuffled_control(found, some, values, codes, seed))
    return reached, with_controls(judged, controls)


def _published_values(found: RecodedTable, codes: NDArray[np.int32]) -> ClassValues:
    kept = found.published
    return class_values(found.owner[kept], codes[kept], found.classes, int(codes.max()) + 1)


def _shuffled_values(found: RecodedTable, codes: NDArray[np.int32], seed: int) -> ClassValues:
    kept = found.published
    shuffled = stream(seed, "shuffled values").permutation(codes[kept])
    return class_values(found.owner[kept], shuffled, found.classes, int(codes.max()) + 1)


def _weights(kinds: PublishedKinds) -> Counts:
    """Return the weight of a record of each kind."""
    bits = -kinds.losses
    bits = bits - max(float(bits.max(initial=0.0)) - WHOLE_BITS, 0.0)
    return np.asarray(np.round(2.0 ** (PART_BITS + np.clip(bits, -PART_BITS, WHOLE_BITS))), np.int64)


def _guess(
    targets: Targets,
    kinds: PublishedKinds,
    values: ClassValues,
    codes: NDArray[np.int32],
    truth: NDArray[np.int32],
    owner: NDArray[np.integer],
) -> _Guesses:
    """Guess by the published records, the values of which are `codes`; right is what is `truth` of the record.

    `owner` is the kind of each record.
    """
    weights = _weights(kinds)
    parts = [
        _guess_chunk(targets, chunk, tallies, values.totals, codes, truth[targets.records[chunk]], weights[owner])
        for chunk, tallies in _tallies(targets, kinds, values, weights)
    ]
    order = np.argsort(np.concatenate([chunk for chunk, _ in parts]))
    right, left_out, certain = (np.concatenate([part[i] for _, part in parts])[order] for i in range(3))
    return _Guesses(right, left_out, certain.astype(np.bool_))


def _tallies(
    targets: Targets, kinds: PublishedKinds, values: ClassValues, weights: Counts
) -> Iterator[tuple[Counts, Counts]]:
    """Yield some targets and the weight of the records that cover each of them and have each value."""
    different = len(values.totals)
    numbers, firsts = targets.distinct(list(range(len(targets.codes))))
    order = np.argsort(numbers, kind="stable")
    step = max(CHUNK_COUNTS // different, 1)
    for first in range(0, len(firsts), step):
        asked = firsts[first : first + step]
        low, high = np.searchsorted(numbers[order], [first, first + len(asked)])
        chunk = order[low:high]
        search = Covering(kinds, np.ascontiguousarray(targets.codes[:, asked]))
        tallies = search.tally(values.starts, values.values, values.numbers * weights[values.owner], different)
        for begin in range(0, len(chunk), step):
            some = chunk[begin : begin + step]
            yield some, tallies[numbers[some] - first]


def _guess_chunk(
    targets: Targets,
    chunk: Counts,
    tallies: Counts,
    totals: Counts,
    codes: NDArray[np.int32],
    truth: NDArray[np.int32],
    weights: Counts,
) -> tuple[Counts, tuple[Floats, Floats, NDArray[np.bool_]]]:
    right = _right(tallies, truth, totals)
    certain = (tallies[np.arange(len(chunk)), truth] == tallies.sum(axis=1)) & tallies.any(axis=1)
    place = np.full(len(targets), -1)
    place[chunk] = np.arange(len(chunk))
    own = np.flatnonzero(targets.covered.all(axis=0) & (place[targets.pair_target] >= 0))
    records = targets.pair_record[own]
    np.subtract.at(tallies, (place[targets.pair_target[own]], codes[records]), weights[records])
    return chunk, (right, _right(tallies, truth, totals), certain)


def _right(tallies: Counts, truth: NDArray[np.int32], totals: Counts) -> Floats:
    """Return the chance that the value of most weight is the true one; without any record, that of the whole file."""
    asked = np.where(tallies.any(axis=1, keepdims=True), tallies, totals)
    most = asked.max(axis=1)
    ties = (asked == most[:, None]).sum(axis=1)
    return np.asarray((asked[np.arange(len(asked)), truth] == most) / ties)


def _marginal(totals: Counts, truth: NDArray[np.int32]) -> float:
    """Return the share of right guesses of somebody who always names the most common value of the file."""
    most = totals == totals.max()
    return float(np.mean(most[truth]) / most.sum())


def _found(
    sensitive: str,
    targets: Targets,
    guesses: _Guesses,
    values: ClassValues,
    codes: NDArray[np.int32],
    shuffled: ClassValues,
) -> InferenceFound:
    skewed, homogeneous = values.skewed_classes(), values.homogeneous_classes()
    return InferenceFound(
        sensitive=sensitive, success=float(np.mean(guesses.right)),
        interval=interval_of(guesses.right, targets.everybody),
        marginal=_marginal(values.totals, codes[targets.records]), left_out=float(np.mean(guesses.left_out)),
        gain=float(np.mean(guesses.right - guesses.left_out)), gain_interval=_gain_interval(guesses),
        certain=len(np.unique(targets.persons[guesses.certain])), highest_share=float(values.shares.max()),
        homogeneous=len(homogeneous), homogeneous_records=int(values.sizes[homogeneous].sum()),
        homogeneous_expected=len(shuffled.homogeneous_classes()), skewed=len(skewed),
        skewed_records=int(values.sizes[skewed].sum()), skewed_expected=len(shuffled.skewed_classes()),
        factor=SKEW_FACTOR, above=SKEW_ABOVE, examples=values.examples(),
    )  # fmt: skip


def _gain_interval(guesses: _Guesses) -> Interval:
    """Return the interval of the mean difference of two shares, which lies between -1 and 1."""
    _, low, high = mean_interval((1 + guesses.right - guesses.left_out) / 2)
    return 2 * low - 1, 2 * high - 1


def _judge(
    found: RecodedTable, targets: Targets, criteria: Criteria, values: ClassValues, reached: InferenceFound
) -> TableAttack:
    """Judge by l-diversity and t-closeness; where neither was asked for, by what is learned of somebody left out."""
    attack = TableAttack(
        "inference", found.quasi, "within", "participation", sensitive=reached.sensitive, success=reached.success,
        interval=reached.interval, highest=reached.highest_share, chance=reached.marginal,
    )  # fmt: skip
    limit = share_limit(criteria, values)
    if limit is not None and not keeps_diversity(criteria, values):
        return replace(attack, verdict="above", reason="class_shares", claim="proven", limit=limit)
    close = None if criteria.t is None else min(reached.marginal + criteria.t, 1.0)
    if close is not None and (limit is None or reached.interval[0] > close):
        verdict: AttackVerdict = "above" if reached.interval[0] > close else "within"
        claim: AttackClaim = "proven" if targets.everybody else "estimated"
        return replace(attack, verdict=verdict, reason="closeness", claim=claim, limit=close)
    if limit is not None:
        return replace(attack, reason="diverse_classes", claim="proven", limit=limit)
    revealed: AttackVerdict = "beyond" if reached.gain_interval[0] > 0 else "within"
    return replace(attack, verdict=revealed, claim="estimated", limit=reached.left_out)


def _original_control(found: RecodedTable, targets: Targets, codes: NDArray[np.int32]) -> AttackControl:
    """Guess by the original, where equal quasi-identifiers have to tell more than the most common value does."""
    quasi = found.table.codes[found.table.positions(list(found.quasi))]
    numbers, kinds = number_rows(np.ascontiguousarray(quasi))
    values = class_values(numbers[found.rows].astype(np.int32), codes, kinds, int(codes.max()) + 1)
    owner = numbers[found.rows]
    guesses = _guess(targets, original_kinds(found, found.quasi), values, codes, codes, owner)
    low, _ = interval_of(guesses.right, targets.everybody)
    expected = _marginal(values.totals, codes[targets.records])
    return AttackControl("original", float(np.mean(guesses.right)), expected, low > expected)


def _shuffled_control(
    found: RecodedTable, targets: Targets, values: ClassValues, codes: NDArray[np.int32], seed: int
) -> AttackControl:
    """Compare the guesses with the values of others: no guess can be right more often than the most common value."""
    truth = stream(seed, "shuffled truth").permutation(codes)
    mean, low, _ = mean_interval(_guess(targets, published_kinds(found), values, codes, truth, found.owner).right)
    expected = float(np.bincount(codes).max() / len(codes))
    return AttackControl("shuffled", mean, expected, low <= expected)
