"""What a gate can measure of purchase histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.errors import BadRows, OptionNotUsable
from sudare.gate.arguments import Argument
from sudare.gate.measures.model import Asked, Measure, Measured
from sudare.messages import Joined, message
from sudare.messages.near import near_names

if TYPE_CHECKING:
    from sudare.gate.opened.history import OpenHistory
    from sudare.histories.attack.duel import Duel
    from sudare.histories.attackers.assessment import AttackerRisk
    from sudare.histories.attackers.published import PublishedRisk
    from sudare.histories.profiles.assessment import ProfileAssessment

ATTACKERS = 10
# Fewer customers than this make an item rare, if nothing is said.
RARE_BELOW = 3
_ALIGNED = {"aligned": Argument("file")}


def _risk_of(risk: AttackerRisk | PublishedRisk, *, after: bool) -> Measured:
    """Return the mean probability of an attacker; of an estimate, the end of its interval that is on the safe side."""
    interval: Any = risk.interval_after if after else risk.interval  # type: ignore[union-attr]
    if interval:
        return Measured(interval[1], "estimated", (message("gate.fact.interval"),))
    return Measured(risk.after if after else risk.measured)  # type: ignore[union-attr]


def _ten(source: OpenHistory, asked: Asked) -> tuple[Any, ...]:
    if "aligned" in asked.arguments:
        return source.attackers_after(asked.file("aligned")).attackers
    return source.attackers.attackers


def _attackers(source: OpenHistory, asked: Asked) -> Measured:
    after = "aligned" in asked.arguments
    found = [_risk_of(risk, after=after) for risk in _ten(source, asked)]
    strongest = max(range(len(found)), key=lambda number: found[number].value)
    facts = (message("gate.fact.strongest", number=strongest), *found[strongest].facts)
    return Measured(found[strongest].value, found[strongest].basis, facts)


def _attacker(source: OpenHistory, asked: Asked) -> Measured:
    number = int(asked["attacker"])
    if number >= ATTACKERS:
        raise OptionNotUsable("errors.gate.no_attacker", number=number)
    return _risk_of(_ten(source, asked)[number], after="aligned" in asked.arguments)


def _knowledge(source: OpenHistory, asked: Asked) -> Measured:
    after = "aligned" in asked.arguments
    place = source.knowledge.index(asked["knowledge"])
    known: Any = source.attackers_after(asked.file("aligned")) if after else source.attackers
    return _risk_of(known.knowledge[place], after=after)


def _uniques(source: OpenHistory, asked: Asked) -> Measured:
    risk = source.attackers.knowledge[source.knowledge.index(asked["knowledge"])]
    return Measured(risk.unique_share, "estimated" if risk.sample else "counted")


def _profiles(source: OpenHistory, asked: Asked) -> Measured:
    from sudare.histories.profiles.assessment import link_profiles, split_profiles
    from sudare.histories.profiles.guesses import read_truth

    if "known" in asked.arguments and "split" in asked.arguments:
        raise OptionNotUsable("errors.profiles.split_and_others")
    if "truth" in asked.arguments and "known" not in asked.arguments:
        raise OptionNotUsable("errors.profiles.only_for_two", option="truth")
    trained = asked.get("trained")
    if "known" in asked.arguments:
        known = source.other_cells(asked.file("known"))
        truth = read_truth(asked.file("truth")) if "truth" in asked.arguments else None
        world = asked.get("world")
        closed = None if world is None else world == "closed"
        found = link_profiles(
            known, source.cells, truth=truth, trained=trained, closed=closed, seed=asked.seed, progress=asked.progress
        )
        return _recognized(found, found.one_to_one, found.expected)
    found = split_profiles(
        source.cells, asked.get("split", "half"), trained=trained, seed=asked.seed, progress=asked.progress
    )
    part = found.open_world if asked.get("world") == "open" and found.open_world else found
    return _recognized(found, part.one_to_one, part.expected)


def _recognized(found: ProfileAssessment, right: float | None, expected: float) -> Measured:
    facts = [message(f"gate.fact.{found.method}"), message("gate.fact.pseudonyms", count=found.pseudonyms)]
    if right is None:
        return Measured(expected, "estimated", (*facts, message("gate.fact.expected")))
    return Measured(right, "attacked", tuple(facts))


def _smallest_class(source: OpenHistory, _: Asked) -> Measured:
    from sudare.histories.safety.published_classes import published_classes

    sizes = published_classes(source.cells.cells).sizes
    return Measured(int(sizes.min()), facts=(message("gate.fact.classes", count=len(sizes)),))


def _attacks(source: OpenHistory, asked: Asked) -> Measured:
    from sudare.histories.anonymize.publication import attack_rows

    key = source.aligned(asked.file("aligned"))
    if "published" in asked.arguments:
        file = asked.file("published")
        published = source.rows.read_published(file, progress=asked.progress)
        if source.rows.published_rows(key) != source.rows.published_rows(published):
            raise BadRows("errors.written_cells.other_key", key=asked.file("aligned"), published=file)
    found = attack_rows(source.rows, key, seed=asked.seed, progress=asked.progress)
    return Measured(len(found.broken_by), "attacked", tuple(_attack_facts(found)), unproven=_unproven(found))


def _attack_facts(found: Duel) -> Any:
    yield message("gate.fact.attacks", count=len(found.attacks), telling=len(found.telling))
    for outcome in ("broke", "not_possible", "nothing_tried"):
        names = [one.method for one in found.attacks if one.outcome == outcome]
        if names:
            yield message(f"gate.fact.{outcome}", names=Joined(names))


def _unproven(found: Duel) -> Any:
    """Return why no attack's failure says anything: a crash, a control that failed, or nothing that was tried."""
    for outcome in ("crashed", "proves_nothing"):
        names = [one.method for one in found.attacks if one.outcome == outcome]
        if names:
            return message(f"gate.unproven.{outcome}", names=Joined(names))
    return message("gate.unproven.not_tried") if found.verdict == "not_tried" else None


