"""Membership: somebody who knows a whole record asks whether its person is in the table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.distinct import number_rows
from sudare.statistics.random_streams import stream
from sudare.statistics.roc import Roc, roc
from sudare.tables.attack.covering import Covering, PublishedKinds, original_kinds, published_kinds
from sudare.tables.attack.outsiders import given_outsiders, in_table, synthetic_outsiders
from sudare.tables.attack.results import (
    AttackControl,
    AttackName,
    AttackReason,
    AttackVerdict,
    MembershipFound,
    MembershipScore,
    Others,
    TableAttack,
    with_controls,
)
from sudare.tables.model import Table
from sudare.tables.recoded.model import Numbers, RecodedTable

Floats = NDArray[np.float64]
MOST_MEMBERS = 10_000
LEAST_MEMBERS = 500
# Pairs of a person and a kind of published records that are compared; a tenth of them in the control.
MOST_COMPARED = 1_000_000_000
CONTROL_MEMBERS = 1_000
# The area that an attack has to reach on the original, where it only has to look a record up.
CONTROL_AREA = 0.9
# A shuffled attack may be this many standard errors above one half.
CONTROL_ERRORS = 4.0
# Weights of left-out members that differ by much less are taken for equal.
BLUR = 1.0
NAMES: tuple[AttackName, ...] = ("membership_distance", "membership_weight")


@dataclass(frozen=True, eq=False)
class _Known:
    """Whole records by the numbers of their values in the table.

    `own` is the kind of the person's own published record, -1 if there is none, and `class_sizes` the number of records
    in its class.
    """

    codes: Numbers
    own: Numbers
    class_sizes: NDArray[np.int64]

    def some(self, most: int) -> _Known:
        """Return the first of them, which stand in random order."""
        return self.take(np.arange(min(most, len(self))))

    def take(self, chosen: NDArray[np.integer] | NDArray[np.bool_]) -> _Known:
        """Return the chosen ones."""
        return _Known(np.ascontiguousarray(self.codes[:, chosen]), self.own[chosen], self.class_sizes[chosen])

    def __len__(self) -> int:
        return len(self.own)


def attack_membership(
    found: RecodedTable, outsiders: Table | None, seed: int
) -> tuple[MembershipFound, list[TableAttack]] | None:
    """Tell members from outsiders by the published records; None if there are no outsiders."""
    further = [name for name in found.roles.published if name not in found.quasi]
    names = [*found.quasi, *further]
    kinds = published_kinds(found, further)
    members = _members(found, further, len(kinds), seed)
    others = _outsiders(found, outsiders, kinds, len(members), seed)
    if not len(others):
        return None
    inside, outside, left_out = _scores(kinds, members), _scores(kinds, others), _scores(kinds, members, left_out=True)
    apart = [roc(*pair) for pair in zip(inside, outside, strict=True)]
    least = [roc(inside[0], left_out[0]), roc(*_blurred(inside[1], left_out[1], seed))]
    controls = _original_controls(found, names, members, others)
    attacks = [
        with_controls(
            _judged(NAMES[i], tuple(names), apart[i], least[i] if outsiders is None else None),
            (controls[i], _shuffled_control(inside[i], outside[i], seed)),
        )
        for i in range(len(NAMES))
    ]
    return _found((len(members), len(others)), apart, least, outsiders is None), attacks


def _members(found: RecodedTable, further: list[str], kinds: int, seed: int) -> _Known:
    """Draw members; each has a kind of published records of its own, unless it is suppressed."""
    most = min(max(MOST_COMPARED // max(kinds, 1), LEAST_MEMBERS), MOST_MEMBERS)
    chosen = stream(seed, "members").permutation(len(found.rows))[:most]
    codes = found.table.codes[found.table.positions([*found.quasi, *further])][:, found.rows[chosen]]
    sizes = np.where(found.published, found.sizes[found.owner], 0)
    return _Known(np.ascontiguousarray(codes), record_kinds(found, further)[chosen], sizes[chosen])


def record_kinds(found: RecodedTable, further: list[str]) -> Numbers:
    """Return the kind of each record among those of `published_kinds`, -1 if it is suppressed."""
    kept = np.flatnonzero(found.published)
    kinds = np.full(len(found.rows), -1, np.int32)
    kinds[kept] = found.owner[kept]
    if further:
        exact = [found.codes(name)[kept] for name in further]
        kinds[kept], _ = number_rows(np.vstack([found.owner[kept], *exact]).astype(np.int32))
    return kinds


def _outsiders(found: RecodedTable, outsiders: Table | None, kinds: PublishedKinds, most: int, seed: int) -> _Known:
    if outsiders is None:
        places = found.table.positions([column.attribute for column in kinds.columns])
        codes = found.table.codes[places][:, found.rows]
        others = synthetic_outsiders(np.ascontiguousarray(codes), most, seed)
    else:
        others = given_outsiders(outsiders, kinds.columns, most, seed)
    count = others.shape[1]
    known = _Known(others, np.full(count, -1, np.int32), np.zeros(count, np.int64))
    return known.take(stream(seed, "order of outsiders").permutation(count))


def _scores(kinds: PublishedKinds, known: _Known, *, left_out: bool = False) -> tuple[Floats, Floats]:
    """Return the scores of people by both attacks: who scores higher is called a member first.

    If their own records are `left_out`, each sees a file in which its own record was replaced by another one of its
    class: a file without the person would have classes of the usual sizes too.
    """
    search = Covering(kinds, known.codes)
    _, _, weights = search.weigh()
    alone = np.full(len(known), -1, np.int32)
    if left_out:
        alone = np.where((known.own >= 0) & (kinds.sizes[known.own] == 1), known.own, -1).astype(np.int32)
        weights = _without_own(kinds, known, weights)
    return -search.nearest(alone), weights


def _without_own(kinds: PublishedKinds, known: _Known, weights: Floats) -> Floats:
    """Replace the own record by one drawn from the others of its class: of a records like it, (a - 1) n / (n - 1) stay.

    In a class that has only its kind, all stay as they are; a class of one record goes.
    """
    alike, sizes = kinds.sizes[known.own], known.class_sizes
    stay = np.where(alike == sizes, alike * (sizes > 1), (alike - 1) * sizes / np.maximum(sizes - 1, 1))
    lost = np.where(known.own >= 0, (alike - stay) * np.exp2(-kinds.losses[known.own]), 0.0)
    left = weights - lost
    # What rounding leaves of a single record is nothing.
    return np.where(left < weights * 1e-9, 0.0, left)


def _blurred(inside: Floats, left_out: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return the logarithms of the weights of members, with the same noise of up to BLUR bits in both.

    All members weigh a little less when they are left out. If most people weigh the same, that alone would order them,
    although no file shows it.
    """
    noise = BLUR * stream(seed, "blur").random(len(inside))
    with np.errstate(divide="ignore"):
        return np.log2(inside) + noise, np.log2(left_out) + noise


