"""The findings of the table report on the attribute sets that an attacker may know."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from sudare.progress import Progress
from sudare.report.table.question import Question
from sudare.showing import dataclass
from sudare.tables.model import Table
from sudare.tables.sets.attribute_sets import SetRisk
from sudare.tables.sets.dangerous import DangerousSets, dangerous_sets
from sudare.tables.sets.disclosable import DisclosableSets, disclosable_sets
from sudare.tables.sets.sample import SubsetSample, sample_subsets
from sudare.tables.sets.subsets import SubsetRisk, assess_subsets

# Attributes whose sets are all measured for a page: a quarter of a million sets, a few seconds to count up.
MOST_ATTRIBUTES = 18
# Sets times distinct rows that are measured, about half a minute on two cores; beyond, a sample answers.
MOST_WORK = 2**33
# Sets that are drawn: as many as take some ten seconds, within these bounds.
SAMPLED_WORK, LEAST_SAMPLES, MOST_SAMPLES = 10**8, 2000, 10_000
LEAST_SAMPLES_PER_SIZE = 20
# Upper ends of the bands of risk in the heat maps; the limit is one more.
BAND_ENDS = (0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
DANGEROUS_SIZES, DANGEROUS_FACTOR = (2, 3), 10.0
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SizeRisks:
    """The sets with one number of attributes: how many in each band of highest and of mean risk."""

    size: int
    sets: int
    safe: int
    max_bands: tuple[int, ...]
    mean_bands: tuple[int, ...]
    max_risk: float
    mean_risk: float
    riskiest: SubsetRisk
    most_unique: SubsetRisk


@dataclass(frozen=True, slots=True)
class Lattice:
    """The risk of the sets of known attributes by their number: of all sets, or estimated from a sample."""

    bands: tuple[float, ...]
    sizes: tuple[SizeRisks, ...]
    sample: SubsetSample | None


@dataclass(frozen=True, slots=True)
class Disclosable:
    """The first of the maximal sets within the limit and of the minimal ones above it, and how many there are."""

    sets: tuple[SetRisk, ...]
    count: int
    unsafe: tuple[tuple[str, ...], ...]
    unsafe_count: int
    complete: bool


def find_lattice(part: Table, question: Question, threads: int | None, progress: Progress) -> Lattice:
    """Return the risk of the sets of attributes by their number, estimated if there are too many."""
    bands = tuple(sorted({*BAND_ENDS, question.limit}))
    attributes = len(part.attributes)
    if attributes <= MOST_ATTRIBUTES and len(part.counts) << attributes <= MOST_WORK:
        found = assess_subsets(part, threads=threads, progress=progress).ranked("size")
        return lattice_of(found, bands, question.limit)
    sample = sample_subsets(
        part,
        samples=_samples(part),
        seed=question.seed,
        limit=question.limit,
        threads=threads,
        progress=progress,
    )
    if not sample.complete:
        raise KeyboardInterrupt
    return Lattice(bands, (), sample)


def _samples(part: Table) -> int:
    affordable = min(SAMPLED_WORK // len(part.counts), MOST_SAMPLES)
    return max(affordable, LEAST_SAMPLES, LEAST_SAMPLES_PER_SIZE * (len(part.attributes) + 1))


def lattice_of(found: Sequence[SubsetRisk], bands: tuple[float, ...], limit: float) -> Lattice:
    """Return the risk of sets by their number of attributes."""
    return Lattice(bands, _by_size(found, bands, limit), None)


def _by_size(found: Sequence[SubsetRisk], bands: tuple[float, ...], limit: float) -> tuple[SizeRisks, ...]:
    groups: dict[int, list[SubsetRisk]] = {}
    for risk in found:
        groups.setdefault(len(risk.attributes), []).append(risk)
    return tuple(_size_risks(size, groups[size], bands, limit) for size in sorted(groups))


def _size_risks(size: int, group: Sequence[SubsetRisk], bands: tuple[float, ...], limit: float) -> SizeRisks:
    highest, mean = np.array([risk.max_risk for risk in group]), np.array([risk.mean_risk for risk in group])

    def in_bands(risks: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[int, ...]:
        # Rounding may lift a mean a little above 1.
        places = np.minimum(np.searchsorted(bands, risks, side="left"), len(bands) - 1)
        return tuple(np.bincount(places, minlength=len(bands)).tolist())

    return SizeRisks(
        size=size,
        sets=len(group),
        safe=int((highest <= limit).sum()),
        max_bands=in_bands(highest),
        mean_bands=in_bands(mean),
        max_risk=float(highest.mean()),
        mean_risk=float(mean.mean()),
        riskiest=group[int(mean.argmax())],
        most_unique=max(group, key=lambda risk: risk.uniques),
    )


def find_disclosable(part: Table, question: Question, progress: Progress) -> Disclosable:
    """Return the first sets within the limit and above it."""
    found = disclosable_sets(part, limit=question.limit, progress=progress)
    if found.interrupted:
        # An interrupted search keeps what it has; a report is written whole or not at all.
        raise KeyboardInterrupt
    return shown_disclosable(found)


def shown_disclosable(found: DisclosableSets) -> Disclosable:
    """Return what is shown of the sets that can be disclosed."""
    sets = [entry for entry in found.maximal if entry.attributes]
    return Disclosable(
        sets=tuple(sets[:MOST_SHOWN]),
        count=len(sets),
        unsafe=found.minimal_unsafe[:MOST_SHOWN],
        unsafe_count=len(found.minimal_unsafe),
        complete=found.complete,
    )


def find_dangerous(part: Table, size: int, threads: int | None, progress: Progress) -> DangerousSets | None:
    """Return the dangerous sets of a size, or None if there are too many sets to compare."""
    if comb(len(part.attributes), size) * len(part.counts) > MOST_WORK:
        return None
    return dangerous_sets(part, size=size, factor=DANGEROUS_FACTOR, most=MOST_SHOWN, threads=threads, progress=progress)
