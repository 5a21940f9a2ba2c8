"""Tables of records with attributes, collapsed to their distinct rows with counts.

Risk depends on which records are equal on which attributes, so the distinct rows and how often each stands in the
table are all that the analyses need: one pass of the engine, then arrays.

A row can stand for several records (a weight column), and a person can have several records (a person column): then the
rows are distinct in the attributes and the person, and a class counts persons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import Engine, closed
from sudare.lazy import above
from sudare.limits import SAMPLES, SEARCH_SECONDS
from sudare.messages import Language
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.cell_text import MissingRule
from sudare.sources.readings import Reading
from sudare.tables.marks import marked_rows
from sudare.tables.rows import RowsLater, unknown_attribute

if TYPE_CHECKING:
    from sudare.tables.anonymize.levels import LevelsFound
    from sudare.tables.anonymize.publication import AnonymizedTable
    from sudare.tables.classes.contributions import Contribution
    from sudare.tables.classes.criteria import DiversityKind
    from sudare.tables.classes.diversity import Diversity
    from sudare.tables.classes.records import RecordsAssessment
    from sudare.tables.hierarchies.model import Hierarchy
    from sudare.tables.population.risk import PopulationRisk
    from sudare.tables.sets.affordable import AffordableSets
    from sudare.tables.sets.costs import Costs, Number
    from sudare.tables.sets.dangerous import DangerousSets
    from sudare.tables.sets.disclosable import DisclosableSets
    from sudare.tables.sets.sample import By, SubsetSample
    from sudare.tables.sets.subsets import SubsetsAssessment

    AnyCosts: TypeAlias = Costs | Mapping[str, Number] | str | Path | None


@dataclass(eq=False)
class Table:
    """A table on an engine and its distinct rows.

    `codes[a, i]` is the number of the value of attribute a in distinct row i, `values[a]` the values by number (a
    missing one is None and comes last), `counts[i]` the number of records equal to row i. If a person can have several
    records, `persons[i]` is the number of the person, and the rows are sorted by person. Use it in a `with` block, or
    close it.

        table = sudare.read_table("members.csv")
        print(table.risk(known=["sex", "age"]))
    """

    engine: Engine
    reading: Reading
    attributes: tuple[str, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    values: tuple[tuple[str | None, ...], ...]
    _name: str = field(repr=False)
    _own_engine: bool = field(default=False, repr=False)
    missing: MissingRule = "value"
    persons: NDArray[np.int32] | None = None
    weight: str | None = None
    person: str | None = None
    _later: RowsLater | None = field(default=None, repr=False)
    _closed: bool = field(default=False, repr=False)

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def rows(self) -> str:
        """Return the SQL name of the table of all rows: record (from 1), weight, person, and attributes a0, a1, ...

        Rows of a file that the analyses did not need are read now; a file that has changed is refused.
        """
        if self._closed:
            raise closed("table")
        if self._later is not None:
            self._later.load(self.engine, self._name)
            self._later = None
        return self._name

    @property
    def wildcards(self) -> NDArray[np.int32]:
        """For each attribute, the number of the value that equals every other value, or -1 if there is none."""
        ends = [len(values) - 1 if self.missing == "any" and values[-1] is None else -1 for values in self.values]
        return np.asarray(ends, np.int32)

    @checked
    def positions(self, names: Sequence[str]) -> list[int]:
        """Return the positions of attributes; an unknown name raises ColumnNotFound with similar names."""
        for name in names:
            if name not in self.attributes:
                raise unknown_attribute(name, self.attributes, self.reading.source)
        return [self.attributes.index(name) for name in names]

    @checked
    def marked(self, positions: Sequence[int], marks: Mapping[str, NDArray[Any]]) -> AbstractContextManager[str]:
        """Yield a FROM clause of the rows `r` joined with marks `m` of the distinct rows.

        Rows that are equal on the attributes at `positions` have the same marks. The clause is valid only within the
        block.
        """
        return marked_rows(self, positions, marks)

    def risk(
        self,
        known: Sequence[str] | None = None,
        *,
        costs: AnyCosts = None,
        budget: Number | None = None,
    ) -> RecordsAssessment:
        """Return how well given knowledge singles out the records; all attributes are known by default.

        table.risk(known=["sex", "age"]).max_risk
        """
        from sudare.tables.classes.records import assess_records

        return assess_records(self, known, costs=_costs(costs), budget=budget)

    def contributions(
        self, known: Sequence[str] | None = None, *, costs: AnyCosts = None, by_cost: bool = False
    ) -> list[Contribution]:
        """Return the risk that remains without each known attribute."""
        from sudare.tables.classes.contributions import attribute_contributions

        return attribute_contributions(self, known, costs=_costs(costs), by_cost=by_cost)

    def diversity(self, sensitive: str, known: Sequence[str] | None = None) -> Diversity:
        """Return what the equivalence classes reveal about a sensitive attribute: l-diversity, t-closeness."""
        from sudare.tables.classes.diversity import sensitive_diversity

        return sensitive_diversity(self, sensitive, known)

    def subsets(
        self,
        *,
        attributes: Sequence[str] | None = None,
        max_size: int | None = None,
        limit: float | None = None,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> SubsetsAssessment:
        """Return the risk of every attribute set."""
        from sudare.tables.sets.subsets import assess_subsets

        return assess_subsets(
            self, attributes=attributes, max_size=max_size, limit=limit, threads=threads, progress=progress
        )

    def sample(
        self,
        *,
        samples: int = SAMPLES,
        by: By = "size",
        known: Sequence[str] = (),
        limit: float = 0.2,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> SubsetSample:
        """Return risk estimates from random attribute sets, for any number of attributes."""
        from sudare.tables.sets.sample import sample_subsets

        return sample_subsets(
            self, samples=samples, seed=seed, by=by, known=known, limit=limit, threads=threads, progress=progress
        )

    def disclosable(
        self,
        *,
        limit: float,
        known: Sequence[str] = (),
        quantile: float | None = None,
        every: bool = False,
        seconds: float | None = SEARCH_SECONDS,
        costs: AnyCosts = None,
        budget: Number | None = None,
        by_cost: bool = False,
        progress: Progress = silent,
    ) -> DisclosableSets:
        """Return which attributes can be disclosed together without any risk above the limit.

        table.disclosable(limit=0.2, costs="costs.csv")
        """
        from sudare.tables.sets.disclosable import disclosable_sets

        return disclosable_sets(
            self, limit=limit, known=known, quantile=quantile, every=every, seconds=seconds, costs=_costs(costs),
            budget=budget, by_cost=by_cost, progress=progress,
        )  # fmt: skip

    def dangerous(
        self,
        *,
        size: int,
        factor: float,
        samples: int | None = None,
        seed: int = 0,
        seconds: float | None = SEARCH_SECONDS,
        costs: AnyCosts = None,
        budget: Number | None = None,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> DangerousSets:
        """Return the attribute sets that are harmless one by one and dangerous together."""
        from sudare.tables.sets.dangerous import dangerous_sets

        return dangerous_sets(
            self, size=size, factor=factor, samples=samples, seed=seed, seconds=seconds, costs=_costs(costs),
            budget=budget, threads=threads, progress=progress,
        )  # fmt: skip

    def affordable(
        self,
        costs: Costs | Mapping[str, Number] | str | Path,
        *,
        budget: Number,
        known: Sequence[str] = (),
        samples: int | None = None,
        seed: int = 0,
        seconds: float | None = SEARCH_SECONDS,
        progress: Progress = silent,
    ) -> AffordableSets:
        """Return which attributes an attacker can afford to learn, and the resulting risk."""
        from sudare.tables.sets.affordable import affordable_sets

        return affordable_sets(
            self, _costs(costs) or {}, budget=budget, known=known, samples=samples, seed=seed, seconds=seconds,
            progress=progress,
        )  # fmt: skip

    def population(
        self, known: Sequence[str] | None = None, *, share: float | None = None, population: int | None = None
    ) -> PopulationRisk:
        """Return how many records are unique in the population that the table is a sample of."""
        from sudare.tables.population.risk import population_risk

        return population_risk(self, known, share=share, population=population)

    def hierarchies(self, folder: str | Path | None = None) -> dict[str, Hierarchy]:
        """Return the generalization hierarchies in a folder, or hierarchies suggested by the table's values."""
        from sudare.tables.hierarchies.suggest import table_hierarchies

        return table_hierarchies(self, folder)

    def levels(
        self,
        *,
        limit: float,
        hierarchies: Mapping[str, Hierarchy | str | Path] | str | Path | None = None,
        known: Sequence[str] | None = None,
        sensitive: str | Sequence[str] = (),
        l: float | None = None,  # noqa: E741
        diversity: DiversityKind = "distinct",
        c: float | None = None,
        t: float | None = None,
        suppress: float = 0.0,
        loss: str = "entropy",
        seconds: float | None = SEARCH_SECONDS,
        seed: int = 0,
        progress: Progress = silent,
    ) -> LevelsFound:
        """Return the generalization levels with the least loss at which no record has a risk above the limit.

        `hierarchies` are given by attribute or as a folder; by default they are suggested from the values, but not for
        sensitive attributes, whose classes must be `l`-diverse and `t`-close.

            table.levels(limit=0.2).publish("members-safe.csv")
        """
        from sudare.tables.anonymize.levels import find_levels
        from sudare.tables.hierarchies.suggest import table_hierarchies

        given = hierarchies if isinstance(hierarchies, Mapping) else table_hierarchies(self, hierarchies, sensitive)
        return find_levels(
            self, given, known=known, limit=limit, sensitive=sensitive, l=l, diversity=diversity, c=c, t=t,
            suppress=suppress, loss=loss, seconds=seconds, seed=seed, progress=progress,
        )  # fmt: skip

    def anonymize(
        self,
        *,
        k: int | None = None,
        l: float | None = None,  # noqa: E741
        t: float | None = None,
        sensitive: str | Sequence[str] = (),
        **options: Any,
    ) -> AnonymizedTable:
        """Return the table made safe to publish; `anonymize_table` says which options there are.

        table.anonymize(k=5, l=3, sensitive="disease").publish("members-safe.csv")
        """
        from sudare.tables.anonymize.publication import anonymize_table

        return anonymize_table(self, k=k, l=l, t=t, sensitive=sensitive, **options)

    def report(
        self,
        path: str | Path,
        *,
        known: Sequence[str] | None = None,
        limit: float = 0.2,
        sensitive: str | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        legal: Sequence[str] = (),
        language: Language = "en",
        seed: int = 0,
        progress: Progress = silent,
    ) -> None:
        """Write one page about how well records can be singled out, for readers who do not have sudare."""
        write: Any = above("sudare.report.table.report", "write_table_report")
        write(
            self, path, known=known, limit=limit, sensitive=sensitive, hierarchies=hierarchies, seed=seed, legal=legal,
            language=language, progress=progress,
        )  # fmt: skip

    def close(self) -> None:
        """Close the engine if the table opened it; otherwise drop its rows. The distinct rows stay in memory."""
        self._closed = True
        if self._own_engine:
            self.engine.close()
        else:
            self.engine.drop(self._name)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _costs(costs: AnyCosts) -> Costs | Mapping[str, Number] | None:
    """Return the given costs, or read them from a file."""
    from sudare.tables.sets.costs import read_costs

    return read_costs(costs) if isinstance(costs, str | Path) else costs
