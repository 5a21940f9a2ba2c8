"""Files that nothing refers to are removed, and no others."""

from __future__ import annotations

import os
import time

from sudare.web.jobs.worker import Worker
from sudare.web.storage.orphans import remove_orphans
from tests.web.small_contest import SmallContest, T, anonymized


def make_old(small: SmallContest, hash: str, seconds: float = 90_000) -> None:
    then = time.time() - seconds
    os.utime(small.files.path(hash), (then, then))


def test_a_file_without_a_submission_goes_after_a_day(small: SmallContest) -> None:
    wanted, orphan, young = (small.keep(text).hash for text in (anonymized(), "nobody\n", "not yet\n"))
    small.submit("blue", anonymized())
    original = small.keep(T).hash
    for hash in (wanted, orphan, original):
        make_old(small, hash)
    make_old(small, young, 80_000)
    assert remove_orphans(small.database, small.files) == 1
    there = [small.files.path(hash).exists() for hash in (wanted, original, young, orphan)]
    assert there == [True, True, True, False]


def test_a_file_that_is_handed_in_again_is_young(small: SmallContest) -> None:
    hash = small.keep("again\n").hash
    make_old(small, hash)
    assert small.files.old_hashes(86_400) == [hash]
    small.keep("again\n")
    assert small.files.old_hashes(86_400) == []
    # As if it came between the look and the removal.
    assert not small.files.remove_orphan(hash, 86_400)
    assert small.files.path(hash).read_text() == "again\n"


def test_a_worker_removes_orphans_when_it_begins(small: SmallContest) -> None:
    hash = small.keep("nobody\n").hash
    make_old(small, hash)
    worker = Worker(small.settings, small.database, small.files)
    worker.turn()
    worker.close()
    assert not small.files.path(hash).exists()


def test_what_a_dead_worker_had_moved_aside_comes_back(small: SmallContest) -> None:
    hash = small.keep("again\n").hash
    small.files.path(hash).rename(small.settings.files / "incoming" / f"orphan-{hash}")
    small.files.tidy(0)
    assert small.files.path(hash).read_text() == "again\n"
    assert not small.files.remove_orphan("0" * 64, 0)
