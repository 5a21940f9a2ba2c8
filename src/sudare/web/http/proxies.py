"""Web servers in front of this one: what they say of a request is believed only if they are trusted."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sudare.web.settings import ServerSettings

# What a web server in front says, of which the first two are read.
FORWARDED_FOR, FORWARDED_PROTO = "x-forwarded-for", "x-forwarded-proto"
# In the scope of a request: whether a trusted web server has passed it on, and said for whom.
PASSED_ON = "sudare_passed_on"
SCHEMES = ("http", "https")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Networks:
    """Some networks, of IPv4 and IPv6."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._networks = [ipaddress.ip_network(text, strict=False) for text in texts]

    def __contains__(self, address: object) -> bool:
        found = read_address(address)
        return found is not None and any(found in network for network in self._networks)


class TrustedProxies:
    """Takes over the address and the scheme of a request from the header lines of trusted web servers.

    Of several addresses, each added by the one that passed the request on, the last that is not trusted counts: those
    before it anybody may have made up.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._trusted = app, Networks(settings.trusted_proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] == "http" and scope.get("client") and scope["client"][0] in self._trusted:
            headers = Headers(scope=scope)
            address = self._client(headers.getlist(FORWARDED_FOR))
            if address:
                scope["client"], scope[PASSED_ON] = (address, 0), True
            scheme = ",".join(headers.getlist(FORWARDED_PROTO)).rpartition(",")[2].strip().lower()
            if scheme in SCHEMES:
                scope["scheme"] = scheme
        await self._app(scope, receive, send)

    def _client(self, lines: list[str]) -> str | None:
        """Return for whom a request was passed on; what is not an address ends the search before it."""
        found = None
        for text in reversed(",".join(lines).split(",")):
            address = read_address(text)
            if address is None:
                return found
            found = str(address)
            if address not in self._trusted:
                return found
        return found


def read_address(text: object) -> Address | None:
    """Return an address, with or without a port; one of IPv4 that is written as IPv6 is one of IPv4."""
    if isinstance(text, Address):
        return text
    if not isinstance(text, str):
        return None
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        found = ipaddress.ip_address(bare)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
