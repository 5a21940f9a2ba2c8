from __future__ import annotations

from pathlib import Path

import pytest

import sudare
from sudare.tables.hierarchies.files import hierarchy_paths
from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy


def hierarchy(*values: str, attribute: str = "x") -> Hierarchy:
    return make_hierarchy(attribute, {line: (value, "*") for line, value in enumerate(values)})


def test_files_are_named_after_their_attributes() -> None:
    found = hierarchy_paths(Path("h"), ["age", "native country", "a.b", "年齢"])
    assert [path.name for path in found.values()] == ["age.csv", "native country.csv", "a.b.csv", "年齢.csv"]


def test_a_name_that_no_file_can_have_gets_one_that_is_no_others() -> None:
    found = hierarchy_paths(Path("h"), ["a/b", "b", "a_b_", "", "あ" * 200, "あ" * 201])
    names = [path.name for path in found.values()]
    assert names[:4] == ["a_b__.csv", "b.csv", "a_b_.csv", "_.csv"]
    assert len(set(names)) == 6
    assert all(len(name.encode()) < 240 for name in names)


def test_all_or_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "h"
    with pytest.raises(sudare.HierarchyNotUsable, match="'b' has values that a text file cannot hold"):
        sudare.tables.write_hierarchies({"a": hierarchy("1"), "b": hierarchy("\0", attribute="b")}, folder)
    assert not folder.exists()
    written = sudare.tables.write_hierarchies({"a": hierarchy("1"), "b": hierarchy("2")}, folder)
    assert [path.read_text() for path in written.values()] == ["1;*\n", "2;*\n"]


def test_existing_files_are_overwritten_on_request_only(tmp_path: Path) -> None:
    sudare.tables.write_hierarchies({"a": hierarchy("1")}, tmp_path)
    with pytest.raises(sudare.OutputNotWritable, match=r"already contains a\.csv"):
        sudare.tables.write_hierarchies({"a": hierarchy("2"), "b": hierarchy("2")}, tmp_path)
    assert not (tmp_path / "b.csv").exists()
    sudare.tables.write_hierarchies({"a": hierarchy("2")}, tmp_path, overwrite=True)
    assert (tmp_path / "a.csv").read_text() == "2;*\n"


def test_a_second_file_for_an_attribute_is_refused(tmp_path: Path) -> None:
    (tmp_path / "adult_hierarchy_age.csv").write_text("1;*\n")
    with pytest.raises(sudare.OutputNotWritable, match=r"already has a hierarchy for 'age': adult_hierarchy_age\.csv"):
        sudare.tables.write_hierarchies({"age": hierarchy("1")}, tmp_path, overwrite=True)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sudare.OutputNotWritable, match="Cannot make the folder"):
        sudare.tables.write_hierarchies({"a": hierarchy("1")}, tmp_path / "no" / "h")


@pytest.mark.parametrize(
    "value", ["a;b", 'say "x"', "a,b", "a\tb", "a\nb", "a\r\nb", "a\u2028b", "PAR1", "%PDF", "\ufeffa", "\ta", "*", ";"]
)
def test_any_value_is_read_back_as_it_was(tmp_path: Path, value: str) -> None:
    written = hierarchy(value, "1,2\n3,4\n5,6")
    sudare.tables.write_hierarchy(written, tmp_path / "x.csv")
    assert sudare.tables.read_hierarchy(tmp_path / "x.csv", "x").steps == written.steps


def test_plain_values_are_written_plainly(tmp_path: Path) -> None:
    sudare.tables.write_hierarchy(hierarchy("20-29", "<=50K", "渋谷区", "a b"), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == "20-29;*\n<=50K;*\n渋谷区;*\na b;*\n"
