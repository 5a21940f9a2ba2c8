"""Running a gate: what is opened and how often, what comes first, what is told of files, and what errors say."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from sudare.baskets import read as baskets_read
from sudare.errors import BadRows, ColumnNotFound, InputError, OptionNotUsable, SourceNotReadable
from sudare.gate.opened import source as open_source
from sudare.gate.policy import read_policy
from sudare.gate.run import GateRun, hash_of, run_gate
from sudare.histories import read as histories_read
from sudare.histories.attackers import assessment, published
from sudare.histories.generalized import conversion
from sudare.messages import Message, Texts
from sudare.tables import collapsed
from sudare.tables.classes import records
from tests.conftest import TOY
from tests.gate.small_gates import PEOPLE, run_checks, write, write_policy

TABLE = {"kind": "table", "file": "people.csv"}
VISITS = "a b\na c\na b c\n"
ALIGNED = "customer,day,item,price,quantity\n" + "1,2010-12-01,パン,1.45,2\n" + "*,*,*,*,*\n" * 9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, people_csv=PEOPLE, toy_csv=TOY, visits_txt=VISITS, aligned_csv=ALIGNED)
    return tmp_path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the calls of what opens and reads; they do what they always do."""
    found: Counter[str] = Counter()

    def counted(module: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(module, name)

        def call(*args: Any, **options: Any) -> Any:
            found[name] += 1
            return real(*args, **options)

        monkeypatch.setattr(module, name, call)

    for module, name in (
        (open_source, "open_engine"), (collapsed, "collapse_table"), (records, "assess_records"),
        (histories_read, "read_history"), (conversion, "read_history_rows"), (assessment, "assess_attackers"),
        (published, "measure_published"), (baskets_read, "read_baskets"),
    ):  # fmt: skip
        counted(module, name)
    return found


def names(found: GateRun) -> list[str]:
    return [check.name for check in found.checks]


def test_a_table_is_read_once_for_all_its_checks(folder: Path, calls: Counter[str]) -> None:
    asked: list[dict[str, Any]] = [
        {"measure": "highest-risk"}, {"measure": "mean-risk"}, {"measure": "uniques"}, {"measure": "smallest-class"},
        {"measure": "uniques", "known": "sex"}, {"measure": "l", "sensitive": "town"},
        {"measure": "t", "sensitive": "town"}, {"measure": "subsets", "size": 2}, {"measure": "rare-values"},
        {"measure": "identifiers"},
    ]  # fmt: skip
    run_checks(folder, TABLE, *asked)
    # Records are grouped once for each thing that is known, not for each check.
    assert calls == {"open_engine": 1, "collapse_table": 1, "assess_records": 2}


def test_a_history_is_asked_once_about_everything_that_somebody_knows(folder: Path, calls: Counter[str]) -> None:
    after = {"aligned": "aligned.csv"}
    asked: list[dict[str, Any]] = [
        {"measure": "attackers"}, {"measure": "attacker", "attacker": 3}, {"measure": "knowledge", "knowledge": "item"},
        {"measure": "uniques", "knowledge": "day"}, {"measure": "rare-values"}, {"measure": "attackers", **after},
        {"measure": "knowledge", "knowledge": "item", **after}, {"measure": "loss", **after},
        {"measure": "use-case", "use": "rows", **after},
    ]  # fmt: skip
    run_checks(folder, {"kind": "history", "file": "toy.csv"}, *asked)
    assert calls == {
        "open_engine": 1, "read_history": 1, "read_history_rows": 1, "assess_attackers": 1, "measure_published": 1,
    }  # fmt: skip


def test_baskets_are_read_once(folder: Path, calls: Counter[str]) -> None:
    rho = {"measure": "rho", "rho": 0.5, "sensitive": "all"}
    asked: list[dict[str, Any]] = [{"measure": "km", "m": 2}, {"measure": "rare-values"}, rho]
    run_checks(folder, {"kind": "baskets", "file": "visits.txt"}, *asked)
    assert calls == {"open_engine": 1, "read_baskets": 1}


def test_each_source_has_an_engine_of_its_own_and_one_without_checks_none(folder: Path, calls: Counter[str]) -> None:
    sources = dict.fromkeys(("a", "b", "unused"), TABLE)
    checks = [{"source": name, "measure": "uniques", "fail": 1} for name in ("a", "b", "a")]
    checks[2]["measure"] = "mean-risk"
    found = run_gate(write_policy(folder, sources, *checks))
    assert calls == {"open_engine": 2, "collapse_table": 2, "assess_records": 2}
    assert names(found) == ["a: uniques", "b: uniques", "a: mean-risk"]
    assert [(told.name, told.rows) for told in found.inputs] == [("a", 6), ("b", 6), ("unused", None)]


def test_the_worst_comes_first_and_equals_as_in_the_policy(folder: Path) -> None:
    limits: list[dict[str, Any]] = [
        {"name": "passes", "fail": 1}, {"name": "warns", "warn": 0.1, "fail": 0.9}, {"name": "fails", "fail": 0.1},
        {"name": "excepted", "fail": 0.1, "except": {"reason": "a pilot", "until": "2999-01-01"}},
        {"name": "also passes", "fail": 0.9}, {"name": "also fails", "fail": 0.2},
        {"name": "proves nothing", "measure": "k-map", "population": "nobody.csv", "known": "sex, age", "fail": 0},
    ]  # fmt: skip
    write(folder, nobody_csv="sex,age\nd,1\n")
    found = run_checks(folder, TABLE, *({"measure": "uniques", **check} for check in limits))
    assert [(check.name, check.verdict) for check in found.checks] == [
        ("fails", "fail"), ("also fails", "fail"), ("proves nothing", "unproven"), ("warns", "warn"),
        ("excepted", "waived"), ("passes", "pass"), ("also passes", "pass"),
    ]  # fmt: skip
    assert found.counts == {"fail": 2, "unproven": 1, "drift": 0, "warn": 1, "waived": 1, "pass": 2}
    assert found.verdict == "fail"


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        ([{"fail": 1}], "pass"), ([{"fail": 1}, {"warn": 0.1}], "warn"), ([{"warn": 0.1}, {"fail": 0.1}], "fail"),
        ([{"fail": 0.1, "except": {"reason": "a", "until": "2026-05-31"}}], "pass"),
        ([{"fail": 0.1, "except": {"reason": "a", "until": "2026-05-30"}}], "fail"),
    ],
)  # fmt: skip
def test_the_gate_is_closed_if_a_check_fails(folder: Path, limits: list[dict[str, Any]], verdict: str) -> None:
    checks = [{"name": str(n), "source": "s", "measure": "uniques", **one} for n, one in enumerate(limits)]
    policy = write_policy(folder, {"s": TABLE}, *checks)
    assert run_gate(policy, day=dt.date(2026, 5, 31)).verdict == verdict


