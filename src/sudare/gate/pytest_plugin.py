"""A plug-in of pytest: the fixture `sudare_gate` runs a policy, and fails the test if a check fails.

def test_hand_over(sudare_gate):
    sudare_gate("policy.toml")
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sudare.gate.run import GateRun


@pytest.fixture
def sudare_gate(request: pytest.FixtureRequest) -> Callable[..., GateRun]:
    """Return a function that runs a policy, relative to the folder of the test, and fails the test if a check fails."""

    def run(policy: str | Path, **options: Any) -> GateRun:
        from sudare.gate.run import run_gate
        from sudare.gate.verdicts import FAILING
        from sudare.lazy import above
        from sudare.messages import Texts

        found = run_gate(request.path.parent / policy, **options)
        if found.verdict == "fail":
            texts, sentence = Texts("en"), above("sudare.report.gate.wording", "check_sentence")
            failing = [check for check in found.checks if check.verdict in FAILING]
            lines = [f"{sentence(check, texts)}\n  $ {check.command}" for check in failing]
            pytest.fail("\n".join([f"{found.title}: the gate is closed.", *lines]), pytrace=False)
        return found

    return run
