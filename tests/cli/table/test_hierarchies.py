import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, ["table", "hierarchies", *(str(word) for word in words)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("age;sex;zip\n21;m;12345\n22;f;12399\n38;m;54321\n61;f;54399\n")
    return path


def test_files_are_written_and_shown(run: Run, file: Path, tmp_path: Path) -> None:
    result = run(file, "-o", tmp_path / "h")
    assert result.exit_code == 0, result.output
    assert any(
        "zip" in line and "postal code" in line and "12345 > 123** > *" in line for line in result.stdout.split("\n")
    )
    assert sorted(path.name for path in (tmp_path / "h").iterdir()) == ["age.csv", "sex.csv", "zip.csv"]
    assert (tmp_path / "h" / "sex.csv").read_text() == "f;*\nm;*\n"
    levels = CliRunner().invoke(
        app, ["table", "levels", str(file), "--hierarchies", str(tmp_path / "h"), "--limit", "0.5"]
    )
    assert levels.exit_code == 0, levels.output


def test_some_attributes_with_given_kinds_as_json(run: Run, file: Path, tmp_path: Path) -> None:
    result = run(file, "--attributes", "zip", "--kind", "zip=number", "-o", tmp_path / "h", "--json")
    found = json.loads(result.stdout)
    assert [(entry["attribute"], entry["kind"]) for entry in found["hierarchies"]] == [("zip", "number")]
    assert found["hierarchies"][0]["file"] == str(tmp_path / "h" / "zip.csv")


def test_remarks_are_shown_in_both_languages(run: Run, file: Path, tmp_path: Path) -> None:
    file.write_text("id;a\n" + "".join(f"name{number:x}y;1\n" for number in range(30)))
    assert "id: the values name people, or nearly every record has its own." in run(file, "-o", tmp_path / "h").stdout
    assert (
        "id: 値が個人を示すか、ほとんどのレコードで異なります。"
        in run(file, "-o", tmp_path / "h", "--force", "--lang", "ja").stdout
    )


def test_names_that_no_file_can_have_are_told(run: Run, file: Path, tmp_path: Path) -> None:
    file.write_text("in/out,b\n1,2\n3,4\n")
    result = run(file, "-o", tmp_path / "h")
    assert f"--hierarchy 'in/out={tmp_path / 'h' / 'in_out.csv'}'" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "there"], "there already contains age.csv and sex.csv"),
        (["-o", "there"], "replace these files with --force."),
        (["-o", "no/h"], "Cannot make the folder no/h"),
        (["-o", "h", "--kind", "age"], "--kind 'age' must have the form NAME=VALUE"),
        (["-o", "h", "--kind", "age=mood"], "Unknown kind of values 'mood'"),
        (["-o", "h", "--kind", "sex=date"], "'sex' has no value of the kind date"),
        (["-o", "h", "--kind", "agee=date"], "Did you mean age"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(file.parent)
    Path("there").mkdir()
    for name in ("age.csv", "sex.csv"):
        (Path("there") / name).write_text("1;*\n")
    result = run(file, *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not Path("h").exists()
