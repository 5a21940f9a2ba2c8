"""An opened table."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.gate.opened.source import TEXT_FORM, OpenSource

if TYPE_CHECKING:
    from sudare.statistics.class_sizes import ClassSize
    from sudare.tables.classes.diversity import Diversity
    from sudare.tables.codes import CodeColumn
    from sudare.tables.collapsed import CollapsedTable
    from sudare.tables.identifiers import DirectIdentifier
    from sudare.tables.model import Table
    from sudare.tables.recoded.model import RecodedTable
    from sudare.tables.utility.model import TableUtility


class OpenTable(OpenSource):
    """A table: distinct rows, counted once."""

    @cached_property
    def collapsed(self) -> CollapsedTable:
        """The distinct rows on the engine."""
        from sudare.tables.collapsed import collapse_table

        given = self.form(*TEXT_FORM, "table", "attributes", "weight", "person", "missing")
        found = collapse_table(
            str(self.file), **given, missing_values=self.options.get("missing-value", ()), engine=self.engine,
            progress=self.progress,
        )  # fmt: skip
        self.reading = found.reading
        return self.held.enter_context(found)

    @cached_property
    def table(self) -> Table:
        """The distinct rows as arrays; an engine with a smallest count refuses rare ones."""
        from sudare.tables.read import fetch_table

        return fetch_table(self.collapsed)

    @cached_property
    def _sizes(self) -> dict[tuple[str, ...], tuple[ClassSize, ...]]:
        return {}

    def class_sizes(self, known: tuple[str, ...]) -> tuple[ClassSize, ...]:
        """Return how large the equivalence classes are for known attributes, the smallest first."""
        if known not in self._sizes:
            self._sizes[known] = self._count_classes(known)
        return self._sizes[known]

    def _count_classes(self, known: tuple[str, ...]) -> tuple[ClassSize, ...]:
        from sudare.tables.classes.records import assess_records
        from sudare.tables.sets.subsets import assess_subsets

        if self.collapsed.rare_records() == 0:
            return assess_records(self.table, known).sizes
        # Rows of few people stay on the engine, which groups them and tells merged classes: no risk is told too low.
        found = assess_subsets(
            self.collapsed, attributes=known, class_sizes=True, walk="engine", progress=self.progress
        )  # fmt: skip
        return found.subset(known).class_sizes or ()

    @cached_property
    def _diversities(self) -> dict[tuple[str, tuple[str, ...] | None], Diversity]:
        return {}

    def diversity(self, sensitive: str, known: tuple[str, ...] | None) -> Diversity:
        """Return what classes reveal about a sensitive attribute."""
        from sudare.tables.classes.diversity import sensitive_diversity

        key = sensitive, known
        if key not in self._diversities:
            self._diversities[key] = sensitive_diversity(self.table, sensitive, known)
        return self._diversities[key]

    @cached_property
    def identifiers(self) -> tuple[DirectIdentifier, ...]:
        """The attributes that look like names, addresses or numbers of people."""
        from sudare.tables.identifiers import direct_identifiers

        return direct_identifiers(self.table)

    @cached_property
    def codes(self) -> tuple[CodeColumn, ...]:
        """The attributes that look like official numbers or those of payment cards."""
        from sudare.tables.codes import code_columns

        return code_columns(self.table)

    @cached_property
    def _others(self) -> dict[tuple[Path, tuple[str, ...] | None], Table]:
        return {}

    @cached_property
    def _recoded(self) -> dict[tuple[Any, ...], RecodedTable]:
        return {}

    def published(
        self, file: Path, key: Path, known: tuple[str, ...] | None, sensitive: tuple[str, ...], hierarchies: Path | None
    ) -> RecodedTable:
        """Return what a file publishes of this table; `key` says which record each of its lines stands for."""
        from sudare.tables.recoded.read import read_recoded

        asked = file, key, known, sensitive, hierarchies
        if asked not in self._recoded:
            # As it was anonymized: a missing value is a value of its own.
            self._recoded[asked] = read_recoded(
                file, replace(self.table, missing="value"), key=key, known=known, sensitive=sensitive,
                hierarchies=hierarchies,
            )  # fmt: skip
        return self._recoded[asked]

    @cached_property
    def _utilities(self) -> dict[tuple[Any, ...], TableUtility]:
        return {}

    def utility(self, found: RecodedTable, target: str | None) -> TableUtility:
        """Return what a published form is still good for."""
        from sudare.tables.utility.measured import table_utility

        key = id(found), target
        if key not in self._utilities:
            self._utilities[key] = table_utility(found, seed=self.seed, target=target, progress=self.progress)
        return self._utilities[key]

    def other(self, file: Path, attributes: tuple[str, ...] | None) -> Table:
        """Return another table that is written as this one is, on the same engine."""
        if (file, attributes) not in self._others:
            self._others[file, attributes] = self._read_other(file, attributes)
        return self._others[file, attributes]

    def _read_other(self, file: Path, attributes: tuple[str, ...] | None) -> Table:
        from sudare.tables.read import read_table

        found = read_table(
            file, **self.form(*TEXT_FORM, "missing"), attributes=attributes,
            missing_values=self.options.get("missing-value", ()), engine=self.engine, progress=self.progress,
        )  # fmt: skip
        return self.held.enter_context(found)
