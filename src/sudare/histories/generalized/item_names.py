"""Item names as text; contests compare them as bytes.

A byte that is not UTF-8 is a lone surrogate of the text (Python's surrogateescape): text and bytes say the same.
"""

from __future__ import annotations

from unicodedata import category


def name_text(name: bytes) -> str:
    """Return the bytes of a name as text."""
    return name.decode(errors="surrogateescape")


def name_bytes(name: str) -> bytes:
    """Return the bytes of a name."""
    return name.encode(errors="surrogateescape")


def shown_name(name: str) -> str:
    r"""Return a name as it is shown: control characters, and bytes that are not UTF-8, as \x1b."""
    return "".join(map(_shown, name))


def _shown(letter: str) -> str:
    if category(letter) not in ("Cc", "Cs"):
        return letter
    return "".join(f"\\x{byte:02x}" for byte in name_bytes(letter))
