"""The criteria of the legal map: whole in both languages, with sources and dates, and without a claim of conformity."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from sudare.errors import InputError
from sudare.gate.measures.registry import MEASURES
from sudare.messages import LANGUAGES, Language, Texts, catalogue
from sudare.report.legal import criteria
from sudare.report.legal.criteria import (
    Criterion,
    UsualNumber,
    frames_named,
    legal_frames,
    legal_questions,
    read_answers,
)

FRAMES = [
    "appi", "appi-pseudonymous", "gdpr", "edpb", "ico", "hipaa", "hipaa-safe-harbor", "ema", "cms", "cell-sizes",
    "iso-27559", "nist-800-188",
]  # fmt: skip
KNOWN = {name for measures in MEASURES.values() for name in measures}
# What nobody may read out of a page, and the sentences that deny it.
CLAIMS = {"en": r"\bcompl(?:y|ies|iant|iance)|\bconform|\bsafe to\b", "ja": "適合|準拠|合法|適法|遵守|問題ない"}
DENIALS = {
    "en": ["Nothing here says that data comply with a law"],
    "ja": ["適合を示すものではない", "適合するかどうかは"],
}
SAYS = {
    "appi": {
        "34-1": ("規則第34条第1号", "特定の個人を識別することができる記述等"),
        "34-2": ("規則第34条第2号", "個人識別符号の全部"),
        "34-3": ("規則第34条第3号", "連結する符号"),
        "34-4": ("規則第34条第4号", "特異な記述等"),
        "34-5": ("規則第34条第5号", "個人情報データベース等の性質"),
    },
    "appi-pseudonymous": {
        "31-1": ("規則第31条第1号", "特定の個人を識別することができる記述等"),
        "31-2": ("規則第31条第2号", "個人識別符号の全部"),
        "31-3": ("規則第31条第3号", "財産的被害が生じるおそれがある記述等"),
    },
}


def told(name: str) -> dict[str, Any]:
    return tomllib.loads(files(criteria.__package__).joinpath(name).read_text(encoding="utf-8"))


def all_criteria() -> list[tuple[str, Criterion]]:
    return [(f"{frame.id}/{one.id}", one) for frame in legal_frames() for one in frame.criteria]


def every_usual() -> Iterator[tuple[str, Criterion, UsualNumber]]:
    return ((name, one, usual) for name, one in all_criteria() for usual in one.usual)


def texts_of(part: Any) -> Iterator[Mapping[str, str]]:
    """Yield every text that has languages in a file."""
    if isinstance(part, Mapping):
        if "en" in part or "ja" in part:
            yield part
        else:
            for one in part.values():
                yield from texts_of(one)
    elif isinstance(part, list):
        for one in part:
            yield from texts_of(one)


ALL_TEXTS = [*texts_of(told("criteria.toml")), *texts_of(told("questions.toml"))]


def test_the_frames_are_those_that_are_promised() -> None:
    assert [frame.id for frame in legal_frames()] == FRAMES


def test_names_are_given_once() -> None:
    names = [name for name, _ in all_criteria()]
    questions = [one["id"] for one in told("questions.toml")["questions"]]
    assert (len(set(names)), len(set(questions))) == (len(names), len(questions))


def test_every_text_is_said_in_every_language() -> None:
    assert len(ALL_TEXTS) > 150
    assert [
        text for text in ALL_TEXTS if set(text) != set(LANGUAGES) or not all(one.strip() for one in text.values())
    ] == []


def test_japanese_sentences_are_japanese_and_english_ones_are_not() -> None:
    kana = re.compile("[ぁ-んァ-ヶ一-龠]")
    sentences = [text for text in ALL_TEXTS if text["ja"].endswith("。")]
    assert len(sentences) > 100
    assert [text["ja"] for text in sentences if not kana.search(text["ja"])] == []
    assert [text["en"] for text in ALL_TEXTS if kana.search(text["en"])] == []
    # Reports say である.
    assert [text["ja"] for text in ALL_TEXTS if re.search("です|ます(?=[。、]|$)|ません", text["ja"])] == []


@pytest.mark.parametrize(("name", "one"), all_criteria(), ids=[name for name, _ in all_criteria()])
def test_every_criterion_has_a_clause_a_source_and_its_date(name: str, one: Criterion) -> None:
    source = one.source
    assert re.fullmatch(r"\d{4}(-\d\d){0,2}", source.date), name
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", source.checked), name
    assert all(one.clause[language] and source.title[language] and source.publisher[language] for language in LANGUAGES)
    # What has no place in its source was read elsewhere, and is marked.
    assert not one.confirmed if one.place is None else set(one.place) == set(LANGUAGES)
    assert source.address is None or source.address.startswith("https://")


def test_every_source_is_used() -> None:
    sources = told("criteria.toml")["sources"]
    used = [one["source"] for frame in told("criteria.toml")["frames"] for one in frame["criteria"]]
    assert set(sources) == set(used)
    assert [frame.id for frame in legal_frames() if not frame.sources] == []


def test_a_frame_names_each_source_once() -> None:
    (ema,) = frames_named(["ema"])
    assert [source.publisher["en"] for source in ema.sources] == ["Health Canada", "European Medicines Agency"]


def test_measures_and_questions_are_known() -> None:
    assert {name for _, one in all_criteria() for name in one.measures} <= KNOWN
    assert {name for _, one in all_criteria() for name in one.questions} == set(legal_questions())


def test_a_measure_that_is_compared_speaks_to_its_criterion() -> None:
    assert [name for name, one, usual in every_usual() if usual.measure not in one.measures] == []


def test_numbers_that_are_compared_are_told_as_the_source_has_them() -> None:
    missing = [
        (name, language, usual.number)
        for name, one, usual in every_usual()
        for language in LANGUAGES
        if not re.search(rf"(?<![\d.]){re.escape(f'{usual.number:g}')}(?![\d]|\.\d)", (one.usual_text or {})[language])
    ]
    assert missing == []


def test_a_class_size_rounds_to_the_risk_it_is_equated_with() -> None:
    sizes = {(name, usual.number, usual.size) for name, _, usual in every_usual() if usual.size}
    assert sizes == {("ema/health-canada", 0.09, 11), ("ema/ema-threshold", 0.09, 11)}
    assert all(round(1 / size, 2) == number for _, number, size in sizes)


def test_only_these_numbers_are_compared() -> None:
    numbers = [(name, usual.measure, usual.number) for name, _, usual in every_usual()]
    assert numbers == [
        ("hipaa-safe-harbor/dates-ages", "oldest", 89),
        ("ema/health-canada", "highest-risk", 0.09),
        ("ema/health-canada", "smallest-class", 11),
        ("ema/health-canada", "k-map", 11),
        ("ema/ema-threshold", "highest-risk", 0.09),
        ("cms/cell", "smallest-count", 11),
        ("cell-sizes/precedents", "smallest-class", 3),
        ("cell-sizes/precedents", "smallest-class", 5),
        ("cell-sizes/precedents", "smallest-class", 11),
        ("cell-sizes/precedents", "smallest-class", 20),
        ("cell-sizes/cihi", "highest-risk", 0.05),
        ("cell-sizes/cihi", "highest-risk", 0.04),
        ("cell-sizes/ipc-ontario", "smallest-class", 11),
        ("cell-sizes/ipc-ontario", "smallest-class", 15),
        ("cell-sizes/ipc-ontario", "smallest-class", 20),
    ]


def test_what_was_not_read_in_the_source_itself_is_marked() -> None:
    marked = {name for name, one in all_criteria() if not one.confirmed}
    standard = {name for name, _ in all_criteria() if name.startswith("iso-27559/")}
    assert marked == standard | {"ema/health-canada", "ema/ema-threshold", "cell-sizes/ipc-ontario"}


@pytest.mark.parametrize(
    ("frame", "name"), [(frame, name) for frame, clauses in SAYS.items() for name in clauses]
)  # fmt: skip
def test_japanese_clauses_are_cited_and_worded_as_the_rules_are(frame: str, name: str) -> None:
    clause, words = SAYS[frame][name]
    (found,) = (one for one in frames_named([frame])[0].criteria if one.id == name)
    assert found.clause["ja"] == clause
    assert words in found.text["ja"]


def test_drafts_are_called_drafts() -> None:
    titles = {one.source.title["en"] for one in frames_named(["edpb"])[0].criteria}
    assert len(titles) == 2
    assert all("public consultation" in title for title in titles)
    assert all("意見募集版" in one.source.title["ja"] for one in frames_named(["edpb"])[0].criteria)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_can_be_read_as_a_claim_of_conformity(language: str) -> None:
    said = [text[language] for text in ALL_TEXTS]
    said += [text for key, text in catalogue(language).items() if key.startswith(("legal.", "gate.", "report.gate."))]
    for denial in DENIALS[language]:
        said = [text.replace(denial, "") for text in said]
    assert [text for text in said if re.search(CLAIMS[language], text, re.IGNORECASE)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_five_verdicts_and_none_is_good(language: Language) -> None:
    texts = Texts(language)
    said = {key: texts(f"legal.verdict.{key}") for key in ("below", "at", "above", "no_number", "yours")}
    assert [key for key in catalogue(language) if key.startswith("legal.verdict.")] == [
        f"legal.verdict.{key}" for key in said
    ]
    assert len(set(said.values())) == 5
    good = {"en": r"pass|ok|good|safe|fine|met\b|yes", "ja": "合格|安全|良|可|満た"}
    assert [text for text in said.values() if re.search(good[language], text, re.IGNORECASE)] == []


def test_frames_come_in_their_order_and_all_without_names() -> None:
    assert [frame.id for frame in frames_named(["hipaa", "appi"])] == ["appi", "hipaa"]
    assert [frame.id for frame in frames_named([])] == FRAMES
    assert [frame.id for frame in frames_named(["appi", "all"])] == FRAMES


def test_an_unknown_frame_is_refused_with_near_ones() -> None:
    with pytest.raises(InputError) as caught:
        frames_named(["appi", "gdrp"])
    assert "'gdrp'" in str(caught.value)
    assert "gdpr" in str(caught.value)


def answered(folder: Path, text: str) -> dict[str, str | bool]:
    (folder / "answers.toml").write_text(text, encoding="utf-8")
    return read_answers(folder / "answers.toml")


def test_answers_are_texts_or_yes_and_no(tmp_path: Path) -> None:
    found = answered(tmp_path, 'recipients = "当社の委託先"\ncontract = true\nreidentification-ban = false\n')
    assert found == {"recipients": "当社の委託先", "contract": True, "reidentification-ban": False}


def test_what_is_left_empty_is_not_answered(tmp_path: Path) -> None:
    assert answered(tmp_path, 'recipients = ""\nsecurity = "  "\ncontract = ""\n') == {}
    assert answered(tmp_path, "") == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('recipient = "x"', ["'recipient'", "recipients"]),
        ("recipients = true", ["recipients", '"..."']),
        ('contract = "yes"', ["contract", "true or false"]),
        ("contract = 1", ["contract", "true or false"]),
        ("recipients = ", ["not valid TOML"]),
    ],
)
def test_answers_that_are_wrong_are_one_message(tmp_path: Path, text: str, says: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        answered(tmp_path, text)
    assert all(part in str(caught.value) for part in [*says, "answers.toml"])


def test_answers_that_are_not_there_are_one_message(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"answers\.toml"):
        read_answers(tmp_path / "answers.toml")
