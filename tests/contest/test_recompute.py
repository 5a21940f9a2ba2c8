"""An archive is recomputed: the same, or what differs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sudare.cli.app import app
from sudare.contest.evaluation import FinalFiles, evaluate_finals
from sudare.contest.publish import publish_anonymized
from sudare.contest.recompute import Difference, recompute_archive
from sudare.errors import SourceNotReadable
from sudare.histories.generalized.rule_sets import load_rules
from sudare.histories.generalized.text import read_original
from tests.web.small_contest import T, anonymized, guesses

run = CliRunner()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of one round with two teams, as the server would write it."""
    folder = tmp_path / "archive"
    (folder / "files").mkdir(parents=True)
    texts = {
        "t": T,
        "blue": anonymized(shift=0),
        "red": anonymized(dates=False, shift=2),
        "on_blue": guesses(right=11, shift=0),
        "on_red": guesses(right=5, shift=2),
    }
    names = {name: keep(folder, text.encode()) for name, text in texts.items()}
    for team in ("blue", "red"):
        publish_anonymized(folder / "files" / names[team], tmp_path / "published.csv")
        names[f"published_{team}"] = keep(folder, (tmp_path / "published.csv").read_bytes())
    teams = {"blue": "red", "red": "blue"}
    finals = [
        {
            "team": team,
            "anonymized": names[team],
            "published": names[f"published_{team}"],
            "guesses": [{"team": other, "file": names[f"on_{team}"]}],
        }
        for team, other in teams.items()
    ]
    files = folder / "files"
    evaluated = evaluate_finals(
        read_original(files / names["t"]),
        [FinalFiles(team, files / names[team], {other: files / names[f"on_{team}"]}) for team, other in teams.items()],
        load_rules(),
    )
    main = {"name": "Main", "original": names["t"], "finals": finals, "evaluation": evaluated.to_dict()}
    later = {"name": "Later", "original": None, "finals": [], "evaluation": None}
    described = {"contest": {"name": "Cup", "rules": "pwscup2018"}, "rounds": [main, later]}
    (folder / "archive.json").write_text(json.dumps(described))
    write_sums(folder)
    return folder


def keep(folder: Path, content: bytes) -> str:
    name = hashlib.sha256(content).hexdigest()
    (folder / "files" / name).write_bytes(content)
    return name


def write_sums(folder: Path) -> None:
    (folder / "SHA256SUMS").unlink(missing_ok=True)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "SHA256SUMS").write_text("".join(lines))


def change(folder: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    """Change what the archive says, hash included, as somebody would who has something to hide."""
    described = json.loads((folder / "archive.json").read_text())
    edit(described)
    (folder / "archive.json").write_text(json.dumps(described))
    write_sums(folder)


def test_an_archive_that_was_not_touched_is_the_same(archive: Path) -> None:
    found = recompute_archive(archive)
    assert found.same
    assert [(round.name, round.evaluated, round.finals, round.attacks) for round in found.rounds] == [
        ("Main", True, 2, 2),
        ("Later", False, 0, 0),
    ]
    assert found.files == 8
    done = run.invoke(app, ["contest", "recompute", str(archive)])
    assert done.exit_code == 0, done.output
    assert "Same: everything is as recorded." in done.stdout
    assert "一致" in run.invoke(app, ["contest", "recompute", str(archive), "--lang", "ja"]).stdout


def test_a_file_that_was_changed_is_named_and_nothing_is_computed(archive: Path) -> None:
    victim = next((archive / "files").iterdir())
    victim.write_bytes(victim.read_bytes() + b"\n")
    found = recompute_archive(archive)
    assert [difference.what for difference in found.differences] == [f"files/{victim.name}"]
    assert found.rounds == ()
    victim.unlink()
    assert recompute_archive(archive).differences == (Difference(None, f"files/{victim.name}", victim.name, None),)


def test_a_file_that_the_archive_names_but_does_not_have_is_told(archive: Path) -> None:
    change(archive, lambda described: described["rounds"][0]["finals"][0].update(anonymized="0" * 64))
    found = recompute_archive(archive)
    assert [difference.what for difference in found.differences] == [f"files/{'0' * 64}"]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda e: e["standings"][0].update(utility=0.2), [("red: utility", 0.2, 0.25)]),
        (lambda e: e["standings"][0].update(utility=0.25 + 1e-12), []),
        (lambda e: e["standings"][1].update(rank=1), [("blue: rank", 1, None)]),
        (lambda e: e["standings"].reverse(), [("order", ["blue", "red"], ["red", "blue"])]),
        (lambda e: e["attacks"][0].update(hits=10), [("red -> blue: hits", 10, 11)]),
        (lambda e: e["attacks"].pop(1), [("blue -> red", False, True)]),
    ],
)
def test_what_was_recorded_otherwise_is_listed(
    archive: Path, edit: Callable[[dict[str, Any]], None], expected: list[tuple[Any, ...]]
) -> None:
    change(archive, lambda described: edit(described["rounds"][0]["evaluation"]))
    found = recompute_archive(archive)
    listed = [(entry.what, entry.recorded, entry.recomputed) for entry in found.differences]
    assert listed == expected
    done = run.invoke(app, ["contest", "recompute", str(archive), "--json"])
    assert done.exit_code == (3 if expected else 0)
    assert json.loads(done.stdout)["same"] is not bool(expected)


def test_differences_are_shown_with_both_values(archive: Path) -> None:
    change(archive, lambda described: described["rounds"][0]["evaluation"]["attacks"][0].update(hits=10))
    done = run.invoke(app, ["contest", "recompute", str(archive)])
    assert done.exit_code == 3
    assert "Main: red -> blue: hits: recorded 10, recomputed 11" in done.stdout
    assert "NOT THE SAME: 1" in done.stdout


def test_what_was_published_must_come_from_the_final(archive: Path) -> None:
    def swap(described: dict[str, Any]) -> None:
        blue, red = described["rounds"][0]["finals"]
        blue["published"], red["published"] = red["published"], blue["published"]

    change(archive, swap)
    assert [entry.what for entry in recompute_archive(archive).differences] == ["blue: A'", "red: A'"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("archive.json", None),
        ("archive.json", "{"),
        ("archive.json", "{}"),
        ("archive.json", "[]"),
        ("SHA256SUMS", None),
        ("SHA256SUMS", "x"),
        ("SHA256SUMS", f"{'0' * 64}  ../outside\n"),
        ("SHA256SUMS", f"{'0' * 64}  /etc/passwd\n"),
    ],
)
def test_a_folder_that_is_no_archive_is_told(archive: Path, name: str, content: str | None) -> None:
    if content is None:
        (archive / name).unlink()
    else:
        (archive / name).write_text(content)
    with pytest.raises(SourceNotReadable, match="Hint: "):
        recompute_archive(archive)
    assert run.invoke(app, ["contest", "recompute", str(archive)]).exit_code == 2
