"""Certificates of suppressed baskets: which files, which guarantee, and what the check of the written file said.

A certificate is a record and no seal: whoever relies on it has everything computed again (`verify_baskets`), from the
files themselves.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arguments import checked
from sudare.baskets.check.uncertainty import (
    Verdict,
    check_baskets,
    check_sampling,
    checked_knowledge,
    exact_rho,
    most_looks,
    paper_sample_size,
    plain_rho,
    sample_bound,
    shared_sample_size,
)
from sudare.baskets.matching import match_published
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.baskets.read import Form, read_baskets
from sudare.baskets.suppress.suppression import Suppression, look_seed
from sudare.baskets.write import fill_basket_file, form_of
from sudare.errors import InputError, OptionNotUsable, OutputNotWritable, SourceNotReadable
from sudare.messages import Texts
from sudare.showing import dataclass
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
# What the files and the other fields do not tell, so that nobody can check it: like the names of files that have a
# hash, it is only recorded. The seed of a sample is checked all the same, since that of its check follows from it.
UNCHECKED = ("sudare", "date", "seed", "strategy")
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
_HINT = "Hint: give the .certificate.json file that `sudare baskets suppress` wrote."


@dataclass(frozen=True, slots=True)
class CertifiedInput:
    """A file or a rule that was used; a rule has no hash."""

    name: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was published under which guarantee; `rho` is the exact number as text.

    `seed` is that of the suppression. The check of the written file went through all `adversaries`, or drew `draws` of
    each size with `check_seed`; it was then the look of that number, and `delta` is about all looks together, of which
    there may be `looks` if all draw alike. `bound`
    is what the sample says of each size: a user's share of unsafe adversaries is on average at most that. `claim` says
    it in words.
    `frequent_above_rho` says whether one sensitive item is in a larger share of the published records than rho, which
    the verdict does not cover. The number of unsafe adversaries is None if there was no time to check all.
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
    """Write the baskets of a suppression in the form of the original and their certificate, both or none.

    Before they get their names, the file is read again: it has to hold the records of the suppression, and what is
    called safe is checked once more, as it stands in the file. The certificate says what that check said. It goes to
    `path` + ".certificate.json" unless a path is given. A .csv or .parquet file is written as a table.
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
        raise OutputNotWritable(
            f"Cannot write {path}: read again, the file would not hold the records that were checked.\n"
            "Hint: items or users have names that this form cannot keep apart; write a .parquet file."
        )
    if not found.safe:
        return found.verdict
    verdict = check_baskets(found.original, found.sensitive, published=shown, **found.verdict.question)
    if not verdict.safe:
        raise OutputNotWritable(
            f"Cannot write {path}: its records are not safe, whatever the suppression says of them.\n"
            "Hint: suppress the baskets again."
        )
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
            if not isinstance(fields[name] if name != "looks" else fields.get(name), kinds):
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
    verdict: Verdict,
) -> tuple[CertificateDifference, ...]:
    """Return what is not as a certificate says: files, parameters, what the check found now, and what follows from it.

    Files are compared by their hashes and rules by their words. How many adversaries of a sample are unsafe is compared
    only if both samples were drawn alike, and if the certified check went through all. What is in no field of a verdict
    (`UNCHECKED`) is not compared.
    """
    pairs: dict[str, tuple[Any, Any]] = {
        "original": (_identity(certificate.original), _identity(original)),
        "published": (_identity(certificate.published), _identity(published)),
        "sensitive": (_identity(certificate.sensitive), _identity(sensitive)),
        "rho": (_number(certificate.rho), verdict.rho),
    }
    for name in ("max_known", "knowledge", "epsilon", "delta", "safe"):
        pairs[name] = (getattr(certificate, name), getattr(verdict, name))
    alike = (certificate.check_seed, certificate.look) == (verdict.seed, verdict.look)
    if alike and certificate.unsafe_adversaries is not None:
        pairs["unsafe_adversaries"] = (certificate.unsafe_adversaries, verdict.unsafe_adversaries)
    for name, follows in _following(certificate, verdict).items():
        pairs.setdefault(name, (getattr(certificate, name), follows))
    shown = {"rho": (certificate.rho, str(plain_rho(verdict.rho)))}
    return tuple(
        CertificateDifference(name, *shown.get(name, pair)) for name, pair in pairs.items() if pair[0] != pair[1]
    )


