"""Web servers in front: whose word about a request is believed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from sudare.errors import OptionNotUsable
from sudare.web.http.proxies import PASSED_ON, TrustedProxies
from sudare.web.settings import ServerSettings, load_settings, write_settings

TRUSTED = ("127.0.0.1", "10.0.0.0/8", "fd00::/8")


def seen(peer: str, *lines: tuple[str, str]) -> tuple[str, str, bool]:
    """Return from where a request is taken to come, by which scheme, and whether it was passed on."""
    found: dict[str, Any] = {}

    async def app(scope: Scope, _: Receive, __: Send) -> None:
        found.update(scope)

    headers = [(name.lower().encode(), value.encode()) for name, value in lines]
    scope = {"type": "http", "scheme": "http", "client": (peer, 5000), "headers": headers}
    settings = ServerSettings(Path("x"), trusted_proxies=TRUSTED)
    asyncio.run(TrustedProxies(app, settings)(scope, None, None))  # type: ignore[arg-type]
    return found["client"][0], found["scheme"], bool(found.get(PASSED_ON))


FOR, PROTO = "X-Forwarded-For", "X-Forwarded-Proto"


@pytest.mark.parametrize(("peer", "lines", "expected"), [
    ("127.0.0.1", [(FOR, "192.0.2.7"), (PROTO, "https")], ("192.0.2.7", "https", True)),
    ("127.0.0.1", [], ("127.0.0.1", "http", False)),
    ("192.0.2.9", [(FOR, "192.0.2.7"), (PROTO, "https")], ("192.0.2.9", "http", False)),
    # What a stranger says comes first, what the trusted have seen last.
    ("127.0.0.1", [(FOR, "127.0.0.1, 192.0.2.7")], ("192.0.2.7", "http", True)),
    ("127.0.0.1", [(FOR, "1.1.1.1"), (FOR, "192.0.2.7, 10.1.1.1")], ("192.0.2.7", "http", True)),
    ("127.0.0.1", [(FOR, "1.1.1.1, nonsense, 10.1.1.1")], ("10.1.1.1", "http", True)),
    ("127.0.0.1", [(FOR, "nonsense")], ("127.0.0.1", "http", False)),
    ("127.0.0.1", [(FOR, "10.0.0.1, 10.0.0.2")], ("10.0.0.1", "http", True)),
    ("fd00::1", [(FOR, "2001:db8::7")], ("2001:db8::7", "http", True)),
    ("127.0.0.1", [(FOR, "[2001:db8::7]:443")], ("2001:db8::7", "http", True)),
    ("127.0.0.1", [(FOR, "192.0.2.7:5123")], ("192.0.2.7", "http", True)),
    ("::ffff:127.0.0.1", [(FOR, "::ffff:192.0.2.7")], ("192.0.2.7", "http", True)),
    ("127.0.0.1", [(PROTO, "gopher")], ("127.0.0.1", "http", False)),
    ("127.0.0.1", [(PROTO, "http, HTTPS")], ("127.0.0.1", "https", False)),
])  # fmt: skip
def test_only_trusted_web_servers_are_believed(
    peer: str, lines: list[tuple[str, str]], expected: tuple[str, str, bool]
) -> None:
    assert seen(peer, *lines) == expected


def test_addresses_and_networks_come_back_as_they_were_written(tmp_path: Path) -> None:
    written = ServerSettings(tmp_path, trusted_proxies=("10.0.0.0/8", "::1"), metrics_from=())
    write_settings(written)
    assert load_settings(tmp_path) == written


@pytest.mark.parametrize("text", ["['10.0.0.0/99']", "['proxy']", "'10.0.0.1'", "[1]"])
def test_what_is_no_address_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.toml").write_text(f"trusted_proxies = {text}\n")
    with pytest.raises(OptionNotUsable, match=r"127\.0\.0\.0/8"):
        load_settings(tmp_path)
