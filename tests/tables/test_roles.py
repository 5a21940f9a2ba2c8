"""The roles of columns: what is dropped, generalized and published, why, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

import sudare
from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.messages import Texts
from sudare.tables.model import Table
from sudare.tables.roles import Roles, find_roles

Columns = Mapping[str, Sequence[str]]
Reader = Callable[[Columns], Table]

PEOPLE = 40
MEMBERS: Columns = {
    "member_no": [f"M{1000 + 7 * i}" for i in range(PEOPLE)],
    "name": [f"Person {'abcdefghijklmnopqrst'[i % 20]}{'xy'[i // 20]}" for i in range(PEOPLE)],
    "e-mail": [f"p{i}@example.org" for i in range(PEOPLE)],
    "phone": [f"03-1234-{5000 + i}" for i in range(PEOPLE)],
    "sex": ["m", "f"] * 20,
    "born": [f"{1950 + i}-03-{1 + i % 28:02}" for i in range(PEOPLE)],
    "town": ["Nara", "Kobe", "Uji", "Kyoto"] * 10,
    "remark": [f"called about {'abcdefghijklmnopqrstuvwxyz'[i % 26]} again" for i in range(PEOPLE)],
    "fax": [""] * PEOPLE,
    "disease": ["flu", "cold", "none", "none"] * 10,
}


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def reader(columns: Columns) -> Table:
        lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
        path = tmp_path / "members.csv"
        path.write_text("\n".join(lines) + "\n")
        return sudare.read_table(path)

    return reader


@pytest.fixture
def members(read: Reader) -> Table:
    return read(MEMBERS)


def roles_of(found: Roles) -> dict[str, tuple[str, str]]:
    return {column.attribute: (column.role, column.reason) for column in found.columns}


def test_each_column_has_a_role_and_a_reason(members: Table) -> None:
    assert roles_of(find_roles(members, sensitive=["disease"])) == {
        "member_no": ("identifier", "identifier"),
        "name": ("identifier", "identifier"),
        "e-mail": ("identifier", "identifier"),
        "phone": ("identifier", "identifier"),
        "sex": ("quasi", "default"),
        # Every birthday occurs once, but dates can be generalized.
        "born": ("quasi", "default"),
        "town": ("quasi", "default"),
        "remark": ("dropped", "free_text"),
        "fax": ("dropped", "no_values"),
        "disease": ("sensitive", "named"),
    }


def test_the_kind_of_an_identifier_is_found_whatever_the_role(members: Table) -> None:
    found = find_roles(members, known=["sex", "phone"], keep=["e-mail"], sensitive=["name"])
    kinds = {column.attribute: column.identifier for column in found.columns if column.identifier}
    assert kinds == {
        "member_no": "unique", "name": "name", "e-mail": "email", "phone": "phone", "born": "unique",
    }  # fmt: skip
    roles = roles_of(found)
    assert [roles[name] for name in ("phone", "e-mail", "name")] == [
        ("quasi", "named"), ("kept", "named"), ("sensitive", "named"),
    ]  # fmt: skip


def test_with_known_columns_the_others_are_dropped_and_say_so(members: Table) -> None:
    found = find_roles(members, known=["sex"], sensitive=["disease"])
    assert (found.quasi, found.sensitive, found.published) == (("sex",), ("disease",), ("sex", "disease"))
    assert roles_of(found)["town"] == ("dropped", "not_known")
    assert roles_of(found)["fax"] == ("dropped", "no_values")


def test_other_columns_are_published_only_if_asked_for_and_identifiers_never(members: Table) -> None:
    found = find_roles(members, known=["sex"], other="keep")
    assert found.named("kept") == ("born", "town", "remark", "fax", "disease")
    assert found.named("identifier") == ("member_no", "name", "e-mail", "phone")


def test_free_text_with_a_hierarchy_of_its_own_is_generalized(members: Table) -> None:
    assert roles_of(find_roles(members, hierarchies=["remark", "name"])) == {
        **roles_of(find_roles(members)),
        "remark": ("quasi", "default"),
    }


@pytest.mark.parametrize(
    ("values", "role"),
    [
        # Twenty different words in forty records are half of them, and not yet free text.
        ([f"word {'abcdefghijklmnopqrst'[i % 20]}" for i in range(PEOPLE)], "quasi"),
        ([f"word {'abcdefghijklmnopqrstu'[i % 21]}" for i in range(PEOPLE)], "dropped"),
        # Measured numbers can be generalized even if all differ; a numbering cannot.
        ([str(1.37 * i * i) for i in range(PEOPLE)], "quasi"),
        ([str(70000 + 13 * i) for i in range(PEOPLE)], "identifier"),
        # Codes lose their last characters.
        ([f"{'ABCDE'[i % 5]}{100 + i % 30}" for i in range(PEOPLE)], "quasi"),
        (["same"] * PEOPLE, "quasi"),
    ],
)
def test_what_can_be_generalized_is_a_quasi_identifier(read: Reader, values: list[str], role: str) -> None:
    table = read({"sex": MEMBERS["sex"], "asked": values})
    assert roles_of(find_roles(table))["asked"][0] == role


@pytest.mark.parametrize(
    ("named", "problem"),
    [
        ({"known": ["sex", "sex"]}, "'sex' is named twice in known."),
        ({"sensitive": ["town", "town"]}, "'town' is named twice in sensitive."),
        ({"known": ["sex", "town"], "sensitive": ["town"]}, "'town' is named both in known and in sensitive."),
        ({"known": ["sex"], "keep": ["sex"]}, "'sex' is named both in known and in keep."),
        ({"sensitive": ["disease"], "keep": ["disease"]}, "'disease' is named both in sensitive and in keep."),
        ({"known": ["fax"]}, "'fax' has no values: all of them are missing."),
        ({"sensitive": ["fax"]}, "Leave it out of sensitive."),
        ({"known": []}, "No column of "),
        (
            {"keep": ["sex", "born", "town"], "sensitive": ["disease"]},
            "sex, born, town (named to be kept); ",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_name(members: Table, named: dict[str, list[str]], problem: str) -> None:
    with pytest.raises(OptionNotUsable) as refused:
        find_roles(members, **named)  # type: ignore[arg-type]
    assert problem in str(refused.value)


def test_an_unknown_column_is_told_with_near_names(members: Table) -> None:
    with pytest.raises(ColumnNotFound, match=r"no attribute 'twon'\. Did you mean town"):
        find_roles(members, known=["sex"], keep=["twon"])


def test_an_error_says_why_no_column_is_left_in_both_languages(members: Table) -> None:
    with pytest.raises(OptionNotUsable) as refused:
        find_roles(members, known=[])
    assert "phone (telephone numbers); sex, born, town, remark, disease (not named as known); fax (all" in str(
        refused.value
    )
    assert (
        "phone（電話番号）；sex、born、town、remark、disease（既知の列として指定されていない）"
        in refused.value.text(Texts("ja"))
    )


def test_an_empty_column_may_be_kept(members: Table) -> None:
    assert roles_of(find_roles(members, keep=["fax"]))["fax"] == ("kept", "named")


def test_roles_are_plain_values_and_rows(members: Table) -> None:
    found = find_roles(members)
    assert found.to_dict()["columns"][3:5] == [
        {"attribute": "phone", "role": "identifier", "identifier": "phone", "reason": "identifier"},
        {"attribute": "sex", "role": "quasi", "identifier": None, "reason": "default"},
    ]
    assert found.to_rows() == found.to_dict()["columns"]