def _original_controls(found: RecodedTable, names: list[str], members: _Known, others: _Known) -> list[AttackControl]:
    """Attack the original itself: outsiders who differ from all its records have to be told from members."""
    codes = np.ascontiguousarray(found.table.codes[found.table.positions(names)])
    kinds = original_kinds(found, names)
    strangers = others.take(~in_table(codes, others.codes))
    most = max(min(CONTROL_MEMBERS, MOST_COMPARED // 10 // len(kinds)), 50)
    if not len(strangers):
        return [AttackControl("original", 0.5, CONTROL_AREA, False)] * len(NAMES)
    pairs = zip(_scores(kinds, members.some(most)), _scores(kinds, strangers.some(most)), strict=True)
    areas = [roc(*pair).area for pair in pairs]
    return [AttackControl("original", area, CONTROL_AREA, area >= CONTROL_AREA) for area in areas]


def _shuffled_control(inside: Floats, outside: Floats, seed: int) -> AttackControl:
    """Call random ones of both groups members: they cannot be told from the others."""
    mixed = stream(seed, "shuffled members").permutation(np.concatenate([inside, outside]))
    found = roc(mixed[: len(inside)], mixed[len(inside) :])
    return AttackControl("shuffled", found.area, 0.5, found.area - CONTROL_ERRORS * found.error <= 0.5)


def _judged(name: AttackName, known: tuple[str, ...], apart: Roc, least: Roc | None) -> TableAttack:
    """Judge by the area against outsiders; against synthetic ones only as far as left-out members agree (`least`)."""
    shown = apart if least is None else least
    verdict: AttackVerdict = "beyond" if shown.interval[0] > 0.5 else "within"
    reason: AttackReason = "coin"
    if verdict == "within" and apart.interval[0] > 0.5:
        verdict, reason = "too_weak", "unlike_people"
    return TableAttack(
        name, known, verdict, reason, success=shown.area, interval=shown.interval, highest=shown.advantage, chance=0.5,
        limit=0.5, claim=None if verdict == "too_weak" else "estimated",
    )  # fmt: skip


def _found(numbers: tuple[int, int], apart: list[Roc], least: list[Roc], synthetic: bool) -> MembershipFound:
    against: Others = "synthetic" if synthetic else "outsiders"
    scores = [
        MembershipScore(name, others, found.area, found.interval, found.advantage)
        for others, areas in ((against, apart), ("left_out", least))
        for name, found in zip(NAMES, areas, strict=True)
    ]
    return MembershipFound(*numbers, synthetic, tuple(scores))
