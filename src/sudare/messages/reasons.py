"""Why the system or a parser failed, in the reader's language."""

from __future__ import annotations

import errno
import re
import tomllib

from sudare.messages import Message, message

_NAMES = {
    errno.EACCES: "not_permitted", errno.EPERM: "not_permitted", errno.EROFS: "read_only",
    errno.ENOENT: "not_found", errno.EEXIST: "exists", errno.EISDIR: "folder", errno.ENOTDIR: "no_folder",
    errno.ENAMETOOLONG: "long_name", errno.ENOSPC: "no_space", errno.EDQUOT: "no_space",
    errno.EMFILE: "many_files", errno.ENFILE: "many_files", errno.EIO: "broken_device",
}  # fmt: skip
_TOML_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def reason_of(error: Exception) -> Message | str:
    """Return what an error of the system, of decoding or of TOML means; one without a text speaks for itself."""
    if isinstance(error, UnicodeDecodeError):
        return message("reason.not_utf8")
    if isinstance(error, tomllib.TOMLDecodeError):
        place = _TOML_PLACE.search(str(error))
        return message("reason.toml", line=place[1], column=place[2]) if place else message("reason.toml_end")
    if isinstance(error, OSError) and error.errno in _NAMES:
        return message(f"reason.{_NAMES[error.errno]}")
    return getattr(error, "strerror", None) or str(error)
