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
        ("levels.csv", "age\n", "line 1: 'age' is not an attribute and a level"),
        ("levels.csv", "age,1\nage,2\n", "line 2: 'age' already has a level"),
        ("levels.csv", "age,-1\n", "line 1: the level of 'age' is '-1'"),
        ("levels.csv", "age,high\n", "not a whole number of 0 or more"),
        ("levels.csv", "", "contains no levels"),
        ("levels.toml", "age = \n", "cannot be parsed"),
        ("levels.toml", "age = true\n", "the level of 'age' is True"),
        ("levels.json", "[1]", "contains no levels"),
        ("levels.json", "{", "cannot be parsed"),
        ("levels.json", '{"best": null}', "contains no levels"),
    ],
)
def test_levels_that_cannot_be_used(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(sudare.OptionNotUsable, match=message):
        read_levels(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(sudare.SourceNotReadable, match="There is no file"):
        read_levels(tmp_path / "levels.csv")
