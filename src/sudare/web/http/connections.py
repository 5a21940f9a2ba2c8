"""Connections: those that ask for nothing are closed after a while, and sooner if others need their place."""

from __future__ import annotations

import asyncio
import resource
import time
from collections import Counter
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

MOST_CONNECTIONS = 1000
# Beyond this number, each new connection closes one that has no request at work.
CROWDED = 800
# A connection on which no request has begun by then is closed.
FIRST_REQUEST_SECONDS = 20.0


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection of a browser, a program or a web server in between."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin a connection; if there are many, one that waits is closed for it."""
        super().connection_made(transport)
        self.begun = time.monotonic()
        self._first = self.loop.call_later(FIRST_REQUEST_SECONDS, self._give_up)
        if len(self.connections) > CROWDED:
            _make_room([found for found in self.connections if found is not self and found.is_idle])

    def connection_lost(self, exc: Exception | None) -> None:
        """End a connection."""
        self._first.cancel()
        super().connection_lost(exc)

    @property
    def is_idle(self) -> bool:
        """Whether no request is at work."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _give_up(self) -> None:
        if self.cycle is None:
            self.transport.close()


def _make_room(idle: list[Any]) -> None:
    """Close the oldest of the waiting connections of the address that has most of them."""
    if idle:
        (crowding, _), *_ = Counter(_address(found) for found in idle).most_common(1)
        oldest = min((found for found in idle if _address(found) == crowding), key=lambda found: found.begun)
        oldest.transport.abort()


def _address(connection: Any) -> str:
    return connection.client[0] if connection.client else ""


def allow_connections() -> None:
    """Let this process have as many files open as connections need, as far as the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * MOST_CONNECTIONS
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard < 0 else min(wanted, hard), hard))
