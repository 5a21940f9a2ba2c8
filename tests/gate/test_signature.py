"""Signed evidence: who changes the manifest as well is found out by the signature, and by nothing else."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x25519

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.gate.evidence import write_evidence
from sudare.gate.verification import verify_evidence
from tests.gate.evidence_made import flip, forge_manifest, make_run

PLAIN = serialization.NoEncryption()


def write_keys(
    folder: Path, name: str, key: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey
) -> tuple[Path, Path]:
    """Write a private and a public key, as openssl does."""
    private, public = folder / f"{name}.pem", folder / f"{name}-public.pem"
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, PLAIN))
    public.write_bytes(
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return private, public


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, a policy, signed evidence, and the keys."""
    folder = tmp_path_factory.mktemp("original")
    private, _ = write_keys(folder, "mine", ed25519.Ed25519PrivateKey.generate())
    write_evidence(make_run(folder), folder / "evidence", key=private)
    return folder


@pytest.fixture
def keys(original: Path) -> tuple[Path, Path]:
    return original / "mine.pem", original / "mine-public.pem"


@pytest.fixture
def signed(original: Path, tmp_path: Path) -> Path:
    """A copy of the evidence that may be changed."""
    shutil.copytree(original, tmp_path / "copy")
    return tmp_path / "copy" / "evidence"


def states(evidence: Path, key: Path | None, *, files_only: bool = True) -> tuple[bool | None, list[str], bool]:
    """Return whether the evidence is signed, what is said of the signature, and whether anything differs."""
    found = verify_evidence(evidence, public_key=key, files_only=files_only)
    return found.signed, [part.state for part in found.parts if part.kind == "signature"], found.differs


def test_the_signature_is_one_of_the_manifest(signed: Path, keys: tuple[Path, Path]) -> None:
    public = serialization.load_pem_public_key(keys[1].read_bytes())
    assert isinstance(public, ed25519.Ed25519PublicKey)
    signature = base64.b64decode((signed / "manifest.sig").read_bytes())
    public.verify(signature, (signed / "manifest.json").read_bytes())
    found = verify_evidence(signed, public_key=keys[1])
    assert found.verified
    assert found.signed
    assert "The signature is that of this key." in found.text()
    assert "この鍵による署名です。" in found.text("ja")


def test_the_key_is_not_in_the_evidence(signed: Path, keys: tuple[Path, Path]) -> None:
    secret = b"".join(keys[0].read_bytes().splitlines()[1:-1])
    assert not any(secret in path.read_bytes() for path in signed.iterdir())
    assert sorted(path.name for path in signed.iterdir() if path.suffix in (".pem", ".sig")) == ["manifest.sig"]


def test_without_a_key_a_signature_is_not_checked_and_said_to_be_so(signed: Path) -> None:
    assert states(signed, None) == (None, ["not_checked"], False)
    assert "which was not checked" in verify_evidence(signed).text()


def test_the_key_of_somebody_else_does_not_fit(signed: Path, tmp_path: Path) -> None:
    _, other = write_keys(tmp_path, "other", ed25519.Ed25519PrivateKey.generate())
    assert states(signed, other, files_only=False) == (False, ["changed"], True)
    assert "NOT SIGNED by the owner of this key." in verify_evidence(signed, public_key=other).text()


def test_a_missing_signature_is_missed(signed: Path, keys: tuple[Path, Path]) -> None:
    (signed / "manifest.sig").unlink()
    assert states(signed, keys[1]) == (False, ["missing"], True)
    assert states(signed, None) == (None, [], False)


def test_each_byte_of_the_signature_counts(signed: Path, keys: tuple[Path, Path]) -> None:
    path = signed / "manifest.sig"
    content = path.read_bytes()
    for place in range(len(content)):
        for by in (1, 128):
            flip(path, place, by)
            assert states(signed, keys[1]) == (False, ["changed"], True), place
            path.write_bytes(content)
    for more in (content + b"\n", b" " + content, content.strip(), b"", content * 2, content.replace(b"\n", b"\r\n")):
        path.write_bytes(more)
        assert states(signed, keys[1]) == (False, ["changed"], True)
        # What is no signature at all is noticed without a key.
        assert states(signed, None) == (None, ["changed"], True)


def test_a_file_changed_with_the_manifest_is_found_out_by_the_signature_alone(
    signed: Path, keys: tuple[Path, Path]
) -> None:
    (signed / "report.html").write_text("<p>All is well.")
    forge_manifest(signed)
    found = verify_evidence(signed, public_key=keys[1])
    assert {(part.kind, part.state) for part in found.differences} == {("signature", "changed")}
    assert found.recomputed
    assert not found.verified
    assert verify_evidence(signed).verified


def test_a_signature_of_other_evidence_does_not_fit(tmp_path: Path, signed: Path, keys: tuple[Path, Path]) -> None:
    (tmp_path / "other").mkdir()
    write_evidence(make_run(tmp_path / "other", legal=["gdpr"]), tmp_path / "other" / "evidence", key=keys[0])
    (signed / "manifest.sig").write_bytes((tmp_path / "other" / "evidence" / "manifest.sig").read_bytes())
    assert states(signed, keys[1]) == (False, ["changed"], True)


def test_a_key_of_the_wrong_kind_is_an_error(signed: Path, tmp_path: Path, keys: tuple[Path, Path]) -> None:
    found = make_run(tmp_path)
    private, public = write_keys(tmp_path, "curve", ec.generate_private_key(ec.SECP256R1()))
    exchange = x25519.X25519PrivateKey.generate()
    (tmp_path / "exchange.pem").write_bytes(
        exchange.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, PLAIN)
    )
    for key in (private, tmp_path / "exchange.pem"):
        with pytest.raises(OptionNotUsable, match="is not an Ed25519 key of the kind needed"):
            write_evidence(found, tmp_path / "more", key=key)
    with pytest.raises(OptionNotUsable, match="is not an Ed25519 key of the kind needed"):
        verify_evidence(signed, public_key=public)
    # A public key cannot sign, and a private one is not given to those who verify.
    with pytest.raises(OptionNotUsable, match="is not a key in PEM form"):
        write_evidence(found, tmp_path / "more", key=keys[1])
    with pytest.raises(OptionNotUsable, match="is not a key in PEM form"):
        verify_evidence(signed, public_key=keys[0])
    assert not (tmp_path / "more").exists()


@pytest.mark.parametrize(
    "content", [b"", b"no key\n", b"\x00\xff", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"]
)
def test_a_file_that_is_no_key_is_an_error(signed: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "wrong.pem").write_bytes(content)
    with pytest.raises(OptionNotUsable, match="is not a key in PEM form"):
        verify_evidence(signed, public_key=tmp_path / "wrong.pem")
    with pytest.raises(OptionNotUsable, match="is not a key in PEM form"):
        write_evidence(make_run(tmp_path), tmp_path / "more", key=tmp_path / "wrong.pem")
    assert not (tmp_path / "more").exists()


def test_a_key_with_a_password_and_one_that_is_not_there_are_errors(signed: Path, tmp_path: Path) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    locked = serialization.BestAvailableEncryption(b"secret")
    (tmp_path / "locked.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked)
    )
    with pytest.raises(OptionNotUsable, match="without a password"):
        write_evidence(make_run(tmp_path), tmp_path / "more", key=tmp_path / "locked.pem")
    with pytest.raises(SourceNotReadable, match=r"none\.pem"):
        verify_evidence(signed, public_key=tmp_path / "none.pem")