def test_exceptions_are_judged_today_if_no_day_is_given(folder: Path) -> None:
    today = dt.datetime.now().astimezone().date()
    until = {"reason": "a", "until": today.isoformat()}
    found = run_checks(folder, TABLE, {"measure": "uniques", "except": until})
    # Midnight may have passed meanwhile.
    assert found.day - today in (dt.timedelta(0), dt.timedelta(1))
    assert found.checks[0].verdict == ("waived" if found.day == today else "fail")


def test_inputs_have_their_hashes_and_sources_their_rows(folder: Path) -> None:
    write(folder, population_csv="sex,age\nm,30\nf,30\n", answers_toml="")
    checks = [
        {"name": "map", "source": "s", "measure": "k-map", "population": "population.csv", "known": "sex", "fail": 1},
        {"source": "v", "measure": "rho", "rho": 1, "sensitive": "item:a", "fail": 0},
    ]  # fmt: skip
    sources = {"s": TABLE, "v": {"kind": "baskets", "file": "visits.txt"}}
    found = run_gate(write_policy(folder, sources, *checks, answers="answers.toml"))
    assert [(told.name, told.file, told.rows) for told in found.inputs] == [
        ("s", "people.csv", 6), ("v", "visits.txt", 3), ("map: population", "population.csv", None),
        ("answers", "answers.toml", None),
    ]  # fmt: skip
    assert [told.sha256 for told in found.inputs] == [
        sha256((folder / told.file).read_bytes()).hexdigest() for told in found.inputs
    ]
    assert found.sha256 == sha256((folder / "policy.toml").read_bytes()).hexdigest()