def repeated_draws(certificate: Certificate) -> int | None:
    """Return how many each look drew if all draw alike, as the strategies do; None if they do not."""
    epsilon, delta, draws = certificate.epsilon, certificate.delta, certificate.draws
    if certificate.looks is None or epsilon is None or delta is None:
        return None
    return draws if draws in (shared_sample_size(epsilon, delta), paper_sample_size(epsilon, delta)) else None


def _following(certificate: Certificate, verdict: Verdict) -> dict[str, Any]:
    """Return the fields of a certificate that follow from its others, given how many sizes a check now found."""
    epsilon, delta, look, unsafe = (
        getattr(certificate, name) for name in ("epsilon", "delta", "look", "unsafe_adversaries")
    )
    try:
        draws, looks = check_sampling(epsilon, delta, look), None
        if draws is not None and certificate.looks is not None:
            # Looks that all draw alike: as many as the strategies draw, which allow for so many looks.
            draws = repeated_draws(certificate) or paper_sample_size(epsilon, delta)
            looks = most_looks(epsilon, delta, draws)
        rho, knowledge = exact_rho(certificate.rho), checked_knowledge(certificate.knowledge)
    except OptionNotUsable:
        # Nothing was checked with that: it differs itself.
        return {}
    bound = sample_bound(epsilon, delta, draws, look, looks) if certificate.safe else None
    if bound is not None and certificate.bound is not None and math.isclose(bound, certificate.bound, rel_tol=1e-9):
        # Logarithms of another machine may have another last digit.
        bound = certificate.bound
    stated = replace(
        verdict, rho=rho, max_known=certificate.max_known, knowledge=knowledge, epsilon=epsilon, delta=delta, look=look,
        looks=looks, draws=draws, safe=certificate.safe, unsafe_adversaries=unsafe or 0,
    )  # fmt: skip
    return {
        "exact": draws is None,
        "draws": draws,
        "bound": bound,
        "look": None if draws is None else look,
        "looks": looks,
        "check_seed": None if draws is None or look is None else look_seed(certificate.seed, look),
        "adversaries": _adversaries(certificate, draws, verdict),
        "unsafe_adversaries": 0 if certificate.safe else unsafe,
        "frequent_above_rho": stated.frequent_above_rho,
        "claim": _claim(certificate, stated),
    }


def _adversaries(certificate: Certificate, draws: int | None, verdict: Verdict) -> int:
    """Return how many adversaries were checked, of a sample as many sizes as now; one that was not finished may say."""
    if (draws is None) != verdict.exact or certificate.unsafe_adversaries is None:
        return certificate.adversaries
    return verdict.adversaries if draws is None else draws * (verdict.adversaries // (verdict.draws or 1))


def _claim(certificate: Certificate, stated: Verdict) -> str:
    """Return the claim that the other fields make; what is not safe may be so for a reason that no field tells."""
    texts = Texts("en")
    possible = [stated.claim(texts)]
    if not certificate.safe:
        possible.append(stated.claim(texts, interrupted=True))
        if certificate.unsafe_adversaries is None:
            possible.append(replace(stated, unsafe_adversaries=1).claim(texts))
    return certificate.claim if certificate.claim in possible else possible[0]


def _identity(used: CertifiedInput) -> str:
    return used.sha256 or used.name


def _number(text: str) -> Fraction | str:
    try:
        return exact_rho(text)
    except OptionNotUsable:
        return text
