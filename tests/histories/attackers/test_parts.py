"""The pieces of knowledge: each has words in every language, and no value that SQL and days tell apart differently."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from sudare.engine import DuckDBEngine
from sudare.histories.attackers.parts import PARTS, Part
from sudare.messages import LANGUAGES, Texts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS.values(), ids=list(PARTS))
def test_every_part_has_words(part: Part, language: str) -> None:
    texts = Texts(language)
    assert texts(f"part.{part.name}")
    assert part.level == "row" or texts(f"knows.{part.name}")


def test_what_a_part_fixes_is_known_at_the_same_level() -> None:
    assert all(PARTS[fixed].level == part.level for part in PARTS.values() for fixed in part.fixes)


@pytest.mark.parametrize("part", [PARTS["weekday"], PARTS["month"]], ids=lambda part: part.name)
def test_days_say_the_same_here_as_in_the_engine(part: Part) -> None:
    days = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2011, 2, 28), dt.date(2024, 12, 29)]
    numbers = np.array(days, "datetime64[D]").astype(np.int64)
    assert part.of_days is not None
    with DuckDBEngine() as engine:
        told = [engine.people(f"SELECT {part.sql} FROM (SELECT DATE '{day}' AS day)", "days")[0][0] for day in days]
    assert part.of_days(numbers).tolist() == told
