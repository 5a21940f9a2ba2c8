"""What several releases of the same people reveal together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.attackers.published import measure_published
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind
from sudare.histories.profiles.periods import Period
from sudare.histories.profiles.read import NamedCells
from sudare.histories.releases.chains import Chains, link_releases
from sudare.histories.releases.drawing import draw_exact
from sudare.kernels.common.arrays import Ints
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class ReleaseLinks(Result):
    """How many pseudonyms of a release were linked to earlier ones.

    Where pseudonyms have the same rows, a class counts once, and `smallest_class` is the smallest; `same_time` says
    whether its rows are of the same period as those before. `expected` is the share of the links that the attacker
    expects to be right. With a truth, `right` is the share that is right, and `identified` that of the pseudonyms whose
    person was released before for which the right chain is the most probable one, linked or not.
    """

    source: str
    period: Period
    pseudonyms: int
    smallest_class: int
    same_time: bool
    linked: int
    expected: float | None
    right: float | None
    identified: float | None


@dataclass(frozen=True, slots=True)
class NarrowedColumn(Result):
    """How many values a cell of a column can be on the mean, and the share of single ones: apart and together.

    A deleted cell can be any value of its column. Where nothing else is there, it has none.
    """

    column: str
    values_apart: float
    values_together: float
    exact_apart: float
    exact_together: float


@dataclass(frozen=True, slots=True)
class JoinedRisk(Result):
    """The mean probability with which one of the ten attackers picks the right one: of all pseudonyms, and of chains.

    `apart` the releases lie side by side, unlinked.
    """

    attacker: int
    knowledge: str
    apart: float
    together: float


@dataclass(frozen=True, slots=True, eq=False)
class ReleasesAssessment(Result):
    """What an attacker learns who has several releases of the same people under fresh pseudonyms.

    `chains` says how many chains of pseudonyms were made, `in_releases` how many of them are in 1, 2, ... releases.
    `rows_alone` and `rows_together` are how many rows a pseudonym of a single release and a chain have on the mean.
    `whole` is the share of the people in several releases whose pseudonyms are all in one chain, without anybody
    else's; None without a truth. The attackers know values `drawn` from the cells where these are not exact.
    """

    _rows = ("releases",)
    _row = ReleaseLinks
    _hidden = ("joined",)

    releases: tuple[ReleaseLinks, ...]
    chains: int
    in_releases: tuple[int, ...]
    rows_alone: float
    rows_together: float
    whole: float | None
    columns: tuple[NarrowedColumn, ...]
    attackers: tuple[JoinedRisk, ...]
    drawn: bool
    seed: int
    joined: CellHistory = field(repr=False)


@checked
def assess_releases(
    releases: Sequence[NamedCells],
    *,
    truth: bool = False,
    seed: int = 0,
    progress: Progress = silent,
) -> ReleasesAssessment:
    """Link the pseudonyms of releases, the earliest first, and measure what they reveal together.

    With `truth`, equal numbers of persons in different releases are the same people, which is used only to count right
    links.
    """
    if seed < 0:
        raise OptionNotUsable("errors.history.seed", seed=seed)
    found = link_releases([release.cells for release in releases], seed=seed, progress=progress)
    owners = _owners(found) if truth else None
    told = [_told(place, found, source.source, owners) for place, source in enumerate(releases)]
    lengths = found.lengths
    rows = [len(release.cells) for release in found.releases]
    people = sum(len(release.pids) for release in found.releases)
    risks, drawn = _risks(found, seed, progress)
    return ReleasesAssessment(
        tuple(told), len(lengths), tuple(np.bincount(lengths, minlength=2)[1:].tolist()),
        sum(rows) / people, len(found.cells) / len(lengths), None if owners is None else _whole(found, owners),
        _columns(found), risks, drawn, seed, found.cells,
    )  # fmt: skip


def _owners(found: Chains) -> Ints:
    """Return the person of each chain, from 1 on: that of its first pseudonym."""
    owners = np.zeros(len(found.lengths) + 1, np.int64)
    for release in reversed(found.releases):
        owners[release.chains] = release.pids
    return owners


def _told(place: int, found: Chains, source: str, owners: Ints | None) -> ReleaseLinks:
    release = found.releases[place]
    linked = int(release.joined.sum())
    expected = float(release.confidence[release.joined].mean()) if linked else None
    right = identified = None
    if owners is not None and place:
        before = np.unique(np.concatenate([other.pids for other in found.releases[:place]]))
        same = owners[release.chains] == release.pids
        right = float(same[release.joined].mean()) if linked else None
        there = np.isin(release.pids, before)
        identified = float((owners[release.guesses] == release.pids)[there].mean()) if there.any() else None
    return ReleaseLinks(
        source, release.period, int(release.sizes.sum()), int(release.sizes.min()), release.same_time, linked,
        expected, right, identified,
    )  # fmt: skip


def _whole(found: Chains, owners: Ints) -> float:
    """Return the share of people in several releases whose pseudonyms are all in one chain that is theirs alone."""
    pids = np.concatenate([release.pids for release in found.releases])
    chains = np.concatenate([release.chains for release in found.releases])
    several = np.flatnonzero(np.bincount(pids) > 1)
    mixed = np.zeros(len(owners), np.bool_)
    mixed[chains[owners[chains] != pids]] = True
    own: dict[int, set[int]] = {int(person): set() for person in several}
    for person, chain in zip(pids.tolist(), chains.tolist(), strict=True):
        if person in own:
            own[person].add(chain)
    whole = sum(len(chains_) == 1 and not mixed[next(iter(chains_))] for chains_ in own.values())
    return whole / len(own) if own else 0.0


def _columns(found: Chains) -> tuple[NarrowedColumn, ...]:
    columns = zip(found.apart.columns, found.cells.columns, strict=True)
    return tuple(_narrowed(before, after, _all_values(before, after)) for before, after in columns)


def _narrowed(before: Column, after: Column, everything: int) -> NarrowedColumn:
    (apart, exact_apart), (together, exact_together) = (_width(column, everything) for column in (before, after))
    return NarrowedColumn(before.name, apart, together, exact_apart, exact_together)


def _all_values(*columns: Column) -> int:
    """Return how many values there are from the least to the greatest of a column, or of items; 0 if all is deleted."""
    low, high = [], []
    for column in columns:
        if isinstance(column, ItemColumn):
            return len(column.names)
        there = column.kinds != Kind.DELETED
        low.append(column.low[there])
        high.append(column.high[there])
    lows, highs = np.concatenate(low), np.concatenate(high)
    return int(highs.max()) - int(lows.min()) + 1 if len(lows) else 0


def _width(column: Column, everything: int) -> tuple[float, float]:
    """Return how many values the cells can be on the mean, and the share of single ones that are not deleted."""
    gone = column.kinds == Kind.DELETED
    sizes = np.append(column.sizes, 0)[column.sets] if isinstance(column, ItemColumn) else column.high - column.low + 1
    sizes = np.where(gone, everything, sizes)
    return float(sizes.mean()), float(((sizes == 1) & ~gone).mean())


def _risks(found: Chains, seed: int, progress: Progress) -> tuple[tuple[JoinedRisk, ...], bool]:
    """Measure the ten attackers on the releases side by side, and on the chains; they know the same of both."""
    known, drawn = draw_exact(found.cells, seed)
    apart, together = (
        measure_published(replace(known, persons=cells.persons), cells, seed=seed, progress=progress).attackers
        for cells in (found.apart, found.cells)
    )
    risks = tuple(
        JoinedRisk(after.attacker or 0, str(after.knowledge), before.after, after.after)
        for before, after in zip(apart, together, strict=True)
    )
    return risks, drawn
