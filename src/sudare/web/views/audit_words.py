"""Audit log entries in the reader's language; the log itself holds internal names."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any
from zoneinfo import ZoneInfo

from sudare.messages import Joined, Texts, message
from sudare.web.game.audit import SERVER
from sudare.web.game.corrections import CHOICES, NOBODY
from sudare.web.game.phases import TIMES
from sudare.web.views.shown_administration import ShownEntry

# Actions whose subject is a kind of job.
_ON_JOBS = ("job_failed", "retry_job")


def entry_actor(texts: Texts, entry: ShownEntry) -> str:
    """Return who did it: the name of a user, or the server."""
    return texts("web.audit.server") if entry.actor == SERVER else _person(texts, entry.actor)


def entry_subject(texts: Texts, entry: ShownEntry) -> str:
    """Return to what it was done; a kind of job and an invited role are said in words."""
    if entry.action in _ON_JOBS:
        return texts(f"web.job.{entry.subject}")
    if entry.action in ("invite", "revoke_invitation") and json.loads(entry.details)["role"] != "team":
        return texts(f"web.role.{entry.subject}")
    return _person(texts, entry.subject)


def _person(texts: Texts, name: str) -> str:
    """Return a name, unless it is what is left of one."""
    return texts("web.audit.deleted") if re.fullmatch(f"{NOBODY}[a-z0-9]{{16}}", name) else name


def entry_details(texts: Texts, entry: ShownEntry, zone: str) -> list[tuple[str, str]]:
    """Return names and values of what else is known, moments in the contest's time zone; nulls are left out."""
    known = {name: value for name, value in json.loads(entry.details).items() if value is not None}
    return [(_name(texts, name), _value(texts, name, value, zone)) for name, value in known.items()]


def _name(texts: Texts, name: str) -> str:
    if name in (*CHOICES, "submissions_per_day", "leaderboard", "leaderboard_hours"):
        return texts(f"web.contest.{name}")
    return texts(f"web.time.{name}") if name in TIMES else texts(f"web.detail.{name}")


def _value(texts: Texts, name: str, value: Any, zone: str) -> str:
    if name in TIMES:
        return dt.datetime.fromisoformat(value).astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S %Z")
    if name == "role":
        return texts(f"web.role.{value}")
    if name == "leaderboard":
        return texts(f"web.opening.{value}")
    if name == "failure":
        return texts(f"web.failure.{value}")
    if name == "scopes":
        return texts.joined(Joined([message(f"web.scope.{scope}") for scope in value], "comma"))
    if name == "without":
        return texts.joined(Joined(value, "comma"))
    if isinstance(value, dict):  # the hashes of several files
        return texts.joined(Joined(list(value.values()), "comma"))
    if isinstance(value, bool):
        return texts("web.page.yes") if value else texts("web.page.no")
    return f"{value:,}" if name == "bytes" else str(value)
