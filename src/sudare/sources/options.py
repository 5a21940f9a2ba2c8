"""The options for reading a source, shared by all readers."""

from __future__ import annotations

import difflib
from pathlib import Path
from zoneinfo import available_timezones

from sudare.errors import OptionNotUsable
from sudare.messages import Joined, Language, message
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """How to read a source, in the words that all readers share; None is found out."""

    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    sheet: str | None = None
    table: str | None = None
    time_zone: str | None = None
    rejects: str | Path | None = None
    language: Language = "en"

    def check(self) -> None:
        """Raise OptionNotUsable if there is no such time zone."""
        zone = self.time_zone
        if zone is None:
            return
        # Looks through a folder of many files, so only where a zone was given.
        known = available_timezones() - {"localtime"}
        if zone in known:
            return
        if not known:
            raise OptionNotUsable("errors.sources.no_time_zones")
        near = difflib.get_close_matches(zone, known, n=3)
        meant = message("errors.sources.meant", names=Joined(near, "or")) if near else ""
        raise OptionNotUsable("errors.sources.unknown_time_zone", zone=zone, meant=meant)
