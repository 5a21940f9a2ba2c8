import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, ["baskets", *(str(word) for word in words)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Milk 4, bread 3, tea 2; milk and bread 3, milk and tea 1."""
    path = tmp_path / "shop.txt"
    path.write_text("milk bread\nmilk bread tea\nmilk bread\nmilk\ntea\n")
    return path


def test_itemsets_are_shown_with_their_number(run: Run, file: Path) -> None:
    result = run("itemsets", file, "--support", "2", "--top", "3")
    assert result.exit_code == 0, result.output
    assert "4 itemsets are in at least 2 of 5 records; the largest have 2 items." in result.stdout
    assert "bread, milk" in result.stdout
    assert "3 of 4 are shown." in result.stdout
    assert "アイテム集合は4個" in run("itemsets", file, "--support", "2", "--lang", "ja").stdout


def test_a_support_with_a_point_is_a_share_and_without_a_number(run: Run, file: Path) -> None:
    for words, least in (("0.5", 3), ("3", 3), ("1", 1), ("1.0", 5)):
        found = json.loads(run("itemsets", file, "--support", words, "--json").stdout)
        assert found["least"] == least


def test_rules_are_shown_with_confidence_and_lift(run: Run, file: Path) -> None:
    result = run("rules", file, "--support", "0.4", "--confidence", "0.75")
    assert result.exit_code == 0, result.output
    assert "Rules in at least 2 of 5 records with a confidence of at least 75.00 %" in result.stdout
    assert "100 %" in result.stdout
    found = json.loads(run("rules", file, "--support", "0.4", "--confidence", "0.75", "--top", "1", "--json").stdout)
    assert [(rule["known"], rule["inferred"]) for rule in found["rules"]] == [(["bread"], ["milk"])]
    assert "There are no such rules." in run("rules", file, "--support", "5", "--confidence", "1").stdout


def test_rare_itemsets_end_with_exit_code_3(run: Run, file: Path) -> None:
    result = run("km", file, "--k", "2", "--m", "2")
    assert result.exit_code == 3, result.output
    assert "NOT 2^2-anonymous. Of 6 itemsets of at most 2 items, 2 are in fewer than 2 records." in result.stdout
    assert "bread, tea" in result.stdout
    assert "満たしません" in run("km", file, "--k", "2", "--m", "2", "--lang", "ja").stdout
    found = json.loads(run("km", file, "--k", "2", "--m", "2", "--json").stdout)
    assert (found["anonymous"], found["below"], found["examples"][0]) == (
        False,
        2,
        {"items": ["bread", "tea"], "support": 1},
    )


def test_anonymous_records_end_well(run: Run, file: Path) -> None:
    result = run("km", file, "--k", "2", "--m", "1")
    assert result.exit_code == 0, result.output
    assert (
        "are 2^1-anonymous: whichever items somebody knows of a record, at most 1, at least 2 records have all of them."
        in result.stdout
    )
    assert "at least 2 records have all of them." in result.stdout


def test_utility_of_a_publication(run: Run, file: Path, tmp_path: Path) -> None:
    published = tmp_path / "published.txt"
    published.write_text("milk bread\nmilk tea\nmilk bread\n\ntea\n")
    result = run("utility", file, published, "--support", "2", "--confidence", "0.5")
    assert result.exit_code == 0, result.output
    assert "Suppressed items: 22.22 %." in result.stdout
    found = json.loads(run("utility", file, published, "--support", "2", "--confidence", "0.5", "--json").stdout)
    assert found["suppressed_share"] == pytest.approx(2 / 9)
    assert found["rules"] == {"distance": 0.0, "original": 2, "published": 2, "shared": 2}
    assert "残された有用性" in run("utility", file, published, "--lang", "ja").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["itemsets", "--support", "many"], "--support 'many' is not a number"),
        (["itemsets", "--support", "1.5"], "--support must be a share of the records above 0 and up to 1"),
        (["rules", "--support", "1", "--confidence", "2"], "--confidence must be between 0 and 1, not 2"),
        (["km", "--k", "0", "--m", "2"], "must be at least 1, not 0 and 2"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(run: Run, file: Path, words: list[str], message: str) -> None:
    result = run(words[0], file, *words[1:])
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Hint:" in result.stderr
