"""What a policy says, and what is said of one that is wrong: the file, the place, and what to do."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.gate import policy as reader
from sudare.gate.arguments import Argument
from sudare.gate.measures import registry
from sudare.gate.measures.registry import KINDS, MEASURES, SOURCE_OPTIONS
from sudare.gate.policy import Policy, Waiver, read_policy
from sudare.messages import LANGUAGES, Texts, catalogue
from sudare.sources.text import file_hash

WHOLE = """\
# What may leave the house.
[gate]
title = "Members"
seed = 7
drift = 0.01
legal = ["gdpr", "hipaa"]
answers = "answers.toml"
examples = ["rare"]

[sources.members]
kind = "table"
file = "data/members.csv"
missing-value = ["?", "-"]
attributes = ["sex", "age", "town"]

[sources.sales]
kind = "history"
file = "sales.csv"
bad-rows = "drop"
rules = "contest"

[[checks]]
source = "members"
measure = "highest-risk"
known = "sex, age"
warn = "10%"
fail = "1/5"

[[checks]]
name = "rare"
source = "members"
measure = "rare-values"
fail = 0
drift = 2
except = { reason = "Towns are merged in May", until = 2026-05-31 }

  [[ checks ]]
source = "sales"
measure = "loss"
aligned = "aligned.csv"
warn = 0.5
except = { reason = "A pilot", until = "2026-06-30" }
"""


def read(place: Path, text: str, **how: Any) -> Policy:
    (place / "policy.toml").write_text(text, encoding="utf-8")
    return read_policy(place / "policy.toml", **how)


def test_a_policy_is_read_as_it_says(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE)
    assert (found.title, found.seed, found.legal, found.answers) == ("Members", 7, ("gdpr", "hipaa"), "answers.toml")
    assert (found.source, found.sha256) == ("policy.toml", file_hash(tmp_path / "policy.toml"))
    assert (found.examples, found.content, found.folder) == (("rare",), WHOLE, tmp_path)
    members, sales = found.sources
    assert (members.name, members.kind, members.file) == ("members", "table", "data/members.csv")
    assert members.options == {"missing-value": ("?", "-"), "attributes": ("sex", "age", "town")}
    assert sales.options == {"bad-rows": "drop", "rules": "contest"}
    risk, rare, loss = found.checks
    assert (risk.name, risk.measure, risk.arguments) == (
        "members: highest-risk (sex, age)", "highest-risk", {"known": ("sex", "age")},
    )  # fmt: skip
    assert (risk.warn, risk.fail, risk.drift, risk.waiver) == (0.1, 0.2, 0.01, None)
    assert (rare.name, rare.warn, rare.fail, rare.drift) == ("rare", None, 0, 2)
    assert rare.waiver == Waiver("Towns are merged in May", dt.date(2026, 5, 31))
    assert (loss.fail, loss.waiver) == (None, Waiver("A pilot", dt.date(2026, 6, 30)))
    lines = WHOLE.splitlines()
    assert [lines[check.line - 1].strip() for check in found.checks] == ["[[checks]]", "[[checks]]", "[[ checks ]]"]
    assert [found.kind_of(check) for check in found.checks] == ["table", "table", "history"]


def test_files_are_relative_to_the_policy_or_to_a_folder_that_is_given(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE)
    assert [found.location_of(source) for source in found.sources] == [
        str(tmp_path / "data/members.csv"), str(tmp_path / "sales.csv"),
    ]  # fmt: skip
    assert dict(found.files()) == {
        "members": "data/members.csv", "sales": "sales.csv", "answers": "answers.toml",
        "sales: loss (aligned aligned.csv): aligned": "aligned.csv",
    }  # fmt: skip
    elsewhere = read(tmp_path, WHOLE, folder=tmp_path / "other")
    assert elsewhere.location_of(elsewhere.sources[1]) == str(tmp_path / "other" / "sales.csv")


def test_rules_are_a_file_where_there_is_one_of_that_name(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE)
    assert found.options_of(found.sources[1])["rules"] == "contest"
    (tmp_path / "contest").write_text("", encoding="utf-8")
    assert found.options_of(found.sources[1])["rules"] == str(tmp_path / "contest")
    spilling = read(tmp_path, WHOLE.replace('rules = "contest"', 'spill-dir = "rest"'))
    assert spilling.options_of(spilling.sources[1])["spill-dir"] == str(tmp_path / "rest")


def test_what_is_not_said_has_a_default(tmp_path: Path) -> None:
    found = read(tmp_path, one_check(fail=1).replace("[gate]\n", ""))
    assert (found.title, found.seed, found.legal, found.answers, found.examples) == ("policy", 0, (), None, ())
    assert found.checks[0].drift == 0


def test_a_byte_order_mark_is_no_part_of_a_policy(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(one_check(fail=1), encoding="utf-8-sig")
    assert read_policy(tmp_path / "policy.toml").checks[0].fail == 1


@pytest.mark.parametrize(
    ("source", "check", "name"),
    [
        ({}, {"measure": "l", "sensitive": "town"}, "s: l (sensitive town)"),
        ({}, {"measure": "disclosable", "sets": [["sex", "age"], ["town"]]}, "s: disclosable (sets sex, age + town)"),
        ({}, {"measure": "subsets", "size": 3}, "s: subsets (size 3)"),
        ({}, {"measure": "above-limit", "limit": "20%"}, "s: above-limit (limit 0.2)"),
        ({"kind": "history"}, {"measure": "profiles", "trained": False}, "s: profiles (trained false)"),
        ({"kind": "history"}, {"measure": "knowledge", "knowledge": "day + item"}, "s: knowledge (day + item)"),
    ],
)
def test_a_check_without_a_name_is_called_by_what_it_asks(
    tmp_path: Path, source: dict[str, Any], check: dict[str, Any], name: str
) -> None:
    assert read(tmp_path, one_check(source, fail=1, **check)).checks[0].name == name


def one_check(source: Mapping[str, Any] | None = None, gate: str = "", waiver: Any = None, **check: Any) -> str:
    """Return a policy of one check on a table; None leaves an entry out."""
    told = {"kind": "table", "file": "a.csv", **(source or {})}
    asked = {"source": "s", "measure": "uniques", **check, "except": waiver}
    return f"[gate]\n{gate}\n[sources.s]\n{lines(told)}\n[[checks]]\n{lines(asked)}\n"


def lines(entries: Mapping[str, Any]) -> str:
    return "\n".join(f"{name} = {toml(value)}" for name, value in entries.items() if value is not None)


def toml(value: Any) -> str:
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


CHECK = r"\[\[checks\]\] 1"
WAIVER = rf"{CHECK} except"
# The key of the text, the policy, and what is said after the name of the policy.
WRONG: list[tuple[str, str, str]] = [
    ("not_toml", "[gate\n", r" is not valid TOML: .*line 1"),
    ("not_toml", "a = " + "[" * 5000, " is not valid TOML: "),
    ("nothing", "", r" has no \[sources\.NAME\], so there is nothing to check\.\nHint: `sudare gate init"),
    ("nothing", '[sources.s]\nkind = "table"\nfile = "a.csv"', r" has no \[\[checks\]\], so"),
    ("checks_form", '[checks]\na = 1\n[sources.s]\nkind = "table"\nfile = "a.csv"', r": checks must be written as"),
    ("checks_form", 'checks = [1]\n[sources.s]\nkind = "table"\nfile = "a.csv"', r": checks must be written as \[\["),
    ("not_table", "gate = 1\n", r": \[gate\] must be a table"),
    ("not_table", "sources = 1\n", r": \[sources\] must be a table"),
    ("not_table", "sources.s = 1\n", r": \[sources\.s\] must be a table"),
    ("not_table", one_check(fail=1, waiver="soon"), rf": {WAIVER} must be a table"),
    ("unknown_key", "[sorces.s]\n", r", top: there is no 'sorces' here\.\nHint: Possible here: sources\."),
    ("unknown_key", "[gate]\ntitel = 1\n", r", \[gate\]: there is no 'titel' here\.\nHint: Possible here: title\."),
    ("unknown_key", one_check({"delimeter": ";"}, fail=1), r", \[sources\.s\]: .*'delimeter'.*\n.*delimiter\."),
    ("unknown_key", one_check({"per": "visit"}, fail=1), r", \[sources\.s\]: there is no 'per' here"),
    ("unknown_key", one_check(fail=1, knwon="sex"), rf", {CHECK}: there is no 'knwon' here.*\n.*known"),
    ("unknown_key", one_check(fail=1, sensitive="sex"), rf", {CHECK}: there is no 'sensitive' here"),
    (
        "unknown_key", one_check(fail=1, waiver={"reason": "a", "untill": "2026-01-01"}),
        rf", {WAIVER}: there is no 'untill' here\.\nHint: Possible here: until\.",
    ),
    ("missing", "[sources.s]\n", r", \[sources\.s\]: kind is missing"),
    ("missing", '[sources.s]\nkind = ""\n', r", \[sources\.s\]: kind is missing"),
    ("missing", '[sources.s]\nkind = "table"\n', r", \[sources\.s\]: file is missing"),
    ("missing", one_check().replace('source = "s"', ""), rf", {CHECK}: source is missing"),
    ("missing", one_check().replace('measure = "uniques"', ""), rf", {CHECK}: measure is missing"),
    ("missing", one_check(fail=1, waiver={"until": "2026-01-01"}), rf", {WAIVER}: reason is missing"),
    ("unknown_kind", one_check({"kind": "tabel"}), r", .*: kind must be history, table or baskets, not 'tabel'"),
    (
        "no_source", one_check().replace('source = "s"', 'source = "t"'),
        rf", {CHECK}: there is no source 't'; the policy has s\.",
    ),
    ("no_measure", one_check(measure="unique"), rf", {CHECK}: 'unique' is not a .* table.*\n.*mean uniques\?"),
    ("measure_of_other", one_check(measure="km"), rf", {CHECK}: 'km' is a measure of a baskets source, not of a table"),
    ("measure_of_other", one_check({"kind": "baskets"}), rf", {CHECK}: 'uniques' is .* a history or table source"),
    ("missing_argument", one_check(measure="l", fail=1), rf", {CHECK}: l needs sensitive\."),
    ("no_limit", one_check(), rf", {CHECK}: the check has no limit\.\nHint: Give fail, or warn, or both\."),
    ("warn_worse", one_check(warn=0.2, fail=0.1), rf", {CHECK}: the limit that warns \(0\.2\) is behind .* \(0\.1\)"),
    ("warn_worse", one_check(measure="smallest-class", warn=3, fail=5), rf", {CHECK}: the limit that warns \(3\)"),
    (
        "same_name", one_check(fail=1) + '[[checks]]\nsource = "s"\nmeasure = "uniques"\nfail = 0\n',
        r": two checks are called 's: uniques'\.\nHint: Give one of them a name",
    ),
    (
        "no_check", one_check(gate='examples = ["s: unique"]', fail=1),
        r", \[gate\]: there is no check 's: unique'\.\nHint: Did you mean s: uniques\?",
    ),
    ("wrong", one_check(gate="title = 3", fail=1), r", \[gate\]: title must be a text in quotes\."),
    ("wrong", one_check(gate="answers = 3", fail=1), r", \[gate\]: answers must be a text in quotes\."),
    ("wrong", one_check(gate='legal = "gdpr"', fail=1), r", \[gate\]: legal must be a list of names\."),
    ("wrong", one_check(gate="examples = [1]", fail=1), r", \[gate\]: examples must be a list of names\."),
    ("wrong", one_check(gate="seed = -1", fail=1), r", \[gate\]: seed must be a whole number from 0\."),
    ("wrong", one_check(gate="seed = true", fail=1), r", \[gate\]: seed must be a whole number from 0\."),
    ("wrong", one_check(gate='drift = "little"', fail=1), r', \[gate\]: drift must be a number, or a share such as "'),
    ("wrong", one_check(gate="drift = -0.1", fail=1), r", \[gate\]: drift must be a number from 0, or a share"),
    ("wrong", one_check(fail=1, drift="-1%"), rf", {CHECK}: drift must be a number from 0"),
    (
        "reserved", one_check(fail=1).replace("[sources.s]", "[sources.answers]").replace('"s"', '"answers"'),
        r", \[sources\.answers\]: a source cannot be called 'answers': that is the name of the answers\.",
    ),
    ("wrong", one_check({"kind": 3}), r", \[sources\.s\]: kind must be a text in quotes"),
    ("wrong", one_check({"header": "yes"}), r", \[sources\.s\]: header must be true or false"),
    ("wrong", one_check({"min-cell": -1}), r", \[sources\.s\]: min-cell must be a whole number from 0"),
    ("wrong", one_check({"missing": "all"}), r", \[sources\.s\]: missing must be value or any\."),
    ("wrong", one_check({"spill-dir": 3}), r", \[sources\.s\]: spill-dir must be the name of a file"),
    ("wrong", one_check(known=[1], fail=1), rf", {CHECK}: known must be a list of names"),
    ("wrong", one_check(measure="disclosable", sets="sex", fail=1), rf", {CHECK}: sets must be a list of lists"),
    ("wrong", one_check(measure="above-limit", limit="a", fail=1), rf", {CHECK}: limit must be a number, or a share"),
    (
        "wrong", one_check(measure="affordable", costs="c.csv", budget="a", fail=1),
        rf", {CHECK}: budget must be a number\.",
    ),
    (
        "wrong", one_check({"kind": "baskets"}, measure="rho", rho=0.5, sensitive=3, fail=1),
        rf", {CHECK}: sensitive must be the name of a file, or a rule",
    ),
    ("wrong", one_check(fail="twenty"), rf', {CHECK}: fail must be a number, or a share such as "20%"'),
    ("wrong", one_check(warn=True), rf", {CHECK}: warn must be a number"),
    ("wrong", one_check(fail=1, drift=[]), rf", {CHECK}: drift must be a number"),
    ("wrong", one_check(fail=1, name=3), rf", {CHECK}: name must be a text in quotes"),
    ("wrong", one_check(fail=1, waiver={"reason": "a"}), rf", {WAIVER}: until must be a day such as 2026-12-31"),
    ("wrong", one_check(fail=1, waiver={"reason": "a", "until": "May"}), rf", {WAIVER}: until must be a day"),
    ("wrong", one_check(fail=1, waiver={"reason": "a", "until": 2026}), rf", {WAIVER}: until must be a day"),
    (
        "wrong", one_check(fail=1, waiver={"reason": "a", "until": dt.datetime(2026, 5, 1)}),
        rf", {WAIVER}: until must be a day",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("key", "text", "said"), WRONG)
def test_what_is_wrong_is_said_with_its_place_and_what_to_do(tmp_path: Path, key: str, text: str, said: str) -> None:
    with pytest.raises(OptionNotUsable, match=rf"(?s)^{re.escape(str(tmp_path))}/policy\.toml{said}") as raised:
        read(tmp_path, text)
    assert raised.value.key == f"errors.gate.{key}"
    for language in LANGUAGES:
        assert str(tmp_path) in raised.value.text(Texts(language))


def test_the_place_of_a_check_is_its_number(tmp_path: Path) -> None:
    with pytest.raises(
        OptionNotUsable, match=r"policy\.toml, \[\[checks\]\] 2: uniques is|\[\[checks\]\] 2: the check has no"
    ):
        read(tmp_path, one_check(fail=1) + '[[checks]]\nsource = "s"\nmeasure = "mean-risk"\n')


def test_every_error_of_the_reader_is_among_those_above() -> None:
    sources = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in (reader, registry))
    named = set(re.findall(r'refuse\(\s*"(\w+)"|"errors\.gate\.(\w+)"', sources))
    keys = {one or other for one, other in named} - {"not_readable"}
    assert {key for key, _, _ in WRONG} == keys


def test_every_thing_that_an_entry_must_be_is_said_above(tmp_path: Path) -> None:
    said = set()
    for _, text, _ in WRONG:
        with pytest.raises(OptionNotUsable) as raised:
            read(tmp_path, text)
        if "must" in raised.value.values:
            said.add(raised.value.values["must"].key)  # type: ignore[attr-defined]
    assert said == {key for key in catalogue("en") if key.startswith("errors.gate.must.")}


def test_a_policy_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match=r"policy\.toml"):
        read_policy(tmp_path / "policy.toml")
    (tmp_path / "policy.toml").write_bytes(b"\xff\xfe[gate]")
    with pytest.raises(SourceNotReadable, match=r"policy\.toml cannot be read: "):
        read_policy(tmp_path / "policy.toml")
    with pytest.raises(SourceNotReadable, match=r" cannot be read: "):
        read_policy(tmp_path)


def example_of(argument: Argument) -> Any:
    """Return a value that an argument may have."""
    if argument.choices:
        return argument.choices[0]
    values = {
        "text": "a", "file": "a.csv", "source": "a.csv", "names": ["a", "b"], "sets": [["a"], ["b"]], "count": 3,
        "number": 1.5, "share": "20%", "flag": True,
    }  # fmt: skip
    return values[argument.kind]


@pytest.mark.parametrize(("kind", "measure"), [(kind, name) for kind in KINDS for name in MEASURES[kind]])
def test_a_measure_can_be_asked_for_with_everything_it_takes(tmp_path: Path, kind: str, measure: str) -> None:
    arguments = MEASURES[kind][measure].arguments  # type: ignore[index]
    asked = {name: example_of(argument) for name, argument in arguments.items()}
    options = {name: example_of(argument) for name, argument in SOURCE_OPTIONS[kind].items()}  # type: ignore[index]
    found = read(tmp_path, one_check({"kind": kind, **options}, measure=measure, fail=1, **asked))
    assert set(found.checks[0].arguments) == set(arguments)
    assert set(found.sources[0].options) == set(options)
    files = [name for name, argument in arguments.items() if argument.kind in ("file", "source")]
    assert found.files_of(found.checks[0]) == files


def test_a_rule_is_no_file(tmp_path: Path) -> None:
    for words, files in (("item:med*", []), ("all", []), ("secrets.csv", ["sensitive"])):
        text = one_check({"kind": "baskets"}, measure="rho", rho=0.5, sensitive=words, fail=0)
        found = read(tmp_path, text)
        assert found.files_of(found.checks[0]) == files
