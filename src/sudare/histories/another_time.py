"""Recognizing people from another time: one history that is split, two of them, or several releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np

from sudare.arguments import checked
from sudare.engine import Engine, engine_or_own
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.profiles.assessment import ProfileAssessment, link_profiles, split_profiles
from sudare.histories.profiles.attack import attack_profiles
from sudare.histories.profiles.guesses import read_truth
from sudare.histories.profiles.measures import class_links, expected_hits, judge_links
from sudare.histories.profiles.periods import cut_days, cut_rows, rows_from
from sudare.histories.profiles.read import cells_of
from sudare.histories.profiles.sides import make_sides, places_of
from sudare.histories.releases.assessment import ReleasesAssessment, assess_releases
from sudare.kernels.common.arrays import Ints
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.purchases.load import PurchaseForm
from sudare.statistics.intervals import share_interval


@dataclass(frozen=True, slots=True)
class ProfileAttack(Result):
    """The untrained attack on a published history in an open world: what it saw, and how much it identified.

    Of `pseudonyms` with `rows` that are certainly of the later half, `shared` belong to people who are known; `right`
    is the share of these that is identified. No more than `ceiling` can be, since classes have the same rows;
    `right_class` is the share of the people for whom the most probable class is theirs. Without rows, nothing is.
    """

    rows: int
    pseudonyms: int
    shared: int
    right: float | None = None
    interval: tuple[float, float] | None = None
    ceiling: float | None = None
    right_class: float | None = None


@dataclass(frozen=True, slots=True)
class ProfileChange(Result):
    """How well somebody recognizes people of whom they know the earlier half: in the original, and as anonymized."""

    before: ProfileAttack
    after: ProfileAttack


@checked
def profiles_before_and_after(original: CellHistory, anonymized: CellHistory, *, seed: int = 0) -> ProfileChange:
    """Attack the later half of a history, before and after anonymization, as one who knows its earlier half.

    Row i of the anonymized history belongs to row i of the original. Of the anonymized rows, those are attacked whose
    published day is certainly later; which they are, only the published cells decide.
    """
    (cut,) = cut_days(original, "half")
    early, _ = cut_rows(original, [cut])
    known = original.taken(early)
    before, after = (
        _attack_later(known, history.taken(rows), original.persons[rows], seed)
        for history, rows in ((history, rows_from(history, cut)) for history in (original, anonymized))
    )
    if before.shared < 2:
        raise OptionNotUsable("errors.profiles.few_in_both")
    return ProfileChange(before, after)


def _attack_later(known: CellHistory, published: CellHistory, owners: Ints, seed: int) -> ProfileAttack:
    """Attack a published history whose row i is that of the customer `owners[i]`."""
    if not len(published):
        return ProfileAttack(0, 0, 0)
    sides = make_sides(known, published)
    links = attack_profiles(sides, trained=False, calibrated=False, seed=seed)
    pids, first = np.unique(published.persons, return_index=True)
    truth = places_of(sides.customers, owners[first][np.searchsorted(pids, sides.pids)])
    right = judge_links(links, truth).one_to_one[truth >= 0]
    hits, shared = expected_hits(right), len(right)
    classes = class_links(links, truth)
    return ProfileAttack(
        len(published), len(sides.pids), shared, hits / shared if shared else None, share_interval(hits, shared),
        classes.ceiling if classes else 1.0, classes.right_class if classes else None,
    )  # fmt: skip


@checked
def assess_profiles(
    known: object,
    *others: object,
    split: str | date | Sequence[str | date] | None = None,
    truth: Mapping[str, str] | str | Path | None = None,
    trained: bool | None = None,
    closed: bool | None = None,
    what_if: bool = False,
    form: PurchaseForm | None = None,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> ProfileAssessment | ReleasesAssessment:
    """Measure how well people are recognized by what they bought at another time.

    `known` and `others` are histories, or anything that `read_history` reads; published ones may have ranges, sets and
    deleted cells. One other history has the pseudonyms of the people of the known one; `truth` maps them to customers,
    or names a file of lines `pseudonym,customer`, and is used only to count right guesses. Several are releases of the
    same people. Without others, the known history is split: by one day, or by several into releases.
    """
    check_words(len(others), split=split, truth=truth, trained=trained, closed=closed, what_if=what_if)
    behind = read_truth(truth) if isinstance(truth, str | Path) else truth
    with engine_or_own(engine, known) as place:
        histories = [
            cells_of(source, form or PurchaseForm(), engine=place, progress=progress) for source in (known, *others)
        ]
    if len(histories) == 2:
        found = link_profiles(
            *histories, truth=behind, trained=trained, closed=closed, seed=seed, progress=progress
        )  # fmt: skip
        return replace(found, sources=(*found.sources, str(truth))) if isinstance(truth, str | Path) else found
    if len(histories) > 2:
        return assess_releases(histories, seed=seed, progress=progress)
    history, days = histories[0], split or "half"
    cuts = cut_days(history.cells, days)
    if len(cuts) == 1:
        return split_profiles(history, days, trained=trained, what_if=what_if, seed=seed, progress=progress)
    if trained is not None or what_if:
        option = "what_if" if trained is None else f"trained={trained}"
        raise OptionNotUsable("errors.profiles.not_for_releases", option=option)
    parts = [history.taken(rows) for rows in cut_rows(history.cells, cuts)]
    return assess_releases(parts, truth=True, seed=seed, progress=progress)


def check_words(
    others: int, *, split: object, truth: object, trained: bool | None, closed: bool | None, what_if: bool
) -> None:
    """Refuse words that do not go together, before anything is read."""
    if others and split is not None:
        raise OptionNotUsable("errors.profiles.split_and_others")
    if truth is not None and others != 1:
        raise OptionNotUsable("errors.profiles.only_for_two", option="truth")
    if closed is not None and others != 1:
        raise OptionNotUsable("errors.profiles.only_for_two", option="closed")
    if what_if and others:
        raise OptionNotUsable("errors.profiles.only_for_split", option="what_if")
    if others > 1 and trained is not None:
        raise OptionNotUsable("errors.profiles.not_for_releases", option=f"trained={trained}")
