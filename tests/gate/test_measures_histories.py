"""Every measure of purchase histories, on small ones whose values are counted by hand or by brute force."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sudare.errors import InputError
from sudare.gate.measures.registry import MEASURES
from sudare.histories.attack.duel import with_pseudonyms
from sudare.histories.attackers.knowledge import TEN_ATTACKERS
from sudare.histories.generalized.conversion import read_history_rows
from sudare.histories.generalized.model import CellHistory
from tests.conftest import TOY
from tests.gate.small_gates import measured, run_checks, write
from tests.histories.attack.histories import Row, anonymize_classes, day, history, made_rows, name as item_name, price
from tests.histories.brute_force import Row as Bought
from tests.histories.brute_force_cells import Cells, measured as measured_in_worlds
from tests.histories.profiles.small_profiles import habitual_rows

HEADER = "customer,day,item,price,quantity\n"
SOURCE = {"kind": "history", "file": "toy.csv"}
# What is left of the toy history: a row of each customer, all of them alike.
LIKE = "[2010-12-01;2010-12-02],パン,1.45,[2;4]\n"
DELETED = "*,*,*,*,*\n"
ALIGNED = HEADER + f"3,{LIKE}{DELETED * 2}1,{LIKE}{DELETED}2,{LIKE}{DELETED * 4}"
TOY_PUBLISHED = {"aligned": "aligned.csv"}
# Customers who buy what nobody else buys, half a year apart, and customers who all buy the same.
OWN, SAME = ([[f"{n}{letter}" for letter in "abc"] if own else ["a", "b", "c"] for n in range(8)] for own in (1, 0))

Case = tuple[dict[str, Any], float]
CASES: Mapping[str, list[Case]] = {
    # Table 10 of the paper for its toy history; of attackers 4 and 7 to 9 each is certain.
    "attackers": [({}, 1)],
    "attacker": [
        ({"attacker": 0}, 1 / 3), ({"attacker": 1}, 0.55), ({"attacker": 6}, 0.9), ({"attacker": 9}, 1),
        ({"attacker": 0, **TOY_PUBLISHED}, 1 / 3),
    ],
    # Ten times an item is bought on a day: bread by all three, the book and tea by two, juice twice by one.
    "knowledge": [
        ({"knowledge": "item"}, (3 / 3 + 5 / 2 + 2) / 10), ({"knowledge": "day + item"}, 0.9),
        # Bread alone is left, of three who look the same.
        ({"knowledge": "item", **TOY_PUBLISHED}, 3 / 3 / 10),
    ],
    "uniques": [({"knowledge": "item"}, 2 / 10), ({"knowledge": "day + item"}, 8 / 10)],
    "profiles": [
        ({"known": "own-known.csv", "truth": "truth.csv"}, 1),
        ({"known": "same-known.csv", "truth": "truth.csv"}, 1 / 8),
        ({"split": "2011-04-01"}, 1),
    ],
    "smallest-class": [({}, 1)],
    "attacks": [({"aligned": "classes.csv"}, 0)],
    # Two customers keep a row as it is; that one row of two is a star costs its four cells of eight.
    "loss": [({"aligned": "half.csv"}, 0.5), ({"aligned": "none.csv"}, 1), ({"aligned": "set.csv"}, (1 - 1 / 2) / 8)],
    "use-case": [
        ({"use": "rows", **TOY_PUBLISHED}, 7), ({"use": "top_items", **TOY_PUBLISHED}, 3 / 100),
        ({"use": "rows", "aligned": "toy-aligned.csv"}, 0), ({"use": "rfm", "aligned": "toy-aligned.csv"}, 0),
    ],
    # Bread has three customers, the book and tea two, juice one.
    "rare-values": [({}, 3), ({"people": 2}, 1), ({"people": 1}, 0), ({"people": 4}, 4)],
    "shared-pseudonyms": [({"other": "other.csv"}, 1 / 3), ({"other": "toy.csv"}, 1)],
}  # fmt: skip
# Measures whose data are others than the toy history.
SOURCES = {"profiles": "own.csv", "attacks": "habits.csv", "loss": "two.csv"}


def rows_of(people: list[list[str]], month: int, letter: str) -> str:
    lines = [
        f"{letter}{n},2011-{month:02}-{1 + place},{item},1,1\n"
        for n, items in enumerate(people, 1)
        for place, item in enumerate(items)
    ]
    return HEADER + "".join(lines)


def written(rows: list[Row]) -> str:
    return HEADER + "".join(f"{who},{day(n)},{item_name(item)},{price(cents)},{q}\n" for who, n, item, cents, q in rows)


def write_aligned(folder: Path, rows: list[Row], anonymized: CellHistory, name: str) -> None:
    """Write a history and an anonymized form of it."""
    write(folder, habits_csv=written(rows))
    read_history_rows(folder / "habits.csv").write_aligned(anonymized, folder / name)


def write_what_is_needed(folder: Path, measure: str) -> None:
    cells = [line.split(",") for line in TOY.replace("2010/12/", "2010-12-0").splitlines()]
    texts = {
        "toy.csv": TOY,
        "aligned.csv": ALIGNED,
        "toy-aligned.csv": HEADER + "".join(f"{c[0]},{c[2]},{c[4]},{c[5]},{c[6]}\n" for c in cells),
        "other.csv": HEADER + "1,2011-01-01,a,1,1\n9,2011-01-01,a,1,1\n",
        "own.csv": rows_of(OWN, 6, "x").replace(HEADER, HEADER + rows_of(OWN, 1, "x").replace(HEADER, "")),
        "own-known.csv": rows_of(OWN, 1, "c"),
        "same-known.csv": rows_of(SAME, 1, "c"),
        "truth.csv": "".join(f"x{n},c{n}\n" for n in range(1, 9)),
        "two.csv": HEADER + "1,2011-01-01,a,1,1\n2,2011-01-02,b,1,1\n",
        "half.csv": HEADER + "2,2011-01-01,a,1,1\n*,*,*,*,*\n",
        "none.csv": HEADER + DELETED * 2,
        "set.csv": HEADER + "1,2011-01-01,{a;b},1,1\n2,2011-01-02,b,1,1\n",
    }
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    if measure == "attacks":
        rows = habitual_rows(1)
        write_aligned(folder, rows, anonymize_classes(rows, 10), "classes.csv")


@pytest.mark.parametrize("measure", MEASURES["history"])
def test_a_measure_of_histories_is_what_is_counted_by_hand(tmp_path: Path, measure: str) -> None:
    write_what_is_needed(tmp_path, measure)
    cases = CASES[measure]
    source = {**SOURCE, "file": SOURCES.get(measure, "toy.csv")}
    found = run_checks(tmp_path, source, *({"measure": measure, **asked} for asked, _ in cases))
    values = {check.name: check.value for check in found.checks}
    assert [values[str(number)] for number in range(1, len(cases) + 1)] == pytest.approx([value for _, value in cases])


def rows_and_cells() -> tuple[list[Bought], list[Cells]]:
    """Return the toy history and what is left of it, for counting by brute force."""
    lines = [line.split(",") for line in TOY.splitlines()]
    days = [f"2010-12-{int(line[2].rpartition('/')[2]):02}" for line in lines]
    rows = [Bought(line[0], d, line[4], float(line[5])) for line, d in zip(lines, days, strict=True)]
    shown = Cells("", ("2010-12-01", "2010-12-02"), ("パン",), (1.45,))
    pseudonyms = [line.partition(",")[0] for line in ALIGNED.splitlines()[1:]]
    return rows, [shown._replace(pid=None if pid == "*" else pid) for pid in pseudonyms]


def test_the_strongest_attacker_after_anonymization_is_the_strongest_of_the_enumeration(tmp_path: Path) -> None:
    write_what_is_needed(tmp_path, "attackers")
    rows, cells = rows_and_cells()
    each = [measured_in_worlds(rows, cells, known, "occurrence").after for known in TEN_ATTACKERS]
    found = run_checks(
        tmp_path, SOURCE, {"measure": "attackers", **TOY_PUBLISHED},
        *({"measure": "attacker", "attacker": number, **TOY_PUBLISHED} for number in range(10)),
    )  # fmt: skip
    values = {check.name: check.value for check in found.checks}
    assert [values[str(number)] for number in range(2, 12)] == pytest.approx(each)
    assert values["1"] == pytest.approx(max(each))
    strongest = next(check for check in found.checks if check.name == "1")
    assert strongest.said == (f"The strongest is attacker {each.index(max(each))}.",)


def test_of_the_toy_history_the_first_of_the_certain_attackers_is_named(tmp_path: Path) -> None:
    write(tmp_path, toy_csv=TOY)
    assert measured(tmp_path, SOURCE, {"measure": "attackers"}).said == ("The strongest is attacker 4.",)


def test_all_knowledge_of_a_source_is_found_whatever_its_order(tmp_path: Path) -> None:
    write(tmp_path, toy_csv=TOY)
    asked = ["item", "day + item", "item + day", "item"]
    found = run_checks(
        tmp_path, SOURCE, {"measure": "uniques", "knowledge": "item"},
        *({"measure": "knowledge", "knowledge": text} for text in asked),
    )  # fmt: skip
    assert {check.name: round(check.value, 9) for check in found.checks} == {
        "1": 0.2, "2": 0.55, "3": 0.9, "4": 0.9, "5": 0.55,
    }  # fmt: skip


def test_without_a_truth_the_share_that_is_recognized_is_the_attackers_own_expectation(tmp_path: Path) -> None:
    write_what_is_needed(tmp_path, "profiles")
    source = {**SOURCE, "file": "own.csv"}
    found = measured(tmp_path, source, {"measure": "profiles", "known": "own-known.csv", "trained": False})
    assert found.basis == "estimated"
    assert 1 / 8 < found.value <= 1
    assert found.said == (
        "The attack is untrained.", "8 pseudonyms.", "What the attacker expects: nobody told who is who.",
    )  # fmt: skip


@pytest.mark.parametrize(("world", "value"), [("closed", 1), ("open", 1)])
def test_strangers_are_told_apart_in_both_worlds(tmp_path: Path, world: str, value: float) -> None:
    write_what_is_needed(tmp_path, "profiles")
    # One comes in January alone, another in June alone.
    lines = (tmp_path / "own.csv").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("x1,2011-01", "x2,2011-06"))]
    write(tmp_path, some_csv="\n".join([*kept, ""]))
    asked = {"measure": "profiles", "split": "2011-04-01", "world": world, "trained": False}
    found = measured(tmp_path, {**SOURCE, "file": "some.csv"}, asked)
    assert (found.value, found.basis) == (value, "attacked")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"measure": "profiles", "known": "toy.csv", "split": "half"}, "split"),
        ({"measure": "profiles", "truth": "toy.csv"}, "truth is only for a known and a published history"),
        ({"measure": "attacker", "attacker": 10}, "There is no attacker 10; they are numbered from 0 to 9"),
        ({"measure": "use-case", "use": "row", "aligned": "toy.csv"}, "There is no use case 'row'.*Did you mean rows"),
        ({"measure": "knowledge", "knowledge": "shoe size"}, "shoe size"),
        ({"measure": "loss", "aligned": "short.csv"}, r"short\.csv"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_policy_and_check(tmp_path: Path, asked: dict[str, Any], said: str) -> None:
    write(tmp_path, toy_csv=TOY, short_csv=HEADER + DELETED)
    with pytest.raises(InputError, match=rf"(?s)^policy\.toml, 1: .*{said}"):
        measured(tmp_path, SOURCE, asked)


def test_attacks_must_fail_where_their_controls_succeed(tmp_path: Path) -> None:
    rows = habitual_rows(1)
    write_aligned(tmp_path, rows, anonymize_classes(rows, 10), "classes.csv")
    write_aligned(tmp_path, rows, with_pseudonyms(history(rows), seed=1), "same.csv")
    broken, safe = run_checks(
        tmp_path, {**SOURCE, "file": "habits.csv"}, {"measure": "attacks", "aligned": "classes.csv"},
        {"measure": "attacks", "aligned": "same.csv"},
    ).checks  # fmt: skip
    assert (safe.value, safe.verdict, safe.basis, safe.unproven) == (0, "pass", "attacked", None)
    assert broken.value > 5
    assert broken.verdict == "fail"
    assert "best" in next(said for said in broken.said if said.startswith("Succeeded: "))


def test_an_attack_whose_control_fails_proves_nothing(tmp_path: Path) -> None:
    # These people buy at random: nobody could recognize them by their habits, not even in the original.
    rows = made_rows(3, most_rows=20)
    write_aligned(tmp_path, rows, anonymize_classes(rows, 10), "classes.csv")
    found = measured(tmp_path, {**SOURCE, "file": "habits.csv"}, {"measure": "attacks", "aligned": "classes.csv"})
    assert (found.value, found.verdict) == (0, "unproven")
    assert found.said[0] == "The control of an attack failed, so that its failure proves nothing: profiles."


def test_a_key_of_another_published_file_is_refused(tmp_path: Path) -> None:
    rows = made_rows(3, most_rows=20)
    write_aligned(tmp_path, rows, anonymize_classes(rows, 10), "other.csv")
    found = read_history_rows(tmp_path / "habits.csv")
    key = anonymize_classes(rows, 15)
    found.write_aligned(key, tmp_path / "key.csv")
    found.publish(key, tmp_path / "published.csv")
    source = {**SOURCE, "file": "habits.csv"}
    asked = {"measure": "attacks", "published": "published.csv"}
    assert measured(tmp_path, source, {**asked, "aligned": "key.csv"}).value == 0
    with pytest.raises(InputError, match=r"(?s)^policy\.toml, 1: .*other\.csv"):
        measured(tmp_path, source, {**asked, "aligned": "other.csv"})


def test_nothing_left_to_use_is_no_answer(tmp_path: Path) -> None:
    write_what_is_needed(tmp_path, "use-case")
    asked = {"measure": "use-case", "use": "price_mean", "aligned": "none.csv", "fail": 1e9}
    found = measured(tmp_path, {**SOURCE, "file": "two.csv"}, asked)
    assert (found.verdict, found.said[0]) == ("unproven", "No rows are left to measure.")


def test_classes_are_those_of_a_published_history(tmp_path: Path) -> None:
    rows = "".join(f"{n},{LIKE}" for n in (1, 2, 3)) + "4,2010-12-01,お茶,1,1\n5,2010-12-01,お茶,1,1\n"
    write(tmp_path, toy_csv=HEADER + rows)
    found = measured(tmp_path, SOURCE, {"measure": "smallest-class", "fail": 3})
    assert (found.value, found.verdict, found.said) == (2, "fail", ("2 classes.",))


class TestAnEngineThatTellsNothingRare:
    """With min-cell = 3, what fewer than three customers have stays on the engine."""

    source: Mapping[str, Any] = {**SOURCE, "min-cell": 3}

    def test_how_many_values_are_rare_is_told(self, tmp_path: Path) -> None:
        write(tmp_path, toy_csv=TOY)
        assert measured(tmp_path, self.source, {"measure": "rare-values"}).value == 3

    def test_what_was_merged_never_looks_safer(self, tmp_path: Path) -> None:
        write(tmp_path, toy_csv=TOY)
        asked = [{"measure": name, "knowledge": "item"} for name in ("knowledge", "uniques")]
        values = {check.measure: check.value for check in run_checks(tmp_path, self.source, *asked).checks}
        assert 0.55 <= values["knowledge"] <= 1
        assert 0.2 <= values["uniques"] <= 1