@pytest.mark.parametrize("measure", ["attackers", "loss", "smallest-class"])
def test_whatever_is_measured_of_a_history_its_rows_are_told(folder: Path, measure: str) -> None:
    asked = {"measure": measure, "fail": 1, **({"aligned": "aligned.csv"} if measure == "loss" else {})}
    assert run_checks(folder, {"kind": "history", "file": "toy.csv"}, asked).inputs[0].rows == 10


def test_a_source_in_an_archive_is_read_and_hashed_as_it_is(folder: Path) -> None:
    with zipfile.ZipFile(folder / "people.zip", "w") as archive:
        archive.write(folder / "people.csv", "people.csv")
    found = run_checks(folder, {"kind": "table", "file": "people.zip"}, {"measure": "uniques"})
    assert found.checks[0].value == pytest.approx(4 / 6)
    assert found.inputs[0].sha256 == sha256((folder / "people.zip").read_bytes()).hexdigest()


def test_a_source_of_several_files_is_read_whole_and_changes_with_each(folder: Path) -> None:
    head, *rest = PEOPLE.splitlines()
    for number, part in enumerate((rest[:2], rest[2:])):
        (folder / f"part-{number}.csv").write_text("\n".join([head, *part, ""]), encoding="utf-8")
    found = run_checks(folder, {"kind": "table", "file": "part-*.csv"}, {"measure": "uniques"})
    assert found.checks[0].value == pytest.approx(4 / 6)
    assert found.inputs[0].rows == 6
    hashes = [sha256((folder / f"part-{number}.csv").read_bytes()).hexdigest() for number in (0, 1)]
    assert found.inputs[0].sha256 == sha256("\n".join(hashes).encode()).hexdigest()
    (folder / "part-1.csv").write_text(f"{head}\nm,1,x\n", encoding="utf-8")
    assert hash_of(folder / "part-*.csv") != found.inputs[0].sha256


def test_a_name_with_brackets_is_a_file_if_there_is_one(folder: Path) -> None:
    (folder / "people[1].csv").write_text(PEOPLE, encoding="utf-8")
    found = run_checks(folder, {"kind": "table", "file": "people[1].csv"}, {"measure": "uniques"})
    assert found.inputs[0].sha256 == sha256(PEOPLE.encode()).hexdigest()
    assert hash_of(folder / "people[2].csv") is None


@pytest.mark.parametrize("file", ["peple.csv", "part-*.csv"])
def test_a_source_that_is_missing_is_an_error_of_the_policy(folder: Path, file: str) -> None:
    with pytest.raises(SourceNotReadable, match=r"^policy\.toml, s: .*"):
        run_checks(folder, {"kind": "table", "file": file}, {"measure": "uniques"})


def test_a_file_of_a_check_that_is_missing_is_told_before_anything_is_read(folder: Path, calls: Counter[str]) -> None:
    asked = {"name": "map", "measure": "k-map", "population": "people.tsv", "known": "sex"}
    with pytest.raises(
        SourceNotReadable, match=r"^policy\.toml, map: population: .*people\.tsv.*people\.csv"
    ) as raised:
        run_checks(folder, TABLE, asked)
    assert calls == {}
    assert Texts("ja").say(Message(raised.value.key, raised.value.values)).startswith("policy.toml、map: population: ")


def test_missing_answers_are_told_by_their_name(folder: Path) -> None:
    policy = write_policy(folder, {"s": TABLE}, {"source": "s", "measure": "uniques", "fail": 1}, answers="a.toml")
    with pytest.raises(SourceNotReadable, match=r"^policy\.toml, answers: .*a\.toml"):
        run_gate(policy)


