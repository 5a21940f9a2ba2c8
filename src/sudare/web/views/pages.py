"""Rendering pages for the reader of a request."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sudare.messages import LANGUAGES
from sudare.web.http.requests import FORM_COOKIE, LANGUAGE_COOKIE, Server, Visit, server_of, session_token, texts_of
from sudare.web.http.security import new_token
from sudare.web.storage.people import LoginSession
from sudare.web.views.templating import environment

YEAR = 365 * 24 * 3600


def render(visit: Visit, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page for the reader of a request."""
    return _page(visit.request, visit.login, template, status, values)


def render_error(request: Request, message: str, status: int) -> HTMLResponse:
    """Return a page that says what was refused; it needs no database, so whether a session still lasts is unknown."""
    unknown = session_token(request) is not None
    return _page(request, None, "error.html", status, {"message": message, "status": status, "unknown": unknown})


def _page(
    request: Request, login: LoginSession | None, template: str, status: int, values: dict[str, Any]
) -> HTMLResponse:
    texts = texts_of(request)
    secret = login.csrf if login else request.cookies.get(FORM_COOKIE) or new_token()
    text = environment(texts.language).get_template(template).render(
        login=login.user.login if login else None,
        admin=login.user.admin if login else False,
        path=inner_path(request.url.path),
        csrf=secret,
        **values,
    )  # fmt: skip
    response = HTMLResponse(text, status_code=status)
    if login is None:
        set_cookie(response, server_of(request), FORM_COOKIE, secret)
    if request.query_params.get("lang") in LANGUAGES:
        set_cookie(response, server_of(request), LANGUAGE_COOKIE, texts.language, seconds=YEAR)
    return response


def set_cookie(response: Response, server: Server, name: str, value: str, *, seconds: int | None = None) -> None:
    """Set a cookie that no script reads and no other site sends along with a form."""
    response.set_cookie(
        name, value, max_age=seconds, path="/", httponly=True, samesite="lax", secure=server.settings.secure
    )


def go(path: str) -> RedirectResponse:
    """Return the way to a page after a form was taken in."""
    return RedirectResponse(path, status_code=303)


def inner_path(text: str) -> str:
    """Return a path on this server, or the start page if a text is not one."""
    fine = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable() and "\\" not in text
    return text if fine else "/"
