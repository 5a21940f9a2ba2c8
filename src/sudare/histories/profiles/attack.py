"""The attack: who of the known people is behind each pseudonym, judged by their purchases of another time.

The untrained attack takes similarities as they are. The trained one learns from the known period, split within itself,
where it is known who is who. Either way the known period says how far the scores can be trusted. Nothing of the truth
about the published period is used: it is not even an argument here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Literal

import numpy as np

from sudare.errors import EngineNotAvailable, OptionNotUsable
from sudare.histories.attack.one_to_one import assign, share_out
from sudare.histories.profiles.candidates import MANY_PEOPLE, MOST_COMPARED, MOST_NEAREST, Candidates, find_candidates
from sudare.histories.profiles.features import pair_features
from sudare.histories.profiles.learning import Calibration, Pairs, Weights, learn, weigh_scores
from sudare.histories.profiles.sides import Side, Sides
from sudare.histories.profiles.views import ViewedSides, view_sides
from sudare.kernels.common.arrays import Floats, Floats32, Ints
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# Why nothing is learnt: the extra is not installed, cells overlap, so that the known rows cannot be coarsened alike,
# known days are not single ones, too few people come in both parts of the known period or have anything in common with
# themselves there, or both periods are the same.
NotTrained = Literal["not_installed", "overlapping", "no_days", "few_people", "nothing_repeated", "same_time"]
# Where nothing can be learnt of it: how much less similar somebody is who is e times less likely. With strangers about,
# a difference says less, and nobody is as likely as somebody whose similarity is that of near ones.
_UNKNOWN = {True: Weights(1 / 0.02, 0.0), False: Weights(1 / 0.06, 0.0)}
# Shares of the rows of the known period at which it is cut to learn from it, by how many people it has at most: each
# cut costs as much as the attack itself. How far scores can be trusted, one cut says as well as several.
_CUTS: tuple[tuple[float, tuple[float, ...]], ...] = (
    (5_000, (0.2, 0.35, 0.5, 0.65, 0.8)),
    (20_000, (0.35, 0.5, 0.65)),
    (np.inf, (0.5,)),
)
_ONE_CUT = (0.5,)
# People who must come in both parts of a cut, and who must be among their own candidates in some cut.
_LEAST_PEOPLE = 30
# Where the known period says that similarity tells nothing, its order is kept all the same: another period may differ.
_LEAST_STEP = 1e-2
_NO_FEATURES = np.empty((0, 0), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class ProfileLinks:
    """What an attack found: pairs of a group of pseudonyms and a known person, with probabilities.

    `utilities` are the scores of pairs by themselves, `shares` the probability that one pseudonym of the group is that
    person, given that nobody is two. Calibrated confidence is that of the best pair of a group. `viewed` are the
    profiles that were compared.
    """

    sides: Sides
    candidates: Candidates
    utilities: Floats
    shares: Floats
    calibration: Calibration
    closed: bool
    viewed: ViewedSides
    trained: bool
    not_trained: NotTrained | None = None

    def best(self) -> Ints:
        """Return the place of the most probable pair of each group; -1 where there is none."""
        return best_places(self.candidates.starts, self.shares)

    def confidence(self) -> Floats:
        """Return by group how sure the attacker is of the most probable person, for one pseudonym of the group."""
        found = np.append(self.shares, 0.0)[self.best()]
        sure = np.where(found > 0, self.calibration.corrected(found), 0.0)
        return np.asarray(np.minimum(sure, 1 / self.sides.multiplicity))

    def assigned(self) -> Ints:
        """Return for each pseudonym the place of its pair if different pseudonyms are different people; -1: none."""
        found = self.candidates
        return assign(
            self.sides.groups, found.starts, found.people.astype(np.int64), self.shares, len(self.sides.customers)
        )


def best_places(starts: Ints, values: Floats) -> Ints:
    """Return by group the place of the greatest value, the first of equal ones; -1 where there is none."""
    found = np.full(len(starts) - 1, -1)
    there = np.diff(starts) > 0
    if len(values):
        own = starts[:-1][there]
        greatest = np.repeat(np.maximum.reduceat(values, own), np.diff(starts)[there])
        places = np.where(values == greatest, np.arange(len(values)), len(values))
        found[there] = np.minimum.reduceat(places, own)
    return found


def attack_profiles(
    sides: Sides,
    *,
    trained: bool | None = None,
    closed: bool = False,
    same_time: bool = False,
    calibrated: bool = True,
    seed: int = 0,
    progress: Progress = silent,
) -> ProfileLinks:
    """Find who of the known people is behind each group of pseudonyms.

    `trained` None: if possible. In a `closed` world pseudonyms and known people are the same; else there may be
    pseudonyms of strangers, and known people without a pseudonym. Rows of the `same_time` are compared by their days
    too, of which the known period by itself says nothing. Without `calibrated`, confidence is not fitted to it.
    """
    reason = _why_not(sides, same_time=same_time)
    if trained:
        _refuse(reason)
    learning = reason is None and trained is not False
    days = sides.published.days is not None if learning else None
    parts = []
    if calibrated and reason not in ("overlapping", "no_days", "same_time"):
        parts = _parts(sides, closed=closed, days=days, progress=progress)
    if learning and (lacking := _lacking(parts)):
        reason, learning = lacking, False
        if trained:
            _refuse(reason)
    viewed = view_sides(sides.known, sides.published, sides.sizes)
    found = find_candidates(viewed, most=MOST_COMPARED if learning else _kept(sides), progress=progress)
    scores, learnt = found.scores, [part.candidates.scores for part in parts]
    if learning:
        progress(message("progress.learning_profiles"), 0, 1)
        scorer, learnt = learn([part.pairs() for part in parts], seed)
        # Features take most of the memory, and those of the parts are done with.
        parts = [replace(part, features=_NO_FEATURES) for part in parts]
        features = pair_features(sides.known, sides.published, viewed, found, days=bool(days))
        scores = scorer.scores(features, found.starts)
    weights = _weights(parts, learnt, closed=closed)
    calibration = _calibrated(parts, learnt, weights, closed=closed)
    utilities = scores * weights.step
    shares = _shares(found, utilities, weights.nobody, sides.multiplicity, len(sides.known), closed=closed)
    return ProfileLinks(sides, found, utilities, shares, calibration, closed, viewed, learning, reason)


def _kept(sides: Sides) -> int:
    return MOST_NEAREST if len(sides.known) <= MANY_PEOPLE else MOST_COMPARED


def _why_not(sides: Sides, *, same_time: bool) -> NotTrained | None:
    if same_time:
        return "same_time"
    if sides.overlapping:
        return "overlapping"
    if sides.known.days is None:
        return "no_days"
    return None if find_spec("sklearn") else "not_installed"


def _lacking(parts: Sequence[_Part]) -> NotTrained | None:
    """Return what is missing to learn from the parts of the known period."""
    if not parts:
        return "few_people"
    found = [pairs.owners[pairs.groups[pairs.right]] for pairs in (part.pairs() for part in parts)]
    return None if len(np.unique(np.concatenate(found))) >= _LEAST_PEOPLE else "nothing_repeated"


def _weights(parts: Sequence[_Part], scores: Sequence[Floats], *, closed: bool) -> Weights:
    """Return what scores mean, as the known period says; where nobody there has any likeness, it says nothing."""
    pairs = [part.pairs() for part in parts]
    if not any(part.right.any() for part in pairs):
        return _UNKNOWN[closed]
    found = weigh_scores(scores, pairs)
    return found._replace(step=max(found.step, _LEAST_STEP))


def _refuse(reason: NotTrained | None) -> None:
    if reason == "not_installed":
        raise EngineNotAvailable("errors.profiles.not_installed")
    if reason:
        raise OptionNotUsable(f"errors.profiles.{reason}")


def _shares(
    found: Candidates, utilities: Floats, nobody: float, multiplicity: Ints, everyone: int, *, closed: bool
) -> Floats:
    others = np.full(len(multiplicity), -np.inf if closed else nobody)
    exactly = closed and int(multiplicity.sum()) == everyone
    parts = share_out(found.groups, found.people, utilities, others, multiplicity, everyone, exactly=exactly)
    return parts / multiplicity[found.groups]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The known period cut in two: the later part is attacked with the earlier one, and it is known who is who.

    `owners` are those of the groups of the later part, `people` those of the earlier one.
    """

    candidates: Candidates
    features: Floats32
    owners: Ints
    people: Ints

    def pairs(self) -> Pairs:
        """Return the pairs with their truth."""
        found = self.candidates
        return Pairs(found.starts, self.features, self.people[found.people] == self.owners[found.groups], self.owners)


