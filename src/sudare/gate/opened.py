"""Sources of a policy, opened once for all checks about them; what several checks need is computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.engine import Engine, open_engine
from sudare.errors import OptionNotUsable
from sudare.limits import MEMORY
from sudare.messages import Joined
from sudare.progress import Progress
from sudare.sources.readings import Reading

if TYPE_CHECKING:
    from sudare.baskets.model import Baskets, SensitiveItems
    from sudare.histories.attackers.assessment import AttackersAssessment
    from sudare.histories.attackers.published import PublishedAssessment
    from sudare.histories.generalized.conversion import HistoryRows
    from sudare.histories.generalized.model import CellHistory
    from sudare.histories.model import History
    from sudare.histories.profiles.read import NamedCells
    from sudare.histories.utility.use_cases import UseCases
    from sudare.statistics.class_sizes import ClassSize
    from sudare.tables.classes.diversity import Diversity
    from sudare.tables.codes import CodeColumn
    from sudare.tables.collapsed import CollapsedTable
    from sudare.tables.identifiers import DirectIdentifier
    from sudare.tables.model import Table
    from sudare.tables.recoded.model import RecodedTable
    from sudare.tables.utility.model import TableUtility

Options = Mapping[str, Any]
# What other files beside a source are read with: how text is written, not which columns it has.
_TEXT_FORM = ("delimiter", "header", "encoding", "sheet", "time-zone")


class OpenSource:
    """A source while its checks run. `knowledge` is all that histories are asked about, so that it is asked once."""

    reading: Reading | None = None

    def __init__(self, file: Path, options: Options, seed: int, knowledge: tuple[str, ...], progress: Progress) -> None:
        self.file, self.options, self.seed, self.knowledge, self.progress = file, options, seed, knowledge, progress
        self._opened = ExitStack()

    def close(self) -> None:
        """Close what was opened."""
        self._opened.close()

    @cached_property
    def engine(self) -> Engine:
        """The engine that holds the data."""
        found = open_engine(
            str(self.options.get("engine", "duckdb")),
            memory=str(self.options.get("memory", MEMORY)),
            threads=self.options.get("threads"),
            spill=self.options.get("spill-dir"),
            min_cell=int(self.options.get("min-cell", 1)),
        )
        return self._opened.enter_context(found)

    def _form(self, *names: str) -> dict[str, Any]:
        """Return the options with these names as the library takes them, as far as they are given."""
        return {name.replace("-", "_"): self.options[name] for name in names if name in self.options}


def pairs_of(words: tuple[str, ...], option: str) -> dict[str, list[str]]:
    """Read words such as customer=CustomerID into name -> values."""
    found: dict[str, list[str]] = {}
    for word in words:
        name, divided, value = (part.strip() for part in word.partition("="))
        if not (divided and name and value):
            raise OptionNotUsable("errors.usage.not_pair", option=option, word=word, example="customer=CustomerID")
        found.setdefault(name, []).append(value)
    return found


def _columns_of(words: tuple[str, ...]) -> dict[str, str]:
    found = pairs_of(words, "column")
    twice = next((role for role, names in found.items() if len(names) > 1), None)
    if twice:
        raise OptionNotUsable("errors.usage.column_twice", role=twice, names=Joined(found[twice]))
    return {role: names[0] for role, names in found.items()}


class OpenTable(OpenSource):
    """A table: distinct rows, counted once."""

    @cached_property
    def collapsed(self) -> CollapsedTable:
        """The distinct rows on the engine."""
        from sudare.tables.collapsed import collapse_table

        given = self._form(*_TEXT_FORM, "table", "attributes", "weight", "person", "missing")
        found = collapse_table(
            str(self.file), **given, missing_values=self.options.get("missing-value", ()), engine=self.engine,
            progress=self.progress,
        )  # fmt: skip
        self.reading = found.reading
        return self._opened.enter_context(found)

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
            file, **self._form(*_TEXT_FORM, "missing"), attributes=attributes,
            missing_values=self.options.get("missing-value", ()), engine=self.engine, progress=self.progress,
        )  # fmt: skip
        return self._opened.enter_context(found)


class OpenHistory(OpenSource):
    """A purchase history: its rows on an engine, and as cells where they are compared with published ones."""

    def _how(self) -> dict[str, Any]:
        return {
            **self._form(*_TEXT_FORM, "table", "date-format", "bad-rows"),
            "columns": _columns_of(self.options.get("column", ())),
            "missing_values": pairs_of(self.options.get("missing-value", ()), "missing-value"),
            "engine": self.engine,
            "progress": self.progress,
        }

    @cached_property
    def history(self) -> History:
        """The history on its engine."""
        from sudare.histories.read import read_history

        found = self._opened.enter_context(read_history(str(self.file), **self._how()))
        self.reading = found.reading
        return found

    @cached_property
    def rows(self) -> HistoryRows:
        """The rows in their order, as cells."""
        from sudare.histories.generalized.conversion import read_history_rows
        from sudare.histories.generalized.rule_sets import load_rules

        rules = load_rules(self.options["rules"]) if "rules" in self.options else load_rules()
        found = read_history_rows(str(self.file), rules=rules, **self._how())
        self.reading = found.reading or self.reading
        return found

    @cached_property
    def attackers(self) -> AttackersAssessment:
        """The ten attackers and all further knowledge, measured together."""
        from sudare.histories.attackers.assessment import assess_attackers

        return assess_attackers(self.history, knowledge=self.knowledge, seed=self.seed, progress=self.progress)

    @cached_property
    def _aligned(self) -> dict[Path, CellHistory]:
        return {}

    def aligned(self, file: Path) -> CellHistory:
        """Return an anonymized form whose row i belongs to row i of this history."""
        if file not in self._aligned:
            self._aligned[file] = self.rows.read_aligned(file, progress=self.progress)
        return self._aligned[file]

    @cached_property
    def _published(self) -> dict[Path, PublishedAssessment]:
        return {}

    def attackers_after(self, file: Path) -> PublishedAssessment:
        """Return the ten attackers and all further knowledge after anonymization."""
        from sudare.histories.attackers.published import measure_published

        if file not in self._published:
            self._published[file] = measure_published(
                self.rows.history, self.aligned(file), knowledge=self.knowledge, seed=self.seed,
                progress=self.progress,
            )  # fmt: skip
        return self._published[file]

    @cached_property
    def _uses(self) -> dict[Path, UseCases]:
        return {}

    def use_cases(self, file: Path) -> UseCases:
        """Return what an anonymized form is still good for."""
        from sudare.histories.utility.use_cases import measure_use_cases

        if file not in self._uses:
            cells = self.aligned(file)
            self._uses[file] = measure_use_cases(
                self.rows.history, cells, seed=self.seed, progress=self.progress
            )  # fmt: skip
        return self._uses[file]

    @cached_property
    def cells(self) -> NamedCells:
        """The rows as cells with the names of customers, in any order; they may be ranges, sets or deleted."""
        from sudare.histories.profiles.read import cells_of_history

        return cells_of_history(self.history) if "history" in vars(self) else self.other_cells(self.file)

    def other_cells(self, file: Path) -> NamedCells:
        """Read a history, exact or published, that is written as this one is."""
        from sudare.histories.profiles.read import cells_of
        from sudare.sources.purchases.load import PurchaseForm

        how = self._how()
        engine, progress = how.pop("engine"), how.pop("progress")
        found = cells_of(str(file), PurchaseForm(**how), engine=engine, progress=progress)
        if file == self.file and found.reading:
            self.reading = found.reading
        return found


class OpenBaskets(OpenSource):
    """Baskets in memory."""

    @cached_property
    def baskets(self) -> Baskets:
        """The baskets."""
        found = self._read(self.file, **self._form("form", "per", "date-format", "bad-rows"))
        if found.reading:
            self.reading = found.reading
        return found

    def published(self, file: Path) -> Baskets:
        """Read published baskets: of the same users and items."""
        from sudare.baskets.matching import match_published
        from sudare.baskets.write import form_of

        form = form_of(file, self.baskets.reading.form if self.baskets.reading else None)
        return match_published(self.baskets, self._read(file, form=form, allow_empty=True))

    def _read(self, file: Path, **how: Any) -> Baskets:
        from sudare.baskets.read import read_baskets

        return read_baskets(
            str(file), **self._form(*_TEXT_FORM, "table"), columns=_columns_of(self.options.get("column", ())),
            engine=self.engine, progress=self.progress, **how,
        )  # fmt: skip

    def sensitive(self, words: str, folder: Path) -> SensitiveItems:
        """Return which items are sensitive: by a rule, or by a file."""
        from sudare.baskets.sensitive import is_rule, read_sensitive

        source = words if is_rule(words) else str(folder / words)
        return read_sensitive(source, self.baskets, engine=self.engine)


_KINDS = {"table": OpenTable, "history": OpenHistory, "baskets": OpenBaskets}


@contextmanager
def opened(
    kind: str, file: Path, options: Options, *, seed: int, knowledge: tuple[str, ...], progress: Progress
) -> Iterator[OpenSource]:
    """Open a source, and close it at the end of the block."""
    source = _KINDS[kind](file, options, seed, knowledge, progress)
    try:
        yield source
    finally:
        source.close()
