"""Middleware for every request: limits and failures on the way in, security headers on the way out."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sudare.web.game.refusals import Refused
from sudare.web.http.security import HEADERS, SECURE_HEADERS
from sudare.web.settings import ServerSettings

# Addresses that take files; the fields of a form around a file are small.
UPLOADS = re.compile(r".*/(data|rules|submissions|guesses)")
FORM_BYTES = 1 << 16
FORM_SECONDS = 30.0


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
    """Refuses bodies that are too large, come too slowly, or are compressed."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if "\0" in scope["path"]:  # no row has this identifier, and PostgreSQL cannot even be asked
            await PlainTextResponse("404", 404)(scope, receive, send)
            return
        uploads = UPLOADS.fullmatch(scope["path"])
        most = FORM_BYTES + (self._settings.max_upload_bytes if uploads else 0)
        seconds = self._settings.upload_seconds if uploads else FORM_SECONDS
        body = _Body(receive, Headers(scope=scope), most, seconds)
        await self._app(scope, body.receive, send)


class _Body:
    """A body as it is received."""

    def __init__(self, receive: Receive, headers: Headers, most: int, seconds: float) -> None:
        self._receive, self._headers, self._most = receive, headers, most
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
            self._bytes += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
        if self._bytes > self._most:
            raise Refused("errors.requests.too_large", 413, most=self._most)
        return message