def _loss(source: OpenHistory, asked: Asked) -> Measured:
    from sudare.histories.utility.cost import cell_utility

    found = cell_utility(source.rows.history, source.aligned(asked.file("aligned")), rules=source.rows.rules, most=0)
    return Measured(found.utility)


def _use_case(source: OpenHistory, asked: Asked) -> Measured:
    from sudare.histories.utility.use_cases import MEASURES

    if asked["use"] not in MEASURES:
        raise OptionNotUsable("errors.gate.no_use", name=asked["use"], near=near_names(asked["use"], MEASURES))
    found = source.use_cases(asked.file("aligned"))
    mean = next(error.mean for error in found.errors if error.measure == asked["use"])
    if mean is None:
        return Measured(1.0, "estimated", unproven=message("gate.unproven.nothing_left"))
    return Measured(mean, "estimated", (message("gate.fact.draws", count=found.draws),))


def _rare_values(source: OpenHistory, asked: Asked) -> Measured:
    history, least = source.history, int(asked.get("people", RARE_BELOW))
    (rare, items) = history.engine.total(
        f"SELECT count(*) FILTER (WHERE people < {least}), count(*) FROM "
        f"(SELECT item, count(DISTINCT customer) AS people FROM {history.table('purchase')} GROUP BY item)"
    )
    return Measured(int(rare), facts=(message("gate.fact.of_items", count=int(items)),))


def _shared_pseudonyms(source: OpenHistory, asked: Asked) -> Measured:
    own, other = (set(found.names) for found in (source.cells, source.other_cells(asked.file("other"))))
    facts = (message("gate.fact.of_pseudonyms", count=len(own & other), all=len(own)),)
    return Measured(len(own & other) / max(len(own), 1), facts=facts)


_FILE, _NEEDED, _SEED = Argument("file"), Argument("file", needed=True), "--seed {seed}"
_WHAT = Argument("text", needed=True)
_ATTACKERS = f"history attackers {{source}} --anonymized {{aligned}} {_SEED}"
HISTORIES = (
    Measure("attackers", "low", "share", _attackers, _ALIGNED, (_ATTACKERS,)),
    Measure(
        "attacker", "low", "share", _attacker, {"attacker": Argument("count", needed=True), **_ALIGNED}, (_ATTACKERS,)
    ),
    Measure(
        "knowledge", "low", "share", _knowledge, {"knowledge": _WHAT, **_ALIGNED},
        (f"{_ATTACKERS} --knowledge {{knowledge}}",),
    ),
    Measure(
        "uniques", "low", "share", _uniques, {"knowledge": _WHAT},
        (f"history knowledge {{source}} {{knowledge}} {_SEED}",),
    ),
    Measure(
        "profiles", "low", "share", _profiles,
        {
            "split": Argument("text"), "known": _FILE, "truth": _FILE,
            "world": Argument("text", choices=("closed", "open")), "trained": Argument("flag"),
        },
        (
            f"history profiles {{known}} {{source}} --truth {{truth}} --{{world}}-world --{{trained}} {_SEED}",
            f"history profiles {{source}} --split {{split:half}} --{{trained}} {_SEED}",
        ),
    ),
    Measure("smallest-class", "high", "count", _smallest_class),
    Measure(
        "attacks", "low", "count", _attacks, {"aligned": _NEEDED, "published": _FILE},
        (
            f"history attack {{source}} {{published}} --aligned {{aligned}} {_SEED}",
            f"history attack {{source}} {{aligned}} {_SEED}",
        ),
    ),
    Measure("loss", "low", "number", _loss, {"aligned": _NEEDED}),
    Measure("use-case", "low", "number", _use_case, {"use": _WHAT, "aligned": _NEEDED}),
    Measure(
        "rare-values", "low", "count", _rare_values, {"people": Argument("count")}, ("history knowledge {source} item",)
    ),
    Measure("shared-pseudonyms", "low", "share", _shared_pseudonyms, {"other": _NEEDED}),
)  # fmt: skip
