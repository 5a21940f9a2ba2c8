"""How many records of a sample are unique in the population it was drawn from.

A record that is like no other of the sample may still have its like in the population. The models are in
`uniqueness_models`; which of them is believed follows Dankar, El Emam, Neisa, Roffey: Estimating the re-identification
risk of clinical data sets (BMC Medical Informatics and Decision Making 12:66, 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.messages import message
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.classes.records import assess_records
from sudare.tables.model import Table
from sudare.tables.population.uniqueness import Model, Sample, UniquenessEstimate, pitman, snb, zayatz

Reason = Literal[
    "no_uniques", "all_unique", "small_share", "pitman_failed", "snb_failed", "zayatz_smaller", "snb_smaller"
]
# Up to this share of the population, Pitman's model is the most accurate (Dankar et al., 2012).
SMALL_SHARE = 0.1
# How often two records met their like is what all models learn from; its relative error is one over its square root.
FEW_PAIRS = 25


@dataclass(frozen=True, slots=True)
class PopulationRisk(Result):
    """What a sample says about its population, for an attacker who knows some attributes.

    `uniques` records are unique in the sample, `pairs` classes have two records: with few pairs, estimates are
    unreliable. `estimates` has the result of each model, `chosen` names the model selected by the rule of Dankar et al.
    and `reason` says why; nothing is estimated if no record is unique. `simulated_match` is the share of correct
    matches among all persons of the population who fit a unique record of the sample, by data intrusion simulation
    (Skinner, Elliot: A measure of disclosure risk for microdata, JRSS B 64, 2002). It needs no model and is None
    without pairs.
    """

    _rows = ("estimates",)
    _row = UniquenessEstimate

    attributes: tuple[str, ...]
    records: int
    population: int
    classes: int
    uniques: int
    pairs: int
    estimates: tuple[UniquenessEstimate, ...]
    chosen: Model | None
    reason: Reason
    simulated_match: float | None

    @property
    def share(self) -> float:
        """The share of the population that is in the sample."""
        return self.records / self.population

    @property
    def estimate(self) -> UniquenessEstimate | None:
        """The estimate of the chosen model."""
        return next((found for found in self.estimates if found.model == self.chosen), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "attributes": list(self.attributes),
            "records": self.records,
            "population": self.population,
            "share": self.share,
            "classes": self.classes,
            "uniques": self.uniques,
            "pairs": self.pairs,
            "chosen": self.chosen,
            "reason": self.reason,
            "simulated_match": self.simulated_match,
            "estimates": [found.to_dict() for found in self.estimates],
        }


@checked
def population_risk(
    table: Table, known: Sequence[str] | None = None, *, share: float | None = None, population: int | None = None
) -> PopulationRisk:
    """Estimate how many records of a sample are unique in its population for an attacker who knows some attributes.

    `known` None means all attributes. Give either the `share` of the population that was drawn, at random and
    independently of the attributes, or the size of the `population`.
    """
    _check_classes(table)
    size = _population_size(table.records, share, population)
    found = assess_records(table, known)
    sizes = np.array([part.size for part in found.sizes], np.int64)
    sample = Sample(sizes, np.array([part.classes for part in found.sizes], np.int64), size)
    estimates = (pitman(sample), zayatz(sample), snb(sample)) if found.uniques else ()
    chosen, reason = _choose(sample, estimates)
    return PopulationRisk(
        found.attributes,
        found.records,
        size,
        found.classes,
        found.uniques,
        sample.of_size(2),
        estimates,
        chosen,
        reason,
        _simulated_match(sample),
    )


def _check_classes(table: Table) -> None:
    """Refuse tables whose classes overlap: a record or person in several classes cannot be sampled."""
    if table.persons is not None or (table.wildcards >= 0).any():
        raise OptionNotUsable("errors.population.overlapping")


def check_given(share: float | None, population: int | None) -> None:
    """Refuse what does not tell the size of a population, whatever the table: to be asked before it is read."""
    if share is None and population is None:
        raise OptionNotUsable("errors.population.not_given")
    if share is not None and population is not None:
        raise OptionNotUsable("errors.population.both_given")
    if share is not None and not 0 < share < 1:
        raise OptionNotUsable("errors.population.share", share=share)


def _population_size(records: int, share: float | None, population: int | None) -> int:
    check_given(share, population)
    if population is None:
        return max(round(records / (share or 1.0)), records + 1)
    if population <= records:
        counted = message("count.records", count=records)
        raise OptionNotUsable("errors.population.too_small", population=population, records=counted)
    return population


def _choose(sample: Sample, estimates: Sequence[UniquenessEstimate]) -> tuple[Model | None, Reason]:
    """Choose by the rule of Dankar et al.: Pitman for small shares, else the smaller of SNB and Zayatz."""
    if not estimates:
        return None, "no_uniques"
    if sample.of_size(1) == sample.records:
        return "zayatz", "all_unique"
    uniques = {found.model: found.population_uniques for found in estimates if found.population_uniques is not None}
    if sample.share <= SMALL_SHARE:
        return ("pitman", "small_share") if "pitman" in uniques else ("zayatz", "pitman_failed")
    if "snb" not in uniques:
        return "zayatz", "snb_failed"
    return ("zayatz", "zayatz_smaller") if uniques["zayatz"] < uniques["snb"] else ("snb", "snb_smaller")


def _simulated_match(sample: Sample) -> float | None:
    """Return pi s_1 / (pi s_1 + 2 (1 - pi) s_2), pi being the share."""
    uniques, pairs = sample.share * sample.of_size(1), 2 * (1 - sample.share) * sample.of_size(2)
    return uniques / (uniques + pairs) if pairs else None
