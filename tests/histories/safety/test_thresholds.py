from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from sudare.errors import BadRows, OptionNotUsable, OutputNotWritable, SourceNotReadable
from sudare.histories.safety.thresholds import (
    CONTEST_ALPHA,
    CONTEST_P,
    Test,
    contest_bound_below,
    read_thresholds,
    success_threshold,
    success_thresholds,
    tight_bound_below,
    write_thresholds,
)

# Hamada et al., Table 4: the thresholds of ten numbers of guesses from each start; 0 stands for its *.
TABLE_4 = {
    0: [0, 0, 0, 0, 0, 0, 0, 7, 8, 9],
    10: [10, 10, 11, 11, 12, 13, 13, 14, 15, 15],
    20: [16, 17, 17, 18, 18, 19, 20, 20, 21, 21],
    30: [22, 23, 23, 24, 25, 25, 26, 26, 27, 28],
    40: [28, 29, 29, 30, 31, 31, 32, 32, 33, 34],
    90: [59, 59, 60, 60, 61, 62, 62, 63, 63, 64],
    990: [606, 607, 607, 608, 609, 609, 610, 610, 611, 612],
}

shares = st.fractions(min_value=Fraction(1, 40), max_value=1, max_denominator=40)


def contest_bound(n: int, s: int, p: Fraction) -> Fraction:
    return sum((comb(n, k) * p**k for k in range(s, n + 1)), Fraction(0))


def tight_bound(n: int, s: int, p: Fraction) -> Fraction:
    return min(comb(n, j) * p**j / comb(s, j) for j in range(s + 1))


def summed_threshold(n: int, p: Fraction, alpha: Fraction, test: Test) -> int:
    bound = contest_bound if test == "contest" else tight_bound
    return next((s for s in range(n + 1) if bound(n, s, p) < alpha), n + 1)


@pytest.mark.parametrize("start", TABLE_4)
def test_thresholds_are_those_of_table_4(start: int) -> None:
    found = success_thresholds(999)[start : start + 10].tolist()
    expected = [threshold or n + 1 for n, threshold in enumerate(TABLE_4[start], start=start)]
    assert found == expected


def test_thresholds_are_those_of_the_contest() -> None:
    assert [success_threshold(n) for n in (0, 6, 7, 24, 100, 500, 1000)] == [1, 7, 7, 18, 65, 308, 612]


def test_the_tight_thresholds_of_the_page_are_those_found() -> None:
    found = success_thresholds(1000, test="tight")[[7, 10, 24, 50, 100, 200, 500, 1000]]
    assert found.tolist() == [7, 10, 18, 30, 53, 94, 209, 392]


def test_shares_can_be_written_in_many_ways() -> None:
    for p, alpha in [("1/3", "0.01/20"), (Fraction(1, 3), 0.0005), ("2/6", "5e-4"), (" 1/3", ".0005")]:
        assert (success_thresholds(100, p, alpha) == success_thresholds(100)).all()


@pytest.mark.parametrize("test", ["contest", "tight"])
@given(n=st.integers(0, 60), p=shares, alpha=shares)
def test_thresholds_are_those_of_direct_summation(test: Test, n: int, p: Fraction, alpha: Fraction) -> None:
    assert success_threshold(n, p, alpha, test=test) == summed_threshold(n, p, alpha, test)


@pytest.mark.parametrize("test", ["contest", "tight"])
@given(n=st.integers(1, 40), p=shares, data=st.data())
def test_a_bound_that_equals_alpha_is_not_below_it(test: Test, n: int, p: Fraction, data: st.DataObject) -> None:
    s = data.draw(st.integers(0, n))
    alpha = (contest_bound if test == "contest" else tight_bound)(n, s, p)
    if alpha <= 1:
        assert success_threshold(n, p, alpha, test=test) > s
        assert success_threshold(n, p, alpha, test=test) == summed_threshold(n, p, alpha, test)


@pytest.mark.parametrize("test", ["contest", "tight"])
@given(p=shares, alpha=st.sampled_from(["1", "0.05", "1/2000", "1e-30"]))
@settings(max_examples=20)
def test_thresholds_rise_by_steps_of_one_at_most(test: Test, p: Fraction, alpha: str) -> None:
    steps = np.diff(success_thresholds(400, p, alpha, test=test))
    assert set(steps.tolist()) <= {0, 1}


@pytest.mark.parametrize(("p", "alpha"), [("1/3", "1/2000"), ("0.7", "0.05"), ("1/50", "1e-9")])
def test_far_along_the_walk_thresholds_are_settled_by_whole_numbers(p: str, alpha: str) -> None:
    exact = Fraction(p), Fraction(alpha)
    for test, is_below in (("contest", contest_bound_below), ("tight", tight_bound_below)):
        found = success_thresholds(100_000, p, alpha, test=test)
        for n in (9_973, 30_011):
            assert is_below(n, int(found[n]), *exact)
            assert not is_below(n, int(found[n]) - 1, *exact)


