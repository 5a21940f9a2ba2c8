"""docs/explanation/papers.md: every algorithm, theorem, table and figure of the papers, with what sudare finds."""

from __future__ import annotations

import os
from pathlib import Path

from papers import attackers, contest, safety, set_valued, simulation
from papers.rows import Find

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "papers.md"
DATA = Path(os.environ.get("SUDARE_DATA", ROOT.parent / "shared" / "data"))
PAPERS = (attackers.PAPER, simulation.PAPER, set_valued.PAPER, contest.PAPER, safety.PAPER)

HEAD = """\
# The papers

sudare grows out of five papers. For each algorithm, theorem, table and figure of theirs: what is printed, what sudare
finds, and the command for it. Numbers in brackets refer to the remarks below a table, which say why a number differs.

Written by `python tools/papers`, from runs on the papers' own examples and on the public data sets
(`python tools/fetch_data.py` says where to get them); a test runs it all again and compares.
"""


def page(find: Find) -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *(paper.section(find) for paper in PAPERS)])


def at_hand(name: str) -> Path:
    """Return the path of a file of real data."""
    path = DATA / name
    if not path.exists():
        raise SystemExit(f"{path} is missing: set SUDARE_DATA to the folder that has {name}")
    return path
