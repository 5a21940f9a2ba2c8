"""Server settings: a folder with a settings file, the uploads and, unless configured elsewhere, the database."""

from __future__ import annotations

import ipaddress
import os
import tomllib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.messages import Joined
from sudare.messages.reasons import reason_of
from sudare.showing import dataclass
from sudare.sources.writing import whole_file

SETTINGS_FILE = "settings.toml"
DATABASE_FILE = "server.sqlite"
# An address with a password need not stand in a file.
DATABASE_VARIABLE = "SUDARE_DATABASE"
THIS_MACHINE = ("127.0.0.0/8", "::1")

# What a setting may be, where that is one of a few words.
WORDS = {"log_format": ("text", "json"), "log_level": ("warning", "info")}

_ABOUT = {
    "database": "empty for SQLite in this folder, or postgresql+psycopg://user:password@host/name",
    "public_url": "the address that teams use; https:// behind a proxy",
    "trusted_proxies": "web servers whose X-Forwarded-For and -Proto are believed: addresses or networks",
    "metrics_from": "who may read /metrics: addresses or networks",
    "log_format": "text for people, or json: one object a line",
    "log_level": "warning for what fails, or info: each request and each job too",
    "max_upload_bytes": "largest file that can be uploaded",
    "upload_seconds": "time limit of an upload",
    "uploading_bytes": "most bytes of all uploads that are coming in at the same time",
    "address_uploading_bytes": "most bytes of those from one address",
    "session_hours": "how long users stay logged in",
    "link_hours": "how long invitations are valid",
    "reset_minutes": "how long links for a new password are valid",
    "account_failures": "failed log-ins allowed for an account from one address within throttle_minutes",
    "address_failures": "failed log-ins allowed from an address, to all accounts, within throttle_minutes",
    "address_days": "how long it is kept from which address somebody logged in or tried to",
    "job_memory_bytes": "memory limit of a job (address space)",
    "job_seconds": "time limit of a job",
    "job_attempts": "how often a job is started if workers die",
    "job_retries": "how often a job that failed is tried again by itself, each time with more time",
    "lease_seconds": "a worker that is silent for this long counts as dead",
    "worker_slots": "jobs that a worker runs at the same time, one for each team",
}


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What an organizer may set; `folder` is where everything lies."""

    folder: Path
    database: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str = "http://127.0.0.1:8000"
    trusted_proxies: tuple[str, ...] = THIS_MACHINE
    metrics_from: tuple[str, ...] = THIS_MACHINE
    log_format: str = "text"
    log_level: str = "warning"
    max_upload_bytes: int = 50_000_000
    upload_seconds: int = 300
    uploading_bytes: int = 2_000_000_000
    address_uploading_bytes: int = 500_000_000
    session_hours: int = 24 * 7
    link_hours: int = 24 * 14
    reset_minutes: int = 60
    throttle_minutes: int = 15
    account_failures: int = 10
    address_failures: int = 50
    address_days: int = 90
    job_memory_bytes: int = 4_000_000_000
    job_seconds: int = 300
    job_attempts: int = 3
    job_retries: int = 2
    lease_seconds: int = 30
    worker_slots: int = 2

    @property
    def database_url(self) -> str:
        """Where the database is."""
        found = os.environ.get(DATABASE_VARIABLE) or self.database
        return found or f"sqlite:///{(self.folder / DATABASE_FILE).resolve()}"

    @property
    def files(self) -> Path:
        """Where uploads are kept."""
        return self.folder / "files"

    @property
    def secure(self) -> bool:
        """Whether browsers speak https with the server."""
        return self.public_url.startswith("https://")


def write_settings(settings: ServerSettings) -> Path:
    """Write the settings file of a new folder, which is for its owner only, and return its path.

    One that is there is an error.
    """
    path = settings.folder / SETTINGS_FILE
    if path.exists():
        raise OptionNotUsable("errors.server.settings_exist", path=path, folder=settings.folder)
    settings.folder.chmod(0o700)
    with whole_file(path, private=True) as temporary:
        temporary.write_text("".join(_lines(settings)), encoding="utf-8")
    return path


def load_settings(folder: str | Path) -> ServerSettings:
    """Read the settings of a server's folder."""
    path = Path(folder) / SETTINGS_FILE
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SourceNotReadable("errors.server.no_server", folder=folder) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SourceNotReadable("errors.server.settings_unreadable", path=path, reason=reason_of(error)) from None
    return ServerSettings(folder=Path(folder), **{name: _value(name, given, path) for name, given in document.items()})


def _value(name: str, given: object, path: Path) -> Any:
    known = {field.name: field.default for field in fields(ServerSettings) if field.name != "folder"}
    if name not in known:
        raise OptionNotUsable("errors.server.unknown_setting", path=path, name=name, known=Joined(list(known)))
    told = {"path": path, "name": name, "given": given, "example": f"{name} = {_toml(known[name])}"}
    if isinstance(known[name], tuple):
        if not isinstance(given, list) or not all(is_network(entry) for entry in given):
            raise OptionNotUsable("errors.server.setting_value", **told)
        return tuple(given)
    if type(given) is not type(known[name]) or given not in WORDS.get(name, (given,)):
        raise OptionNotUsable("errors.server.setting_value", **told)
    if isinstance(given, int) and given < 1:
        raise OptionNotUsable("errors.server.setting_too_small", **told)
    return given


def _lines(settings: ServerSettings) -> list[str]:
    values = {name: value for name, value in asdict(settings).items() if name != "folder"}
    return [
        (f"# {_ABOUT[name]}\n" if name in _ABOUT else "") + f"{name} = {_toml(value)}\n"
        for name, value in values.items()
    ]


def is_network(value: object) -> bool:
    """Say whether a value is an address or a network, of IPv4 or IPv6."""
    try:
        return isinstance(value, str) and bool(ipaddress.ip_network(value, strict=False))
    except ValueError:
        return False


def _toml(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_toml(entry) for entry in value)}]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)
