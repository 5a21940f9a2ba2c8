"""The answer first: whether an anonymized history is safe, what it costs and how useful it still is."""

from __future__ import annotations

from sudare.histories.anonymize.classes import GroupedHistory
from sudare.histories.safety.classes import ClassSafety
from sudare.messages import Texts
from sudare.report.contest.findings import Findings, Question
from sudare.report.numbers import Numbers
from sudare.report.page import shortened
from sudare.report.repeating import Step, earlier_words
from sudare.report.wording import knowledge_sentence

# Names of columns that stand in a sentence.
MOST_NAME_LETTERS = 40


def conclusion_of(findings: Findings) -> str:
    """Return the kind of answer.

    nothing: all rows are deleted; effective: an attack was; exposed: an attacker who knows the classes succeeds for
    certain; not_tried: attacks without a guess; not_effective: no attack was; condition: H0 holds; too_few: nobody can
    be effective; chance: an attacker who knows the classes needs luck, concealed: one who knows who can be whom does.
    An attack that failed never makes data safe.
    """
    if findings.safety is None and findings.matchings is None:
        return "nothing"
    if findings.effective:
        return "effective"
    if findings.exposed:
        return "exposed"
    if findings.given:
        return "not_effective" if findings.tried else "not_tried"
    if findings.safety is None:
        return "concealed"
    if findings.safety.holds:
        return "condition"
    return "chance" if findings.chance_bound else "too_few"


def next_step(findings: Findings, files: tuple[str, str], texts: Texts) -> Step:
    """Return what to do next: lower the risk, or else hand over a history of one's own, or attack that of a contest.

    `files` are the original and the anonymized file.
    """
    broken = conclusion_of(findings) in ("effective", "exposed")
    k = 2 * max(findings.made.k if findings.made else findings.description.k, 2)
    earlier = earlier_words(findings.made)
    # The command for contests knows no earlier releases.
    command, out = ("history", "published.csv") if texts.plain or earlier else ("contest", "A.csv")
    larger = (command, "anonymize", files[0], "--k", str(k), *earlier, "-o", out)
    if texts.plain:
        return Step.of(texts(f"report.contest.next.{'effective' if broken else 'done'}"), *larger)
    if broken:
        return Step.of(texts("report.contest.next.effective"), *larger)
    done = findings.duel is not None
    told = texts(f"report.contest.next.{'done' if done else 'attack'}")
    return Step.of(told, "contest", "check" if done else "duel", *files)


def answer_values(findings: Findings, question: Question, texts: Texts) -> dict[str, str]:
    """Return the words in which the answer is said."""
    numbers, rules, safety = Numbers(texts), question.rules, findings.safety
    words = {
        "effective": numbers.count(findings.effective),
        "tried": numbers.count(findings.tried),
        "given": numbers.count(findings.given),
        "attacks": numbers.count(question.attacks),
        "p": str(rules.p),
        "alpha": str(rules.alpha),
        "utility": numbers.decimal(findings.utility.utility, 4),
    }
    if findings.matchings:
        found = findings.matchings
        names = ("probability_found", "low_found", "high_found", "survives_guesses_found")
        shares = {name: numbers.percent(getattr(found, name)) for name in names}
        return words | shares | {"least": numbers.count(found.least)}
    return words if safety is None else words | safety_values(safety, texts)


def safety_values(safety: ClassSafety, texts: Texts) -> dict[str, str]:
    """Return the words for the classes, and for what those who know them reach."""
    numbers, test = Numbers(texts), safety.tests[0]
    return {
        "guesses": numbers.count(test.plan_found.guesses),
        "needed": numbers.count(test.plan_found.needed),
        "bound": numbers.at_most(test.bound),
        "survives_if_independent": numbers.at_least(test.survives_at_least_if_independent),
        "survives_at_least": numbers.at_least(test.survives_at_least),
        "k": numbers.count(safety.k),
        "least_k": numbers.count(safety.least_k),
        "uniques": numbers.count(safety.uniques),
        "persons": numbers.count(safety.persons),
    }


def answers(findings: Findings, question: Question, texts: Texts) -> list[str]:
    """Return the sentences of the answer, computed from the numbers: what is left, then those below the verdict."""
    said = _Answers(findings, question, texts)
    cost = [*said.unpublished(), *said.uses(), said.utility(), *said.made(), *said.advice()]
    # Whom nothing protects is said before what it cost.
    exposed = findings.description.untouched_unique
    sentences = [*said.kind(), *cost] if exposed else [*cost, *said.kind()]
    sentences += [*said.published(), *said.safety(), *said.attacks()]
    return [said.cells(), *sentences, said.say("limits")]


