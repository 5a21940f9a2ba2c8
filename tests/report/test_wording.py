"""What an attacker knows, as a sentence and as a label."""

from __future__ import annotations

import pytest

from sudare.histories.attackers.knowledge import TEN_ATTACKERS, parse_knowledge
from sudare.messages import LANGUAGES, Texts
from sudare.report.wording import knowledge_label, knowledge_sentence


@pytest.mark.parametrize(
    ("knowledge", "english", "japanese"),
    [
        ("nothing", "nothing", "知識なし"),
        ("day + count + items", "day + all items", "購買日＋全商品"),
        ("day + item*2", "day + 2 × item", "購買日＋商品×2"),
        ("item*2 + price*2", "2 × (item + price)", "（商品＋単価）×2"),
        ("day*2", "2 × day", "購買日×2"),
        ("(item*2)*3", "3 × (2 × item)", "（商品×2）×3"),
        ("days + (day + item)*2", "number of days + 2 × (day + item)", "来店日数＋（購買日＋商品）×2"),
    ],
)
def test_labels_are_short(knowledge: str, english: str, japanese: str) -> None:
    assert knowledge_label(parse_knowledge(knowledge), Texts("en")) == english
    assert knowledge_label(parse_knowledge(knowledge), Texts("ja")) == japanese


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_say_each_knowledge_differently_and_fully(language: str) -> None:
    further = [
        "day*2",
        "item*2",
        "(day + item)*2",
        "days",
        "days + item",
        "days + (day)*2",
        "price",
        "item*2 + price*2",
    ]
    sentences = [
        knowledge_sentence(known, Texts(language)) for known in [*TEN_ATTACKERS, *map(parse_knowledge, further)]
    ]
    assert len(set(sentences)) == len(sentences)
    assert all(sentence.endswith((".", "。")) and "{" not in sentence for sentence in sentences)


def test_english_sentences_read_well() -> None:
    said = {text: knowledge_sentence(parse_knowledge(text), Texts("en")) for text in ("6", "days", "days + (day)*2")}
    assert said["6"] == "Knows the day and one item of a visit."
    assert said["days"] == "Knows on how many days the customer came."
    assert said["days + (day)*2"] == (
        "Knows on how many days the customer came, and the day of each of 2 different visits."
    )