@pytest.mark.parametrize(
    ("source", "asked", "kind", "said"),
    [
        (TABLE, {"measure": "uniques", "known": "sexx"}, ColumnNotFound, "sexx"),
        (TABLE, {"measure": "l", "sensitive": "sex", "known": "sex"}, OptionNotUsable, "sex"),
        (TABLE, {"measure": "above-limit", "limit": 2}, OptionNotUsable, "2"),
        (TABLE, {"measure": "subsets", "size": 0}, OptionNotUsable, "size"),
        (TABLE, {"measure": "population-uniques"}, OptionNotUsable, "share"),
        ({**TABLE, "attributes": ["sex", "height"]}, {"measure": "uniques"}, ColumnNotFound, "height"),
        ({**TABLE, "engine": "abacus"}, {"measure": "uniques"}, InputError, "abacus"),
        ({"kind": "history", "file": "people.csv"}, {"measure": "attackers"}, InputError, "customer"),
        (
            {"kind": "history", "file": "toy.csv", "column": "customer"}, {"measure": "attackers"}, OptionNotUsable,
            "column",
        ),
        (
            {"kind": "history", "file": "toy.csv", "column": ["item=1", "item=2"]}, {"measure": "attackers"},
            OptionNotUsable, "item",
        ),
        ({"kind": "baskets", "file": "visits.txt"}, {"measure": "km", "m": 0}, OptionNotUsable, "m"),
    ],
)  # fmt: skip
def test_an_error_of_a_measure_says_policy_and_check_and_keeps_its_kind(
    folder: Path, source: dict[str, Any], asked: dict[str, Any], kind: type[InputError], said: str
) -> None:
    with pytest.raises(kind, match=rf"(?s)^policy\.toml, my check: .*{said}"):
        run_checks(folder, source, {"name": "my check", **asked})


def test_an_error_of_a_measure_says_what_to_do(folder: Path) -> None:
    write(folder, toy_csv="customer,day,item\n1,2011-02-31,a\n")
    with pytest.raises(BadRows, match=r"(?s)^policy\.toml, 1: .*\nHint: .+"):
        run_checks(folder, {"kind": "history", "file": "toy.csv"}, {"measure": "attackers"})


def test_what_is_asked_and_found_stands_in_the_results(folder: Path) -> None:
    policy = read_policy(
        write_policy(
            folder, {"s": TABLE},
            {"name": "risk", "source": "s", "measure": "highest-risk", "known": "sex", "warn": 0.3, "fail": "50%"},
            title="People", seed=5,
        )
    )  # fmt: skip
    found = run_gate(policy, day=dt.date(2026, 5, 31))
    (check,) = found.checks
    assert (found.title, found.source, found.seed, found.baseline) == ("People", "policy.toml", 5, None)
    assert (check.measure, check.better, check.unit, check.basis) == ("highest-risk", "low", "share", "counted")
    assert check.value == pytest.approx(1 / 3)
    assert (check.warn, check.fail, check.verdict) == (0.3, 0.5, "warn")
    assert check.said == ("6 records are in classes of size 3.",)
    told = found.to_dict()
    assert (told["verdict"], told["day"], told["checks"][0]["value"]) == ("warn", "2026-05-31", pytest.approx(1 / 3))
    assert {"policy", "compared"} & told.keys() == set()


def test_nothing_of_the_data_is_in_a_run_that_the_policy_does_not_allow(folder: Path) -> None:
    asked = [{"name": name, "measure": "km", "m": 2, "fail": 3} for name in ("shown", "hidden")]
    found = run_checks(folder, {"kind": "baskets", "file": "visits.txt"}, *asked, examples=("shown",))
    examples = {check.name: check.examples for check in found.checks}
    assert examples["hidden"] == ()
    assert "b + c" in examples["shown"]


def test_progress_is_told_of_each_check(folder: Path) -> None:
    told: list[tuple[int, int | None]] = []

    def progress(what: Message, done: int, of: int | None) -> None:
        if what.key == "progress.gate":
            told.append((done, of))

    checks = [{"source": "s", "measure": name, "fail": 1} for name in ("uniques", "mean-risk")]
    run_gate(write_policy(folder, {"s": TABLE}, *checks), progress=progress)
    assert told == [(0, 2), (1, 2), (2, 2)]
