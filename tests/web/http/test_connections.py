"""Connections that ask for nothing: they keep nobody from the server, and end."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import uvicorn

from sudare.web.http import connections
from sudare.web.http.connections import MOST_CONNECTIONS, Connection
from tests.web.conftest import RunningServer, free_port, wait_for_port
from tests.web.small_contest import SmallContest

pytestmark = pytest.mark.slow


@pytest.fixture
def many_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < 4 * MOST_CONNECTIONS:
        pytest.skip("the system allows too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * MOST_CONNECTIONS, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_more_idle_connections_than_allowed_stop_nobody(
    small: SmallContest, running: RunningServer, many_files: None
) -> None:
    running.start("web")
    with ExitStack() as stack:
        for number in range(MOST_CONNECTIONS + 200):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", small.settings.port)))
            if number % 3 == 0:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        assert running.client().get("/login").status_code == 200


def test_a_connection_without_a_request_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        raise AssertionError("nothing was asked")

    monkeypatch.setattr(connections, "FIRST_REQUEST_SECONDS", 0.2)
    port = free_port()
    config = uvicorn.Config(app, port=port, http=Connection, lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_for_port(port)
        for sent in (b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                begun = time.monotonic()
                connection.sendall(sent)
                assert connection.recv(100) == b""
                assert time.monotonic() - begun < 20
    finally:
        server.should_exit = True
        thread.join()
