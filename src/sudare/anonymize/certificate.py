"""Certificates of suppressed baskets: which files, which guarantee, and what the check said.

A certificate is a record and no seal: whoever relies on it has everything computed again (`verify_baskets`), from the
files themselves.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sudare.anonymize.suppression import Suppression
from sudare.data.basket_writing import fill_basket_file, form_of
from sudare.data.baskets import Baskets, SensitiveItems
from sudare.data.text import file_hash
from sudare.data.writing import whole_file
from sudare.errors import SourceNotReadable
from sudare.risk.uncertainty import Verdict, exact_rho
from sudare.version import __version__

FORMAT = "sudare baskets certificate"
VERSION = 1
# What a verification computes with; the rest is only compared.
_KINDS = {
    "rho": str,
    "max_known": int | None,
    "knowledge": str,
    "epsilon": float | None,
    "delta": float | None,
    "check_seed": int | None,
}
_HINT = "Hint: give the .certificate.json file that `sudare baskets suppress` wrote."


@dataclass(frozen=True, slots=True)
class CertifiedInput:
    """A file or a rule that was used; a rule has no hash."""

    name: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was published under which guarantee; `rho` is as it was written.

    `seed` is that of the suppression, `check_seed` that of the check, which is random only if it drew a sample.
    """

    sudare: str
    date: str
    original: CertifiedInput
    published: CertifiedInput
    sensitive: CertifiedInput
    rho: str
    max_known: int | None
    knowledge: str
    epsilon: float | None
    delta: float | None
    seed: int
    strategy: str
    safe: bool
    exact: bool
    adversaries: int
    unsafe_adversaries: int
    check_seed: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as it stands in the file."""
        return {"format": FORMAT, "version": VERSION, **asdict(self)}


@dataclass(frozen=True, slots=True)
class CertificateDifference:
    """Something that is not as a certificate says."""

    what: str
    certified: Any
    found: Any

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


def certify(
    original: Baskets,
    sensitive: SensitiveItems,
    found: Suppression,
    *,
    rho: float | str,
    published: CertifiedInput,
    date: dt.datetime | None = None,
) -> Certificate:
    """Make the certificate of a suppression whose result is in a file; the date is now if not given."""
    verdict = found.verdict
    return Certificate(
        sudare=__version__,
        date=(date or dt.datetime.now(dt.UTC)).isoformat(timespec="seconds"),
        original=basket_input(original),
        published=published,
        sensitive=sensitive_input(sensitive),
        rho=str(rho),
        max_known=found.max_known,
        knowledge=found.knowledge,
        epsilon=found.epsilon,
        delta=found.delta,
        seed=found.seed,
        strategy=found.strategy,
        safe=found.safe,
        exact=verdict.exact,
        adversaries=verdict.adversaries,
        unsafe_adversaries=verdict.unsafe_adversaries,
        check_seed=verdict.seed,
    )


def basket_input(baskets: Baskets) -> CertifiedInput:
    """Return what a certificate says of baskets that were read."""
    reading = baskets.reading
    return CertifiedInput(reading.source, reading.sha256) if reading else CertifiedInput("baskets", None)


def sensitive_input(sensitive: SensitiveItems) -> CertifiedInput:
    """Return what a certificate says of sensitive items: the file with its hash, or the rule."""
    return CertifiedInput(sensitive.described, sensitive.reading.sha256 if sensitive.reading else None)


def write_published(
    original: Baskets,
    sensitive: SensitiveItems,
    found: Suppression,
    path: str | Path,
    *,
    rho: float | str,
    certificate: str | Path | None = None,
) -> Certificate:
    """Write the baskets of a suppression in the form of the original and their certificate, both or none.

    The certificate goes to `path` + ".certificate.json" if not said otherwise. A .csv or .parquet file is written as a
    table.
    """
    path = Path(path)
    with ExitStack() as files:
        targets = (path, Path(certificate) if certificate else certificate_path(path))
        baskets, beside = (files.enter_context(whole_file(target)) for target in targets)
        fill_basket_file(found.published, baskets, form_of(path, original.reading.form if original.reading else None))
        published = CertifiedInput(str(path), file_hash(baskets))
        made = certify(original, sensitive, found, rho=rho, published=published)
        text = json.dumps(made.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        beside.write_text(text + "\n", encoding="utf-8")
    return made


def certificate_path(path: Path) -> Path:
    """Return where the certificate of published baskets is, if nothing else is said."""
    return path.with_name(f"{path.name}.certificate.json")


def read_certificate(path: str | Path) -> Certificate:
    """Read a certificate; what is none, or is of a later version, raises SourceNotReadable."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceNotReadable(f"The certificate {path} cannot be read: {error.strerror}.\n{_HINT}") from None
    except ValueError:
        raise SourceNotReadable(f"{path} is no certificate: it is no JSON.\n{_HINT}") from None
    if not isinstance(found, Mapping) or found.get("format") != FORMAT:
        raise SourceNotReadable(f"{path} is no certificate of baskets.\n{_HINT}")
    if found.get("version") != VERSION:
        raise SourceNotReadable(
            f"{path} is a certificate of version {found.get('version')!r}; this sudare knows version {VERSION}.\n"
            "Hint: verify it with the sudare that wrote it."
        )
    try:
        fields = {key: value for key, value in found.items() if key not in ("format", "version")}
        for name in ("original", "published", "sensitive"):
            fields[name] = CertifiedInput(**fields[name])
        for name, kinds in _KINDS.items():
            if not isinstance(fields[name], kinds):
                raise TypeError
        return Certificate(**fields)
    except (KeyError, TypeError):
        raise SourceNotReadable(
            f"{path} is no whole certificate: something is missing, too much, or of another kind.\n{_HINT}"
        ) from None


def compare_certificate(
    certificate: Certificate,
    *,
    original: CertifiedInput,
    published: CertifiedInput,
    sensitive: CertifiedInput,
    rho: float | str,
    verdict: Verdict,
) -> tuple[CertificateDifference, ...]:
    """Return what is not as a certificate says: files, parameters, and what the check found now.

    Files are compared by their hashes and rules by their words. The numbers of adversaries of samples are compared only
    if both samples were drawn with the same seed.
    """
    pairs = {
        "original": (_identity(certificate.original), _identity(original)),
        "published": (_identity(certificate.published), _identity(published)),
        "sensitive": (_identity(certificate.sensitive), _identity(sensitive)),
        "rho": (_number(certificate.rho), exact_rho(rho)),
        "safe": (certificate.safe, verdict.safe),
    }
    for name in ("max_known", "knowledge", "epsilon", "delta"):
        pairs[name] = (getattr(certificate, name), getattr(verdict, name))
    if certificate.check_seed == verdict.seed:
        for name in ("adversaries", "unsafe_adversaries"):
            pairs[name] = (getattr(certificate, name), getattr(verdict, name))
    shown = {"rho": (certificate.rho, str(rho))}
    return tuple(
        CertificateDifference(name, *shown.get(name, pair)) for name, pair in pairs.items() if pair[0] != pair[1]
    )


def _identity(used: CertifiedInput) -> str:
    return used.sha256 or used.name


def _number(text: str) -> Fraction | str:
    try:
        return Fraction(text).limit_denominator(10**9)
    except (ValueError, ZeroDivisionError):
        return text
