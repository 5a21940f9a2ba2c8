"""All attacks on an anonymized table, each with its controls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sudare.arguments import checked
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.tables.attack.inference import attack_inference
from sudare.tables.attack.linkage import attack_linkage, judge_linkage
from sudare.tables.attack.membership import attack_membership
from sudare.tables.attack.results import (
    AttackName,
    AttackReason,
    InferenceFound,
    LinkageFound,
    MembershipFound,
    TableAttack,
    TableAttacks,
)
from sudare.tables.attack.targets import Targets, draw_targets
from sudare.tables.classes.criteria import Criteria
from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable

Part = TypeVar("Part")
LINKAGE: tuple[AttackName, ...] = ("linkage", "linkage_subset", "linkage_tight")
MEMBERSHIP: tuple[AttackName, ...] = ("membership_distance", "membership_weight")


@checked
def attack_table(
    found: RecodedTable,
    *,
    criteria: Criteria,
    outsiders: Table | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> TableAttacks:
    """Attack an anonymized table by linkage, inference and membership, and judge what the attacks reach.

    `outsiders` are people who are not in the table, with the same published columns; by default they are made of near
    records by swapping values. Of more than 50,000 records, 20,000 are drawn with the seed, and their persons attacked.
    An attack that crashes, or fails on the original, is told and never reads as safe.
    """
    if outsiders is not None:
        outsiders.positions(found.roles.published)
    if not found.published.any():
        return _nothing_published(found, seed)
    targets = draw_targets(found, seed)
    steps = len(found.roles.sensitive) + 2
    progress(message("progress.linkage"), 0, steps)
    linkage, attacks = _linkage(found, targets, criteria, seed)
    inference = []
    for done, sensitive in enumerate(found.roles.sensitive, 1):
        progress(message("progress.inference", attribute=sensitive), done, steps)
        guessed, judged = _inference(found, targets, sensitive, criteria, seed)
        inference += [guessed] if guessed is not None else []
        attacks.append(judged)
    if not found.roles.sensitive:
        attacks.append(TableAttack("inference", found.quasi, "not_tried", "no_sensitive"))
    progress(message("progress.membership"), steps - 1, steps)
    membership, told = _membership(found, outsiders, seed)
    return TableAttacks(
        (*attacks, *told), linkage, tuple(inference), membership, len(found.rows), len(targets), seed
    )  # fmt: skip


def _nothing_published(found: RecodedTable, seed: int) -> TableAttacks:
    names: tuple[AttackName, ...] = (*LINKAGE, "inference", *MEMBERSHIP)
    attacks = tuple(TableAttack(name, found.quasi, "not_tried", "no_records") for name in names)
    return TableAttacks(attacks, None, (), None, len(found.rows), 0, seed)


def _tried(attack: Callable[[], Part]) -> tuple[Part | None, str | None]:
    """Return what an attack found, or the kind of the error that it ended with; its text may have data in it."""
    try:
        return attack(), None
    except Exception as raised:
        return None, type(raised).__name__


def _not_tried(
    names: tuple[AttackName, ...], known: tuple[str, ...], reason: AttackReason, error: str | None = None
) -> list[TableAttack]:
    return [TableAttack(name, known, "not_tried", reason, error=error) for name in names]


def _linkage(
    found: RecodedTable, targets: Targets, criteria: Criteria, seed: int
) -> tuple[LinkageFound | None, list[TableAttack]]:
    reached, error = _tried(lambda: attack_linkage(found, targets, seed))
    if reached is None:
        return None, _not_tried(LINKAGE, found.quasi, "crashed", error)
    judged, error = _tried(lambda: judge_linkage(found, targets, criteria, reached, seed))
    return reached, judged if judged is not None else _not_tried(LINKAGE, found.quasi, "crashed", error)


def _inference(
    found: RecodedTable, targets: Targets, sensitive: str, criteria: Criteria, seed: int
) -> tuple[InferenceFound | None, TableAttack]:
    done, error = _tried(lambda: attack_inference(found, targets, sensitive, criteria, seed))
    if done is None:
        return None, TableAttack("inference", found.quasi, "not_tried", "crashed", sensitive=sensitive, error=error)
    return done


def _membership(
    found: RecodedTable, outsiders: Table | None, seed: int
) -> tuple[MembershipFound | None, list[TableAttack]]:
    done, error = _tried(lambda: attack_membership(found, outsiders, seed))
    if done is None:
        reason: AttackReason = "no_outsiders" if error is None else "crashed"
        return None, _not_tried(MEMBERSHIP, found.roles.published, reason, error)
    return done
