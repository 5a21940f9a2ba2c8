"""What an attacker expects of the guesses on a published history, as text on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.report.terminal import console, percent, ratio

if TYPE_CHECKING:
    from sudare.histories.attack.attack import Attack
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
    words = {"rows": f"{known['rows']:,}", "share": percent(known["share"], texts), "columns": columns}
    told = texts("attack.known", **words)
    return told + (" " + texts("attack.noisy", days=known["noisy_dates"]) if known["noisy_dates"] else "")
