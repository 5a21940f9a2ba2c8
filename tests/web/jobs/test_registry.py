"""The kinds of jobs."""

from __future__ import annotations

import pytest

from sudare.web.jobs import work
from sudare.web.jobs.registry import KINDS, UNHURRIED, JobKind


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_every_kind_has_its_work(kind: JobKind) -> None:
    assert callable(getattr(work, kind.work))


def test_nobody_waits_for_previews_alone() -> None:
    assert UNHURRIED == ("preview",)
