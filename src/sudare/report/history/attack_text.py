"""What an attacker expects of guesses on a published history, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.report.terminal import console, percent, ratio

if TYPE_CHECKING:
    from sudare.histories.attack.attack import Attack
    from sudare.histories.attack.expected import ExpectedAttack, ExpectedAttacks
    from sudare.messages import Texts


def show_attack(found: Attack, source: str, texts: Texts) -> None:
    """Print what the attacker knows, how many guesses there are, and what the attacker expects of them."""
    out = console()
    out.print(texts("attack.title", source=source, method=found.method), style="bold")
    out.print(_knowledge(found, texts))
    counts = {"pseudonyms": found.pseudonyms, "tried": found.tried, "linked": found.linked}
    out.print(texts("attack.linked", **{name: f"{count:,}" for name, count in counts.items()}))
    if not len(found):
        out.print(texts("attack.none"))
        return
    first, last = (percent(float(found.confidence[place]), texts) for place in (0, -1))
    out.print(texts("attack.guesses", guesses=f"{len(found):,}", first=first, last=last))
    out.print(texts("attack.expected", expected=ratio(found.expected), needed=f"{found.needed:,}"))
    out.print(texts("attack.chance", chance=percent(found.chance, texts)))
    out.print(texts("attack.truth"))


def _knowledge(found: Attack, texts: Texts) -> str:
    known = found.known
    columns = texts.listed(list(known["columns"]))
    told = texts("attack.known", count=known["rows"], share=percent(known["share"], texts), columns=columns)
    return told + (" " + texts("attack.noisy", count=known["noisy_dates"]) if known["noisy_dates"] else "")


def show_expected(found: ExpectedAttacks, source: str, texts: Texts) -> None:
    """Print what each attacker expects of a published history whose truth is not known, and how its control ended."""
    from rich.table import Table

    out = console()
    out.print(texts("attack.expects.title", source=source, pseudonyms=f"{found.pseudonyms:,}"), style="bold")
    table = Table(show_edge=False, pad_edge=False)
    for name in ("method", "guesses", "expected", "needed", "chance", "control"):
        table.add_column(texts(f"attack.expects.{name}"), justify="left" if name == "method" else "right")
    for attack in found.attacks:
        table.add_row(attack.method, *_expected_cells(attack, texts))
    out.print(table)
    out.print(texts("attack.expects.meaning"))
    out.print(texts(f"attack.expects.verdict.{found.verdict}"), style="bold")


def _expected_cells(found: ExpectedAttack, texts: Texts) -> list[str]:
    if not found.possible:
        return ["-", "-", "-", "-", texts("attack.expects.not_possible")]
    if found.attack is None or found.control is None:
        return ["-", "-", "-", "-", texts("attack.expects.crashed")]
    attack = found.attack
    passed = texts("attack.expects.passed" if found.control.effective else "attack.expects.failed")
    chance = percent(attack.chance, texts) if len(attack) else "-"
    return [f"{len(attack):,}", ratio(attack.expected), f"{attack.needed:,}", chance, passed]
