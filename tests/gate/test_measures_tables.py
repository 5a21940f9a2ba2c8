"""Every measure of tables, on small tables whose values are counted by hand or by brute force."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sudare.errors import InputError
from sudare.gate.measures.registry import MEASURES
from sudare.tables.read import read_table
from tests.gate.small_gates import PEOPLE, measured, run_checks, write

SOURCE = {"kind": "table", "file": "people.csv"}
Case = tuple[dict[str, Any], float]

AS_THEY_ARE = {"published": "same.csv", "aligned": "same-key.csv"}
FEWER = {"published": "fewer.csv", "aligned": "fewer-key.csv"}
# What is left: three men and two women; two people of 30, three of 40; three of x, one of y, and one of a star. Values
# weigh how often they are published exactly, and one: a star is x with 4/6, and y with 2/6.
DISTANCE = (
    (abs(3 / 5 - 3 / 6) + abs(2 / 5 - 3 / 6)) / 2
    + (abs(2 / 5 - 2 / 6) + abs(3 / 5 - 3 / 6) + 1 / 6) / 2
    + abs((3 + 1 * 4 / 6) / 5 - 4 / 6)
) / 3

# Men: 30, 30, 40, all of town x; women: 40 of x, 40 of y, 50 of y.
CASES: Mapping[str, list[Case]] = {
    "highest-risk": [({}, 1), ({"known": ["sex"]}, 1 / 3), ({"known": "town"}, 1 / 2), ({"known": "sex, age"}, 1)],
    # Two records like each other and four like nobody; two classes of three; 2, 3 and 1 records of an age.
    "mean-risk": [({}, 5 / 6), ({"known": "sex"}, 1 / 3), ({"known": "age"}, 3 / 6)],
    # Four people of town x and two of y: a risk of exactly a quarter is not above a quarter.
    "above-limit": [
        ({"known": "town", "limit": "25%"}, 2 / 6), ({"known": "town", "limit": 0.5}, 0),
        ({"known": "town", "limit": 0.24}, 1), ({"known": "sex", "limit": "1/3"}, 0), ({"limit": 0.5}, 4 / 6),
    ],
    "uniques": [({}, 4 / 6), ({"known": "age"}, 1 / 6), ({"known": "sex"}, 0)],
    "smallest-class": [({}, 1), ({"known": "town"}, 2), ({"known": "sex"}, 3)],
    "l": [
        ({"sensitive": "town"}, 1), ({"sensitive": "age", "known": "sex"}, 2),
        ({"sensitive": "age", "known": "sex", "diversity": "distinct"}, 2),
        ({"sensitive": "age", "known": "sex", "diversity": "entropy"}, (3 / 2) ** (2 / 3) * 3 ** (1 / 3)),
    ],
    # Four of six are of x: of the men all, of the women one of three; of the old nobody.
    "t": [({"sensitive": "town", "known": "sex"}, 1 / 3), ({"sensitive": "town", "known": "age"}, 2 / 3)],
    # All men are of x, and two of three women of y; of each age the most common town is guessed.
    "inference": [({"sensitive": "town", "known": "sex"}, 5 / 6), ({"sensitive": "town", "known": "age"}, 5 / 6),
        ({"sensitive": "town"}, (2 + 1 + 1 / 2 + 1 / 2 + 1) / 6)],
    # One m of 30, two of 40, three f of 40, nobody else: the women of 50 are not there.
    "k-map": [
        ({"population": "population.csv", "known": "sex, age"}, 1),
        ({"population": "population.csv", "known": "age"}, 1),
        ({"population": "population.csv", "known": "sex"}, 3),
    ],
    "subsets": [
        ({"size": 1}, 1), ({"size": 1, "attributes": ["sex", "town"]}, 1 / 2),
        ({"size": 2, "attributes": ["sex", "town"]}, 1), ({"size": 9, "attributes": "sex"}, 1 / 3),
    ],
    "disclosable": [({"sets": [["sex"], ["town"]]}, 1 / 2), ({"sets": [["sex"]]}, 1 / 3), ({"sets": ["sex, age"]}, 1)],
    # Nobody is the only one of a sex.
    "population-uniques": [({"share": 0.1, "known": "sex"}, 0)],
    # Four coins buy either sex and town together, or the age.
    "affordable": [
        ({"costs": "costs.csv", "budget": 2}, 1 / 2), ({"costs": "costs.csv", "budget": 1.5}, 1 / 3),
        ({"costs": "costs.csv", "budget": 4}, 1), ({"costs": "costs.csv", "budget": 0.5}, 1 / 6),
        ({"costs": "costs.csv", "budget": 0.5, "known": "town"}, 1 / 2),
    ],
    "identifiers": [({}, 0)],
    "codes": [({}, 0)],
    "card-numbers": [({}, 0)],
    # Two people are 30, three 40, one 50; two are of y.
    "rare-values": [
        ({}, 3), ({"people": 2}, 1), ({"people": 1}, 0), ({"attributes": "sex, town"}, 1), ({"people": 4}, 6),
    ],
    "smallest-count": [({"counts": "age"}, 30)],
    # Everybody is published as they are: where classes of two are promised, all three kinds of linkage find somebody.
    "attacks": [({**AS_THEY_ARE, "k": 2, "attacks": "linkage"}, 3), ({**AS_THEY_ARE, "k": 1, "attacks": "linkage"}, 0)],
    # Of three women one has no town any more, and one is left out.
    "use-case": [
        ({"use": "rows", **AS_THEY_ARE}, 0), ({"use": "pairs", **AS_THEY_ARE}, 0), ({"use": "rows", **FEWER}, 1 / 6),
        ({"use": "distributions", **FEWER}, DISTANCE), ({"use": "queries", **AS_THEY_ARE}, 0),
    ],
    "oldest": [({"age": "age"}, 50)],
    # The other file has the towns x and z.
    "shared-pseudonyms": [
        ({"column": "town", "other": "other.csv"}, 1 / 2),
        ({"column": "sex", "other": "other.csv", "other-column": "town"}, 0),
    ],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path,
        people_csv=PEOPLE,
        population_csv="sex,age\nm,30\nm,40\nm,40\nf,40\nf,40\nf,40\n",
        costs_csv="attribute,cost\nsex,1\ntown,2\nage,4\n",
        same_csv=PEOPLE,
        fewer_csv="sex,age,town\nm,30,x\nm,30,x\nm,40,x\nf,40,*\nf,40,y\n",
        other_csv="town,n\nx,1\nz,2\nz,3\n",
    )
    (tmp_path / "same-key.csv").write_text(
        "record,line\n" + "".join(f"{n},{n}\n" for n in range(1, 7)), encoding="utf-8"
    )
    (tmp_path / "fewer-key.csv").write_text("record,line\n1,1\n2,2\n3,3\n4,4\n5,5\n6,\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", MEASURES["table"])
def test_a_measure_of_tables_is_what_is_counted_by_hand(folder: Path, name: str) -> None:
    cases = CASES[name]
    found = run_checks(folder, SOURCE, *({"measure": name, **asked} for asked, _ in cases))
    values = {check.name: check.value for check in found.checks}
    assert [values[str(number)] for number in range(1, len(cases) + 1)] == pytest.approx([value for _, value in cases])


def test_attacks_on_a_published_table_must_fail_where_their_controls_succeed(tmp_path: Path) -> None:
    ages = [20 + n // 4 for n in range(80)]
    people = [f"{age},{'xyz'[n % 3]},{'flu' if n % 5 else 'cold'}" for n, age in enumerate(ages)]
    write(tmp_path, people_csv="\n".join(["age,town,disease", *people, ""]))
    with read_table(tmp_path / "people.csv") as table:
        made = table.anonymize(k=8, sensitive="disease", seconds=1, attacks=False, utility=False)
        made.publish(tmp_path / "safe.csv", aligned=tmp_path / "key.csv")
    asked = {
        "measure": "attacks", "published": "safe.csv", "aligned": "key.csv", "sensitive": "disease",
        "attacks": "linkage",
    }  # fmt: skip
    more, less = run_checks(tmp_path, SOURCE, {**asked, "k": 8}, {**asked, "k": 80}).checks[::-1]
    assert (more.value, more.verdict, more.basis, more.unproven) == (0, "pass", "attacked", None)
    assert more.said == ("3 attacks were run; 3 made guesses and passed their controls.",)
    assert (less.verdict, less.value) == ("fail", 3)
    assert less.said[-1].startswith("Succeeded: linkage, all quasi-identifiers; ")


def test_an_attack_that_cannot_be_tried_or_is_too_weak_proves_nothing(folder: Path) -> None:
    asked = {"measure": "attacks", **AS_THEY_ARE, "k": 1, "fail": 9}
    weak, idle, all_tried = sorted(
        run_checks(
            folder, SOURCE, {**asked, "attacks": "membership"}, {**asked, "attacks": "inference"}, {**asked, "fail": 0}
        ).checks,
        key=lambda check: check.name,
    )
    assert weak.verdict == "unproven"
    assert weak.said[0].startswith(
        "These attacks prove nothing, since their control failed or they reach too little: m"
    )
    assert (idle.verdict, idle.said[0]) == ("unproven", "No attack made a guess that could have been right.")
    # Without a sensitive column there is nothing to infer, unless it is asked for by name.
    assert all_tried.said[1].startswith("5 attacks were run; ")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"measure": "attacks", "k": 2, "attacks": "guessing"}, "no attack 'guessing'.*linkage, inference or mem"),
        ({"measure": "use-case", "use": "query"}, "There is no use case 'query'.*Did you mean queries"),
        ({"measure": "use-case", "use": "rows", "known": "height"}, "height"),
        ({"measure": "use-case", "use": "rows", "aligned": "fewer-key.csv"}, r"fewer-key\.csv does not link"),
        ({"measure": "use-case", "use": "rows", "hierarchies": "nowhere"}, "nowhere"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_of_a_published_table_is_refused(folder: Path, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=rf"(?s)^policy\.toml, 1.*: .*{said}"):
        measured(folder, SOURCE, {**AS_THEY_ARE, **asked})


def test_a_use_that_cannot_be_measured_is_no_answer(folder: Path) -> None:
    write(folder, people_csv="sex,age\nm,30\nf,30\n", one_csv="sex\nm\nf\n", key_csv="record,line\n1,1\n2,2\n")
    asked = {"measure": "use-case", "use": "pairs", "published": "one.csv", "aligned": "key.csv", "fail": 9}
    found = measured(folder, SOURCE, asked)
    assert (found.verdict, found.said) == ("unproven", ("This use could not be measured.",))


def test_hierarchies_of_a_folder_say_what_cells_cover_and_are_among_the_inputs(folder: Path) -> None:
    (folder / "levels").mkdir()
    (folder / "levels" / "town.csv").write_text("x;here;*\ny;there;*\n", encoding="utf-8")
    published = PEOPLE.replace(",x", ",here").replace(",y", ",there")
    write(folder, coarse_csv=published)
    asked = {"measure": "use-case", "published": "coarse.csv", "aligned": "same-key.csv", "hierarchies": "levels"}
    found = run_checks(folder, SOURCE, {**asked, "use": "distributions"}, {**asked, "use": "worst-pair"})
    assert [check.value for check in found.checks] == pytest.approx([0, 0])
    assert [(told.file, told.sha256 is not None) for told in found.inputs if "hierarchies" in told.name] == [
        ("levels", True), ("levels", True),
    ]  # fmt: skip


def test_a_population_in_which_nobody_is_like_anybody_proves_nothing(folder: Path) -> None:
    write(folder, population_csv="sex,age\nd,30\n")
    found = measured(folder, SOURCE, {"measure": "k-map", "population": "population.csv", "known": "sex, age"})
    assert (found.value, found.verdict) == (0, "unproven")
    assert found.said == (
        "No record fits anybody of the population, so this is not the population of these people.",
        "Compared with 1 person.",
        "6 records fit nobody of the population.",
    )


def test_what_is_unique_in_a_sample_is_estimated_in_its_population(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    population = [
        (int(a), int(b)) for a, b in zip(random.zipf(1.5, 3000) % 200, random.integers(0, 8, 3000), strict=True)
    ]
    counted = Counter(population)
    true = sum(count == 1 for count in counted.values()) / len(population)
    sample = [population[place] for place in random.choice(3000, 600, replace=False)]
    write(tmp_path, people_csv="a,b\n" + "".join(f"{a},{b}\n" for a, b in sample))
    by_share, by_number = run_checks(
        tmp_path, SOURCE, {"measure": "population-uniques", "share": "20%"},
        {"measure": "population-uniques", "population-size": 3000},
    ).checks  # fmt: skip
    assert by_share.value == by_number.value == pytest.approx(true, rel=0.4)
    unique = sum(count == 1 for count in Counter(sample).values())
    assert (by_share.basis, by_share.said[-1]) == ("estimated", f"{unique} records are unique in the sample.")


def test_a_sample_whose_records_are_all_unique_leaves_nobody_out(tmp_path: Path) -> None:
    write(tmp_path, people_csv="a,b\n" + "".join(f"{n},x\n" for n in range(20)))
    found = measured(tmp_path, SOURCE, {"measure": "population-uniques", "share": 0.1, "fail": 0.99})
    assert (found.value, found.basis, found.verdict) == (1, "estimated", "fail")


def test_columns_that_identify_are_counted_and_named(tmp_path: Path) -> None:
    # The check digit of a card makes the sum of Luhn a multiple of ten.
    cards = [f"411111111111{n:03}" for n in range(6)]
    cards = [next(card + str(d) for d in range(10) if luhn(card + str(d)) % 10 == 0) for card in cards]
    rows = [f"a{n}@example.org,P{n},{card}" for n, card in enumerate(cards)]
    write(tmp_path, people_csv="\n".join(["mail,passport number,paid by", *rows, ""]))
    found = run_checks(
        tmp_path, SOURCE, *({"measure": name} for name in ("identifiers", "codes", "card-numbers"))
    ).checks  # fmt: skip
    assert [(check.value, check.said) for check in found] == [
        (1, ("Columns: mail.",)), (1, ("Columns: passport number.",)), (1, ("Columns: paid by.",)),
    ]  # fmt: skip


def luhn(digits: str) -> int:
    return sum(int(d) if n % 2 == 0 else sum(map(int, str(2 * int(d)))) for n, d in enumerate(reversed(digits)))


@pytest.mark.parametrize(
    ("cells", "smallest"),
    [
        (["12", "0", "7"], 7), (["1,234", "", "2,000"], 1234), (["-1", "2.5", "3"], 2.5), (["１２", "20"], 12),
        (["3,5", "20"], None), (["nan", "20"], None), (["few", "20"], None), (["Infinity", "20"], None),
    ],
)  # fmt: skip
def test_published_counts_are_numbers_above_nothing(tmp_path: Path, cells: list[str], smallest: float | None) -> None:
    write(tmp_path, people_csv="".join(f"{cell}\n" for cell in ["n;town", *(f"{cell};x" for cell in cells)]))
    source = {**SOURCE, "delimiter": ";"}
    if smallest is None:
        with pytest.raises(InputError, match=r"policy\.toml, 1: The column n of .*people\.csv has values that are not"):
            measured(tmp_path, source, {"measure": "smallest-count", "counts": "n"})
    else:
        assert measured(tmp_path, source, {"measure": "smallest-count", "counts": "n"}).value == smallest


@pytest.mark.parametrize(
    ("measure", "column", "said"),
    [("smallest-count", "counts", "has no count above 0"), ("oldest", "age", "so it cannot be ages")],
)
def test_a_column_without_any_number_is_refused(tmp_path: Path, measure: str, column: str, said: str) -> None:
    write(tmp_path, people_csv="n,town\n,x\n,y\n")
    with pytest.raises(InputError, match=said):
        measured(tmp_path, SOURCE, {"measure": measure, column: "n"})


@pytest.mark.parametrize("cell", ["nan", "Infinity", "forty", "1e3"])
def test_ages_are_numbers(tmp_path: Path, cell: str) -> None:
    write(tmp_path, people_csv=f"n,town\n40,x\n{cell},y\n")
    with pytest.raises(InputError, match="values that are not numbers, so it cannot be ages"):
        measured(tmp_path, SOURCE, {"measure": "oldest", "age": "n"})


def test_values_are_rare_by_persons_where_a_column_says_who_they_are(tmp_path: Path) -> None:
    # x is of one person with three records, y of three persons with one each.
    write(tmp_path, people_csv="who,town\n1,x\n1,x\n1,x\n2,y\n3,y\n4,y\n")
    found = measured(tmp_path, {**SOURCE, "person": "who"}, {"measure": "rare-values", "people": 2})
    assert (found.value, found.said) == (1, ("By column: town 1.",))


def test_a_budget_that_buys_nothing_leaves_a_guess(folder: Path) -> None:
    found = measured(folder, SOURCE, {"measure": "affordable", "costs": "costs.csv", "budget": 0.5, "known": "town"})
    assert (found.value, found.said) == (1 / 2, ("The budget buys no attribute.",))


def test_weights_stand_for_records(tmp_path: Path) -> None:
    write(tmp_path, people_csv="town,n\nx,4\ny,2\n")
    found = run_checks(tmp_path, {**SOURCE, "weight": "n"}, {"measure": "smallest-class"}, {"measure": "mean-risk"})
    assert {check.measure: check.value for check in found.checks} == {"smallest-class": 2, "mean-risk": 2 / 6}


def test_what_is_riskiest_is_said_and_compared_with_the_stricter_limit(folder: Path) -> None:
    found = run_checks(
        folder, SOURCE, {"measure": "subsets", "size": 1, "attributes": "sex, town", "warn": 0.4, "fail": 0.9},
        {"measure": "disclosable", "sets": [["sex"], ["town"], ["sex", "town"]], "warn": 0.4, "fail": 1},
    ).checks  # fmt: skip
    assert [check.verdict for check in found] == ["warn", "warn"]
    assert [check.said for check in found] == [
        ("2 sets were measured.", "The riskiest set: town.", "1 set is above the limit."),
        ("3 sets were measured.", "No longer within the limit: town; sex and town."),
    ]


Records = list[tuple[int, int, int]]


def risks(records: Records, known: tuple[int, ...]) -> list[float]:
    """Return the risk of each record for somebody who knows these attributes."""
    shown = [tuple(record[a] for a in known) for record in records]
    return [1 / Counter(shown)[one] for one in shown]


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=12))
def test_risks_of_any_table_are_those_counted_one_by_one(tmp_path: Path, records: Records) -> None:
    write(tmp_path, people_csv="a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in records))
    found = run_checks(
        tmp_path, SOURCE, {"measure": "highest-risk", "known": "a, b"}, {"measure": "mean-risk", "known": "a, b"},
        {"measure": "above-limit", "known": "a, b", "limit": "1/3"}, {"measure": "uniques", "known": "a, b"},
        {"measure": "smallest-class", "known": "a, b"}, {"measure": "subsets", "size": 2},
        {"measure": "l", "sensitive": "c", "known": "a, b"}, {"measure": "t", "sensitive": "c", "known": "a, b"},
    )  # fmt: skip
    values = {check.measure: check.value for check in found.checks}
    own = risks(records, (0, 1))
    classes = {(a, b): [c for x, y, c in records if (x, y) == (a, b)] for a, b, _ in records}
    share = [sum(c for _, _, c in records) / len(records)] * len(classes)
    assert values == pytest.approx(
        {
            "highest-risk": max(own),
            "mean-risk": math.fsum(own) / len(own),
            "above-limit": sum(risk > 1 / 3 for risk in own) / len(own),
            "uniques": own.count(1) / len(own),
            "smallest-class": 1 / max(own),
            "subsets": max(max(risks(records, known)) for size in (1, 2) for known in combinations(range(3), size)),
            "l": min(len(set(values)) for values in classes.values()),
            # With two values, the distance is the difference of the shares of one of them.
            "t": max(abs(sum(c) / len(c) - all_c) for c, all_c in zip(classes.values(), share, strict=True)),
        }
    )


class TestAnEngineThatTellsNothingRare:
    """With min-cell = 3, classes of one and two stay on the engine."""

    source: Mapping[str, Any] = {**SOURCE, "min-cell": 3}

    def test_what_is_common_is_told_as_without_it(self, folder: Path) -> None:
        asked = [{"measure": name, "known": "sex"} for name in ("highest-risk", "mean-risk", "uniques")]
        found = run_checks(folder, self.source, *asked)
        assert {check.measure: check.value for check in found.checks} == pytest.approx(
            {"highest-risk": 1 / 3, "mean-risk": 1 / 3, "uniques": 0}
        )

    @pytest.mark.parametrize(
        "asked",
        [
            {"measure": "l", "sensitive": "town"}, {"measure": "t", "sensitive": "town"}, {"measure": "rare-values"},
            {"measure": "identifiers"}, {"measure": "codes"}, {"measure": "card-numbers"},
            {"measure": "population-uniques", "share": 0.1}, {"measure": "smallest-count", "counts": "age"},
            {"measure": "oldest", "age": "age"},
            {"measure": "shared-pseudonyms", "column": "town", "other": "other.csv"},
            {"measure": "affordable", "costs": "costs.csv", "budget": 2},
            {"measure": "k-map", "population": "population.csv", "known": "sex, age"},
        ],
        ids=lambda asked: asked["measure"],
    )  # fmt: skip
    def test_what_needs_rare_rows_is_refused(self, folder: Path, asked: dict[str, Any]) -> None:
        with pytest.raises(InputError, match=r"policy\.toml, 1: .*6 records.*3"):
            measured(folder, self.source, asked)

    def test_classes_that_were_merged_never_look_safer(self, folder: Path) -> None:
        ages = "".join(f"{age},x\n" for age in [30] * 5 + [40] * 4 + [50] * 2 + [60] * 2)
        write(folder, people_csv="age,town\n" + ages)
        found = run_checks(folder, self.source, {"measure": "smallest-class"}, {"measure": "mean-risk"})
        values = {check.measure: check.value for check in found.checks}
        assert values["smallest-class"] <= 2
        assert 4 / 13 <= values["mean-risk"] <= 1
