"""What routes share: the server behind a request, the user, the language, and posted forms."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Annotated, BinaryIO, TypeVar, cast
from urllib.parse import urlsplit

from anyio import CapacityLimiter, Lock, to_thread
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from sudare.messages import LANGUAGES, Texts
from sudare.showing import dataclass
from sudare.web.game.accounts import find_session, find_token
from sudare.web.game.refusals import Refused
from sudare.web.game.visibility import Viewer, find_viewer
from sudare.web.http.security import same
from sudare.web.operation.log import Log
from sudare.web.operation.metrics import RequestCounts
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.files import FileStore, StoredFile
from sudare.web.storage.people import LoginSession
from sudare.web.views.result_bodies import ResultBodies

LANGUAGE_COOKIE = "sudare_language"
# Guards the forms of those who have no session yet: its value stands in the form too.
FORM_COOKIE = "sudare_form"
FORM_FIELD = "csrf"
MULTIPART = "multipart/form-data"
MOST_FIELDS = 30
MOST_FIELD_BYTES = 1 << 16
# This much of an upload is held until it is written: a disk that is busy must not hold up pages.
WRITTEN_BYTES = 1 << 20
# Passwords that are hashed at the same time; each takes 64 megabytes.
PASSWORD_TURNS = 2

Result = TypeVar("Result")


@dataclass(slots=True)
class Readiness:
    """Whether the server could do its work when that was last looked at; one looks at a time."""

    turn: Lock = field(default_factory=Lock)
    parts: dict[str, str] | None = None
    asked: float = 0.0


@dataclass(frozen=True, slots=True)
class Server:
    """What a running server works on."""

    settings: ServerSettings
    database: Database
    files: FileStore
    results: ResultBodies = field(default_factory=ResultBodies)
    requests: RequestCounts = field(default_factory=RequestCounts)
    readiness: Readiness = field(default_factory=Readiness)
    password_turns: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(PASSWORD_TURNS))

    @property
    def log(self) -> Log:
        """Where the server says what happens."""
        return Log(self.settings.log_format, self.settings.log_level)

    @property
    def session_cookie(self) -> str:
        """The name of the cookie of a session; the prefix has browsers insist on https and this host."""
        return "__Host-sudare_session" if self.settings.secure else "sudare_session"

    def link(self, path: str) -> str:
        """Return an address that can be sent to others."""
        return self.settings.public_url.rstrip("/") + path


def server_of(request: Request) -> Server:
    """Return the server behind a request."""
    return cast(Server, request.app.state.server)


def texts_of(request: Request) -> Texts:
    """Return the texts of the reader's language: asked for, chosen before, or the first that the browser names."""
    asked = (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE))
    accepted = [part.partition(";")[0].strip()[:2] for part in request.headers.get("accept-language", "").split(",")]
    wanted = (*asked, *accepted)
    return Texts(min(LANGUAGES, key=lambda language: wanted.index(language) if language in wanted else len(wanted)))


def address_of(request: Request) -> str:
    """Return from where a request comes."""
    return request.client.host if request.client else ""


def session_token(request: Request) -> str | None:
    """Return the token of the browser's session."""
    return request.cookies.get(server_of(request).session_cookie)


@dataclass(frozen=True, slots=True)
class PostedForm:
    """A form that came from one of our own pages."""

    fields: FormData

    def text(self, name: str) -> str:
        """Return what was written in a field, without signs that no field takes."""
        found = self.fields.get(name, "")
        return found.replace("\0", "") if isinstance(found, str) else ""

    def texts(self, name: str) -> list[str]:
        """Return all values of a field."""
        return [value for value in self.fields.getlist(name) if isinstance(value, str)]

    def flag(self, name: str) -> bool:
        """Say whether a box was ticked."""
        return self.text(name) == "yes"

    def number(self, name: str) -> int:
        """Return a whole number."""
        text = self.text(name)
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise Refused("errors.requests.no_number", 422, text=text[:40])
        return int(text)

    def file(self, name: str) -> BinaryIO:
        """Return a file; its name does not matter."""
        found = self.fields.get(name)
        if not isinstance(found, UploadFile) or not (found.filename or found.size):
            raise Refused("errors.requests.no_file", 422)
        return found.file


async def posted_form(request: Request) -> AsyncIterator[PostedForm]:
    """Read a form and check that one of our own pages sent it."""
    _check_origin(request)
    async with request.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=MOST_FIELD_BYTES) as fields:
        form = PostedForm(fields)
        _check_secret(form.text(FORM_FIELD), await run_in_threadpool(_form_secret, request))
        yield form


Posted = Annotated[PostedForm, Depends(posted_form)]


