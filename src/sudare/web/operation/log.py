"""The log, on stderr: lines for people, or one JSON object a line. It has no data, no names and no addresses.

Routes are told by their templates, errors by their kinds and places: see `faults.described`.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import os
from typing import Any

from sudare.web.http.faults import described

STDERR = 2


class Log:
    """Writes what happens, each time as a whole."""

    def __init__(self, form: str = "text", level: str = "warning") -> None:
        self.form, self.level = form, level

    def info(self, event: str, text: str = "", **told: Any) -> None:
        """Say that something was done, if that is to be said."""
        if self.level == "info":
            self._write("info", event, text or " ".join(f"{name}={value}" for name, value in told.items()), told)

    def warning(self, event: str, text: str, **told: Any) -> None:
        """Say that something failed; the text is for people, the rest says the same for programs."""
        self._write("warning", event, text, told)

    def _write(self, level: str, event: str, text: str, told: dict[str, Any]) -> None:
        line = json_line(level, event, told) if self.form == "json" else f"sudare: {text.rstrip()}\n"
        os.write(STDERR, line.encode())


def json_line(level: str, event: str, told: dict[str, Any]) -> str:
    """Return one line for programs."""
    moment = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"time": moment, "level": level, "event": event, **told}, ensure_ascii=False) + "\n"


class JsonLines(logging.Formatter):
    """The form of what the web server itself says; of an error its kind and places, not its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a line."""
        error = record.exc_info[1] if record.exc_info else None
        # Other loggers put into their messages what they have at hand.
        message = {"message": record.getMessage()} if record.name.startswith("uvicorn") else {}
        told = {"logger": record.name, **message, **({"error": described(error)} if error else {})}
        return json_line(record.levelname.lower(), "web_server", told).rstrip()


def web_server_log(form: str) -> dict[str, Any] | None:
    """Return how the web server itself is to write its log; none for its own way."""
    if form == "text":
        return None
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "sudare.web.operation.log.JsonLines"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
    }
