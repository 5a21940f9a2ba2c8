"""A first policy for a file: it runs as it is, and measures what it says it measures."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sudare.errors import ColumnNotFound, InputError, OptionNotUsable, OutputNotWritable, SourceNotReadable
from sudare.gate.policy import read_policy
from sudare.gate.run import run_gate
from sudare.gate.suggestion import SuggestedPolicy, suggest_policy, toml_value
from sudare.messages import LANGUAGES, Language, Texts
from sudare.report.gate.report import gate_page
from sudare.report.legal.criteria import legal_questions, read_answers
from tests.gate.evidence_made import DAY
from tests.public_examples import BASKETS, PURCHASES

TABLE = "name,sex,age,town\n" + "".join(
    f"{name},{'mf'[number % 2]},{30 + number % 3},{'xy'[number % 2]}\n"
    for number, name in enumerate(("Ada Lovelace", "Emmy Noether", "Sofja Kowalewskaja", "Mary Somerville") * 3)
)
DAY_AND_TIME = dt.datetime.combine(DAY, dt.time(12), dt.UTC)
FILES = {"people.csv": TABLE, "sales.csv": PURCHASES, "visits.txt": BASKETS}


def suggested(folder: Path, name: str, **how: Any) -> SuggestedPolicy:
    (folder / name).write_text(FILES[name], encoding="utf-8")
    return suggest_policy(folder / name, folder=folder, **how)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "kind"), [("people.csv", "table"), ("sales.csv", "history"), ("visits.txt", "baskets")]
)
def test_the_policy_runs_as_it_is_and_finds_the_values_of_today(
    tmp_path: Path, name: str, kind: str, language: Language
) -> None:
    found = suggested(tmp_path, name, language=language)
    assert found.kind == kind
    found.write(tmp_path / "policy.toml")
    run = run_gate(tmp_path / "policy.toml", day=DAY)
    values = {(check.measure, json.dumps(check.arguments)): check.value for check in run.checks}
    assert values == {(check.measure, json.dumps(check.arguments)): check.value for check in found.checks}
    policy = read_policy(tmp_path / "policy.toml")
    passing = {check.name for check in run.checks if check.verdict == "pass"}
    for check, told in zip(policy.checks, found.checks, strict=True):
        assert (check.name in passing) == told.within
        assert (check.warn, check.fail) == ((None, told.limit) if told.severity == "fail" else (told.limit, None))


def test_a_table_is_asked_for_what_suits_its_columns(tmp_path: Path) -> None:
    found = suggested(tmp_path, "people.csv")
    told = {check.measure: (check.arguments, check.value, check.within) for check in found.checks}
    known = ("sex", "age", "town")
    # Men and women of three ages, all men of one town: two people of each kind.
    assert told["highest-risk"] == ({"known": known}, 0.5, False)
    assert told["uniques"] == ({"known": known}, 0.0, True)
    assert told["identifiers"] == ({}, 1, False)
    # Four live with each age, six in each town, four names are borne by three people each.
    assert told["rare-values"] == ({"people": 3}, 0, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_comments_say_what_each_check_is_and_what_it_measures_today(tmp_path: Path, language: Language) -> None:
    texts = Texts(language)
    found = suggested(tmp_path, "people.csv", language=language)
    blocks = found.policy.split("[[checks]]")
    for check, before in zip(found.checks, blocks, strict=False):
        assert f"# {texts(f'gate.about.{check.measure}')}\n" in before
        state = texts("gate.policy.within" if check.within else "gate.policy.beyond")
        assert before.rstrip().splitlines()[-1].endswith(state + {"en": ".", "ja": "）。"}[language])
    assert ("現在の値" in found.policy, "Today" in found.policy) == (language == "ja", language == "en")
    assert "\N{NO-BREAK SPACE}" not in found.policy


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_commented_out_may_be_let_in(tmp_path: Path, language: Language) -> None:
    found = suggested(tmp_path, "people.csv", language=language)
    (tmp_path / "answers.toml").write_text("")
    text = found.policy
    for line in text.splitlines():
        if line.startswith(("# seed", "# drift", "# legal", "# answers", "# examples", "# except")):
            text = text.replace(line, line.removeprefix("# "), 1)
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    policy = read_policy(tmp_path / "policy.toml")
    assert (policy.answers, policy.examples, policy.checks[0].drift) == ("answers.toml", (), 0.01)
    assert policy.legal
    waiver = policy.checks[-1].waiver
    assert waiver is not None
    assert waiver.until.isoformat() == "2026-12-31"


def test_no_value_of_the_data_is_in_the_policy(tmp_path: Path) -> None:
    for name in FILES:
        found = suggested(tmp_path, name)
        assert [
            word for word in ("Lovelace", "Noether", "Hanako", "2024-12") if word in found.policy + repr(found)
        ] == []


@pytest.mark.parametrize(
    ("file", "folder", "named"),
    [
        ("people.csv", ".", "people.csv"),
        ("data/people.csv", ".", "data/people.csv"),
        ("data/people.csv", "gates", "../data/people.csv"),
        ("people.csv", "gates/inner", "../../people.csv"),
        ("data/people.csv", "link", "../../data/people.csv"),
        ("link/people.csv", "gates", "inner/people.csv"),
    ],
)
def test_a_file_is_named_from_where_the_policy_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, folder: str, named: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "gates" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("gates/inner")
    (tmp_path / file).write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    found = suggest_policy(file, folder=folder, answers=Path(folder) / "answers.toml")
    told = tomllib.loads(found.policy)
    assert (told["sources"]["data"]["file"], told["gate"]["answers"]) == (named, "answers.toml")
    found.write(Path(folder) / "policy.toml")
    found.write_questions(Path(folder) / "answers.toml")
    monkeypatch.chdir(os.sep)
    assert run_gate(tmp_path / folder / "policy.toml", day=DAY).checks


def test_without_a_place_a_file_is_named_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    assert tomllib.loads(suggest_policy("people.csv").policy)["sources"]["data"]["file"] == "people.csv"


def test_names_of_columns_are_quoted_whatever_they_are(tmp_path: Path) -> None:
    (tmp_path / 'a "b".csv').write_text('"a ""b""",c\\d,"# e","[x]",年齢\n1,2,3,4,5\n1,2,3,4,5\n', encoding="utf-8")
    found = suggest_policy(tmp_path / 'a "b".csv', kind="table", folder=tmp_path, options={"min-cell": 1})
    found.write(tmp_path / "policy.toml")
    policy = read_policy(tmp_path / "policy.toml")
    known = next(check.arguments["known"] for check in policy.checks if check.measure == "uniques")
    assert set(known) <= {'a "b"', "c\\d", "# e", "[x]", "年齢"}
    assert len(known) >= 4
    assert run_gate(policy, day=DAY).checks


