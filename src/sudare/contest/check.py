"""Whether an anonymized history and guesses follow the rules of a contest.

The rules are those of Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, or others
(histories/generalized/rule_sets.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.histories.attack.guesses import examine_guesses
from sudare.histories.generalized.complaints import MOST_COMPLAINTS, Complaint, Complaints
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.rule_sets import RuleSet, load_rules
from sudare.histories.generalized.text import read_anonymized, read_original, read_published
from sudare.messages import Language
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass

Source = str | Path | CellHistory


@dataclass(frozen=True, slots=True)
class CheckResult(Result):
    """Whether a file follows the rules, and if not, what is wrong.

    `errors` are the first complaints in order, `totals` the number of each kind, listed or not. `file` is the file
    checked, by the named rules.
    """

    _rows = ("errors",)
    _row = Complaint

    valid: bool
    rows: int
    errors: tuple[Complaint, ...]
    totals: Mapping[str, int]
    file: str
    rules: str

    @property
    def total(self) -> int:
        """The number of complaints."""
        return sum(self.totals.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return {
            "valid": self.valid,
            "rows": self.rows,
            "errors": [error.to_dict() for error in self.errors],
            "total_errors": self.total,
            "totals": dict(self.totals),
        }


@checked
def check_anonymized(
    original: Source,
    path: str | Path,
    rules: RuleSet | None = None,
    *,
    most_errors: int = MOST_COMPLAINTS,
    language: Language = "en",
    progress: Progress = silent,
) -> CheckResult:
    """Check an anonymized history A against its original T; a T given as a file is checked first."""
    rules = rules or load_rules()
    truth = _original(original, rules, progress)
    found = read_anonymized(path, truth, rules, most_complaints=most_errors, language=language, progress=progress)
    return _result(found.complaints, found.rows, path, rules)


@checked
def check_guesses(
    original: Source,
    published: Source,
    path: str | Path,
    rules: RuleSet | None = None,
    *,
    most_errors: int = MOST_COMPLAINTS,
    language: Language = "en",
    progress: Progress = silent,
) -> CheckResult:
    """Check guesses F' on a published history A'; histories given as files are checked first."""
    rules = rules or load_rules()
    truth = _original(original, rules, progress)
    public = (
        published if isinstance(published, CellHistory) else read_published(published, truth, rules, progress=progress)
    )
    found = examine_guesses(path, truth, public, most_complaints=most_errors, language=language)
    return _result(found.complaints, found.rows, path, rules)


def _original(original: Source, rules: RuleSet, progress: Progress) -> CellHistory:
    return original if isinstance(original, CellHistory) else read_original(original, rules, progress=progress)


def _result(complaints: Complaints, rows: int, path: str | Path, rules: RuleSet) -> CheckResult:
    return CheckResult(not complaints.total, rows, complaints.errors, complaints.totals, str(path), rules.name)
