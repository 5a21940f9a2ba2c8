"""Whether a contest's outcome matches its archive, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.contest.recompute import Recomputed
    from sudare.messages import Texts


def show_recomputed(found: Recomputed, texts: Texts) -> None:
    """Print the rounds, what differs, and the verdict."""
    out = console()
    out.print(texts("contest.recompute.title", contest=found.contest), style="bold")
    out.print(texts("contest.recompute.files", files=f"{found.files:,}"))
    for round in found.rounds:
        key = "contest.recompute.round" if round.evaluated else "contest.recompute.not_evaluated"
        out.print(texts(key, round=round.name, finals=f"{round.finals:,}", attacks=f"{round.attacks:,}"))
    for difference in found.differences:
        place = f"{difference.round}: {difference.what}" if difference.round else difference.what
        words = {"recorded": difference.recorded, "recomputed": difference.recomputed}
        shown = {name: str(value) for name, value in words.items()}
        out.print(texts("contest.recompute.difference", place=place, **shown))
    verdict = "same" if found.same else "different"
    out.print(texts(f"contest.recompute.{verdict}", count=len(found.differences)), style="bold")
