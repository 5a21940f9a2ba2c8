"""docs/explanation/papers.md says what the runs say, and what it says agrees with the papers or is explained."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer.main

from sudare.cli.app import app

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
from papers.page import PAGE, PAPERS  # noqa: E402
from papers.rows import Paper, Row, like, row  # noqa: E402

if TYPE_CHECKING:
    Find = Callable[[str], Path]


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.title.partition(":")[0])
def test_the_page_says_what_the_runs_find_and_why_it_is_not_what_is_printed(paper: Paper, real_data: Find) -> None:
    found = list(paper.rows(real_data))
    assert [row for row in found if not row.agrees and not row.remark] == []
    section = Paper(paper.title, paper.about, lambda _: found).section(real_data)
    assert section in PAGE.read_text(encoding="utf-8"), "run python tools/papers"


def test_the_page_names_commands_and_options_that_there_are() -> None:
    root = typer.main.get_command(app)
    for line in re.findall(r"`sudare ([^`]+)`", PAGE.read_text(encoding="utf-8")):
        command, words = root, line.split()
        while hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        assert [word for word in words if re.match("--?[a-z]", word) and word not in options] == [], line


def test_found_numbers_are_written_as_the_printed_ones_are() -> None:
    assert like("38,087, 400 and 0.65", (1234567, 3.2, 0.666)) == "1,234,567, 3 and 0.67"
    with pytest.raises(ValueError, match="has fewer numbers"):
        like("0.65", (1, 2))
    assert row("Table 1", "x", "0.65", (0.651,), "sudare demo").agrees
    assert not row("Table 1", "x", "0.65", (0.66,), "sudare demo").agrees
    assert Row("Table 1", "x", "", "0.3", "sudare demo").agrees
