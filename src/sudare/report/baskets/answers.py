"""The answer first: whether baskets protect sensitive items, and at what cost, in a few plain sentences."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from sudare.baskets.check.rho import plain_rho
from sudare.baskets.check.uncertainty import Verdict
from sudare.baskets.model import Baskets
from sudare.messages import Texts
from sudare.report.baskets.findings import Findings, Side
from sudare.report.numbers import Numbers
from sudare.report.repeating import Step


def conclusion_of(findings: Findings) -> str:
    """Return the kind of answer: safe, safe_sample, not_safe, refuted or interrupted.

    Only the check of the whole says safe, and only if the look at single users does not contradict it.
    """
    if findings.suppression and findings.suppression.interrupted:
        return "interrupted"
    if findings.after.refuted and not findings.after.verdict.unsafe_adversaries:
        return "refuted"
    if not findings.safe:
        return "not_safe"
    return "safe" if findings.after.verdict.exact else "safe_sample"


def guarantee_values(findings: Findings, texts: Texts) -> dict[str, str]:
    """Return the words in which a guarantee is said: rho, what is known of which record, epsilon and delta."""
    verdict, numbers = findings.after.verdict, Numbers(texts)
    known = texts("report.baskets.known.any")
    if verdict.max_known is not None:
        key = "one" if verdict.max_known == 1 else "most"
        known = texts(f"report.baskets.known.{key}", known=numbers.count(verdict.max_known))
    frequent = verdict.most_frequent_sensitive
    return {
        "rho": texts.exact_percent(verdict.rho),
        "frequent": texts.upper_percent(frequent.share if frequent else 0.0),
        "known": known,
        "record": texts(f"report.baskets.record.{verdict.knowledge}"),
        "adversaries": numbers.count(verdict.adversaries),
        "unsafe": numbers.count(verdict.unsafe_adversaries),
        "epsilon": texts.exact_percent(verdict.epsilon or 0),
        "sure": texts.exact_percent(1 - Fraction(str(verdict.delta or 0))),
        "draws": numbers.count(verdict.draws or 0),
        "bound": texts.upper_percent(verdict.bound or 0.0),
        "look": numbers.count(verdict.look or 1),
    }


def answers(findings: Findings, original: Baskets, texts: Texts) -> list[str]:
    """Return the sentences of the answer, computed from the numbers: what is left, then those below the verdict."""
    said = _Answers(findings, original, texts)
    left = [said.kept(), *said.emptied(), *said.use()]
    risk = [said.risk("before", findings.before), said.risk("after", findings.after)]
    return [*left, *risk, *said.certificate(), said.say("limits")]


def next_step(findings: Findings, file: str, secrets: str, texts: Texts) -> Step:
    """Return what to do next: hand over what is safe, and suppress items of what is not."""
    asked = ("--sensitive", secrets, *_asked(findings.after.verdict))
    if not findings.safe:
        return Step.of(
            texts("report.baskets.next.not_safe"), "baskets", "suppress", file, *asked, "-o", "published.txt"
        )
    published = Path(findings.published.name).name if findings.published else "PUBLISHED"
    return Step.of(texts("report.baskets.next.safe"), "baskets", "verify", file, published, *asked)


def _asked(verdict: Verdict) -> Iterator[str]:
    """Return the options that ask for the same guarantee."""
    options = {
        "--rho": plain_rho(verdict.rho),
        "--max-known": verdict.max_known,
        "--adversary-knows": None if verdict.knowledge == "original" else verdict.knowledge,
        "--epsilon": verdict.epsilon,
        "--delta": verdict.delta,
    }
    for name, value in options.items():
        if value is not None:
            yield from (name, str(value))


class _Answers:
    def __init__(self, findings: Findings, original: Baskets, texts: Texts) -> None:
        self.findings = findings
        self.records = len(original)
        self.items = len(original.items)
        self.texts = texts
        self.numbers = Numbers(texts)

    def say(self, key: str, **values: object) -> str:
        return self.texts(f"report.baskets.answer.{key}", **values)

    def share(self, part: int, whole: int) -> str:
        return self.numbers.percent(part / whole if whole else 0.0)

    def risk(self, key: str, side: Side) -> str:
        verdict, users = side.verdict, side.users
        return self.say(
            key if users.exact else f"{key}_few",
            unsafe=self.numbers.count(verdict.unsafe_adversaries),
            adversaries=self.numbers.count(verdict.adversaries),
            share=self.share(verdict.unsafe_adversaries, verdict.adversaries),
            users=self.numbers.count(users.users_at_risk),
            all_users=self.numbers.count(self.records),
            users_share=self.share(users.users_at_risk, self.records),
            highest=self.numbers.percent(side.highest),
            known=self.numbers.count(users.max_known),
        )

    def kept(self) -> str:
        losses, items = self.findings.losses, self.items
        if not losses.suppressed:
            return self.say("kept_all", items=self.numbers.count(items))
        return self.say(
            "kept",
            items=self.numbers.count(items),
            kept=self.numbers.count(items - losses.suppressed),
            kept_share=self.share(items - losses.suppressed, items),
            unchanged_share=self.share(self.records - losses.changed_records, self.records),
        )

    def emptied(self) -> list[str]:
        emptied = self.findings.losses.emptied_records
        if not emptied:
            return []
        return [self.say("emptied", count=emptied, share=self.share(emptied, self.records))]

    def use(self) -> list[str]:
        rules, errors = self.findings.use.rules, self.findings.use.support_errors
        if errors is None:
            return []
        values = {"itemsets": self.numbers.count(errors.itemsets), "error": self.numbers.percent(errors.mean)}
        if rules is None or not rules.original:
            return [self.say("use_no_rules", **values)]
        kept = {"rules": self.numbers.count(rules.original), "shared": self.numbers.count(rules.shared)}
        return [self.say("use", **values, **kept)]

    def certificate(self) -> list[str]:
        found = self.findings.certificate
        if found is None:
            return []
        return [self.say("certificate_differs" if found.differences else "certificate_agrees")]
