"""The phases of a round, as pure functions of time."""

from __future__ import annotations

import datetime as dt
from typing import Literal, get_args
from zoneinfo import ZoneInfo, available_timezones

from sudare.web.game.refusals import Refused
from sudare.web.storage.models import Round

Phase = Literal["registration", "anonymization", "preparation", "reidentification", "evaluation", "closed"]
PHASES: tuple[Phase, ...] = get_args(Phase)
TIMES = ("anonymization_opens", "anonymization_closes", "reidentification_opens", "reidentification_closes")


def phase_at(round: Round, now: dt.datetime) -> Phase:
    """Return the phase of a round at a moment; at a deadline itself the phase is over.

    Between anonymization and re-identification lies the preparation, in which A' are published.
    """
    if round.closed_at and now >= round.closed_at:
        return "closed"
    if now < round.anonymization_opens:
        return "registration"
    if now < round.anonymization_closes:
        return "anonymization"
    if now < round.reidentification_opens:
        return "preparation"
    return "reidentification" if now < round.reidentification_closes else "evaluation"


def deadline_at(round: Round, now: dt.datetime) -> dt.datetime | None:
    """Return when the phase of a moment ends, if it does by itself."""
    upcoming = [moment for moment in (getattr(round, name) for name in TIMES) if now < moment]
    return None if phase_at(round, now) == "closed" else min(upcoming, default=None)


def day_start(time_zone: str, now: dt.datetime) -> dt.datetime:
    """Return when the day of a moment began in a time zone."""
    local = now.astimezone(ZoneInfo(time_zone))
    return local.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(dt.UTC)


def check_zone(name: str) -> str:
    """Return the name of a time zone; Refused if there is none of that name."""
    if name not in available_timezones():
        raise Refused("errors.contests.no_zone", 422, zone=name[:80])
    return name


def read_moment(text: str, time_zone: str) -> dt.datetime:
    """Return the moment that a text says, in the contest's zone unless it names another."""
    try:
        found = dt.datetime.fromisoformat(text.strip())
        local = found if found.tzinfo else found.replace(tzinfo=ZoneInfo(time_zone))
        return local.astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise Refused("errors.contests.no_moment", 422, text=text[:80]) from None


def check_times(times: dict[str, dt.datetime]) -> None:
    """Refuse times of phases that are out of order."""
    opens, closes, attacked, ended = (times[name] for name in TIMES)
    if not (opens < closes <= attacked < ended):
        raise Refused("errors.contests.times_order", 422)
