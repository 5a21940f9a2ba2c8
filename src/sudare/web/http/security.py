"""Secrets and how they are stored: passwords by argon2, tokens by hash; and the headers of every response."""

from __future__ import annotations

import hashlib
import secrets
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sudare.web.game.refusals import Refused

MIN_PASSWORD_LETTERS = 10
MAX_PASSWORD_LETTERS = 200
TOKEN_BYTES = 32
API_TOKEN_PREFIX = "sudare_"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Links with a token in them are not told to others; with no-referrer browsers would hide the origin of forms too.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
SECURE_HEADERS = {"Strict-Transport-Security": "max-age=31536000"}

_hasher = PasswordHasher()


def new_token() -> str:
    """Return a random token that fits into an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """Return what is kept of a token. Tokens are random and long, so that a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare secrets in a time that does not depend on where they differ."""
    return secrets.compare_digest(one.encode(), other.encode())


def hash_password(password: str) -> str:
    """Return what is kept of a password; Refused if it is too short or too long."""
    if not MIN_PASSWORD_LETTERS <= len(password) <= MAX_PASSWORD_LETTERS:
        raise Refused("errors.accounts.password_length", 422, least=MIN_PASSWORD_LETTERS, most=MAX_PASSWORD_LETTERS)
    return _hasher.hash(password)


def password_fits(password: str, kept: str | None) -> bool:
    """Say whether a password is the right one; without an account it takes as long and is not."""
    kept_or_other = kept or _nobody()
    try:
        fits = _hasher.verify(kept_or_other, password[: MAX_PASSWORD_LETTERS + 1])
    except (VerificationError, InvalidHashError):
        return False
    return bool(fits and kept)


@cache
def _nobody() -> str:
    return _hasher.hash(new_token())
