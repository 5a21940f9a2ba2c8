"""What stands around a server: units of systemd, and configurations of nginx and Caddy, fitted to its settings."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from sudare.errors import OptionNotUsable
from sudare.sources.result_folders import make_folder
from sudare.sources.writing import whole_file
from sudare.web.http.middleware import FORM_BYTES
from sudare.web.settings import ServerSettings

NAMES = ("sudare.service", "sudare-web.service", "sudare-worker@.service", "nginx.conf", "Caddyfile")
PORTS = {"http": 80, "https": 443}


def write_unit_files(
    settings: ServerSettings, folder: Path, *, user: str, certificate: Path | None = None, key: Path | None = None
) -> list[Path]:
    """Write the files into a folder and return their paths; those that are there are replaced.

    Without a certificate, nginx looks where certbot puts it, and Caddy gets one by itself.
    """
    if (certificate is None) != (key is None):
        raise OptionNotUsable("errors.server.certificate_and_key")
    values = _values(settings, user, certificate, key)
    templates = Environment(
        loader=PackageLoader("sudare.web.operation", "services"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  # these are no pages
    )
    make_folder(folder)
    for name in NAMES:
        with whole_file(folder / name) as temporary:
            temporary.write_text(templates.get_template(name).render(values), encoding="utf-8")
    return [folder / name for name in NAMES]


def _values(settings: ServerSettings, user: str, certificate: Path | None, key: Path | None) -> dict[str, object]:
    url = urlsplit(settings.public_url)
    if url.scheme not in PORTS or not url.hostname:
        raise OptionNotUsable("errors.server.no_public_url", url=settings.public_url)
    found = f"/etc/letsencrypt/live/{url.hostname}"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "command": _command(),
        "folder": _quoted(str(settings.folder.resolve())),
        "user": user,
        "https": url.scheme == "https",
        "public_url": f"{url.scheme}://{url.netloc}",
        "name": url.hostname,
        "port": url.port or PORTS[url.scheme],
        "upstream": f"http://{host}:{settings.port}",
        "own_certificate": certificate is not None,
        "certificate": certificate.resolve() if certificate else f"{found}/fullchain.pem",
        "key": key.resolve() if key else f"{found}/privkey.pem",
        "most_bytes": settings.max_upload_bytes + FORM_BYTES,
        "upload_seconds": settings.upload_seconds,
    }


def _command() -> str:
    """Return the command of this installation as systemd wants it, by its whole path."""
    script = Path(sys.executable).parent / "sudare"
    if script.exists():
        return _quoted(str(script))
    return f'{_quoted(sys.executable)} -P -c "from sudare.cli import main; main()"'


def _quoted(text: str) -> str:
    """Return a word of a unit, in which % and backslashes mean something."""
    doubled = text.replace("\\", "\\\\").replace("%", "%%").replace('"', '\\"')
    return f'"{doubled}"' if shlex.quote(text) != text else doubled
