"""The gate on real data, with ten checks each: open, closed, with evidence, and with one byte changed."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars
import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.cli.settings import settle
from sudare.messages import LANGUAGES, Language, Texts
from tests.gate.evidence_made import flip
from tests.gate.small_gates import write_policy

pytestmark = pytest.mark.slow

# A check, the limit that it keeps, and one that it does not.
Check = tuple[dict[str, Any], float, float | None]
SOURCES: Mapping[str, dict[str, Any]] = {
    "online-retail.parquet": {"kind": "history", "missing-value": ["customer=0"], "bad-rows": "drop"},
    "adult/adult.csv": {"kind": "table"},
    "bms-webview-1.txt": {"kind": "baskets"},
}
RANDOM = {"measure": "rho", "sensitive": "random:0.01", "max-known": 1}
PUBLISHED = {"published": "{file}"}
CHECKS: Mapping[str, list[Check]] = {
    "online-retail.parquet": [
        ({"measure": "attackers"}, 1, 0.2),
        ({"measure": "attacker", "attacker": 0}, 0.01, 0.0001),
        ({"measure": "attacker", "attacker": 5}, 0.5, None),
        ({"measure": "knowledge", "knowledge": "day"}, 0.5, None),
        ({"measure": "knowledge", "knowledge": "day + item"}, 1, 0.2),
        ({"measure": "uniques", "knowledge": "day + item"}, 1, 0.2),
        ({"measure": "smallest-class"}, 1, 2),
        ({"measure": "rare-values", "people": 1}, 0, None),
        ({"measure": "rare-values", "people": 3}, 4000, 0),
        ({"measure": "shared-pseudonyms", "other": "{file}"}, 1, 0),
    ],
    "adult/adult.csv": [
        ({"measure": "highest-risk", "known": ["sex", "race"]}, 0.09, 0.01),
        ({"measure": "mean-risk", "known": ["sex", "age"]}, 0.09, 0.001),
        ({"measure": "above-limit", "known": ["sex", "age"], "limit": 0.2}, 0.05, None),
        ({"measure": "uniques", "known": ["sex", "age", "race"]}, 0.01, 0),
        ({"measure": "l", "sensitive": "occupation", "known": ["sex", "race"]}, 5, 12),
        ({"measure": "t", "sensitive": "salary-class", "known": ["sex"]}, 0.2, 0.1),
        ({"measure": "subsets", "size": 2}, 1, 0.2),
        ({"measure": "oldest", "age": "age"}, 90, 89),
        ({"measure": "identifiers"}, 0, None),
        ({"measure": "card-numbers"}, 0, None),
    ],
    "bms-webview-1.txt": [
        ({"measure": "km", "m": 1}, 1, 5),
        ({"measure": "km", "m": 2}, 1, 5),
        ({"measure": "rare-values", "people": 1}, 0, None),
        ({"measure": "rare-values", "people": 3}, 50, 0),
        ({"measure": "rare-values", "people": 20}, 200, 50),
        ({**RANDOM, "rho": 0.9}, 0, None),
        ({**RANDOM, "rho": 0.1}, 100_000, 0),
        ({"measure": "suppressed", **PUBLISHED}, 0, None),
        ({"measure": "kl", **PUBLISHED}, 0, None),
        ({"measure": "rules-distance", **PUBLISHED}, 0, None),
    ],
}  # fmt: skip


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[Language]:
    yield request.param
    settle(["--lang", "en"])


@pytest.fixture(params=CHECKS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write_checks(folder: Path, name: str, file: Path, *, strict: bool) -> Path:
    """Write the ten checks of a source with the limits that they keep, or with those that they do not."""
    checks = [
        {
            "source": "data", **{key: str(file) if value == "{file}" else value for key, value in told.items()},
            "fail": failing if strict and failing is not None else kept,
        }
        for told, kept, failing in CHECKS[name]
    ]  # fmt: skip
    path = write_policy(folder, {"data": {**SOURCES[name], "file": str(file)}}, *checks)
    return path.rename(folder / ("strict.toml" if strict else "open.toml"))


def gate(language: Language, *words: str | Path) -> Result:
    return CliRunner().invoke(app, ["gate", *map(str, words), "--lang", language])


def rare_items(file: Path, fewer_than: int) -> int:
    """Return how many items or values fewer people have, counted without us."""
    if file.suffix == ".txt":
        lines = file.read_text().splitlines()
        counted = Counter(item for line in lines for item in {part.strip() for part in line.split("-1")} if item)
        return sum(count < fewer_than for count in counted.values())
    rows = polars.read_parquet(file)
    customer, item = (next(one for one in rows.columns if one.lower() in names)
                      for names in (("customerid", "customer"), ("stockcode", "item")))  # fmt: skip
    known = rows.filter(polars.col(customer) != 0)
    people = known.group_by(item).agg(polars.col(customer).n_unique().alias("people"))
    return int((people["people"] < fewer_than).sum())


def test_the_gate_opens_closes_and_leaves_evidence(
    tmp_path: Path, real_data: Callable[[str], Path], name: str, language: Language
) -> None:
    file, texts = real_data(name), Texts(language)
    opened = gate(
        language, "run", write_checks(tmp_path, name, file, strict=False), "--evidence", tmp_path / "evidence"
    )
    assert opened.exit_code == 0, opened.output
    assert opened.stdout.splitlines()[-1].startswith(texts("gate.answer.yes"))
    assert texts("gate.counted.pass", count=10) in opened.stdout

    strict = write_checks(tmp_path, name, file, strict=True)
    closed = gate(language, "run", strict, "--report", tmp_path / "gate.html", "--json")
    assert closed.exit_code == 3, closed.output
    found = json.loads(closed.stdout)
    failing = sum(limit is not None for _, _, limit in CHECKS[name])
    assert (found["counts"]["fail"], found["counts"]["pass"]) == (failing, 10 - failing)
    assert [one["verdict"] for one in found["checks"]] == ["fail"] * failing + ["pass"] * (10 - failing)
    page = (tmp_path / "gate.html").read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in page
    assert texts("report.gate.answer.fail", count=10, failing=failing) in page

    # The values are the same whatever the limits are.
    before = json.loads((tmp_path / "evidence" / "results.json").read_text(encoding="utf-8"))
    assert {one["name"]: one["value"] for one in before["checks"]} == {
        one["name"]: one["value"] for one in found["checks"]
    }
    check_by_hand(file, {one["name"]: one["value"] for one in before["checks"]})

    done = gate(language, "verify", tmp_path / "evidence")
    assert done.exit_code == 0, done.output
    assert texts("gate.verified") in done.stdout
    check_tampering(tmp_path / "evidence", language)


def check_by_hand(file: Path, values: Mapping[str, float]) -> None:
    """Compare some values with those that are counted without us."""
    if file.suffix == ".csv":
        rows = polars.read_csv(file, separator=";")
        sizes = rows.group_by("sex", "age", "race").len()["len"]
        assert values["data: uniques (sex, age, race)"] == pytest.approx((sizes == 1).sum() / len(rows))
        assert values["data: highest-risk (sex, race)"] == 1 / int(rows.group_by("sex", "race").len()["len"].min())
        assert values["data: oldest (age age)"] == rows["age"].max()
    else:
        assert values["data: rare-values (people 3)"] == rare_items(file, 3)


def check_tampering(evidence: Path, language: Language) -> None:
    """Change a byte in the middle of each file of evidence: it is named, and nothing is called verified."""
    texts = Texts(language)
    for path in sorted(evidence.iterdir()):
        if path.name == "manifest.json":
            continue
        content = path.read_bytes()
        flip(path, len(content) // 2)
        done = gate(language, "verify", evidence, "--files-only")
        assert done.exit_code == 3, path.name
        assert path.name in done.stdout
        assert texts("gate.not_verified") in done.stdout
        path.write_bytes(content)
    (evidence / "results.json").write_bytes((evidence / "results.json").read_bytes()[:-3])
    done = gate(language, "verify", evidence)
    assert (done.exit_code, texts("gate.verified") in done.stdout) == (3, False)


@pytest.mark.parametrize(
    ("name", "old", "new", "changed"),
    [
        # Somebody of 39 is 99 now: nobody was that old.
        ("adult/adult.csv", b"Male;39;", b"Male;99;", "data: oldest (age age)"),
        # An item that nobody else has.
        ("bms-webview-1.txt", b"10307 -1 10311", b"90307 -1 10311", "data: rare-values (people 3)"),
        ("online-retail.parquet", None, None, None),
    ],
)
def test_one_byte_of_the_data_is_caught(
    tmp_path: Path,
    real_data: Callable[[str], Path],
    name: str,
    old: bytes | None,
    new: bytes | None,
    changed: str | None,
) -> None:
    file = Path(shutil.copyfile(real_data(name), tmp_path / Path(name).name))
    policy = write_checks(tmp_path, name, file, strict=False)
    assert gate("en", "run", policy, "--evidence", tmp_path / "evidence").exit_code == 0
    content = file.read_bytes()
    if old and new:
        assert old in content
        file.write_bytes(content.replace(old, new, 1))
    else:
        # Of a compressed file, nobody knows what a byte is: it may be another number, or the end of reading.
        flip(file, len(content) // 2)
    done = gate("en", "verify", tmp_path / "evidence")
    assert done.exit_code == 3, done.output
    assert "Input changed: data (SHA-256 " in done.stdout
    assert "File changed" not in done.stdout
    if changed:
        assert f"Number changed: {changed}: " in done.stdout
    assert done.stdout.splitlines()[-1] == "NOT VERIFIED: something differs from the evidence."
