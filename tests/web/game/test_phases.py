"""The phases of a round at a moment."""

from __future__ import annotations

import datetime as dt

import pytest

from sudare.web.game.phases import TIMES, check_times, check_zone, day_start, deadline_at, phase_at, read_moment
from sudare.web.game.refusals import Refused
from sudare.web.storage.models import Round


def day(number: int, hour: int = 0) -> dt.datetime:
    return dt.datetime(2026, 1, number, hour, tzinfo=dt.UTC)


ROUND = Round(**{name: day(number) for name, number in zip(TIMES, (2, 4, 6, 8), strict=True)})


@pytest.mark.parametrize(
    ("moment", "phase", "deadline"),
    [
        (day(1), "registration", day(2)),
        (day(2), "anonymization", day(4)),
        (day(4) - dt.timedelta(microseconds=1), "anonymization", day(4)),
        (day(4), "preparation", day(6)),
        (day(6), "reidentification", day(8)),
        (day(8), "evaluation", None),
    ],
)
def test_a_deadline_itself_is_too_late(moment: dt.datetime, phase: str, deadline: dt.datetime | None) -> None:
    assert phase_at(ROUND, moment) == phase
    assert deadline_at(ROUND, moment) == deadline


def test_a_closed_round_is_closed_whatever_its_times() -> None:
    closed = Round(**{name: getattr(ROUND, name) for name in TIMES}, closed_at=day(3))
    assert phase_at(closed, day(3)) == "closed"
    assert deadline_at(closed, day(3)) is None
    assert phase_at(closed, day(2)) == "anonymization"


def test_the_day_begins_in_the_zone_of_the_contest() -> None:
    assert day_start("Asia/Tokyo", day(2, 14)) == day(1, 15)
    assert day_start("Asia/Tokyo", day(2, 15)) == day(2, 15)
    assert day_start("UTC", day(2, 14)) == day(2)


def test_a_moment_without_an_offset_is_in_the_zone_of_the_contest() -> None:
    assert read_moment("2026-01-02T09:00", "Asia/Tokyo") == day(2)
    assert read_moment("2026-01-02T09:00+00:00", "Asia/Tokyo") == day(2, 9)


@pytest.mark.parametrize("text", ["", "soon", "2026-02-30T00:00", "0001-01-01T00:00+14:00"])
def test_a_text_that_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        read_moment(text, "Asia/Tokyo")


def test_an_unknown_zone_is_refused() -> None:
    assert check_zone("Asia/Tokyo") == "Asia/Tokyo"
    with pytest.raises(Refused):
        check_zone("../etc/passwd")


def test_times_out_of_order_are_refused() -> None:
    good = dict(zip(TIMES, (day(1), day(2), day(2), day(3)), strict=True))
    check_times(good)
    for name in TIMES:
        with pytest.raises(Refused):
            check_times({**good, name: day(3) if name == TIMES[0] else day(1)})
