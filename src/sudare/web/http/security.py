"""Secrets and how they are stored: passwords by argon2, tokens by hash; and the headers of every response."""

from __future__ import annotations

import hashlib
import re
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

LEAST_DIFFERENT = 5
LEAST_RUN = 3
_ROWS = (
    "abcdefghijklmnopqrstuvwxyz",
    "1234567890",
    "0123456789",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "1qaz2wsx3edc4rfv",
)
_LIKE_LETTERS = str.maketrans("0134578@$!", "oieastbasi")
# Words that passwords of ten letters and more are made of first.
_USUAL = frozenset(
    """
    abc admin administrator adminadmin baseball change changeme charlie computer contest cup default demo dragon example
    football freedom game god guest hello iloveyou internet japan kara letme letmein login love master me michael monkey
    my mustang name new nippon organizer pass passphrase passwd password passwort pikachu please princess private pwd
    pws pwscup qwerty qwertz root sakura samurai secret secure server shadow starwars sudare summer sunshine superman
    super system team temp test the thomas this tokyo trustno user welcome winter you
    """.split()
)

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


def refuse_common(password: str, login: str) -> None:
    """Refuse a password that is tried first: a usual word or one's own name with digits, a run of keys, few letters."""
    plain = password.casefold()
    middle = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", plain)
    words = {re.sub(r"[^a-z]+", "", text) for text in (plain, middle.translate(_LIKE_LETTERS))}
    own = {login.casefold(), *re.split(r"[^a-z0-9]+", login.casefold())} - {""}
    if len(set(plain)) < LEAST_DIFFERENT or _is_run(plain) or any(_of_words(word, own) for word in words):
        raise Refused("errors.accounts.password_common", 422)


def _of_words(text: str, own: set[str]) -> bool:
    """Say whether a text is nothing but usual words, one after another; an empty one is only digits and signs."""
    known = {len(text): True}
    for start in range(len(text) - 1, -1, -1):
        words = (text[start:end] for end in known if end > start)
        if any(word in _USUAL or word in own for word in words):
            known[start] = True
    return bool(text) and 0 in known


def _is_run(text: str) -> bool:
    """Say whether a text is made of pieces of three or more from rows of keys, letters or digits in order."""
    if len(text) < LEAST_RUN:
        return not text
    rows = (*_ROWS, *(row[::-1] for row in _ROWS))
    ends = range(LEAST_RUN, len(text) + 1)
    return any(any(text[:end] in row * 2 for row in rows) and _is_run(text[end:]) for end in reversed(ends))


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
