"""What attacks on an anonymized table found: numbers, controls and verdicts.

A verdict never says that a table is safe. `within` says that an attack reached no more than the criteria promise (or,
where they promise nothing, no more than chance), and its claim says whether that is proven for everybody or estimated.
`above` says that it reached more than is promised, `beyond` that it beat chance where nothing is promised.
An attack that was not tried, crashed or failed its control says nothing about the table.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from sudare.messages import Message, message
from sudare.results import Result
from sudare.showing import dataclass

AttackName = Literal[
    "linkage", "linkage_subset", "linkage_tight", "inference", "membership_distance", "membership_weight"
]
AttackVerdict = Literal["within", "above", "beyond", "too_weak", "not_tried"]
AttackClaim = Literal["proven", "estimated"]
ControlName = Literal["original", "shuffled"]
Others = Literal["outsiders", "synthetic", "left_out"]
AttackReason = Literal[
    "class_sizes", "all_tried", "sampled", "somebody", "several_records", "diverse_classes", "class_shares",
    "closeness", "participation", "coin", "unlike_people", "original_failed", "shuffled_failed", "no_sensitive",
    "no_records", "no_outsiders", "crashed",
]  # fmt: skip
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class AttackControl(Result):
    """The same attack where its outcome is known.

    On the `original` its success must reach what is expected; against a `shuffled` truth it must stay there.
    """

    name: ControlName
    success: float
    expected: float
    passed: bool


@dataclass(frozen=True, slots=True)
class TableAttack(Result):
    """An attack, what it reached, and what that says.

    `success` is the mean over the people attacked (for membership the area under the ROC curve), with its interval of
    95 %; both ends are the success itself where everybody was attacked. `highest` is the highest success for anybody,
    for inference the highest share of a value in a class, for membership the advantage (the largest difference between
    true and false positives). `limit` is what the verdict is about: what is promised, or chance. `chance` is what
    somebody reaches who does not look at the cells.
    """

    name: AttackName
    known: tuple[str, ...]
    verdict: AttackVerdict
    reason: AttackReason
    sensitive: str | None = None
    success: float | None = None
    interval: Interval | None = None
    highest: float | None = None
    chance: float | None = None
    limit: float | None = None
    claim: AttackClaim | None = None
    controls: tuple[AttackControl, ...] = ()
    error: str | None = None

    @property
    def title(self) -> Message:
        """The name of the attack."""
        return message(f"table_attack.name.{self.name}")

    @property
    def knowledge(self) -> Message:
        """What the attacker knows and does."""
        return message(f"table_attack.knows.{self.name}")

    @property
    def judgement(self) -> Message:
        """The verdict in words."""
        return message(f"table_attack.verdict.{self.verdict}")

    @property
    def certainty(self) -> Message | None:
        """Whether the verdict is proven or estimated; None where there is none."""
        return message(f"table_attack.claim.{self.claim}") if self.claim else None

    @property
    def explanation(self) -> Message:
        """Why the verdict is what it is."""
        return message(f"table_attack.reason.{self.reason}")


def with_controls(attack: TableAttack, controls: tuple[AttackControl, ...]) -> TableAttack:
    """Return an attack with its controls; one that fails them proves nothing.

    What reached too much stays `above` or `beyond` although it fails on the original, or if that is proven.
    """
    failed = {control.name for control in controls if not control.passed}
    proven = attack.verdict in ("above", "beyond") and (attack.claim == "proven" or "shuffled" not in failed)
    if not failed or proven:
        return replace(attack, controls=controls)
    reason: AttackReason = "original_failed" if "original" in failed else "shuffled_failed"
    return replace(attack, controls=controls, verdict="too_weak", claim=None, reason=reason)


@dataclass(frozen=True, slots=True)
class SubsetLinkage(Result):
    """Linkage by somebody who knows some of the quasi-identifiers; see `LinkageFound`."""

    attributes: tuple[str, ...]
    mean: float
    interval: Interval
    highest: float
    smallest: int
    sure: int


@dataclass(frozen=True, slots=True)
class TightLinkage(Result):
    """Linkage by somebody who expects a record in the smallest cells that cover it.

    `right_class` is the share of the people whose class this attacker guesses, ties in expectation; a record of that
    class is then guessed.
    """

    mean: float
    interval: Interval
    highest: float
    right_class: float


@dataclass(frozen=True, slots=True)
class LinkageFound(Result):
    """Linkage by somebody who knows all quasi-identifiers of a person, one of whose records is looked for.

    Candidates are all published records whose cells cover the known values. One of them is guessed: right with the
    person's share of them, and never if the person's records are suppressed. `mean` and `highest` are the success over
    the people attacked, `smallest` the smallest set of candidates with the right record among them (0: there is none),
    `sure` the people for whom all candidates are right, `guesses` the mean number of guesses, without repetition, until
    a right one, for those who can be found at all. `subsets` has all sets of up to three attributes, or as many as were
    drawn of `all_subsets`.
    """

    _rows = ("subsets",)
    _row = SubsetLinkage

    mean: float
    interval: Interval
    highest: float
    smallest: int
    sure: int
    guesses: float | None
    tight: TightLinkage
    subsets: tuple[SubsetLinkage, ...]
    all_subsets: int

    @property
    def worst_mean(self) -> SubsetLinkage | None:
        """The subset with the highest mean success, the smaller one of equals."""
        return max(self.subsets, key=lambda one: (one.mean, -len(one.attributes)), default=None)

    @property
    def worst_highest(self) -> SubsetLinkage | None:
        """The subset with the highest success for anybody, by the mean among equals."""
        return max(self.subsets, key=lambda one: (one.highest, one.mean, -len(one.attributes)), default=None)


@dataclass(frozen=True, slots=True)
class TellingClass(Result):
    """A class that tells much about a sensitive value: the value's share there, and its share in the table."""

    number: int
    records: int
    share: float
    table_share: float


