"""Middleware for every request: limits and failures on the way in, security headers on the way out."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sudare.web.game.refusals import Refused
from sudare.web.http.requests import MULTIPART
from sudare.web.http.security import HEADERS, SECURE_HEADERS
from sudare.web.settings import ServerSettings

# Addresses that take files; the fields of a form around a file are small.
UPLOADS = re.compile(r".*/(data|rules|submissions|guesses)")
FORM_BYTES = 1 << 16
FORM_SECONDS = 30.0
API = "/api/"


class SafeHeaders:
    """Adds the headers of safety to every answer that does not have its own."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._headers = {**HEADERS, **(SECURE_HEADERS if settings.secure else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""

        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, add if scope["type"] == "http" else send)


class Heads:
    """Answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        if scope["type"] == "http" and scope["method"] == "HEAD":
            await self._app({**scope, "method": "GET"}, receive, without_body)
        else:
            await self._app(scope, receive, send)


class Faults:
    """Answers what no handler did, as a fault of ours.

    The framework would pass the error on to the web server, whose log shows its message, and with it perhaps data.
    """

    def __init__(self, app: ASGIApp, answer: Callable[[Request, Exception], Response]) -> None:
        self._app, self._answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        begun = False

        async def note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, note)
        except Exception as error:
            if scope["type"] != "http":
                raise
            answer = self._answer(Request(scope, receive), error)
            if begun:
                raise BrokenOff from None
            await answer(scope, receive, send)


class BrokenOff(Exception):
    """An answer that had begun could not be ended; it is told to the web server alone, which cuts the connection."""


class BodyLimits:
    """Refuses bodies that are too large, too many at a time, come too slowly, or are compressed."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._settings = app, settings
        self._coming_in = _ComingIn(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if "\0" in scope["path"]:  # no row has this identifier, and PostgreSQL cannot even be asked
            await PlainTextResponse("404", 404)(scope, receive, send)
            return
        headers = Headers(scope=scope)
        # Files come as the body itself from programs, in parts from pages.
        in_parts = scope["path"].startswith(API) or headers.get("content-type", "").startswith(MULTIPART)
        uploads = in_parts and UPLOADS.fullmatch(scope["path"])
        most = FORM_BYTES + (self._settings.max_upload_bytes if uploads else 0)
        seconds = self._settings.upload_seconds if uploads else FORM_SECONDS
        address = scope["client"][0] if scope.get("client") else ""
        with self._coming_in.counting(address) as count:
            body = _Body(receive, headers, most, seconds, count if uploads else _uncounted)
            await self._app(scope, body.receive, send)


class _ComingIn:
    """The bytes of uploads that are coming in, in all and by address; they are in files aside until they are kept."""

    def __init__(self, settings: ServerSettings) -> None:
        self._most, self._most_of_one = settings.uploading_bytes, settings.address_uploading_bytes
        self._of: Counter[str] = Counter()

    @contextmanager
    def counting(self, address: str) -> Iterator[Callable[[int], None]]:
        """Yield what counts bytes of an upload, or refuses them; they are forgotten when the block ends."""
        counted = 0

        def count(size: int) -> None:
            nonlocal counted
            counted += size
            self._of[address] += size
            if self._of[address] > self._most_of_one or self._of.total() > self._most:
                raise Refused("errors.requests.too_many_uploads", 503)

        try:
            yield count
        finally:
            self._of[address] -= counted
            if not self._of[address]:
                del self._of[address]


def _uncounted(_: int) -> None:
    """Small bodies need no count."""


class _Body:
    """A body as it is received."""

    def __init__(
        self, receive: Receive, headers: Headers, most: int, seconds: float, count: Callable[[int], None]
    ) -> None:
        self._receive, self._headers, self._most, self._count = receive, headers, most, count
        self._deadline = asyncio.get_running_loop().time() + seconds
        self._bytes, self._complete = 0, False

    async def receive(self) -> Message:
        """Return the next part, or what the server says after the last one."""
        if self._complete:
            return await self._receive()
        if self._headers.get("content-encoding", "identity") != "identity":
            raise Refused("errors.requests.compressed", 415)
        if int(self._headers.get("content-length", "0")) > self._most:
            raise Refused("errors.requests.too_large", 413, most=self._most)
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise Refused("errors.requests.too_slow", 408) from None
        if message["type"] == "http.request":
            size = len(message.get("body", b""))
            self._bytes += size
            self._count(size)
            self._complete = not message.get("more_body", False)
        if self._bytes > self._most:
            raise Refused("errors.requests.too_large", 413, most=self._most)
        return message