def _parts(sides: Sides, *, closed: bool, days: bool | None, progress: Progress) -> list[_Part]:
    """Cut the known period, at one place if no features are wanted (`days` None).

    Where people in both parts are too few, nothing is learnt.
    """
    known = sides.known
    assert known.days is not None  # noqa: S101 - asked before
    cuts = _ONE_CUT if days is None else next(shares for most, shares in _CUTS if len(known) <= most)
    rising = np.sort(known.days)
    found = []
    for cut in dict.fromkeys(int(rising[int(share * len(rising))]) for share in cuts):
        early = known.days < cut
        parts = [known.taken(early), known.taken(~early)]
        both = np.intersect1d(parts[0][1], parts[1][1])
        if len(both) < _LEAST_PEOPLE:
            continue
        if closed:
            parts = [(side.of_people(np.searchsorted(who, both)), both) for side, who in parts]
        found.append(_rehearse(*parts[0], *parts[1], sides.sizes, days, progress))
    return found


def _rehearse(
    earlier: Side,
    people: Ints,
    later: Side,
    owners: Ints,
    sizes: Mapping[str, int],
    days: bool | None,
    progress: Progress,
) -> _Part:
    """Find the candidates of the later part of a cut among the people of the earlier one."""
    viewed = view_sides(earlier, later, sizes)
    found = find_candidates(viewed, progress=progress)
    features = _NO_FEATURES if days is None else pair_features(earlier, later, viewed, found, days=days)
    return _Part(found, features, owners, people)


def _calibrated(parts: Sequence[_Part], scores: Sequence[Floats], weights: Weights, *, closed: bool) -> Calibration:
    """Return how confidence is to be corrected, as the guesses about the known period show."""
    confidence, right = [], []
    for part, values in zip(parts, scores, strict=True):
        one_each = np.ones(len(part.owners), np.int64)
        found = part.candidates
        shares = _shares(found, values * weights.step, weights.nobody, one_each, len(part.people), closed=closed)
        best = best_places(found.starts, shares)
        best = best[best >= 0]
        confidence.append(shares[best])
        right.append(part.people[found.people[best]] == part.owners[found.groups[best]])
    if not parts:
        return Calibration()
    return Calibration.of(np.concatenate(confidence), np.concatenate(right).astype(np.float64))
