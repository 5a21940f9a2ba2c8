"""A changed certificate is noticed, whichever field was changed."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.baskets.certificate import Certificate, CertifiedInput, read_certificate
from sudare.baskets.certificate_comparison import UNCHECKED, repeated_draws

RECORDS = "milk bread medicine\napple\nmilk coffee bread\nmilk medicine\ncoffee bread apple\norange medicine\n"
OTHER: dict[str, Any] = {
    "sudare": "9.9", "date": "2000-01-01T00:00:00+00:00", "rho": "0.6", "max_known": 1, "knowledge": "published",
    "epsilon": 0.3, "delta": 0.3, "seed": 77, "strategy": "best", "safe": False, "adversaries": 1_000_000,
    "unsafe_adversaries": 3, "draws": 10**9, "bound": 1e-9, "look": 7, "looks": 9, "check_seed": 5,
    "claim": "SAFE: as houses.",
}  # fmt: skip
SAMPLE = {"epsilon": 0.1, "delta": 0.1}


def certified(folder: Path, **options: Any) -> tuple[sudare.Baskets, Certificate]:
    (folder / "b.txt").write_text(RECORDS)
    baskets = sudare.read_baskets(folder / "b.txt")
    found = sudare.baskets.suppress_baskets(
        baskets, sudare.baskets.read_sensitive("item:medicine", baskets), rho="0.5", max_known=2, seed=3, **options
    )
    sudare.baskets.write_published(found, folder / "out.txt")
    return baskets, read_certificate(folder / "out.txt.certificate.json")


def differences(folder: Path, baskets: sudare.Baskets, certificate: Certificate, **changed: Any) -> set[str]:
    """Return what differs if everything that is not said is taken from the certificate, as the command does."""
    asked: dict[str, Any] = {
        "rho": "0.5", "max_known": certificate.max_known, "knowledge": certificate.knowledge,
        "epsilon": certificate.epsilon, "delta": certificate.delta, "look": certificate.look,
        "seed": certificate.check_seed or 0, "draws": repeated_draws(certificate),
        **changed,
    }  # fmt: skip
    published = sudare.read_baskets(folder / "out.txt", allow_empty=True)
    sensitive = sudare.baskets.read_sensitive("item:medicine", baskets)
    found = sudare.baskets.verify_baskets(baskets, published, sensitive, **asked, certificate=certificate)
    return {entry.what for entry in found.differences or ()}


@pytest.mark.parametrize("options", [{}, SAMPLE], ids=["exact", "sample"])
@pytest.mark.parametrize("name", [field.name for field in fields(Certificate)])
def test_any_changed_field_is_noticed_or_said_to_be_unchecked(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    baskets, certificate = certified(tmp_path, **options)
    assert differences(tmp_path, baskets, certificate) == set()
    value = getattr(certificate, name)
    if isinstance(value, CertifiedInput):
        other: Any = CertifiedInput("item:milk", value.sha256 and "0" * 64)
    else:
        other = not value if isinstance(value, bool) else OTHER[name]
    if name in ("epsilon", "delta") and not options:
        # Half a sample is no question: the command refuses it.
        changed = replace(certificate, epsilon=0.3, delta=0.3)
    else:
        changed = replace(certificate, **{name: other})
    # The seed of a sample is that of its check.
    noticed = name not in UNCHECKED or (name == "seed" and bool(options))
    assert bool(differences(tmp_path, baskets, changed)) == noticed


def test_a_sample_cannot_be_passed_off_as_more(tmp_path: Path) -> None:
    baskets, certificate = certified(tmp_path, **SAMPLE)
    boast = replace(certificate, exact=True, draws=10**9, bound=1e-9, claim="SAFE: nobody can.")
    assert differences(tmp_path, baskets, boast) == {"exact", "draws", "bound", "claim"}
    # Another sample than the certified one says the same of it.
    assert differences(tmp_path, baskets, certificate, seed=99, look=None, draws=None) == set()
    assert differences(tmp_path, baskets, boast, seed=99, look=None, draws=None) == {"exact", "draws", "bound", "claim"}
    more = replace(certificate, adversaries=certificate.adversaries + 1)
    assert differences(tmp_path, baskets, more, seed=99, look=None, draws=None) == {"adversaries"}


def test_an_unfinished_work_is_certified_as_that(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text(RECORDS)
    baskets = sudare.read_baskets(tmp_path / "b.txt")
    sensitive = sudare.baskets.read_sensitive("item:medicine", baskets)
    found = sudare.baskets.suppress_baskets(baskets, sensitive, rho="0.5", seconds=1e-9)
    certificate = sudare.baskets.write_published(found, tmp_path / "out.txt")
    assert (certificate.safe, certificate.bound) == (False, None)
    assert "claim" not in differences(tmp_path, baskets, certificate)
    for claim in ("SAFE: nobody can.", ""):
        assert "claim" in differences(tmp_path, baskets, replace(certificate, claim=claim))


def test_a_certificate_names_what_nobody_can_check(tmp_path: Path) -> None:
    baskets, certificate = certified(tmp_path)
    published = sudare.read_baskets(tmp_path / "out.txt", allow_empty=True)
    sensitive = sudare.baskets.read_sensitive("item:medicine", baskets)
    found = sudare.baskets.verify_baskets(
        baskets, published, sensitive, rho="0.5", max_known=2, certificate=certificate
    )
    assert found.to_dict()["certificate"]["unchecked"] == ["sudare", "date", "seed", "strategy"]


def test_a_certificate_of_an_earlier_version_is_not_read_as_one_of_this(tmp_path: Path) -> None:
    certified(tmp_path)
    path = tmp_path / "out.txt.certificate.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 1}))
    with pytest.raises(sudare.SourceNotReadable, match="certificate of version 1; this sudare reads version 2"):
        read_certificate(path)
