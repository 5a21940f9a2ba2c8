"""The answer first: what an assessment of a table says, in a few plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.messages import Texts
from sudare.report.numbers import Numbers
from sudare.report.page import shortened
from sudare.report.repeating import Step
from sudare.report.table.findings import Findings
from sudare.report.table.question import Question
from sudare.tables.sets.subsets import SubsetRisk

# Attributes named in a sentence; of more only the number is told.
MOST_NAMED = 10
MOST_NAME_LETTERS = 50
# "Few attributes are enough" is said of at most this number.
FEW = 3


def answers(question: Question, findings: Findings, texts: Texts) -> list[str]:
    """Return the sentences a reader should see first, computed from the numbers; they pass no verdict."""
    said = _Answers(question, findings, texts)
    sentences = [said.assessed()]
    if findings.records.records == 1:
        return [*sentences, said.say("one_record")]
    sentences += [said.unique(), said.mean(), said.above(), *said.enough(), said.disclosable(), *said.contribution()]
    return [*sentences, *said.dangerous(), *said.sensitive(), *said.levels(), said.say("limits")]


def next_step(question: Question, findings: Findings, file: str, texts: Texts) -> Step:
    """Return what to do next: nothing within the limit, else anonymize for the same attacker and the same limit."""
    if not findings.records.share_above(question.limit):
        return Step(texts("report.table.next.kept"))
    some = len(question.known) + (question.sensitive is not None) < len(findings.columns)
    words = [
        *("--k", str(question.class_size)),
        *(("--known", ",".join(question.known)) if some else ()),
        *(("--sensitive", question.sensitive) if question.sensitive else ()),
        *(("--hierarchies", "DIR") if question.hierarchies else ()),
        *(("--suppress", str(question.suppress)) if question.suppress else ()),
    ]
    text = texts(f"report.table.next.{'anonymize_given' if question.hierarchies else 'anonymize'}")
    return Step.of(text, "table", "anonymize", file, *words, "-o", "published.csv", "--report", "published.html")


def listed_names(attributes: Sequence[str], texts: Texts) -> str:
    """Return the names of attributes as one lists them in a sentence, of many the first ones and how many more."""
    cut = [shortened(name, texts, most=MOST_NAME_LETTERS) for name in attributes[:MOST_NAMED]]
    shown = [texts("report.table.answer.name", name=name) for name in cut]
    if len(attributes) <= MOST_NAMED:
        return texts.listed(shown)
    more = len(attributes) - MOST_NAMED
    return texts("report.table.answer.named", list=texts("list.comma").join(shown), count=more)


class _Answers:
    def __init__(self, question: Question, findings: Findings, texts: Texts) -> None:
        self.question = question
        self.findings = findings
        self.texts = texts
        self.numbers = Numbers(texts)

    def say(self, key: str, **values: object) -> str:
        return self.texts(f"report.table.answer.{key}", **values)

    def names(self, attributes: Sequence[str]) -> str:
        return listed_names(attributes, self.texts)

    def assessed(self) -> str:
        return self.say(
            "assessed",
            records=self.texts("count.records", count=self.findings.records.records),
            attributes=self.texts("count.attributes", count=len(self.findings.columns)),
            known=self.names(self.question.known),
        )

    def unique(self) -> str:
        found = self.findings.records
        if not found.uniques:
            return self.say("unique_none", smallest=self.numbers.count(found.sizes[0].size))
        return self.say("unique", **self._uniques(found.uniques), records=self.numbers.count(found.records))

    def _uniques(self, uniques: int) -> dict[str, str]:
        share = uniques / self.findings.records.records
        return {"uniques": self.numbers.count(uniques), "share": self.numbers.percent(share)}

    def mean(self) -> str:
        found = self.findings.records
        mean, most = self.numbers.percent(found.mean_risk), self.numbers.percent(found.max_risk)
        return self.say("mean_equal", mean=mean) if mean == most else self.say("mean", mean=mean, max=most)

    def above(self) -> str:
        share = self.findings.records.share_above(self.question.limit)
        limit = {
            "limit": self.numbers.exact_percent(self.question.limit),
            "size": self.numbers.count(self.question.class_size),
        }
        return self.say("above" if share else "above_none", share=self.numbers.percent(share), **limit)

    def enough(self) -> list[str]:
        """Tell of the smallest sets that single out a record, if there are small ones."""
        few = [entry.most_unique for entry in self.findings.lattice.sizes if entry.size <= FEW]
        telling = next((risk for risk in few if risk.uniques), None)
        if telling is None or len(telling.attributes) == len(self.question.known):
            return []
        return [self._enough(telling)]

    def _enough(self, risk: SubsetRisk) -> str:
        names = self.names(risk.attributes)
        return self.say("enough", count=len(risk.attributes), attributes=names, **self._uniques(risk.uniques))

    def disclosable(self) -> str:
        found = self.findings.disclosable
        if not found.sets:
            return self.say("disclosable_none")
        largest = found.sets[0].attributes
        if len(largest) == len(self.question.known):
            return self.say("disclosable_all")
        key = "disclosable" if len(largest) > 1 else "disclosable_single"
        return self.say(key, attributes=self.names(largest), count=found.count)

    def contribution(self) -> list[str]:
        if len(self.findings.attributes) < 2:
            return []
        most, whole = self.findings.attributes[0].without, self.findings.records.mean_risk
        before, after = self.numbers.percent(whole), self.numbers.percent(most.mean_risk)
        if before == after:
            return [self.say("contribution_none")]
        return [self.say("contribution", attribute=self.names([most.attribute]), before=before, after=after)]

    def dangerous(self) -> list[str]:
        found = next((sets for sets in self.findings.dangerous.values() if sets and sets.sets), None)
        if found is None:
            return []
        worst = found.sets[0]
        factor = self.numbers.decimal(worst.max_factor, 0)
        return [self.say("dangerous", attributes=self.names(worst.attributes), factor=factor)]

    def sensitive(self) -> list[str]:
        found = self.findings.diversity
        if found is None:
            return []
        name = self.names([found.sensitive])
        if not found.revealed:
            return [self.say("sensitive_none", sensitive=name, l=self.numbers.count(found.l))]
        share = self.numbers.percent(found.revealed / self.findings.records.records)
        return [self.say("sensitive", sensitive=name, count=found.revealed, share=share)]

    def levels(self) -> list[str]:
        levels = self.findings.levels
        if levels is None:
            return []
        if levels.after is None:
            return [self.say("levels_none")]
        raised = [change.attribute for change in levels.changes if change.level]
        records = levels.found.records
        left = records - (levels.found.suppressed or 0)
        kept = {"left": left, "records": records}
        values = {name: self.numbers.count(number) for name, number in kept.items()}
        values["kept"] = self.numbers.percent(left / records)
        if not raised:
            return [self.say("levels_as_is", **values)]
        before, after = (self.numbers.percent(found.max_risk) for found in (levels.before, levels.after))
        loss = self.numbers.decimal((levels.found.loss or 0.0) / (records * len(levels.found.known)))
        return [self.say("levels", attributes=self.names(raised), before=before, after=after, loss=loss, **values)]
