from pathlib import Path

import pytest

import sudare
from sudare.tables.hierarchies.levels_file import read_levels


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("levels.csv", "attribute,level\nage, 2\n\nzip,1\n"),
        ("levels.txt", "age,2\nzip,1"),
        ("levels.toml", "age = 2\nzip = 1\n"),
        ("levels.toml", "[levels]\nage = 2\nzip = 1\n"),
        ("levels.json", '{"age": 2, "zip": 1}'),
        ("levels.json", '{"loss": 3.5, "best": {"age": 2, "zip": 1}}'),
    ],
)
def test_levels_are_read_from_csv_toml_and_json(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_levels(tmp_path / name) == {"age": 2, "zip": 1}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("levels.csv", "age\n", "line 1: 'age' is no attribute and its level"),
        ("levels.csv", "age,1\nage,2\n", "line 2: 'age' has a level already"),
        ("levels.csv", "age,-1\n", "line 1: the level '-1' of 'age'"),
        ("levels.csv", "age,high\n", "is no number from 0 on"),
        ("levels.csv", "", "has no levels"),
        ("levels.toml", "age = \n", "cannot be understood"),
        ("levels.toml", "age = true\n", "the level True of 'age'"),
        ("levels.json", "[1]", "has no attributes with levels"),
        ("levels.json", "{", "cannot be understood"),
        ("levels.json", '{"best": null}', "has no attributes with levels"),
    ],
)
def test_levels_that_cannot_be_used(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(sudare.OptionNotUsable, match=message):
        read_levels(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(sudare.SourceNotReadable, match="cannot be read"):
        read_levels(tmp_path / "levels.csv")
