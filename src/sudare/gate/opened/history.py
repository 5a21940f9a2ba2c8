"""An opened purchase history."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.gate.opened.source import TEXT_FORM, OpenSource, columns_of, pairs_of

if TYPE_CHECKING:
    from sudare.histories.attackers.assessment import AttackersAssessment
    from sudare.histories.attackers.published import PublishedAssessment
    from sudare.histories.generalized.conversion import HistoryRows
    from sudare.histories.generalized.model import CellHistory
    from sudare.histories.model import History
    from sudare.histories.profiles.read import NamedCells
    from sudare.histories.utility.use_cases import UseCases


class OpenHistory(OpenSource):
    """A purchase history: its rows on an engine, and as cells where they are compared with published ones."""

    def _how(self) -> dict[str, Any]:
        return {
            **self.form(*TEXT_FORM, "table", "date-format", "bad-rows"),
            "columns": columns_of(self.options.get("column", ())),
            "missing_values": pairs_of(self.options.get("missing-value", ()), "missing-value"),
            "engine": self.engine,
            "progress": self.progress,
        }

    @cached_property
    def history(self) -> History:
        """The history on its engine."""
        from sudare.histories.read import read_history

        found = self.held.enter_context(read_history(str(self.file), **self._how()))
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
