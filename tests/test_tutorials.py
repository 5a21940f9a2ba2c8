"""README and the tutorials are run: every command works, and prints what the page says."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.pages import DOCS, ROOT, page_name

sys.path.insert(0, str(ROOT / "tools"))
from tutorials import PAGES, STEP, TutorialFailed, rewritten, run, same

TUTORIALS = ("purchase-history.md", "member-list.md", "baskets.md")
PAIRS = [
    (ROOT / "README.md", ROOT / "README.ja.md"),
    *((DOCS / "tutorials" / name, DOCS / "ja" / "tutorials" / name) for name in TUTORIALS),
]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_a_tutorial_prints_what_its_page_says(page: Path) -> None:
    assert rewritten(page) == page.read_text(encoding="utf-8"), "run python tools/tutorials.py, and read the page again"


def test_every_page_is_there_in_both_languages() -> None:
    assert sorted(page for pair in PAIRS for page in pair) == sorted(PAGES)


@pytest.mark.parametrize(("english", "japanese"), PAIRS, ids=lambda page: page_name(page))
def test_both_languages_run_the_same_commands(english: Path, japanese: Path) -> None:
    assert commands(japanese)[1:] == commands(english)
    assert commands(japanese)[0] == ["export SUDARE_LANG=ja"]


def commands(page: Path) -> list[list[str]]:
    """Return the lines of each block, without comments and names of files for people."""
    found = [step["commands"] for step in STEP.finditer(page.read_text(encoding="utf-8"))]
    return [[line for line in re.sub(r" *#.*", "", block).splitlines() if line] for block in found]


def test_a_command_that_fails_ends_the_run_unless_its_exit_code_is_shown() -> None:
    assert list(run(["export A=b\n", "echo $A\nfalse; echo $?\n"])) == ["\n", "b\n1\n"]
    with pytest.raises(TutorialFailed, match="before"):
        list(run(["echo before\nfalse\necho after\n"]))


def test_what_differs_from_run_to_run_is_not_compared() -> None:
    assert same("stopped after 4 s, 12 rows\n") == same("stopped after 5.1 s, 12 rows\n")
    assert same("7秒で打ち切りました") == same("10.5秒で打ち切りました")
    assert same("12 rows") != same("13 rows")
