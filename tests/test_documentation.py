"""Documentation that a test can check is checked."""

from __future__ import annotations

import ast
import importlib
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import sudare
from sudare.messages import catalogue
from tests.pages import DOCS, ROOT, anchors, links, page_name, pages
from tests.public import public


@pytest.mark.parametrize("tool", ["cli_reference", "library_reference"])
def test_a_generated_reference_is_up_to_date(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    found = importlib.import_module(tool)
    assert found.PAGE.read_text(encoding="utf-8") == found.reference(), "run ./dev docs"


def test_the_library_page_names_every_public_function() -> None:
    page = (ROOT / "docs" / "reference" / "library.md").read_text(encoding="utf-8")
    functions = [name for name in public() if name[0].islower()]
    assert [name for name in functions if name not in page] == []


@pytest.mark.parametrize("page", [*pages(), ROOT / "CONTRIBUTING.md"], ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for line, target, place in links(page):
        file = (page.parent / target) if target else page
        if not file.exists() or (place and place not in anchors(file)):
            broken.append(f"{page_name(page)}:{line}: {target}#{place}")
    assert broken == []


def test_every_page_is_in_the_site() -> None:
    listed = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    in_docs = [page.relative_to(ROOT / "docs").as_posix() for page in pages() if (ROOT / "docs") in page.parents]
    assert [page for page in in_docs if f'"{page}"' not in listed] == []


def test_every_tutorial_and_how_to_page_is_there_in_japanese_too() -> None:
    english = {page.relative_to(DOCS) for room in ("tutorials", "how-to") for page in (DOCS / room).glob("*.md")}
    japanese = {page.relative_to(DOCS / "ja") for page in (DOCS / "ja").rglob("*.md")}
    assert english | {Path("index.md")} == japanese


def test_the_page_on_reports_has_the_sections_and_answers_that_reports_have() -> None:
    page = (DOCS / "reference" / "report.md").read_text(encoding="utf-8")
    shown = r"report\.((history|table|baskets|contest)\.section\.\w+|published\.section|contest\.conclusion\.\w+)"
    titles = {text.rstrip(".") for key, text in catalogue("en").items() if re.fullmatch(shown, key)}
    assert len(titles) > 40
    assert sorted(title for title in titles if f"| {title} |" not in page) == []


def python_blocks() -> list[tuple[str, str]]:
    return [
        (page.name, block)
        for page in pages()
        for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    ]


@pytest.mark.parametrize(("page", "block"), python_blocks())
def test_what_python_on_a_page_names_is_there(page: str, block: str) -> None:
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("sudare"):
            assert all(hasattr(import_module(str(node.module)), alias.name) for alias in node.names), page
        if isinstance(node, ast.Attribute) and re.fullmatch(r"sudare(\.\w+)+", name := ast.unparse(node)):
            found: object = sudare
            for part in name.split(".")[1:]:
                if not isinstance(found, ModuleType):
                    break
                assert hasattr(found, part), f"{page}: {name}"
                found = getattr(found, part)
