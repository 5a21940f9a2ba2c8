"""The application: routes, middleware, and one format for errors."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from sudare.messages import Joined
from sudare.version import __version__
from sudare.web.game.refusals import Refused
from sudare.web.http.faults import described, has_no_room, is_away
from sudare.web.http.fields import wrong_place
from sudare.web.http.middleware import BodyLimits, Faults, Heads, SafeHeaders
from sudare.web.http.proxies import TrustedProxies
from sudare.web.http.requests import Server, server_of, texts_of
from sudare.web.http.routes import (
    account_pages,
    api_organizer,
    api_team,
    contest_pages,
    correction_pages,
    monitoring,
    organizer_pages,
    team_pages,
)
from sudare.web.http.security import HEADERS
from sudare.web.operation.metrics import Measured
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import Round
from sudare.web.views.pages import render_error
from sudare.web.views.templating import warm_up

API = "/api/"
# Seconds after which a program may try again what a full disk or a database that was away kept from it.
RETRY = "30"
KEPT = "public, max-age=31536000, immutable"


class KeptFiles(StaticFiles):
    """Static files that browsers keep for good; pages name them by their content."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        """Send a file."""
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = KEPT
        return response


def make_app(settings: ServerSettings) -> FastAPI:
    """Return the application of a server's folder; its tables are made if they are not there."""
    server = Server(settings, Database(settings.database_url), FileStore(settings.files))
    server.files.make()
    server.database.migrate()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if _has_results(server.database):
            threading.Thread(target=warm_up, daemon=True).start()
        yield
        server.database.close()

    app = FastAPI(
        title="sudare contest server",
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # the ready-made pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # the address would begin with http:// behind TLS
        lifespan=lifespan,
    )
    app.state.server = server
    app.add_middleware(BodyLimits, settings=settings)
    app.add_middleware(Measured, counts=server.requests, log=server.log)
    app.add_middleware(Heads)
    app.add_middleware(SafeHeaders, settings=settings)
    app.add_middleware(Faults, answer=_broken)
    app.add_middleware(TrustedProxies, settings=settings)
    for module in (account_pages, contest_pages, correction_pages, monitoring, organizer_pages, team_pages):
        app.include_router(module.router, include_in_schema=False)
    for api in (api_team, api_organizer):
        app.include_router(api.router, prefix="/api/v1")
    app.mount("/static", KeptFiles(directory=str(files("sudare.web.views").joinpath("static"))), name="static")
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _not_valid)
    for kind in (SQLAlchemyError, OSError):
        app.add_exception_handler(kind, _fault)
    return app


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)  # noqa: S101
    headers = {"Connection": "close"} if error.status in (408, 413) else {}
    if error.code == "too_many_uploads":
        headers = {"Connection": "close", "Retry-After": RETRY}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return _answer(request, error, headers)


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    known = {404: "errors.requests.not_there", 405: "errors.requests.no_method"}
    refused = Refused(known.get(error.status_code, "errors.requests.bad_request"), error.status_code)
    return _answer(request, refused, dict(error.headers or {}))


def _not_valid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    places = Joined([wrong_place(found) for found in error.errors()[:5]], "comma")
    return _answer(request, Refused("errors.requests.not_understood", 422, places=places), {})


def _fault(request: Request, error: Exception) -> Response:
    """Say what may be well in a minute, a full disk or a database out of reach; the rest is our fault."""
    if has_no_room(error):
        refused = Refused("errors.requests.no_room", 507)
    elif is_away(error):
        refused = Refused("errors.requests.away", 503)
    else:
        return _broken(request, error)
    _log(request, refused.status, type(error).__name__)
    return _answer(request, refused, {"Retry-After": RETRY})


def _has_results(database: Database) -> bool:
    with database.reading() as session:
        return session.scalars(select(Round.id).where(Round.published_at.is_not(None)).limit(1)).first() is not None


def _broken(request: Request, error: Exception) -> Response:
    """Say that it is our fault, and tell the log where."""
    _log(request, 500, type(error).__name__, described(error))
    # This answer passes by what all others pass through.
    return _answer(request, Refused("errors.requests.broken", 500), dict(HEADERS))


def _log(request: Request, status: int, error: str, places: str = "") -> None:
    """Write what happened to which kind of request, no data: an address itself may be a secret, as invitations are."""
    route = getattr(request.scope.get("route"), "path", "")
    told = {"method": request.method, "route": route, "status": status, "error": error}
    text = f"{request.method} {route}: {error}\n{places}"
    server_of(request).log.warning("request_failed", text, **told, **({"places": places} if places else {}))


def _answer(request: Request, refused: Refused, headers: dict[str, str]) -> Response:
    message = refused.text(texts_of(request))
    if request.url.path.startswith(API):
        return JSONResponse({"error": {"code": refused.code, "message": message}}, refused.status, headers)
    page = render_error(request, message, refused.status)
    page.headers.update(headers)
    return page
