"""Whether a file follows the rules of a contest, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.contest.check import CheckResult
    from sudare.messages import Texts


def show_check(found: CheckResult, texts: Texts) -> None:
    """Print whether a file follows the rules, and if not, its first errors and their totals."""
    from rich.table import Table

    key = "contest_check.valid" if found.valid else "contest_check.not_valid"
    words = {"file": found.file, "rules": found.rules, "rows": f"{found.rows:,}", "total": f"{found.total:,}"}
    console().print(texts(key, **words), style="bold")
    if found.valid:
        return
    for kind, number in found.totals.items():
        what = kind.replace("-", "_")
        console().print(f"  {texts(f'contest_check.kinds.{what}')}: {number:,}")
    if found.errors:
        table = Table(show_edge=False, pad_edge=False)
        for name in ("row", "cell", "kind", "message"):
            table.add_column(texts(f"contest_check.{name}"), justify="right" if name in ("row", "cell") else "left")
        for error in found.errors:
            table.add_row(f"{error.row:,}", str(error.cell), error.kind, error.message)
        console().print(table)
    if found.total > len(found.errors):
        console().print(texts("contest_check.more", more=f"{found.total - len(found.errors):,}"))
