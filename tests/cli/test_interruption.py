import json
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

COMMAND = [
    sys.executable,
    "-c",
    # A line of progress for every step, so that a test can wait for the first ones.
    "import sys; from sudare.cli import frame; frame.PLAIN_PROGRESS_SECONDS = 0; from sudare.cli import main; main()",
    "table",
]
# Seconds after which a test gives up; the work itself would take hours.
PATIENCE = 120


def many_attributes(path: Path, *, records: int) -> Path:
    """Write a table of forty attributes that are alike: the safe sets are a great part of a million million sets."""
    draw = random.Random(1)
    rows = (",".join(draw.choices("xy", k=40)) for _ in range(records))
    path.write_text("\n".join([",".join(f"a{n}" for n in range(40)), *rows]) + "\n")
    return path


def interrupted(words: list[str], step: str, lines: int) -> tuple[int, str, str]:
    """Interrupt a command when it has told of a step some times; return exit code, stdout and stderr."""
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if said.count(f"... {step} (") == lines:
            process.send_signal(signal.SIGINT)
            break
    out, rest = process.communicate()
    timer.cancel()
    return process.returncode, out, said + rest


@pytest.mark.slow
def test_an_interrupted_search_shows_the_sets_found_so_far(tmp_path: Path) -> None:
    table = many_attributes(tmp_path / "table.csv", records=20_000)
    words = ["disclosable", str(table), "--limit", "0.01", "--seconds", "3600"]
    code, out, said = interrupted([*words, "--json"], "attributes", 8)
    assert code == 130, said
    assert "Interrupted. The output shows what was found until then." in said
    found = json.loads(out)
    assert (found["complete"], found["interrupted"], found["limit"]) == (False, True, 0.01)
    assert found["maximal"]
    assert all(entry["max_risk"] <= 0.01 for entry in found["maximal_risks"])
    code, out, said = interrupted(words, "attributes", 8)
    assert code == 130, said
    assert "The search was stopped early: " in out
    assert "Traceback" not in said


@pytest.mark.slow
def test_an_interrupted_sample_shows_estimates_from_the_sets_drawn_so_far(tmp_path: Path) -> None:
    table = many_attributes(tmp_path / "table.csv", records=1000)
    words = ["sample", str(table), "--sets", "20000", "--by", "uniform"]
    code, out, said = interrupted(words, "sampled sets of attributes", 200)
    assert code == 130, said
    assert "Interrupted. The output shows what was found until then." in said
    assert "measured before the interruption" in out
    assert "Traceback" not in said


@pytest.mark.slow
def test_an_interrupted_search_for_levels_shows_and_writes_the_best_so_far(tmp_path: Path) -> None:
    table = many_attributes(tmp_path / "table.csv", records=1000)
    (tmp_path / "h").mkdir()
    for n in range(40):
        (tmp_path / "h" / f"a{n}.csv").write_text("x;*\ny;*\n")
    out = tmp_path / "out.csv"
    words = ["levels", str(table), "--hierarchies", str(tmp_path / "h"), "--limit", "0.1", "--seconds", "3600"]
    code, shown, said = interrupted([*words, "-o", str(out), "--json"], "trying nearby levels", 5)
    assert code == 130, said
    assert "Interrupted. The output shows what was found until then." in said
    found = json.loads(shown)
    assert (found["complete"], found["interrupted"], found["nodes"]) == (False, True, 2**40)
    assert 0 < found["bound"] < found["loss"]
    assert found["written"]["max_risk"] <= 0.1
    assert len(out.read_text().splitlines()) == 1001
    assert "Traceback" not in said


@pytest.mark.slow
def test_interrupted_draws_are_a_smaller_sample(tmp_path: Path) -> None:
    table = many_attributes(tmp_path / "table.csv", records=1000)
    words = ["dangerous", str(table), "--size", "20", "--sets", "100000", "--seconds", "3600", "--json"]
    code, out, said = interrupted(words, "sampled sets of attributes", 50)
    assert code == 130, said
    estimate = json.loads(out)["estimate"]
    assert 50 <= estimate["drawn"] < estimate["samples"] == 100_000
    (tmp_path / "costs.csv").write_text("".join(f"a{n},1\n" for n in range(40)))
    words = ["affordable", str(table), "--costs", str(tmp_path / "costs.csv"), "--budget", "10", "--seconds", "3600"]
    code, out, said = interrupted([*words, "--sets", "100000", "--json"], "sampled sets of attributes", 3)
    assert code == 130, said
    estimate = json.loads(out)["estimate"]
    assert (estimate["maximal"], 512 <= estimate["drawn"] < 100_000) == (847_660_528, True)
