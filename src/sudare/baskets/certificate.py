"""Certificates of suppressed baskets: the files, the guarantee, and the verdict on the written file.

A certificate is a record and no seal: whoever relies on it has everything computed again (`verify_baskets`), from the
files themselves.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arguments import checked
from sudare.baskets.check.rho import plain_rho
from sudare.baskets.check.uncertainty import Verdict, check_baskets
from sudare.baskets.matching import match_published
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.baskets.read import Form, read_baskets
from sudare.baskets.suppress.suppression import Suppression
from sudare.baskets.write import fill_basket_file, form_of
from sudare.errors import InputError, OutputNotWritable, SourceNotReadable
from sudare.messages import Texts, message
from sudare.messages.reasons import reason_of
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.local.names import not_found
from sudare.sources.text import file_hash
from sudare.sources.writing import (
    BASKETS_ENDINGS,
    CERTIFICATE_ENDINGS,
    check_distinct,
    check_ending,
    keeps_inputs,
    whole_file,
)
from sudare.version import __version__

FORMAT = "sudare baskets certificate"
VERSION = 2
# What a verification computes with; the rest is only compared.
_KINDS = {
    "rho": str,
    "max_known": int | None,
    "knowledge": str,
    "epsilon": float | None,
    "delta": float | None,
    "look": int | None,
    "looks": int | None,
    "check_seed": int | None,
    "seed": int,
    "safe": bool,
    "adversaries": int,
    "unsafe_adversaries": int | None,
    "draws": int | None,
    "bound": float | None,
}


@dataclass(frozen=True, slots=True)
class CertifiedInput(Result):
    """A file or a rule that was used; a rule has no hash."""

    name: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Certificate(Result):
    """What was published under which guarantee; `rho` is the exact number as text.

    `seed` is the seed of the suppression. The check of the written file covered all `adversaries`, or drew `draws` of
    each size with `check_seed`; `look` is then the number of that check, and `delta` holds for all looks together, of
    which there may be `looks` if all draw the same number. `bound` is what the sample proves for each size: on average,
    at most that share of a user's adversaries is unsafe. `claim` says this in words.

    `frequent_above_rho` says whether a single sensitive item is in a larger share of the published records than rho,
    which the verdict does not cover. The number of unsafe adversaries is None if there was no time to check all.
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
    unsafe_adversaries: int | None
    draws: int | None
    bound: float | None
    look: int | None
    check_seed: int | None
    frequent_above_rho: bool
    claim: str
    # Certificates of older versions had no looks that all draw alike.
    looks: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as in the file."""
        return {"format": FORMAT, "version": VERSION, **Result.to_dict(self)}


def certify(found: Suppression, verdict: Verdict, published: CertifiedInput) -> Certificate:
    """Make the certificate of a suppression whose result is in a file, of which a check gave this verdict."""
    safe = verdict.safe and not found.interrupted
    return Certificate(
        sudare=__version__,
        date=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        original=basket_input(found.original),
        published=published,
        sensitive=sensitive_input(found.sensitive),
        rho=str(plain_rho(verdict.rho)),
        max_known=verdict.max_known,
        knowledge=verdict.knowledge,
        epsilon=verdict.epsilon,
        delta=verdict.delta,
        seed=found.seed,
        strategy=found.strategy,
        safe=safe,
        exact=verdict.exact,
        adversaries=verdict.adversaries,
        unsafe_adversaries=verdict.unsafe_adversaries if verdict.complete else None,
        draws=verdict.draws,
        bound=verdict.bound if safe else None,
        look=verdict.look,
        looks=verdict.looks,
        check_seed=verdict.seed,
        frequent_above_rho=verdict.frequent_above_rho,
        claim=verdict.claim(Texts("en"), interrupted=found.interrupted),
    )


def basket_input(baskets: Baskets) -> CertifiedInput:
    """Return what a certificate says of baskets that were read."""
    reading = baskets.reading
    return CertifiedInput(reading.source, reading.sha256) if reading else CertifiedInput("baskets", None)


def sensitive_input(sensitive: SensitiveItems) -> CertifiedInput:
    """Return what a certificate says of sensitive items: the file with its hash, or the rule."""
    return CertifiedInput(sensitive.described, sensitive.reading.sha256 if sensitive.reading else None)


@checked
@keeps_inputs()
def write_published(found: Suppression, path: str | Path, *, certificate: str | Path | None = None) -> Certificate:
    """Write the baskets of a suppression in the format of the original, with their certificate: both files or neither.

    Before the files get their names, the baskets are read back: they must hold the records of the suppression, and what
    is called safe is checked once more as written. The certificate states the result of that check. It goes to `path` +
    ".certificate.json" unless a path is given. A .csv or .parquet file is written as a table.
    """
    path = Path(path)
    targets = (path, Path(certificate) if certificate else certificate_path(path))
    check_ending(path, BASKETS_ENDINGS)
    check_ending(targets[1], CERTIFICATE_ENDINGS)
    check_distinct(targets)
    reading = found.original.reading
    form = form_of(path, reading.form if reading else None)
    with ExitStack() as files:
        baskets, beside = (files.enter_context(whole_file(target)) for target in targets)
        fill_basket_file(found.published, baskets, form)
        verdict = _verdict_of_file(found, baskets, form, path)
        made = certify(found, verdict, CertifiedInput(str(path), file_hash(baskets)))
        text = json.dumps(made.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        beside.write_text(text + "\n", encoding="utf-8")
    return made


def _verdict_of_file(found: Suppression, file: Path, form: Form, path: Path) -> Verdict:
    """Return what the check says of the records in a file, which have to be those of a suppression.

    Of a suppression that is not safe anyway, nothing is claimed that would have to be checked again.
    """
    shown = records_in(found, file, form)
    if shown is None:
        raise OutputNotWritable("errors.certificate.not_kept", path=path)
    if not found.safe:
        return found.verdict
    verdict = check_baskets(found.original, found.sensitive, published=shown, **found.verdict.question)
    if not verdict.safe:
        raise OutputNotWritable("errors.certificate.not_safe", path=path)
    return verdict


def records_in(found: Suppression, file: Path, form: Form) -> Baskets | None:
    """Return the records in a file if they are those that a suppression publishes, else None."""
    try:
        shown = match_published(found.original, read_baskets(file, form=form, allow_empty=True))
    except InputError:
        return None
    same = np.array_equal(shown.starts, found.published.starts) and np.array_equal(shown.items, found.published.items)
    return shown if same else None


def certificate_path(path: Path) -> Path:
    """Return where the certificate of published baskets is, if nothing else is said."""
    return path.with_name(f"{path.name}.certificate.json")


@checked
def read_certificate(path: str | Path) -> Certificate:
    """Read a certificate; another kind of file, or a later version, raises SourceNotReadable."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise not_found(path) from None
    except OSError as error:
        raise _unreadable(path, reason_of(error)) from None
    except ValueError:
        raise _unreadable(path, message("errors.certificate.not_json")) from None
    if not isinstance(found, Mapping) or found.get("format") != FORMAT:
        raise _unreadable(path, message("errors.certificate.not_of_baskets"))
    if found.get("version") != VERSION:
        raise SourceNotReadable("errors.certificate.version", path=path, version=found.get("version"), known=VERSION)
    try:
        fields = {key: value for key, value in found.items() if key not in ("format", "version")}
        for name in ("original", "published", "sensitive"):
            fields[name] = CertifiedInput(**fields[name])
        for name, kinds in _KINDS.items():
            if not isinstance(fields[name] if name != "looks" else fields.get(name), kinds):
                raise TypeError
        return Certificate(**fields)
    except (KeyError, TypeError):
        raise _unreadable(path, message("errors.certificate.not_whole")) from None


def _unreadable(path: str | Path, problem: object) -> SourceNotReadable:
    return SourceNotReadable("errors.certificate.unreadable", path=path, problem=problem)
