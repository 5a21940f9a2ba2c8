"""What a gate can measure of a table that was published, with the key that links it to its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from sudare.errors import OptionNotUsable
from sudare.gate.arguments import Argument
from sudare.gate.measures.model import Asked, Measure, Measured
from sudare.messages import Joined, Message, message
from sudare.messages.near import near_names

if TYPE_CHECKING:
    from sudare.gate.opened.table import OpenTable
    from sudare.tables.attack.results import TableAttack
    from sudare.tables.recoded.model import RecodedTable
    from sudare.tables.utility.model import TableUtility

ATTACKS = ("linkage", "inference", "membership")


def _published(source: OpenTable, asked: Asked) -> RecodedTable:
    hierarchies = asked.file("hierarchies") if "hierarchies" in asked.arguments else None
    sensitive = tuple(name.strip() for name in asked.get("sensitive", "").split(",") if name.strip())
    return source.published(
        asked.file("published"), asked.file("aligned"), asked.get("known"), sensitive, hierarchies
    )  # fmt: skip


def _attacks(source: OpenTable, asked: Asked) -> Measured:
    from sudare.tables.attack.attack import attack_table
    from sudare.tables.classes.criteria import Criteria

    wanted = asked.get("attacks") or [name for name in ATTACKS if name != "inference" or "sensitive" in asked.arguments]
    for name in wanted:
        if name not in ATTACKS:
            raise OptionNotUsable("errors.gate.no_attack", name=name, names=Joined(ATTACKS, "or"))
    criteria = Criteria(asked["k"], asked.get("l"), t=asked.get("t"))
    made = attack_table(_published(source, asked), criteria=criteria, seed=asked.seed, progress=asked.progress)
    found = [attack for attack in made.attacks if attack.name.partition("_")[0] in wanted]
    broken = [attack for attack in found if attack.verdict in ("above", "beyond")]
    telling = len(broken) + sum(attack.verdict == "within" for attack in found)
    facts = [message("gate.fact.attacks", count=len(found), telling=telling)]
    if broken:
        facts.append(message("gate.fact.broke", names=_titles(broken)))
    return Measured(len(broken), "attacked", tuple(facts), unproven=_unproven(found))


def _unproven(attacks: Sequence[TableAttack]) -> Message | None:
    """Return why no attack's failure says anything: a crash, a control that failed, or nothing that was tried."""
    crashed = [attack for attack in attacks if attack.reason == "crashed"]
    weak = [attack for attack in attacks if attack.verdict == "too_weak"]
    idle = [attack for attack in attacks if attack.verdict == "not_tried"]
    if crashed:
        return message("gate.unproven.crashed", names=_titles(crashed))
    if weak:
        return message("gate.unproven.too_weak", names=_titles(weak))
    return message("gate.unproven.not_tried") if idle else None


def _titles(attacks: Sequence[TableAttack]) -> Joined:
    return Joined([*{attack.name: attack.title for attack in attacks}.values()], "semicolon")


def _use_case(source: OpenTable, asked: Asked) -> Measured:
    if asked["use"] not in USES:
        raise OptionNotUsable("errors.gate.no_use", name=asked["use"], near=near_names(asked["use"], [*USES]))
    found = source.utility(_published(source, asked), asked.get("target"))
    error = USES[asked["use"]](found)
    if error is None:
        return Measured(1.0, "estimated", unproven=message("gate.unproven.not_measured"))
    return Measured(error, "estimated", (message("gate.fact.kept", count=found.published, all=found.records),))


def _query_error(found: TableUtility) -> float | None:
    """Return the median error of queries over two attributes, the upper end of its interval."""
    return next((errors.median_high for errors in found.queries if errors.attributes == _ASKED_OF_QUERIES), None)


def _accuracy_lost(found: TableUtility) -> float | None:
    return None if found.classifier is None else max(0.0, found.classifier.before - found.classifier.after)


_ASKED_OF_QUERIES = 2
# What a published table is used for, and how far its result is from that on the original.
USES: Mapping[str, Callable[[TableUtility], float | None]] = {
    "rows": lambda found: 1 - found.published / found.records,
    "distributions": lambda found: found.mean_marginal,
    "pairs": lambda found: found.mean_pair,
    "worst-pair": lambda found: None if found.worst_pair is None else found.worst_pair.distance,
    "queries": _query_error,
    "classifier": _accuracy_lost,
}


_FILE = Argument("file", needed=True)
_PUBLISHED = {
    "published": _FILE, "aligned": _FILE, "known": Argument("names"), "sensitive": Argument("text"),
    "hierarchies": Argument("file"),
}  # fmt: skip
_PROMISED = {"k": Argument("count", needed=True), "l": Argument("number"), "t": Argument("number")}
PUBLISHED_TABLES = (
    Measure("attacks", "low", "count", _attacks, {**_PUBLISHED, **_PROMISED, "attacks": Argument("names")}),
    Measure(
        "use-case", "low", "number", _use_case,
        {"use": Argument("text", needed=True), **_PUBLISHED, "target": Argument("text")},
    ),
)  # fmt: skip
