"""Every measure of baskets, on small ones whose values are counted by hand or by brute force."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sudare.errors import InputError
from sudare.gate.measures.registry import MEASURES
from tests.baskets.brute_force import itemset_supports, rules, strongest
from tests.baskets.small_baskets import Case as Adversaries, unsafe_by_hand
from tests.gate.small_gates import measured, run_checks, write

SOURCE = {"kind": "baskets", "file": "visits.txt"}
VISITS = ["a b c", "a b", "a c", "b", "a b c d"]
SHOWN = ["a b", "a b", "a c", "b", "a b d"]
PUBLISHED = {"published": "shown.txt"}
SECRET = {"measure": "rho", "sensitive": "item:c"}


def rules_distance(before: list[str], after: list[str]) -> float:
    one, two = (set(strongest(rules([line.split() for line in lines], 1, 0.3), 100)) for lines in (before, after))
    return 1 - len(one & two) / len(one | two)


Case = tuple[dict[str, Any], float]
CASES: Mapping[str, list[Case]] = {
    # c is in 3 of the 4 records with a, in 2 of the 3 with a and b, in 2 of the 4 with b, and in the one with d. Four
    # users have a, three a and b, and one d with nothing, a, b or both.
    "rho": [
        ({"rho": 0.5, "sensitive": "item:c"}, 4 + 3 + 4), ({"rho": "2/3", "sensitive": "item:c"}, 4 + 4),
        ({"rho": "75%", "sensitive": "item:c"}, 4), ({"rho": 1, "sensitive": "item:c"}, 0),
        ({"rho": 0.5, "sensitive": "item:c", "max-known": 1}, 4 + 1), ({"rho": 0.5, "sensitive": "secret.csv"}, 2 + 6),
        # c is left with a alone, in one of four records.
        ({"rho": 0.25, "sensitive": "item:c", **PUBLISHED}, 0),
        ({"rho": 0.24, "sensitive": "item:c", **PUBLISHED}, 4),
    ],
    "km": [({"m": 1}, 1), ({"m": 2}, 1)],
    "rare-values": [({}, 1), ({"people": 4}, 2), ({"people": 5}, 4), ({"people": 1}, 0)],
    "suppressed": [(PUBLISHED, 2 / 12), ({"published": "visits.txt"}, 0)],
    "kl": [
        (PUBLISHED, 0.8 * log((4 / 10) / (4 / 12)) + 0.1 * log((1 / 10) / (3 / 12)) + 0.1 * log((1 / 10) / (1 / 12))),
        ({"published": "visits.txt"}, 0),
    ],
    "rules-distance": [(PUBLISHED, rules_distance(VISITS, SHOWN)), ({"published": "visits.txt"}, 0)],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # To users 1 and 5 c is sensitive, and to user 3 what nobody can infer.
    write(
        tmp_path,
        visits_txt="".join(f"{line}\n" for line in VISITS),
        shown_txt="".join(f"{line}\n" for line in SHOWN),
        secret_csv="user,item\n1,c\n5,c\n3,d\n",
    )
    return tmp_path


@pytest.mark.parametrize("name", MEASURES["baskets"])
def test_a_measure_of_baskets_is_what_is_counted_by_hand(folder: Path, name: str) -> None:
    cases = CASES[name]
    found = run_checks(folder, SOURCE, *({"measure": name, **asked} for asked, _ in cases))
    values = {check.name: check.value for check in found.checks}
    assert [values[str(number)] for number in range(1, len(cases) + 1)] == pytest.approx([value for _, value in cases])


Records = list[set[str]]


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sets(st.sampled_from("abcde"), min_size=1, max_size=4), min_size=2, max_size=8),
    st.sampled_from(["1/3", "1/2", "2/3"]), st.integers(1, 3),
)  # fmt: skip
def test_adversaries_and_itemsets_of_any_baskets_are_those_counted_one_by_one(
    tmp_path: Path, records: Records, rho: str, most: int
) -> None:
    write(tmp_path, visits_txt="".join(" ".join(sorted(record)) + "\n" for record in records))
    case = Adversaries(records, records, [set("abcde")] * len(records), rho, most, "original")
    found = run_checks(
        tmp_path, {**SOURCE, "form": "spaces"},
        {"measure": "rho", "rho": rho, "sensitive": "all", "max-known": most},
        {"measure": "km", "m": most}, {"measure": "rare-values", "people": most},
    )  # fmt: skip
    supports = itemset_supports(records)
    assert {check.measure: check.value for check in found.checks} == {
        "rho": len(unsafe_by_hand(case)),
        "km": min(count for items, count in supports.items() if len(items) <= most),
        "rare-values": sum(count < most for items, count in supports.items() if len(items) == 1),
    }


def test_what_an_adversary_infers_is_shown_only_if_the_policy_allows_it(folder: Path) -> None:
    asked = {**SECRET, "rho": 0.5, "name": "secrets"}
    hidden = measured(folder, SOURCE, asked)
    assert hidden.examples == ()
    assert hidden.said[0] == "29 adversaries were checked."
    shown = measured(folder, SOURCE, asked, examples=("secrets",))
    (example,) = shown.examples
    assert "c" in example


def test_a_sample_of_adversaries_is_an_estimate(folder: Path) -> None:
    asked = {**SECRET, "rho": 1, "epsilon": 0.2, "delta": 0.2}
    found = measured(folder, SOURCE, asked, seed=3)
    assert (found.value, found.basis, found.verdict) == (0, "estimated", "pass")
    assert measured(folder, SOURCE, {**asked, "rho": 0.5}, seed=3).value > 0


def test_itemsets_below_the_limit_are_counted(folder: Path) -> None:
    found = measured(folder, SOURCE, {"measure": "km", "m": 1, "warn": 4, "fail": 2})
    assert (found.verdict, found.said) == ("fail", ("2 of 4 itemsets are in fewer than 4 records.",))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({**SECRET, "rho": 0}, "rho"),
        ({**SECRET, "rho": 0.5, "epsilon": 0.1}, "delta"),
        ({"measure": "km", "m": 0}, "m"),
        ({"measure": "suppressed", "published": "short.txt"}, r"short\.txt"),
        ({"measure": "rho", "rho": 0.5, "sensitive": "item:z*"}, r"z\*"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_policy_and_check(folder: Path, asked: dict[str, Any], said: str) -> None:
    write(folder, short_txt="a\n")
    with pytest.raises(InputError, match=rf"(?s)^policy\.toml, 1: .*{said}"):
        measured(folder, SOURCE, asked)
