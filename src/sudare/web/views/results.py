"""What pages, the API, tables and the static site show of results to one viewer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.game.visibility import Viewer, published_evaluations, team_names, visible_evaluation
from sudare.web.storage.models import Round, Target

JUDGED = ("tried", "guesses", "hits", "threshold", "margin", "effective")
RANKED = ("utility", "attacks", "effective", "outcome", "rank")


class ShownStanding(BaseModel):
    """Where a team stands; without a rank if it is broken.

    `nearest` is the largest share of the needed hits that an attack had, 1 or more if it was effective.
    """

    team: str
    target: int
    utility: float
    attacks: int
    effective: int
    outcome: str
    rank: int | None
    tied: list[str]
    nearest: float | None


class ShownFinal(BaseModel):
    """What was measured of a final: U by column and kind of cell, the smallest class, and errors of uses.

    No guesses of one who knows only the classes are effective with a probability above `chance_bound`.
    """

    team: str
    columns: list[dict[str, Any]]
    kinds: list[dict[str, Any]]
    k: int | None
    chance_bound: float | None
    draws: int | None
    uses: list[dict[str, Any]]


class ShownAttack(BaseModel):
    """How one attack was judged."""

    attacker: str
    target: str
    tried: bool
    guesses: int
    hits: int
    threshold: int
    margin: int
    effective: bool


class ShownVersion(BaseModel):
    """A version of published results: since when it stands, and why it replaced the one before."""

    version: int
    published_at: dt.datetime
    reason: str


class ShownResults(BaseModel):
    """The outcome of a round; teams in `absent` had no valid submission.

    `versions` are all that were published, the last of which stands.
    """

    round: str
    created_at: dt.datetime
    published: bool
    standings: list[ShownStanding]
    attacks: list[ShownAttack]
    finals: list[ShownFinal]
    absent: list[str]
    versions: list[ShownVersion]


def show_versions(session: Session, round: Round) -> list[ShownVersion]:
    """Show when results were published, and why again."""
    return [
        ShownVersion(version=number, published_at=found.published_at, reason=found.reason)
        for number, found in enumerate(published_evaluations(session, round), start=1)
        if found.published_at is not None
    ]


def show_results(session: Session, viewer: Viewer, round: Round, version: int | None = None) -> ShownResults:
    """Show the outcome of a round with the names of teams, or a published version of it."""
    found = visible_evaluation(session, viewer, round, version)
    names = team_names(session, round.contest_id)
    targets = session.scalars(select(Target).where(Target.round_id == round.id))
    numbers = {target.team_id: target.number for target in targets}
    standing = {entry["name"] for entry in found.result["standings"]}
    standings = _standings(found.result, names, numbers)
    attacks = [_attack(entry, names) for entry in found.result["attacks"]]
    return ShownResults(
        round=round.id,
        created_at=found.created_at,
        published=found.published_at is not None,
        standings=sorted(standings, key=lambda entry: (entry.outcome == "broken", entry.utility, entry.team)),
        attacks=sorted(attacks, key=lambda entry: (entry.target, entry.attacker)),
        finals=[_final(names[entry["name"]], entry) for entry in found.result.get("finals", [])],
        absent=sorted(name for team, name in names.items() if team not in standing),
        versions=show_versions(session, round),
    )


def _standings(result: Mapping[str, Any], names: Mapping[str, str], numbers: Mapping[str, int]) -> list[ShownStanding]:
    nearest = _nearest(result["attacks"])
    return [
        ShownStanding(
            team=names[entry["name"]],
            target=numbers[entry["name"]],
            tied=sorted(names[other] for other in entry["tied"]),
            nearest=nearest.get(entry["name"]),
            **{key: entry[key] for key in RANKED},
        )
        for entry in result["standings"]
    ]


def _nearest(attacks: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the largest share of the needed hits that an attack on each team had."""
    found: dict[str, float] = {}
    for entry in attacks:
        if entry["tried"]:
            found[entry["target"]] = max(entry["hits"] / entry["threshold"], found.get(entry["target"], 0.0))
    return found


def _attack(entry: Mapping[str, Any], names: Mapping[str, str]) -> ShownAttack:
    judged = {key: entry[key] for key in JUDGED}
    return ShownAttack(attacker=names[entry["attacker"]], target=names[entry["target"]], **judged)


def _final(team: str, entry: dict[str, Any]) -> ShownFinal:
    classes, uses = entry["classes"], entry["uses"]
    return ShownFinal(
        team=team,
        columns=entry["utility"]["columns"],
        kinds=entry["utility"]["kinds"],
        k=classes["k"] if classes else None,
        chance_bound=classes["tests"][0]["bound"] if classes else None,
        draws=uses["draws"] if uses else None,
        uses=uses["errors"] if uses else [],
    )