class _Answers:
    def __init__(self, findings: Findings, question: Question, texts: Texts) -> None:
        self.findings = findings
        self.texts = texts
        self.numbers = Numbers(texts)
        self.words = answer_values(findings, question, texts)

    def say(self, key: str, **values: object) -> str:
        return self.texts(f"report.contest.answer.{key}", **values)

    def cells(self) -> str:
        found = self.findings.description.cells
        left = found.rows - found.deleted_rows
        cells = left * len(found.columns) or 1
        exact, changed, deleted = (
            sum(parts) / cells
            for parts in zip(*((c.exact, c.ranges + c.sets, c.deleted) for c in found.columns), strict=True)
        )
        return self.say(
            "cells",
            rows=self.numbers.count(found.rows),
            left=self.numbers.count(left),
            left_share=self.numbers.percent(left / (found.rows or 1)),
            exact=self.numbers.percent(exact),
            changed=self.numbers.percent(changed),
            deleted=self.numbers.percent(deleted),
        )

    def utility(self) -> str:
        found = self.findings.utility
        if not found.utility:
            return self.say("utility_none")
        column = max(found.columns, key=lambda cost: cost.share)
        kind = max(found.kinds, key=lambda cost: cost.share)
        return self.say(
            "utility",
            utility=self.words["utility"],
            column=shortened(column.name, self.texts, most=MOST_NAME_LETTERS),
            column_share=self.numbers.percent(column.share),
            kind=self.texts(f"contest.kind.{kind.kind}"),
            kind_share=self.numbers.percent(kind.share),
        )

    def made(self) -> list[str]:
        found = self.findings.made
        if found is None or not found.bound:
            return []
        bound = self.numbers.decimal_at_least(found.bound, 4)
        return [self.say("bound", bound=bound, gap=self.numbers.at_most(found.gap))]

    def unpublished(self) -> list[str]:
        found = self.findings.made
        if not isinstance(found, GroupedHistory) or not found.unpublished_customers:
            return []
        words = {"customers": self.numbers.count(found.customers), "k": self.numbers.count(found.k)}
        return [self.say("unpublished", count=found.unpublished_customers, **words)]

    def advice(self) -> list[str]:
        found = self.findings.utility
        dear = sum(column.dear_ranges for column in found.columns)
        # Of a history that was anonymized here all rows of a class have one cell, which is the best for all of them.
        if not dear or self.findings.made:
            return []
        return [self.say("advice", count=dear, saving=self.numbers.decimal(found.saving, 6))]

    def kind(self) -> list[str]:
        found = self.findings.description
        if found.kind == "nothing":
            return []
        return [
            self.say(
                f"kind_{found.kind}",
                customers=self.numbers.count(found.cells.customers),
                left=self.numbers.count(found.customers_left),
                unique=self.numbers.count(found.unique_customers),
                untouched=self.numbers.count(found.untouched_unique),
                k=self.numbers.count(found.k),
            )
        ]

    def safety(self) -> list[str]:
        if self.findings.matchings:
            return [self.say("matchings", **self.words)]
        if self.findings.safety is None:
            return []
        reached = self.say("safety" if self.findings.chance_bound else "safety_none", **self.words)
        # The condition is that of a contest.
        holds = "holds" if self.findings.safety.holds else "fails"
        return [reached] if self.texts.plain else [reached, self.say(f"condition_{holds}", **self.words)]

    def attacks(self) -> list[str]:
        if not self.findings.given:
            published = self.findings.safety or self.findings.matchings
            return [self.say("attacks_none")] if published else []
        return [self.say("attacks", **self.words)]

    def published(self) -> list[str]:
        found = self.findings.published
        if found is None:
            return []
        worst = max(found.attackers, key=lambda risk: risk.after)
        shares = {"before": self.numbers.percent(worst.before), "after": self.numbers.percent(worst.after)}
        return [self.say("published", knows=knowledge_sentence(worst.knowledge, self.texts), **shares)]

    def uses(self) -> list[str]:
        if self.findings.uses is None:
            return []
        means = {error.measure: error.mean for error in self.findings.uses.errors}
        itemsets, top = means["itemsets"], means["top_items"]
        if itemsets is None or top is None:
            return []
        return [self.say("uses", itemsets=self.numbers.percent(itemsets), top=self.numbers.percent(top))]
