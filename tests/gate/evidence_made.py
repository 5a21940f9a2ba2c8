"""Evidence of a small gate, to be looked into and tampered with."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sudare.gate.evidence import MANIFEST, json_text, manifest_of, write_evidence
from sudare.gate.run import GateRun, run_gate
from tests.gate.small_gates import write_policy

# Values that stand in no other text: whoever finds one in a file has found the data.
NAMES = ("Quillfeather", "Brambleworth", "Ottosdotter", "Wintringham", "Zabłocki", "織田原乃介")
TOWNS = ("Xanthopolis", "Yvetotville")
PEOPLE = "name,age,town\n" + "".join(
    f"{name},{770_101 + number},{TOWNS[number % 2]}\n" for number, name in enumerate(NAMES)
)
# Two of four are bought together by one customer alone.
VISITS = "Pumpernickel Quincejam\nPumpernickel Quincejam\nPumpernickel Rollmops\nPumpernickel\n"
ITEMS = ("Pumpernickel", "Quincejam", "Rollmops")
DAY = dt.date(2026, 3, 1)


def make_policy(folder: Path, **gate: Any) -> Path:
    """Write two sources and a policy about them: one check fails, one warns, one has an exception."""
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "visits.txt").write_text(VISITS, encoding="utf-8")
    waiver = {"reason": "A pilot", "until": "2026-12-31"}
    return write_policy(
        folder,
        {"people": {"kind": "table", "file": "people.csv"}, "visits": {"kind": "baskets", "file": "visits.txt"}},
        {"name": "risk", "source": "people", "measure": "highest-risk", "known": ["town"], "fail": 0.5},
        {"name": "unique", "source": "people", "measure": "uniques", "known": ["age"], "warn": 0, "fail": 1},
        {"name": "rare", "source": "people", "measure": "rare-values", "fail": 0, "except": waiver},
        {"name": "pairs", "source": "visits", "measure": "km", "m": 2, "fail": 2},
        title="Hand-over",
        seed=5,
        **gate,
    )


def make_run(folder: Path, *, baseline: Path | None = None, **gate: Any) -> GateRun:
    """Run the policy."""
    return run_gate(make_policy(folder, **gate), baseline=baseline, day=DAY)


def make_evidence(folder: Path, **gate: Any) -> Path:
    """Write evidence of the policy."""
    write_evidence(make_run(folder, **gate), folder / "evidence")
    return folder / "evidence"


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file of evidence as somebody does who knows its form."""
    told = json.loads(path.read_text(encoding="utf-8"))
    change(told)
    path.write_text(json_text(told), encoding="utf-8")


def forge_manifest(evidence: Path) -> None:
    """Make the manifest anew, so that it fits whatever the files are now."""
    (evidence / MANIFEST).write_text(json_text(manifest_of(evidence)), encoding="utf-8")


def flip(path: Path, place: int, by: int = 1) -> None:
    """Change one byte of a file, and nothing else."""
    content = bytearray(path.read_bytes())
    content[place] = (content[place] + by) % 256
    path.write_bytes(content)
