"""What a server writes is for its owner only: passwords, private data, secrets of links."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sudare.errors import OptionNotUsable
from sudare.web.settings import DATABASE_FILE, SETTINGS_FILE, ServerSettings

# The permissions that files and folders of a server do not have.
OTHERS = stat.S_IRWXG | stat.S_IRWXO


@contextmanager
def owner_only() -> Iterator[None]:
    """Let the process make files and folders for its user only, until the block ends."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def make_private_file(path: Path) -> None:
    """Make an empty file for its owner only, unless it is there."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def check_private(settings: ServerSettings) -> None:
    """Refuse the folder of a server that others on the machine may look into."""
    names = (".", SETTINGS_FILE, DATABASE_FILE, "files")
    for path in (settings.folder / name for name in names):
        if path.exists() and path.stat().st_mode & OTHERS:
            raise OptionNotUsable("errors.server.not_private", path=path, folder=settings.folder)
