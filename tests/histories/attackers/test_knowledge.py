from typing import Any

import pytest
from hypothesis import given, strategies as st

from sudare.errors import KnowledgeNotUnderstood
from sudare.histories.attackers.knowledge import MOST_ROWS, MOST_VISITS, TEN_ATTACKERS, Knowledge, parse_knowledge
from sudare.histories.attackers.parts import CUSTOMER_PARTS, ROW_PARTS, VISIT_PARTS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nothing", Knowledge()),
        ("item", Knowledge(row_parts=("item",))),
        ("day + item*2", Knowledge(visit_parts=("day",), row_parts=("item",), rows=2)),
        ("  item*2+day ", Knowledge(visit_parts=("day",), row_parts=("item",), rows=2)),
        ("day*3", Knowledge(visit_parts=("day",), visits=3)),
        ("(day)*3", Knowledge(visit_parts=("day",), visits=3)),
        ("(item)*2", Knowledge(row_parts=("item",), visits=2)),
        ("(day + item*2)*3", Knowledge(visit_parts=("day",), row_parts=("item",), rows=2, visits=3)),
        ("item*2 + price*2", Knowledge(row_parts=("item", "price"), rows=2)),
        ("days", Knowledge(customer_parts=("days",))),
        ("days + (count)*2", Knowledge(visit_parts=("count",), customer_parts=("days",), visits=2)),
        ("kinds + count", Knowledge(visit_parts=("count", "kinds"))),
        ("kinds*2", Knowledge(visit_parts=("kinds",), visits=2)),
        ("8", TEN_ATTACKERS[8]),
    ],
)
def test_descriptions_are_read(text: str, expected: Knowledge) -> None:
    assert parse_knowledge(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a part is missing at the end"),
        ("days + ", "a part is missing at the end"),
        ("wekday", "Did you mean weekday?"),
        ("shoe size", "unknown part 'shoe'"),
        ("day item", "'item' was not expected"),
        ("item*0", "whole number of 1 or more"),
        ("item*", "whole number of 1 or more"),
        ("item*two", "whole number of 1 or more"),
        ("item + item", "item is named twice"),
        ("item*2 + price", "different numbers of times"),
        ("day*2 + item", "a visit has only one value of day"),
        ("days*2", "a customer has only one value of days"),
        ("(days + day)*2", "days describes the customer, not a visit"),
        ("((day))*2", "parentheses within parentheses"),
        ("(day)*2 + (item)*2", "more than one group"),
        ("(day)*2 + item", "item is outside the parentheses"),
        ("(day", "a closing parenthesis is missing"),
        ("day)", "')' was not expected"),
        ("day & item", "'&' was not expected"),
        (f"item*{MOST_ROWS + 1}", f"at most {MOST_ROWS}"),
        (f"day*{MOST_VISITS + 1}", f"at most {MOST_VISITS}"),
    ],
)
def test_what_is_not_understood_is_said_with_the_text_and_a_hint(text: str, reason: str) -> None:
    with pytest.raises(KnowledgeNotUnderstood) as caught:
        parse_knowledge(text)
    assert reason in str(caught.value)
    assert repr(text) in str(caught.value)
    assert "Hint: " in str(caught.value)


def chosen(parts: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sets(st.sampled_from(parts)).map(lambda found: tuple(part for part in parts if part in found))


@given(chosen(VISIT_PARTS), chosen(ROW_PARTS), chosen(CUSTOMER_PARTS), st.integers(1, 3), st.integers(1, 3))
def test_text_and_knowledge_are_the_same_thing(
    visit: tuple[str, ...], row: tuple[str, ...], customer: tuple[str, ...], rows: int, visits: int
) -> None:
    knowledge = Knowledge(visit, row, customer, rows if row else 1, visits if visit or row else 1)
    assert parse_knowledge(str(knowledge)) == knowledge


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"visit_parts": ["day"]}, TypeError),
        ({"visit_parts": (["day"],)}, TypeError),
        ({"visit_parts": ("item",)}, KnowledgeNotUnderstood),
        ({"visit_parts": ("day", "day")}, KnowledgeNotUnderstood),
        ({"row_parts": ("item",) * 2000}, KnowledgeNotUnderstood),
        ({"customer_parts": "days"}, TypeError),
        ({"rows": 0}, KnowledgeNotUnderstood),
        ({"rows": 1.0}, TypeError),
        ({"visits": MOST_VISITS + 1}, KnowledgeNotUnderstood),
    ],
)
def test_knowledge_that_is_not_parsed_is_checked_too(fields: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=f"^Knowledge: {next(iter(fields))} must be"):
        Knowledge(**fields)


def test_the_ten_attackers_are_table_7() -> None:
    assert [str(known) for known in TEN_ATTACKERS] == [
        "nothing",
        "item",
        "count",
        "count + item",
        "count + items",
        "day",
        "day + item",
        "day + count",
        "day + count + item",
        "day + count + items",
    ]
