"""Folders of results take up what they have, and nothing that is somebody else's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sudare.errors import OptionNotUsable, OutputNotWritable
from sudare.sources.result_folders import PARAMETERS, filling, keep_parameters


def test_results_of_the_same_kind_and_parameters_are_gone_on_with(tmp_path: Path) -> None:
    assert not keep_parameters(tmp_path, "frontier", {"seed": 1})
    assert keep_parameters(tmp_path, "frontier", {"seed": 1})


def test_more_of_what_may_grow_is_kept_beside_what_was_there(tmp_path: Path) -> None:
    keep_parameters(tmp_path, "experiments", {"seed": 1}, {"data a": "x"})
    keep_parameters(tmp_path, "experiments", {"seed": 1}, {"data b": "y"})
    kept = {"what": "experiments", "seed": 1, "data a": "x", "data b": "y"}
    assert json.loads((tmp_path / PARAMETERS).read_text()) == kept
    with pytest.raises(OptionNotUsable, match="data a is 'x' there and 'z' here"):
        keep_parameters(tmp_path, "experiments", {"seed": 1}, {"data a": "z"})


@pytest.mark.parametrize("kept", ['{"a": 1}', "{}", '{"what": "other", "seed": 1}', '{"what": "frontier"}', "[]", "x"])
def test_a_folder_with_other_parameters_is_refused_and_stays_as_it_was(kept: str, tmp_path: Path) -> None:
    (tmp_path / PARAMETERS).write_text(kept)
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(OptionNotUsable, match=r"contains other results|was not written by sudare"):
        keep_parameters(tmp_path, "frontier", {"seed": 1})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {PARAMETERS: kept, "index.html": "mine"}


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(OutputNotWritable, match="is not empty"):
        keep_parameters(tmp_path, "frontier", {"seed": 1})


def test_what_was_put_into_a_folder_is_removed_unless_it_was_filled(tmp_path: Path) -> None:
    new, mine = tmp_path / "new", tmp_path / "mine"
    mine.mkdir()
    (mine / "notes").write_text("mine")
    for folder in (new, mine):
        with pytest.raises(KeyboardInterrupt), filling(folder):
            (folder / "files").mkdir()
            (folder / "files" / "one").write_text("half")
            (folder / "settings").write_text("half")
            raise KeyboardInterrupt
    assert not new.exists()
    assert [path.name for path in mine.iterdir()] == ["notes"]
    with filling(new):
        (new / "settings").write_text("whole")
    assert (new / "settings").read_text() == "whole"


def test_a_process_that_is_ended_at_once_leaves_no_half_filled_folder(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from sudare.cli.signals import leave
from sudare.sources.result_folders import filling

folder = Path(sys.argv[1])
with filling(folder):
    (folder / "settings").write_text("half")
    leave(2)
"""
    ended = subprocess.run([sys.executable, "-c", script, tmp_path / "new"], capture_output=True, check=False)
    assert ended.returncode == 130
    assert list(tmp_path.iterdir()) == []
