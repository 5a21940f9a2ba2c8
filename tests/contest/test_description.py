from collections import Counter, defaultdict

from hypothesis import given

import sudare
from sudare.histories.anonymize.concealment import fewest_covered
from tests.histories.utility.small_histories import Row, pair, rows_and_generalized

# Customer n buys the item a on day n.
ORIGINAL = [[str(n), f"2011/1/{n}", "a", "1.00", "1"] for n in range(1, 7)]


def described(*dates: str) -> sudare.contest.AnonymizationDescription:
    """Describe the history with these cells in place of the first dates; * in place of a date deletes the row."""
    texts = [*dates, *(row[1] for row in ORIGINAL[len(dates) :])]
    rows = [
        ["*"] * 5 if text == "*" else [str(10 + n), text, *row[2:]]
        for n, (text, row) in enumerate(zip(texts, ORIGINAL, strict=True))
    ]
    return sudare.contest.describe_anonymization(*pair(ORIGINAL, rows))


TWO, THREE, FOUR = "[2011/1/1;2011/1/2]", "[2011/1/1;2011/1/3]", "[2011/1/3;2011/1/6]"


def test_a_k_anonymous_history_has_classes_of_k_customers_or_more() -> None:
    found = described(TWO, TWO, FOUR, FOUR, FOUR, FOUR)
    assert (found.kind, found.k, found.classes) == ("k_anonymous", 2, ((2, 1), (4, 1)))
    assert (found.customers_left, found.unique_customers) == (6, 0)


def test_customers_left_untouched_are_told_from_the_others() -> None:
    found = described(THREE, THREE, THREE, "*")
    assert (found.kind, found.k) == ("untouched_and_k_anonymous", 3)
    assert (found.customers_left, found.unique_customers, found.untouched_unique) == (5, 2, 2)
    assert found.cells.deleted_rows == 1


def test_unique_customers_that_were_changed_make_another_kind() -> None:
    found = described(TWO, TWO, "*", "[2011/1/4;2011/1/4]", "*", "[2011/1/6;2011/1/9]")
    assert (found.kind, found.k, found.unique_customers, found.untouched_unique) == ("few_unique", 1, 2, 1)


def test_unique_rows_that_fit_several_customers_are_based_on_k_anonymization() -> None:
    wide, wider, widest = "[2011/1/1;2011/1/3]", "[2011/1/2;2011/1/4]", "[2011/1/3;2011/1/6]"
    found = described(wide, wider, widest, widest, widest, widest)
    assert (found.kind, found.k, found.unique_customers) == ("based_on_k_anonymous", 3, 2)
    # Of 100 unique customers, too.
    many = [[str(n), f"2011/1/{n % 2 + 1}", "a", "1.00", str(n)] for n in range(1, 101)]
    fit = [[*row[:3], f"[0.01;{n}]", "[1;100]"] for n, row in enumerate(many, start=1)]
    found = sudare.contest.describe_anonymization(*pair(many, fit))
    assert (found.kind, found.k, found.unique_customers) == ("based_on_k_anonymous", 50, 100)


def test_a_history_as_it_was_and_one_without_rows() -> None:
    assert described().kind == "few_unique"
    many = [[str(n), "2011/1/1", "a", "1.00", str(n)] for n in range(1, 101)]
    assert sudare.contest.describe_anonymization(*pair(many, many)).kind == "many_unique"
    found = described(*"******")
    assert (found.kind, found.k, found.classes) == ("nothing", 0, ())
    assert found.to_dict()["cells"]["gone_customers"] == 6


@given(rows_and_generalized())
def test_classes_agree_with_plain_grouping(rows: tuple[list[Row], list[Row]]) -> None:
    found = sudare.contest.describe_anonymization(*pair(*rows))
    of_pid = defaultdict(list)
    for row in rows[1]:
        if row[0] != "*":
            of_pid[row[0]].append(tuple(values(text) for text in row[1:]))
    sizes = Counter(Counter(tuple(sorted(cells)) for cells in of_pid.values()).values())
    assert found.classes == tuple(sorted(sizes.items()))
    assert found.unique_customers == sizes[1]


def values(text: str) -> tuple[str, ...]:
    ends = text.strip("[]{}").split(";")
    return ("range" if len(set(ends)) > 1 and text[0] == "[" else "", *sorted(set(ends)))


@given(rows_and_generalized())
def test_the_fewest_customers_that_fit_are_those_of_the_whole_list(rows: tuple[list[Row], list[Row]]) -> None:
    original, anonymized = pair(*rows)
    covered = sudare.histories.covered_customers(original, anonymized)
    assert fewest_covered(original, anonymized) == min(map(len, covered.values()), default=0)
