"""Files: kept by what is in them, whole or not at all."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest

from sudare.web.game.refusals import Refused
from sudare.web.storage.files import FileStore


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    found = FileStore(tmp_path / "files")
    found.make()
    return found


def test_a_file_lies_under_its_hash_and_once(store: FileStore, tmp_path: Path) -> None:
    one, other = (store.keep(io.BytesIO(b"abc"), 10, 5) for _ in range(2))
    assert one == other
    assert one.hash == hashlib.sha256(b"abc").hexdigest()
    assert one.size == 3
    assert store.path(one.hash).read_bytes() == b"abc"
    assert [path.name for path in (tmp_path / "files").rglob("*") if path.is_file()] == [one.hash]


def test_a_file_that_is_too_large_is_refused_as_soon_as_that_is_known(store: FileStore, tmp_path: Path) -> None:
    with store.receive(10, 5) as incoming:
        incoming.write(b"0123456789")
        with pytest.raises(Refused) as refused:
            incoming.write(b"x")
    assert refused.value.status == 413
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file()] == []


def test_a_file_that_comes_too_slowly_is_refused(store: FileStore) -> None:
    with store.receive(10, -1) as incoming, pytest.raises(Refused) as refused:
        incoming.write(b"x")
    assert refused.value.status == 408


def test_a_full_disk_is_told_and_leaves_nothing(
    store: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sudare.web.storage.files.os.fsync", full)
    with pytest.raises(Refused) as refused:
        store.keep(io.BytesIO(b"abc"), 10, 5)
    assert refused.value.status == 507
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file()] == []


def test_what_dead_processes_left_is_removed_when_it_is_old(store: FileStore, tmp_path: Path) -> None:
    incoming = tmp_path / "files" / "incoming"
    (incoming / "folder").mkdir()
    (incoming / "folder" / "file").write_text("x")
    (incoming / "file").write_text("x")
    store.tidy(3600)
    assert len(list(incoming.iterdir())) == 2
    store.tidy(-1)
    assert list(incoming.iterdir()) == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A" * 64, "a" * 63, "a" * 64 + "/.."])
def test_only_a_hash_leads_to_a_file(store: FileStore, name: str) -> None:
    with pytest.raises(ValueError, match="no hash"):
        store.path(name)
