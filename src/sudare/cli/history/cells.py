"""Options for which history to anonymize: a contest file by its rules, or any other file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.cli.contest.files import DEFAULT_RULES, RulesOption
from sudare.cli.frame import note, pairs
from sudare.cli.history.source import HistoryOptions, single_columns, tell_reading
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.generalized.conversion import HistoryRows


@dataclass(frozen=True, slots=True)
class CellOptions(HistoryOptions):
    """The words that say which history of single values to read and how."""

    rules: RulesOption = DEFAULT_RULES

    def open(self, progress: Progress, *, tell: bool = True) -> HistoryRows:
        """Read the history; `tell` how it was read, and what of it will not be published."""
        from sudare.histories.generalized.conversion import read_history_rows
        from sudare.histories.generalized.rule_sets import load_rules

        rules = load_rules(self.rules)
        with self.engine() as engine:
            found = read_history_rows(
                self.file,
                rules=rules,
                columns=single_columns(pairs(self.column, "--column", "customer=CustomerID")),
                **self.form(),
                date_format=self.date_format,
                missing_values=pairs(self.missing_value, "--missing-value", "customer=0"),
                bad_rows=self.bad_rows,
                engine=engine,
                progress=progress,
            )
        if found.reading and tell:
            tell_reading(found.reading, self.rejects)
        for remark in found.remarks if tell else ():
            note(remark.key, **remark.values)
        return found