@given(n=st.integers(0, 60), p=shares, alpha=shares)
def test_the_tight_test_asks_for_no_more_hits(n: int, p: Fraction, alpha: Fraction) -> None:
    assert success_threshold(n, p, alpha, test="tight") <= success_threshold(n, p, alpha)


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(1, 2), Fraction(4, 5)])
def test_the_tight_bound_is_the_most_that_h0_allows(n: int, p: Fraction) -> None:
    """The linear program over all distributions of the hits that H0 allows has the bound as its solution."""
    for s in range(1, n + 1):
        moments = [[comb(x, j) for x in range(n + 1)] for j in range(1, n + 1)]
        most = [float(comb(n, j) * p**j) for j in range(1, n + 1)]
        reached = [-1.0 * (x >= s) for x in range(n + 1)]
        found = linprog(reached, A_ub=moments, b_ub=most, A_eq=[[1] * (n + 1)], b_eq=[1])
        assert -found.fun == pytest.approx(float(tight_bound(n, s, p)), abs=1e-9)


@given(n=st.integers(1, 30), p=shares, data=st.data())
def test_the_tight_bound_is_reached_by_all_or_nothing(n: int, p: Fraction, data: st.DataObject) -> None:
    """s hits at random places with the probability of the bound, else none: a set of j is right with p^j at most."""
    s = data.draw(st.integers(1, n))
    bound = tight_bound(n, s, p)
    assert all(bound * Fraction(comb(s, j), comb(n, j)) <= p**j for j in range(n + 1))


def test_no_number_of_hits_is_enough_if_p_is_one() -> None:
    assert success_thresholds(5, 1, "1/2").tolist() == [1, 2, 3, 4, 5, 6]
    assert success_thresholds(5, 1, "1/2", test="tight").tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "share", ["0", "-1/3", "4/3", "1/0", "third", "1/2/3", "nan", "inf", "", "1e-999999999", "1_0"]
)
def test_a_share_that_is_none_is_refused(share: str) -> None:
    with pytest.raises(OptionNotUsable, match=r"^p must be .*\nHint: "):
        success_threshold(3, share)
    with pytest.raises(OptionNotUsable, match=r"^alpha must be .*\nHint: "):
        success_threshold(3, "1/3", share)


def test_a_share_of_too_many_digits_is_refused() -> None:
    with pytest.raises(OptionNotUsable, match=r"too many digits"):
        success_threshold(3, "0." + "3" * 19)


def test_a_negative_number_of_guesses_and_an_unknown_test_are_refused() -> None:
    with pytest.raises(OptionNotUsable, match="not -1"):
        success_thresholds(-1)
    with pytest.raises(OptionNotUsable, match="contest or tight"):
        success_thresholds(3, test="loose")  # type: ignore[arg-type]


def test_written_thresholds_are_lines_of_guesses_and_hits_and_read_back(tmp_path: Path) -> None:
    write_thresholds(success_thresholds(8), tmp_path / "R.csv")
    assert (tmp_path / "R.csv").read_bytes() == b"0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n7,7\n8,8\n"
    assert read_thresholds(tmp_path / "R.csv").tolist() == success_thresholds(8).tolist()


@pytest.mark.parametrize("text", ["0,1\r\n2,9\r\n1,2", "1,2\n2,9\n", "2,9\n1,2\n0,1\n"])
def test_lines_may_be_in_any_order_and_zero_may_be_missing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "R.csv"
    path.write_bytes(text.encode())
    assert read_thresholds(path).tolist() == [1, 2, 9]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n,r\n0,1\n", "line 1: 'n,r' is not a number"),
        ("0,1\n1\n", "line 2: '1' is not a number"),
        ("0,1\n1, 2\n", "line 2: '1, 2' is not a number"),
        ("0,1\n\n1,2\n", "line 2: '' is not a number"),
        ("0,1\n1,2,3\n", "line 2: '1,2,3' is not a number"),
        ("0,1\n1,-2\n", "line 2: '1,-2' is not a number"),
        ("0,1\n01,2\n", "line 2: '01,2' is not a number"),
        ("0,1\r1,2\n", "line 1: "),
        ("\ufeff0,1\n", "line 1: "),
        ("0,1\n1,2\n1,2\n", "line 3: this is the second threshold for 1 guesses"),
        ("0,1\n1,0\n", "line 2: with the threshold for 1 guesses, an attack would succeed without a single hit"),
        ("0,1\n1,2\n2,1\n", "R.csv: the thresholds fall: 2 for 1 guesses, but 1 for 2"),
        ("0,1\n1,2\n3,4\n", "has a threshold for 3 guesses, but none for 2"),
    ],
)
def test_a_malformed_file_of_thresholds_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "R.csv"
    path.write_bytes(text.encode())
    with pytest.raises(BadRows, match=r"\nHint: ") as caught:
        read_thresholds(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x01"])
def test_a_file_without_text_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "R.csv").write_bytes(content)
    with pytest.raises(SourceNotReadable, match=r"\nHint: "):
        read_thresholds(tmp_path / "R.csv")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(SourceNotReadable, match="Cannot read"):
            read_thresholds(path)
    folder = tmp_path / "R.csv"
    folder.mkdir()
    with pytest.raises(OutputNotWritable):
        write_thresholds(success_thresholds(3), folder)


def test_the_parameters_of_the_contest_are_the_defaults() -> None:
    assert Fraction("1/3") == CONTEST_P
    assert Fraction("0.01") / 20 == CONTEST_ALPHA
