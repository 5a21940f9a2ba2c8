import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from sudare.errors import OptionNotUsable, OutputNotWritable
from sudare.sources.writing import check_distinct, check_writable, protect, protected, whole_file


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    with whole_file(target) as temporary:
        assert temporary.suffix == ".txt"
        temporary.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert names(tmp_path) == ["out.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(target) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_an_error_of_the_system_is_explained(tmp_path: Path) -> None:
    with (
        pytest.raises(OutputNotWritable, match=r"No space left on device\. Nothing was left half-written"),
        whole_file(tmp_path / "out.txt"),
    ):
        raise OSError(28, "No space left on device")
    assert names(tmp_path) == []


def test_a_folder_or_a_missing_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(OutputNotWritable, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(OutputNotWritable, match="does not exist"):
        check_writable(tmp_path / "no" / "out.txt")
    check_writable(tmp_path / "out.txt")
    assert names(tmp_path) == []


def test_a_written_file_has_the_usual_rights(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    with whole_file(tmp_path / "out.txt") as temporary:
        assert temporary.stat().st_mode & 0o077 == 0
    assert (tmp_path / "out.txt").stat().st_mode == usual.stat().st_mode


@contextmanager
def umask_of(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o027, 0o077])
def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path, mask: int) -> None:
    with umask_of(mask), whole_file(tmp_path / "out.txt") as temporary:
        assert temporary.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == 0o666 & ~mask
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o664])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, permissions: int) -> None:
    target = tmp_path / "out.txt"
    target.touch()
    target.chmod(permissions)
    with umask_of(0o022), whole_file(target) as temporary:
        temporary.write_text("new")
    assert (target.stat().st_mode & 0o777, target.read_text()) == (permissions, "new")


def test_the_umask_of_the_process_is_never_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(mask: int) -> int:
        raise AssertionError(f"umask {mask:o}")

    monkeypatch.setattr(os, "umask", refuse)
    with whole_file(tmp_path / "out.txt") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "out.txt").read_text() == "new"


def test_threads_that_write_and_make_files_do_not_disturb_each_other(tmp_path: Path) -> None:
    def write(number: int) -> None:
        with whole_file(tmp_path / f"{number}.txt") as temporary:
            temporary.write_text("new")

    def make(number: int) -> None:
        (tmp_path / f"{number}.made").touch()

    with umask_of(0o027), ThreadPoolExecutor(8) as threads:
        done = [threads.submit(work, number) for number in range(200) for work in (write, make)]
        for future in done:
            future.result()
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o640}
    assert len(names(tmp_path)) == 400


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name, there in (("there.csv", True), ("missing.csv", False)):
        target, link = tmp_path / "elsewhere" / name, tmp_path / f"link-{name}"
        if there:
            target.write_text("old")
        link.symlink_to(target)
        with whole_file(link) as temporary:
            assert (temporary.parent, temporary.suffix) == (target.parent, ".csv")
            temporary.write_text("new")
        assert link.is_symlink()
        assert target.read_text() == "new"


def test_links_in_a_circle_devices_and_write_protected_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "circle").symlink_to("circle")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "kept").touch(0o444)
    monkeypatch.setattr(os, "access", lambda path, _: bool(Path(path).stat().st_mode & 0o222))  # root may write all
    before = names(tmp_path)
    for name, reason in (("circle", "lead nowhere"), ("pipe", "not a regular file"), ("kept", "write-protected")):
        with pytest.raises(OutputNotWritable, match=reason):
            check_writable(tmp_path / name)
    with pytest.raises(OutputNotWritable, match="not a regular file"):
        check_writable(Path("/dev/null"))
    assert names(tmp_path) == before


def test_a_pipe_that_is_open_is_no_file(tmp_path: Path) -> None:
    """As /dev/stdout is: a link to a name that nothing lies behind."""
    reading, writing = os.pipe()
    (tmp_path / "stdout").symlink_to(f"/proc/self/fd/{writing}")
    try:
        with pytest.raises(OutputNotWritable, match="not a regular file"):
            check_writable(tmp_path / "stdout")
    finally:
        os.close(reading)
        os.close(writing)


def test_what_is_read_is_refused_by_any_name_until_the_block_ends(tmp_path: Path) -> None:
    source, link, hard = tmp_path / "in.csv", tmp_path / "link.csv", tmp_path / "hard.csv"
    source.write_text("old")
    link.symlink_to(source)
    os.link(source, hard)
    with protected([str(source), "no/such/file", "s3://bucket/table", "\0", "x" * 5000]):
        for path in (source, link, hard, tmp_path / "." / "in.csv"):
            with pytest.raises(OutputNotWritable, match="is read"), whole_file(path):
                pass
        check_writable(tmp_path / "other.csv")
    check_writable(source)
    assert source.read_text() == "old"


def test_files_that_turn_out_to_be_read_are_protected_until_the_block_ends(tmp_path: Path) -> None:
    (tmp_path / "found.csv").touch()
    with protected([]):
        protect([tmp_path / "found.csv"])
        with pytest.raises(OutputNotWritable, match="it is read"):
            check_writable(tmp_path / "found.csv")
    check_writable(tmp_path / "found.csv")


def test_outputs_are_compared_by_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "link").symlink_to("new")
    check_distinct([tmp_path / "a", tmp_path / "new", tmp_path / "no" / "new"])
    for one, other in (("a", "a"), ("new", "link"), ("new", "NEW"), ("no/new", "no/../no/new")):
        with pytest.raises(OptionNotUsable, match=r"are the same|is named twice"):
            check_distinct([tmp_path / one, tmp_path / other])


def test_a_private_file_is_for_its_owner_only_while_it_is_written_and_after(tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_text("before")
    path.chmod(0o644)
    with whole_file(path, private=True) as temporary:
        temporary.write_text("after")
        assert temporary.parent.stat().st_mode & 0o777 == 0o700
        assert path.read_text() == "before"
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("after", 0o600)
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_file_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    with pytest.raises(KeyboardInterrupt), whole_file(path, private=True) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("private", [False, True])
def test_a_process_that_is_ended_at_once_leaves_no_temporary_file(tmp_path: Path, private: bool) -> None:
    script = f"""
import os, signal, sys, time
from pathlib import Path
from sudare.cli.signals import run_interruptibly
from sudare.sources.writing import whole_file

def work():
    with whole_file(Path(sys.argv[1]), private={private}) as temporary:
        temporary.write_text("half")
        print(*os.listdir(Path(sys.argv[1]).parent), flush=True)
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        while True:
            time.sleep(1)

signal.signal(signal.SIGINT, signal.default_int_handler)
run_interruptibly(work)
"""
    ended = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "out.txt"], capture_output=True, text=True, check=False
    )
    assert ended.returncode in (130, 143), ended.stderr
    assert ended.stdout.startswith(".out-")
    assert "Traceback" not in ended.stderr
    assert names(tmp_path) == []


def test_a_folder_that_takes_no_files_is_not_said_to_be_full() -> None:
    with pytest.raises(OutputNotWritable) as caught:
        check_writable(Path("/proc/x.html"))
    assert "free space" not in str(caught.value)
    assert "Check the permissions of its folder" in str(caught.value)
