import pytest

from sudare.tables.recoded.texts import mean_text, range_text, set_text


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [
        ("20", "29", "20-29"),
        ("0", "1,200", "0-1200"),
        ("-1.5", "2", "[-1.5, 2]"),
        ("1.5", "2.0", "[1.5, 2.0]"),
        ("2024-01-01", "2024-03-31", "2024-01-01..2024-03-31"),
        ("2024-01", "2024-03", "2024-01..2024-03"),
        ("20", "20", "20"),
    ],
)
def test_ranges_are_written_by_the_kind_of_their_ends(low: str, high: str, written: str) -> None:
    assert range_text(low, high) == written


def test_a_range_that_can_be_missing_is_part_of_a_set() -> None:
    assert range_text("20", "29", missing=True) == "{, 20-29}"
    assert range_text("-1", "2", missing=True) == '{, "[-1, 2]"}'
    assert range_text("20", "20", missing=True) == "{, 20}"


def test_ends_that_have_no_order_make_no_range() -> None:
    with pytest.raises(ValueError, match="two numbers or two dates"):
        range_text("a", "b")


@pytest.mark.parametrize(
    ("values", "written"),
    [
        (["a", "b"], "{a, b}"),
        ([None, "a"], "{, a}"),
        (["a", None], "{, a}"),
        (["a, b", '5" disk', "c"], '{"a, b", "5"" disk", c}'),
        (["{", "*"], '{"{", "*"}'),
        (["a, b"], "a, b"),
        ([None], None),
    ],
)
def test_sets_quote_what_could_be_mistaken(values: list[str | None], written: str | None) -> None:
    assert set_text(values) == written


def test_means_have_the_digits_that_they_need() -> None:
    assert [mean_text(mean) for mean in (2.0, 0.1 + 0.2, -1e-7, 3e20)] == [
        "2", "0.30000000000000004", "-0.0000001", "300000000000000000000",
    ]  # fmt: skip
