"""Every command that takes long, interrupted at ten random moments, ends as it should and leaves nothing behind."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MOMENTS = 10
# What libraries keep threads for: those of linear algebra, of scikit-learn, and of the memory of pyarrow.
NO_THREADS = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false",
}  # fmt: skip
# Seconds from the beginning of the work in which it is interrupted; as often in its first moments as later on.
FIRST, LAST = 0.001, 1.0
# Each command writes into OUT. The others are inputs: a history H, what was made of it (A, and published P; more in
# the folder AS), a table T with hierarchies G and costs C, baskets B; SECONDS, CUSTOMERS
# and RECORDS are numbers that make the work long enough.
COMMANDS = [
    "history attackers H",
    "history attackers H --anonymized A --report OUT/o.html",
    "history knowledge H (day+item)*2",
    "contest attack H P -o OUT/o.csv",
    "table risk T",
    "table subsets T -o OUT/o.csv",
    "table sample T --sets 100000",
    "table disclosable T --limit 0.1",
    "table dangerous T --size 3",
    "table affordable T --costs C --budget 30",
    "table levels T --limit 0.1 --hierarchies G -o OUT/o.csv",
    "table anonymize T --k 5 --seconds SECONDS -o OUT/o.csv --aligned OUT/o.parquet --report OUT/o.html",
    "table anonymize T --k 5 --model levels --seconds SECONDS -o OUT/o.csv",
    "table population T --population-size 1000000",
    "table report T -o OUT/o.html",
    "baskets check B --sensitive random:0.4 --rho 0.5 --max-known 3",
    "baskets suppress B --sensitive random:0.4 --rho 0.5 --max-known 3 -o OUT/o.csv",
    "baskets suppress B --sensitive random:0.4 --rho 0.5 --max-known 2 --strategy best -o OUT/o.csv",
    "baskets suppress B --sensitive random:0.4 --rho 0.5 --epsilon 0.02 --delta 0.02 -o OUT/o.csv",
    "baskets itemsets B --support 2",
    "baskets experiment B -o OUT/folder --repetitions 2",
    "history anonymize H --k 3 --seconds SECONDS -o OUT/o.csv --aligned OUT/o.parquet",
    "history anonymize H --k 3 --model concealment --seconds SECONDS -o OUT/o.csv",
    "history anonymize H --k 3 --model levels --seconds SECONDS -o OUT/o.csv",
    "history anonymize H --k 3 --model suppression --seconds SECONDS -o OUT/o.csv",
    "contest frontier H --ks 2-4 --seconds SECONDS -o OUT/folder",
    "contest utility H A",
    "contest use-cases H A",
    "contest correlate AS H -o OUT/folder",
    "contest classes H A",
    "contest duel H A",
    "contest report H A -o OUT/o.html",
    "generate history OUT/o.csv --customers CUSTOMERS",
    "generate table OUT/o.csv --records RECORDS",
]

Server = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.cli.interrupting"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).parents[2], env={**os.environ, **NO_THREADS},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    requests, answers = process.stdin, process.stdout

    def ask(request: dict[str, Any]) -> Any:
        requests.write(json.dumps(request) + "\n")
        requests.flush()
        return json.loads(answers.readline())

    yield ask
    requests.close()
    process.wait()
    answers.close()


@pytest.fixture(scope="module")
def large(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("large")
    return make_inputs(server, folder, customers=200, records=20_000, baskets=3000) | {
        "SECONDS": "20",
        "CUSTOMERS": "20000",
        "RECORDS": "3000000",
    }


@pytest.fixture(scope="module")
def small(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("small")
    return make_inputs(server, folder, customers=12, records=50, baskets=30) | {
        "SECONDS": "0.1",
        "CUSTOMERS": "20",
        "RECORDS": "20",
    }


def make_inputs(server: Server, folder: Path, *, customers: int, records: int, baskets: int) -> dict[str, str]:
    """Return the words that stand for inputs, and their files."""
    names = {
        "H": "history.csv", "A": "anonymized/a.csv", "AS": "anonymized", "P": "published.csv",
        "T": "table.csv", "G": "hierarchies", "C": "costs.csv", "B": "baskets.txt",
    }  # fmt: skip
    made = {word: str(folder / name) for word, name in names.items()}
    draw = random.Random(1)
    (folder / "anonymized").mkdir()
    purchases = [purchase(draw, customers) for _ in range(90 * customers)]
    Path(made["H"]).write_text("".join(f"{10_000 + who},{day},{rest}\n" for who, day, rest in purchases))
    for name in "abc":
        cells = (f"{who},[2010/12/1;{day}],{rest}\n" for who, day, rest in purchases)
        (folder / "anonymized" / f"{name}.csv").write_text("".join(cells))
    for command in (
        "contest publish A -o P",
        f"generate table T --records {records} --write-hierarchies G",
    ):
        ended = server({"warm": replaced(command, made)})
        assert ended["code"] == 0, ended
    header = (folder / "table.csv").read_text().partition("\n")[0]
    Path(made["C"]).write_text("attribute,cost\n" + "".join(f"{name},4\n" for name in header.split(",")))
    lines = (" ".join(map(str, sorted(draw.sample(range(60), draw.randint(2, 9))))) for _ in range(baskets))
    Path(made["B"]).write_text("\n".join(lines) + "\n")
    return made


def purchase(draw: random.Random, customers: int) -> tuple[int, str, str]:
    """Return a customer, a day, and the item, price and quantity of a purchase: a few items are bought often."""
    item = int(400 * draw.random() ** 3)
    day = f"2010/12/{draw.randint(1, 31)}"
    return draw.randint(1, customers), day, f"{20000 + item},{1 + item % 9}.25,{draw.randint(1, 12)}"


def replaced(command: str, words: dict[str, str]) -> list[str]:
    """Return the words of a command, with those that stand for something replaced by it."""
    return [words.get(word, word).replace("OUT", words.get("OUT", "")) for word in command.split()]


def outputs(command: str) -> set[str]:
    """Return the names of the files that a command writes."""
    named = {word.removeprefix("OUT/") for word in command.split() if word.startswith("OUT/o.")}
    return named | {f"{name}.certificate.json" for name in named if command.startswith("baskets suppress")}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupted_command_ends_with_130_and_leaves_nothing(
    command: str, server: Server, small: dict[str, str], large: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "small").mkdir()
    warm = server({"warm": replaced(command, small | {"OUT": str(tmp_path / "small")})})
    assert warm["code"] in (0, 3), warm
    assert warm["threads"] == 1, warm
    draw = random.Random(command)
    trials = []
    for number in range(MOMENTS):
        folder = str(tmp_path / str(number))
        seconds = FIRST * (LAST / FIRST) ** draw.random()
        trials.append({"words": replaced(command, large | {"OUT": folder}), "folder": folder, "seconds": seconds})
    ended = server({"trials": trials})
    for one in ended:
        # 0 and 3: it had ended before.
        assert one["code"] in (0, 3, 130), one
        assert "Traceback" not in one["stderr"], one
        assert "Internal error" not in one["stderr"], one
        left = set(one["left"]) - {"stdout", "stderr", "temporary"}
        assert [name for name in left if name.startswith("temporary/") or "/." in f"/{name}"] == [], one
        if one["code"] == 130:
            assert "Interrupted" in one["stderr"], one
            # What is finished of work in a folder is kept. Files are there whole and all of them, or not at all.
            files = {name for name in left if not name.startswith("folder")}
            assert files in (set(), outputs(command)), one
            # Who interrupts learns of each of them, and which to keep secret.
            assert all(f"{Path(one['folder']) / name}" in one["stderr"] for name in files), one
            assert ("keep it secret" in one["stderr"]) == ("--aligned" in command and bool(files)), one
    assert 130 in {one["code"] for one in ended}, ended
