from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sudare.errors import SourceNotReadable
from sudare.tables.hierarchies.model import (
    Hierarchy,
    HierarchyNotUsable,
    find_hierarchies,
    level_codes,
    make_hierarchy,
    read_hierarchy,
)


def write(folder: Path, text: str, *, name: str = "h_age.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def hierarchy(*rows: tuple[str, ...]) -> Hierarchy:
    return make_hierarchy("age", dict(enumerate(rows, start=1)))


def test_a_file_has_a_line_per_value_and_a_column_per_level(tmp_path: Path) -> None:
    found = read_hierarchy(write(tmp_path, "21;20-29;*\n25; 20-29 ;*\r\n\n31;30-39;*\n"), "age")
    assert (found.attribute, found.levels) == ("age", 3)
    assert found.steps[0] == {"21": "21", "25": "25", "31": "31"}
    assert found.steps[1] == {"21": "20-29", "25": "20-29", "31": "30-39"}
    assert found.generalize(["31", "21"], 2) == ["*", "*"]
    assert (found.attribute, found.levels, found.source) == ("age", 3, str(tmp_path / "h_age.csv"))
    assert repr(found) == "Hierarchy(steps=<3>)"


@pytest.mark.parametrize(
    "text",
    [
        "a;[0,1);*\nb;[0,1);*\n",
        "a\t[0,1)\t*\nb\t[0,1)\t*\n",
        'a,"[0,1)",*\nb,"[0,1)",*\n',
    ],
)
def test_the_delimiter_is_found(tmp_path: Path, text: str) -> None:
    assert read_hierarchy(write(tmp_path, text), "x").generalize(["a"], 1) == ["[0,1)"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
def test_the_encoding_is_found(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path, "渋谷区;東京都;*\n横浜市;神奈川県;*\n", encoding=encoding)
    assert read_hierarchy(path, "住所").generalize(["渋谷区", "横浜市"], 1) == ["東京都", "神奈川県"]


def test_one_column_is_a_hierarchy_without_generalization(tmp_path: Path) -> None:
    assert read_hierarchy(write(tmp_path, "a\nb\n"), "x").levels == 1


def test_level_codes_number_the_generalized_values() -> None:
    codes = level_codes(hierarchy(("1", "low", "*"), ("2", "low", "*"), ("9", "high", "*")), ("1", "9", "2"))
    assert [code.tolist() for code in codes] == [[0, 1, 2], [0, 1, 0], [0, 0, 0]]
    assert codes[0].dtype == "int32"


def test_a_missing_value_is_one_of_its_own_until_everything_is_one_value() -> None:
    found = hierarchy(("1", "low", "*"), ("2", "high", "*"))
    assert [found.generalize([None, "1"], level) for level in range(3)] == [[None, "1"], [None, "low"], ["*", "*"]]
    assert [code.tolist() for code in level_codes(found, ("1", "2", None))] == [[0, 1, 2], [0, 1, 2], [0, 0, 0]]


def test_a_hierarchy_of_one_value_leaves_a_missing_value_alone_at_level_0() -> None:
    found = hierarchy(("1", "*"))
    assert [found.generalize([None], level) for level in range(2)] == [[None], ["*"]]


def test_a_line_with_an_empty_value_says_what_a_missing_one_becomes() -> None:
    found = hierarchy(("1", "low", "*"), ("2", "high", "*"), ("", "low", "*"))
    assert [found.generalize([None], level) for level in range(3)] == [[None], ["low"], ["*"]]


def test_values_the_hierarchy_lacks_are_named() -> None:
    values = tuple(str(number) for number in range(1, 14))
    with pytest.raises(HierarchyNotUsable, match=r"no lines for 12 values of 'age': '2', .*, '11' and 2 more\."):
        level_codes(hierarchy(("1", "*")), values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;b;*\nc;*\nd;b;*\n", r"h_age\.csv, line 2: this line has 2 columns, the others have 3\."),
        ("a;b;*\n\na;c;*\n", r"line 3: 'a' is already in line 1, with other levels"),
        (
            "a;x;1;*\nb;x;2;*\n",
            r"h_age\.csv, line 2: 'b' and 'a' \(line 1\) are both 'x' at level 1, but at level 2 one is '2'",
        ),
        ("a;x;*\nb;;*\n", r"line 2: level 1 of 'b' is empty"),
        ("\n \n", "has no lines"),
    ],
)
def test_what_is_no_hierarchy_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(HierarchyNotUsable, match=message):
        read_hierarchy(write(tmp_path, text), "age")


def test_a_value_twice_with_the_same_levels_is_one() -> None:
    assert hierarchy(("a", "*"), ("a", "*")).steps == ({"a": "a"}, {"a": "*"})


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match="There is no file"):
        read_hierarchy(tmp_path / "none.csv", "age")


def test_a_very_long_cell_is_read_whole(tmp_path: Path) -> None:
    found = read_hierarchy(write(tmp_path, "a;" + "b" * 200_000), "age")
    assert found.steps[1] == {"a": "b" * 200_000}


def test_files_belong_to_the_attribute_their_names_end_in(tmp_path: Path) -> None:
    for name in (
        "h_age.csv",
        "h_native-country.csv",
        "mortgage.csv",
        "adult.csv",
        "sex.txt",
        "x_sex.pdf",
        "階層年齢.csv",
    ):
        write(tmp_path, "a;*\n", name=name)
    found = find_hierarchies(tmp_path, ["sex", "country", "native-country", "age", "年齢", "race"])
    assert {attribute: path.name for attribute, path in found.items()} == {
        "sex": "sex.txt",
        "native-country": "h_native-country.csv",
        "age": "h_age.csv",
        "年齢": "階層年齢.csv",
    }


def test_two_files_for_one_attribute_are_refused(tmp_path: Path) -> None:
    for name in ("a_age.csv", "b_age.csv"):
        write(tmp_path, "a;*\n", name=name)
    with pytest.raises(HierarchyNotUsable, match=r"two hierarchies for 'age': a_age\.csv and b_age\.csv"):
        find_hierarchies(tmp_path, ["age"])


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match=r"Folder .* does not exist"):
        find_hierarchies(tmp_path / "none", ["age"])


def test_the_hierarchies_of_adult(real_data: Callable[[str], Path]) -> None:
    folder = real_data("adult/adult.csv").parent
    found = find_hierarchies(
        folder, "sex age race marital-status education native-country workclass occupation".split()
    )
    levels = {attribute: read_hierarchy(path, attribute).levels for attribute, path in found.items()}
    assert list(levels.values()) == [2, 5, 2, 3, 4, 3, 3, 3]
