"""The answer first: what an assessment of a purchase history says, in a few plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.histories.attackers.assessment import AttackerRisk, AttackersAssessment
from sudare.messages import Message, Texts
from sudare.report.history.findings import Findings
from sudare.report.numbers import Numbers
from sudare.report.wording import knowledge_label

# Attackers of the paper by number: those with a single fact, and combinations a reader asks about first.
SINGLE_FACTS = {1: "item", 2: "count", 5: "day"}
CHANCE, BASKET, DAY_AND_ITEM = 0, 4, 6


def answers(assessment: AttackersAssessment, findings: Findings, texts: Texts) -> list[str]:
    """Return the sentences a reader should see first, computed from the numbers; they pass no verdict."""
    said = _Answers(assessment, findings, texts)
    if assessment.customers == 1:
        return [said.assessed(), texts("report.history.answer.one_customer")]
    sentences = [said.assessed(), said.single(), said.day_and_item(), said.customers(), said.basket(), said.most()]
    sentences += [said.further()] if any(risk.measured for risk in assessment.knowledge) else []
    sentences += said.profiles()
    return [*sentences, said.chance(), texts("report.history.answer.limits")]


class _Answers:
    def __init__(self, assessment: AttackersAssessment, findings: Findings, texts: Texts) -> None:
        self.assessment = assessment
        self.findings = findings
        self.texts = texts
        self.numbers = Numbers(texts)

    def say(self, key: str, risk: AttackerRisk, **values: str) -> str:
        measured = self.numbers.percent(risk.measured)
        return self.texts(f"report.history.answer.{key}", measured=measured, **values)

    def assessed(self) -> str:
        rows = self.texts("count.rows", count=self.assessment.records)
        customers = self.texts("count.customers", count=self.assessment.customers)
        return self.texts("report.history.answer.assessed", rows=rows, customers=customers, period=self.period())

    def period(self) -> str:
        extent = self.findings.extent
        return self.texts(
            "report.history.answer.period",
            count=extent.days,
            first=self.numbers.day(extent.first),
            last=self.numbers.day(extent.last),
        )

    def single(self) -> str:
        named = {number: self.texts(f"report.history.answer.single_{part}") for number, part in SINGLE_FACTS.items()}
        worst = most_dangerous([self.assessment.attackers[number] for number in SINGLE_FACTS])
        things = self.texts.listed([named[risk.attacker or 0] for risk in worst])
        facts = self.texts.listed(list(named.values()))
        return self.say("single" if len(worst) == 1 else "single_equal", worst[0], things=things, facts=facts)

    def day_and_item(self) -> str:
        risk = self.assessment.attackers[DAY_AND_ITEM]
        return self.say("day_item", risk, unique=self.numbers.percent(risk.unique_share))

    def customers(self) -> str:
        found = self.findings.customers[DAY_AND_ITEM].customers
        if not found.unique:
            return self.texts("report.history.answer.day_item_nobody")
        shares = {"unique": self.numbers.count(found.unique), "rate": self.numbers.percent(found.unique_rate)}
        return self.texts("report.history.answer.day_item_customers", count=found.customers, **shares)

    def profiles(self) -> list[str]:
        found = self.findings.profiles
        if isinstance(found, Message) or found.one_to_one is None:
            return []
        words = {"identified": self.numbers.percent(found.one_to_one), "guess": self.numbers.percent(found.guess)}
        return [self.texts("report.history.answer.profiles", count=found.pseudonyms, **words)]

    def basket(self) -> str:
        return self.say("basket", self.assessment.attackers[BASKET])

    def most(self) -> str:
        worst = most_dangerous(self.assessment.attackers)
        if len(worst) == 1:
            label = knowledge_label(worst[0].knowledge, self.texts)
            numbered = self.texts("report.label.explained", number=worst[0].attacker, label=label)
            return self.say("most", worst[0], attackers=numbered)
        return self.say("most_equal", worst[0], attackers=self.texts.listed([str(risk.attacker) for risk in worst]))

    def further(self) -> str:
        worst = most_dangerous(self.assessment.knowledge)
        return self.say(
            "further", worst[0], labels=self.texts.listed([knowledge_label(r.knowledge, self.texts) for r in worst])
        )

    def chance(self) -> str:
        customers = self.numbers.count(self.assessment.customers)
        return self.say("chance", self.assessment.attackers[CHANCE], customers=customers)


def most_dangerous(risks: Sequence[AttackerRisk]) -> list[AttackerRisk]:
    """Return the risks with the largest measured value; values that differ only by rounding are equal."""
    largest = max(round(risk.measured, 12) for risk in risks)
    return [risk for risk in risks if round(risk.measured, 12) == largest]
