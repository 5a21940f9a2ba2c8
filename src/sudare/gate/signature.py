"""Signatures of evidence: Ed25519, with keys that the caller keeps. None is made or stored here."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any

from sudare.errors import EngineNotAvailable, OptionNotUsable, SourceNotReadable
from sudare.messages.reasons import reason_of
from sudare.sources.local.names import not_found

# The length of a signature.
_BYTES = 64


def sign(content: bytes, key: Path) -> bytes:
    """Return the signature of some bytes with a private key in a PEM file."""
    keys = _keys()
    found = _load(key, keys, lambda data: keys.serialization.load_pem_private_key(data, password=None))
    if not isinstance(found, keys.private):
        raise OptionNotUsable("errors.gate.not_ed25519", path=key)
    signed: bytes = found.sign(content)
    return signed


def is_signed(content: bytes, signature: bytes, key: Path) -> bool:
    """Return whether a signature of some bytes is that of the owner of a public key in a PEM file."""
    keys = _keys()
    found = _load(key, keys, keys.serialization.load_pem_public_key)
    if not isinstance(found, keys.public):
        raise OptionNotUsable("errors.gate.not_ed25519", path=key)
    try:
        found.verify(signature, content)
    except keys.invalid:
        return False
    return True


def write_signature(path: Path, signature: bytes) -> None:
    """Write a signature as a line of text."""
    path.write_bytes(_line_of(signature))


def read_signature(path: Path) -> bytes:
    """Read a signature; what is not written as one does not sign anything."""
    try:
        line = path.read_bytes()
        found = base64.b64decode(line.strip(), validate=True)
    except OSError as error:
        raise SourceNotReadable("errors.gate.not_readable", path=path, why=reason_of(error)) from None
    except (binascii.Error, ValueError):
        return b""
    # Base64 has bits that stand for nothing: a changed one is a changed file, too.
    return found if len(found) == _BYTES and line == _line_of(found) else b""


def _line_of(signature: bytes) -> bytes:
    return base64.b64encode(signature) + b"\n"


class _keys:  # noqa: N801 - a bundle of names that are loaded when a key is used
    """What is needed of the package `cryptography`, an extra."""

    def __init__(self) -> None:
        try:
            from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
            from cryptography.hazmat.primitives import serialization
            from cryptography.hazmat.primitives.asymmetric import ed25519
        except ImportError:
            raise EngineNotAvailable("errors.gate.no_cryptography") from None
        self.serialization, self.invalid, self.unknown = serialization, InvalidSignature, UnsupportedAlgorithm
        self.private, self.public = ed25519.Ed25519PrivateKey, ed25519.Ed25519PublicKey


def _load(path: Path, keys: _keys, read: Any) -> Any:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise not_found(path) from None
    except OSError as error:
        raise SourceNotReadable("errors.gate.not_readable", path=path, why=reason_of(error)) from None
    try:
        return read(data)
    except (ValueError, TypeError, keys.unknown):
        raise OptionNotUsable("errors.gate.no_key", path=path) from None
