from pathlib import Path

import pytest

from sudare.data.writing import check_writable, whole_file
from sudare.errors import OutputNotWritable


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    with whole_file(target) as temporary:
        assert temporary.suffix == ".txt"
        temporary.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert names(tmp_path) == ["out.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(target) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_an_error_of_the_system_is_explained(tmp_path: Path) -> None:
    with (
        pytest.raises(OutputNotWritable, match=r"No space left on device\. Nothing was left half-written"),
        whole_file(tmp_path / "out.txt"),
    ):
        raise OSError(28, "No space left on device")
    assert names(tmp_path) == []


def test_a_folder_or_a_missing_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(OutputNotWritable, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(OutputNotWritable, match="does not exist"):
        check_writable(tmp_path / "no" / "out.txt")
    check_writable(tmp_path / "out.txt")
    assert names(tmp_path) == []


def test_a_written_file_has_the_usual_rights(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    with whole_file(tmp_path / "out.txt") as temporary:
        assert temporary.stat().st_mode & 0o077 == 0
    assert (tmp_path / "out.txt").stat().st_mode == usual.stat().st_mode