def test_options_are_those_that_the_policy_has(tmp_path: Path) -> None:
    found = suggested(tmp_path, "sales.csv", options={"missing-value": ("customer=Hanako3",), "bad-rows": "drop"})
    assert found.kind == "history"
    told = tomllib.loads(found.policy)["sources"]["data"]
    assert told == {"kind": "history", "file": "sales.csv", "missing-value": ["customer=Hanako3"], "bad-rows": "drop"}


def test_a_kind_may_be_given_and_must_then_fit(tmp_path: Path) -> None:
    assert suggested(tmp_path, "sales.csv", kind="table").kind == "table"
    with pytest.raises(ColumnNotFound):
        suggested(tmp_path, "people.csv", kind="history")


@pytest.mark.parametrize("content", [None, b"", b"\x00\x01"])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "data.csv").write_bytes(content)
    with pytest.raises(SourceNotReadable):
        suggest_policy(tmp_path / "data.csv")


@given(
    st.one_of(
        st.booleans(), st.integers(0, 2**60), st.floats(0, 1), st.text(), st.lists(st.text(max_size=5), max_size=3)
    )
)
def test_values_are_toml(value: Any) -> None:
    try:
        text = f"value = {toml_value(value)}".encode()
    except UnicodeEncodeError:  # half a character is nowhere in a file
        return
    read = tomllib.loads(text.decode())["value"]
    assert read == value
    # A whole number stays one, since options count with it.
    assert not isinstance(value, int) or type(read) is type(value)


def test_neither_file_is_written_over_the_data_or_under_another_ending(tmp_path: Path) -> None:
    found = suggested(tmp_path, "people.csv")
    for write in (found.write, found.write_questions):
        with pytest.raises(OptionNotUsable, match=r"\.toml"):
            write(tmp_path / "people.csv")
    (tmp_path / "people.toml").write_text(TABLE)
    found = suggest_policy(tmp_path / "people.toml", kind="table")
    for write in (found.write, found.write_questions):
        with pytest.raises(OutputNotWritable, match="it is read"):
            write(tmp_path / "people.toml")
    assert (tmp_path / "people.toml").read_text() == TABLE


# --------------------------------------------------------------------------------------------------- questionnaire


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_questionnaire_asks_everything_and_answers_nothing(tmp_path: Path, language: Language) -> None:
    found = suggested(tmp_path, "people.csv", language=language)
    found.write_questions(tmp_path / "answers.toml")
    assert tomllib.loads(found.questions) == dict.fromkeys(legal_questions(), "")
    assert read_answers(tmp_path / "answers.toml") == {}
    for question in legal_questions().values():
        assert f"# {question.text[language]}\n" in found.questions
        assert f"# {question.why[language]}\n" in found.questions


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_answered_is_shown_as_such(tmp_path: Path, language: Language) -> None:
    found = suggested(tmp_path, "people.csv", answers=tmp_path / "answers.toml", language=language)
    found.write(tmp_path / "policy.toml")
    found.write_questions(tmp_path / "answers.toml")
    texts = Texts(language)
    unanswered = f"<dd>{texts('legal.unanswered')}</dd>"

    def page() -> str:
        shown = gate_page(run_gate(tmp_path / "policy.toml", day=DAY), texts, DAY_AND_TIME, legal=["all"])
        # An answer may be marked as a name.
        return re.sub(r"</?(?!/?dd)\w[^>]*>", "", shown)

    empty = page()
    assert empty.count(unanswered) >= len(legal_questions())
    text = found.questions.replace('recipients = ""', 'recipients = "The <town> hall"').replace(
        'contract = ""', "contract = false"
    )
    (tmp_path / "answers.toml").write_text(text.replace('security = ""', 'security = "  "'), encoding="utf-8")
    filled = page()
    assert "<dd>The &lt;town&gt; hall</dd>" in filled
    assert f"<dd>{texts('legal.no')}</dd>" in filled
    assert empty.count(unanswered) - filled.count(unanswered) == 2


def test_an_answer_that_is_not_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "answers.toml").write_text('contract = "perhaps"\n')
    with pytest.raises(InputError, match="the answer to contract must be true or false"):
        read_answers(tmp_path / "answers.toml")
