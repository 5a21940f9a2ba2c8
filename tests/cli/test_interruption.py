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
    "risk",
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
    assert "Interrupted. Shown is what was found until then." in said
    found = json.loads(out)
    assert (found["complete"], found["interrupted"], found["limit"]) == (False, True, 0.01)
    assert found["maximal"]
    assert all(entry["max_risk"] <= 0.01 for entry in found["maximal_risks"])
    code, out, said = interrupted(words, "attributes", 8)
    assert code == 130, said
    assert "The search was cut short: each set shown is right, but there may be more." in out
    assert "Traceback" not in said


@pytest.mark.slow
def test_an_interrupted_sample_shows_estimates_from_the_sets_drawn_so_far(tmp_path: Path) -> None:
    table = many_attributes(tmp_path / "table.csv", records=1000)
    words = ["sample", str(table), "--samples", "20000", "--by", "uniform"]
    code, out, said = interrupted(words, "drawn sets", 200)
    assert code == 130, said
    assert "Interrupted. Shown is what was found until then." in said
    assert "The estimates are from the sets measured until the interruption" in out
    assert "Traceback" not in said
