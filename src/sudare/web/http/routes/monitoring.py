"""For those who watch a server: whether it is alive, whether it can work, and what it does in numbers."""

from __future__ import annotations

import anyio
from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from sudare.web.game.refusals import not_there
from sudare.web.http.proxies import PASSED_ON, Networks, read_address
from sudare.web.http.requests import address_of, server_of
from sudare.web.operation.metrics import CONTENT_TYPE, written
from sudare.web.operation.readiness import FAILED, READY, ready_parts

router = APIRouter()

# How long the answer whether the server is ready may take, and how long it is kept: anybody may ask.
READY_SECONDS = 5.0
KEPT_SECONDS = 1.0


@router.get("/health")
async def show_health(request: Request) -> Response:
    """Say that the process is alive; the address is as the request has it, so that proxies can be checked."""
    told = {
        "status": READY,
        "scheme": request.scope["scheme"],
        "host": request.headers.get("host", ""),
        "passed_on": bool(request.scope.get(PASSED_ON)),
    }
    return JSONResponse(told)


@router.get("/ready")
async def show_ready(request: Request) -> Response:
    """Say whether the server can do its work; the database may be away, this is answered all the same."""
    server = server_of(request)
    async with server.readiness.turn:
        now = anyio.current_time()
        if server.readiness.parts is None or now - server.readiness.asked > KEPT_SECONDS:
            server.readiness.parts = None
            with anyio.move_on_after(READY_SECONDS):
                server.readiness.parts = await to_thread.run_sync(
                    ready_parts, server.settings, server.database, abandon_on_cancel=True
                )
            server.readiness.asked = anyio.current_time()
        parts = server.readiness.parts or {"database": FAILED}
    ready = FAILED not in parts.values()
    return JSONResponse({"ready": ready, **parts}, 200 if ready else 503)


@router.get("/metrics")
def show_metrics(request: Request) -> Response:
    """Show what the server does in numbers, to those whom the settings name."""
    server = server_of(request)
    address = read_address(address_of(request))
    # Whoever is asked for by somebody else on this machine is not this machine.
    local = address is not None and address.is_loopback and request.scope.get(PASSED_ON)
    if local or address not in Networks(server.settings.metrics_from):
        raise not_there()
    return PlainTextResponse(written(server.settings, server.database, server.requests), media_type=CONTENT_TYPE)