def uploading(check: Callable[[Visit], int | None]) -> Callable[[Request], AsyncIterator[PostedForm]]:
    """Return what reads a form with a file, from those only whom the check lets pass; it says how large that may be.

    Nothing of the body is read before that, and nothing of the file before the form's secret, which stands above it.
    """

    async def uploaded_form(request: Request) -> AsyncIterator[PostedForm]:
        """Read a form with a file and check that one of our own pages sent it."""
        _check_origin(request)
        secret, most = await run_in_threadpool(_let_pass, request, check)
        if not request.headers.get("content-type", "").startswith(MULTIPART):
            async with request.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=MOST_FIELD_BYTES) as fields:
                form = PostedForm(fields)
                _check_secret(form.text(FORM_FIELD), secret)
                yield form
            return
        try:
            fields = await _SecretFirst(request, secret, most).parse()
        except MultiPartException:
            raise Refused("errors.requests.bad_request", 400) from None
        try:
            form = PostedForm(fields)
            _check_secret(form.text(FORM_FIELD), secret)
            yield form
        finally:
            await fields.close()

    return uploaded_form


class _SecretFirst(MultiPartParser):
    """Reads the parts of a form, no file before the secret, and no more of a file than it may have."""

    def __init__(self, request: Request, secret: str, most: int) -> None:
        super().__init__(
            request.headers, request.stream(), max_files=1, max_fields=MOST_FIELDS, max_part_size=MOST_FIELD_BYTES
        )
        self._secret, self._most, self._bytes = secret, most, 0

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        """Take the next bytes of a part."""
        if self._current_part.file is not None:
            self._bytes += end - start
            if self._bytes > self._most:
                raise Refused("errors.requests.too_large", 413, most=self._most)
        super().on_part_data(data, start, end)

    def on_headers_finished(self) -> None:
        """Begin a part."""
        super().on_headers_finished()
        if self._current_part.file is not None:
            given = [value for name, value in self.items if name == FORM_FIELD and isinstance(value, str)]
            _check_secret(given[0] if given else "", self._secret)


def _let_pass(request: Request, check: Callable[[Visit], int | None]) -> tuple[str, int]:
    with visiting(request) as visit:
        most = check(visit)
        largest = visit.server.settings.max_upload_bytes
        return visit.logged_in().csrf, largest if most is None else min(most, largest)


def _check_secret(given: str, expected: str | None) -> None:
    if not expected or not same(given, expected):
        raise Refused("errors.requests.form_expired", 403)


def keep_upload(server: Server, source: BinaryIO) -> StoredFile:
    """Keep a file that came with a form."""
    return server.files.keep(source, server.settings.max_upload_bytes, server.settings.upload_seconds)


async def receive_upload(server: Server, request: Request, most: int | None = None) -> StoredFile:
    """Keep the body of a request as it comes in; `most` is how large it may be, if not as large as any."""
    largest = server.settings.max_upload_bytes
    with server.files.receive(min(most or largest, largest), server.settings.upload_seconds) as incoming:
        held = bytearray()
        async for chunk in request.stream():
            held += chunk
            if len(held) >= WRITTEN_BYTES:
                await run_in_threadpool(incoming.write, bytes(held))
                held.clear()
        await run_in_threadpool(incoming.write, bytes(held))
        return await run_in_threadpool(incoming.finish)


async def in_turn(request: Request, work: Callable[[], Result]) -> Result:
    """Do what hashes passwords, a few at a time: those who wait for their turn hold no thread that pages need."""
    return await to_thread.run_sync(work, limiter=server_of(request).password_turns)


def _check_origin(request: Request) -> None:
    """Refuse what a browser says comes from another site."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "same-origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or site not in ("same-origin", "none"):
        raise Refused("errors.requests.form_expired", 403)


def _form_secret(request: Request) -> str | None:
    with server_of(request).database.reading() as session:
        login = find_session(session, session_token(request))
        return login.csrf if login else request.cookies.get(FORM_COOKIE)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of a browser, with the database open; `now` is the database's moment when it was opened."""

    request: Request
    server: Server
    session: Session
    login: LoginSession | None
    now: dt.datetime

    def viewer(self, contest_id: str) -> Viewer:
        """Return who looks at a contest."""
        user = self.login.user if self.login else None
        return find_viewer(self.session, contest_id, user, self.now, language=texts_of(self.request).language)

    def logged_in(self) -> LoginSession:
        """Return the log-in, where there must be one."""
        if self.login is None:
            raise Refused("errors.requests.log_in_first", 401)
        return self.login


@contextmanager
def visiting(request: Request, *, writes: bool = False) -> Iterator[Visit]:
    """Open the database for a browser's request."""
    server = server_of(request)
    with server.database.writing() if writes else server.database.reading() as session:
        now = database_now(session)
        yield Visit(request, server, session, find_session(session, session_token(request), now), now)


_bearer = HTTPBearer(auto_error=False, description="A token, created on your account page.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


@contextmanager
def calling(
    request: Request, credentials: HTTPAuthorizationCredentials | None, *, writes: bool = False
) -> Iterator[tuple[Session, Viewer]]:
    """Open the database for a program's request; its token says who and in which contest."""
    server = server_of(request)
    with server.database.writing() if writes else server.database.reading() as session:
        token = find_token(session, credentials.credentials) if credentials else None
        if token is None:
            raise Refused("errors.requests.no_token", 401)
        scopes = frozenset(token.scopes.split())
        language = texts_of(request).language
        viewer = find_viewer(session, token.contest_id, token.user, database_now(session), scopes, language)
        if viewer.role is None:
            raise Refused("errors.requests.no_token", 401)
        yield session, viewer