@dataclass(frozen=True, slots=True)
class InferenceFound(Result):
    """Guesses of a sensitive value by somebody who knows all quasi-identifiers and looks at the covering records.

    `success` is the share of right guesses. `marginal` is what the most common value of the file gives, `left_out` what
    the same guess gives without the person's own records: what the file tells about somebody who is not in it. So
    `success - left_out` is what taking part reveals (`gain`, with its interval), `left_out - marginal` what the file
    teaches about anybody. `certain` are the people all of whose candidates have one value, which is theirs.

    A class is homogeneous if it has one sensitive value, and skewed if a value's share there is at least `factor` times
    its share in the table, and at least `above` larger. The expected numbers are those after the values were shuffled
    among the records. `examples` are the largest of the skewed and homogeneous classes, the strongest first.
    """

    _rows = ("examples",)
    _row = TellingClass

    sensitive: str
    success: float
    interval: Interval
    marginal: float
    left_out: float
    gain: float
    gain_interval: Interval
    certain: int
    highest_share: float
    homogeneous: int
    homogeneous_records: int
    homogeneous_expected: int
    skewed: int
    skewed_records: int
    skewed_expected: int
    factor: float
    above: float
    examples: tuple[TellingClass, ...] = ()


@dataclass(frozen=True, slots=True)
class MembershipScore(Result):
    """How well an attack tells members from others: the area under the ROC curve, and the advantage.

    `against` says who the others are: given `outsiders`, `synthetic` ones, or the members, each facing a file
    in which its own record was `left_out` and replaced by another one of its class.
    """

    attack: AttackName
    against: Others
    area: float
    interval: Interval
    advantage: float


@dataclass(frozen=True, slots=True)
class MembershipFound(Result):
    """How well members are told from people who are not in the table.

    Synthetic outsiders are made of near records of the table by swapping values. They are less plausible than people,
    so the area against them is too high. Against left-out members it is too low, since the cells still fit them. An
    attack is `above` by the lower of the two, `within` by the higher, and else too weak to tell.
    """

    _rows = ("scores",)
    _row = MembershipScore

    members: int
    outsiders: int
    synthetic: bool
    scores: tuple[MembershipScore, ...]


@dataclass(frozen=True, slots=True)
class TableAttacks(Result):
    """All attacks on an anonymized table.

    `targets` are the records whose persons were attacked: all `records`, or as many as were drawn with the seed.
    """

    _rows = ("attacks",)
    _row = TableAttack

    attacks: tuple[TableAttack, ...]
    linkage: LinkageFound | None
    inference: tuple[InferenceFound, ...]
    membership: MembershipFound | None
    records: int
    targets: int
    seed: int

    @property
    def sampled(self) -> bool:
        """Whether only some of the people were attacked."""
        return self.targets < self.records

    @property
    def above(self) -> tuple[TableAttack, ...]:
        """The attacks that reached more than is promised."""
        return tuple(attack for attack in self.attacks if attack.verdict == "above")

    @property
    def beyond(self) -> tuple[TableAttack, ...]:
        """The attacks that beat chance where nothing is promised."""
        return tuple(attack for attack in self.attacks if attack.verdict == "beyond")

    @property
    def verdict(self) -> AttackVerdict:
        """The worst verdict of all attacks; one that crashed or proves nothing keeps the rest from reading as safe."""
        said = {attack.verdict for attack in self.attacks if attack.reason != "no_sensitive"}
        order: tuple[AttackVerdict, ...] = ("above", "beyond", "too_weak", "not_tried", "within")
        return next((verdict for verdict in order if verdict in said), "not_tried")
