"""How results of a gate are printed, and drawn in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sudare.gate.run import GateRun
from sudare.gate.suggestion import SuggestedPolicy
from sudare.gate.verification import EvidenceVerification
from sudare.messages import Texts
from sudare.report.gate.report import check_values, summary
from sudare.report.gate.text import show_gate, show_suggested, show_verification
from sudare.report.notebook import Cell

TEXTS: Mapping[type, Any] = {
    GateRun: show_gate, SuggestedPolicy: show_suggested, EvidenceVerification: show_verification,
}  # fmt: skip


def _run(found: GateRun, texts: Texts) -> Cell:
    lead = summary(found, texts)[0]
    title = texts("gate.title", title=found.title)
    return Cell(title, lead, templates=("gate/checks.html",), values=check_values(found, texts))


CELLS: Mapping[type, Any] = {GateRun: _run}
