"""The answer first: what is left of an anonymized table, what is claimed of it, and what to do next."""

from __future__ import annotations

from sudare.messages import Texts
from sudare.report.numbers import Numbers
from sudare.report.repeating import Step
from sudare.report.table.anonymized.claims import Claim
from sudare.report.table.anonymized.findings import Findings
from sudare.report.table.answers import listed_names
from sudare.tables.anonymize.publication import AnonymizedTable
from sudare.tables.attack.results import TableAttack

# Reasons of verdicts about what the criteria do not promise.
# Digits of a loss in its unit.
DIGITS = {"entropy": 2, "ncp": 4, "discernibility": 1}


def conclusion_of(findings: Findings, claims: tuple[Claim, ...], result: AnonymizedTable, *, checked: bool) -> str:
    """Return the kind of answer.

    nothing: every record is suppressed; broken: the check found a claim that does not hold; attacked: an attack reached
    more than is promised; beyond: one learned more than chance about what nothing was promised of; unchecked: no file
    was written and checked; untried: everything that was asked for was found in the file, but no attack says anything;
    holds: the same, and attacks reached no more than that. An attack that failed never makes data safe.
    """
    if not findings.published:
        return "nothing"
    if not all(claim.holds for claim in claims):
        return "broken"
    if not checked:
        return "unchecked"
    if result.attacks is None or not any(
        attack.verdict in ("within", "above", "beyond") for attack in result.attacks.attacks
    ):
        return "untried"
    if result.attacks.above:
        return "attacked"
    return "beyond" if result.attacks.beyond else "holds"


def next_step(conclusion: str, result: AnonymizedTable, file: str, texts: Texts) -> Step:
    """Return what to do next: ask for more, write the file, or hand it over and only it."""
    text = texts(f"report.anonymized.next.{'holds' if conclusion == 'untried' else conclusion}")
    if conclusion in ("holds", "untried"):
        return Step(text)
    k = result.criteria.k if conclusion == "unchecked" else 2 * max(result.criteria.k, 2)
    words = [*_criteria_words(result, k), *_column_words(result), *_search_words(result)]
    return Step.of(text, "table", "anonymize", file, *words, "-o", "safe.csv", "--report", "report.html")


def _criteria_words(result: AnonymizedTable, k: int) -> list[str]:
    """Return the options of what was asked for, with another k."""
    criteria = result.criteria
    asked = {"k": k, "l": criteria.l, "c": criteria.c, "t": criteria.t, "suppress": criteria.suppress or None}
    words = [word for name, value in asked.items() if value is not None for word in (f"--{name}", f"{value:g}")]
    return [*words, *(["--diversity", criteria.diversity] if criteria.diversity != "distinct" else [])]


def _column_words(result: AnonymizedTable) -> list[str]:
    """Return the options that say what becomes of the columns, where they were named."""
    roles = result.roles.columns
    known = [column.attribute for column in roles if column.role == "quasi" and column.reason == "named"]
    kept = [column for column in roles if column.role == "kept"]
    means = [column.attribute for column in result.recoded.columns if column.mean]
    lists = {"known": known, "sensitive": result.roles.sensitive, "microaggregate": means}
    words = [word for name, values in lists.items() if values for word in (f"--{name}", ",".join(values))]
    words += [word for column in kept if column.reason == "named" for word in ("--keep", column.attribute)]
    return [*words, *(["--other", "keep"] if any(column.reason != "named" for column in kept) else [])]


def _search_words(result: AnonymizedTable) -> list[str]:
    """Return the options of the search that are not the defaults."""
    given = any(name in result.hierarchies and name not in result.suggested for name in result.roles.quasi)
    words = ["--hierarchies", "DIR"] if given else []
    usual = {"model": (result.model, "local"), "cells": (result.cells, "nodes"), "loss": (result.loss_name, "entropy")}
    return [
        *words,
        *(word for name, (value, default) in usual.items() if value != default for word in (f"--{name}", value)),
    ]


def loss_text(value: float, name: str, texts: Texts) -> str:
    """Return a loss with its unit."""
    return texts(f"report.anonymized.unit.{name}", value=Numbers(texts).decimal(value, DIGITS[name]))


def loss_words(result: AnonymizedTable, texts: Texts) -> dict[str, str]:
    """Return the words about the loss: that which was minimized, or the entropy if that has no unit per record."""
    numbers, found = Numbers(texts), result.loss
    name = result.loss_name if result.loss_name in DIGITS else "entropy"
    # Discernibility is a sum; its bound is per record, as all bounds are.
    records = len(result.recoded.rows) or 1
    loss = found.discernibility / records if name == "discernibility" else float(getattr(found, name))
    words = {"loss": loss_text(loss, name, texts)}
    highest = {"entropy": found.highest_entropy, "ncp": 1.0}.get(name)
    if highest is not None:
        share = numbers.percent(loss / highest if highest else 0.0)
        words |= {"highest": loss_text(highest, name, texts), "share": share}
    # A bound of 0 says nothing.
    if not result.bound or name != result.loss_name:
        return words
    bound = texts(f"report.anonymized.unit.{name}", value=numbers.decimal_at_least(result.bound, DIGITS[name]))
    return words | {"bound": bound, "gap": numbers.at_most((loss - result.bound) / loss if loss else 0.0)}


def answers(findings: Findings, result: AnonymizedTable, texts: Texts) -> list[str]:
    """Return the sentences of the answer: what is left first, then those below the verdict."""
    said = _Answers(findings, result, texts)
    if not findings.published:
        return [said.say("nothing"), said.say("limits")]
    told = [*said.identifiers(), *said.unchanged(), said.risk(), *said.attacks(), said.loss(), *said.use()]
    return [said.kept(), *told, said.say("limits")]


class _Answers:
    def __init__(self, findings: Findings, result: AnonymizedTable, texts: Texts) -> None:
        self.findings = findings
        self.result = result
        self.texts = texts
        self.numbers = Numbers(texts)

    def say(self, key: str, **values: object) -> str:
        return self.texts(f"report.anonymized.answer.{key}", **values)

    def named(self, key: str, columns: tuple[str, ...]) -> list[str]:
        """Say something of columns, if there are any."""
        if not columns:
            return []
        return [self.say(key, columns=listed_names(columns, self.texts), count=len(columns))]

    def kept(self) -> str:
        found, cells = self.findings, self.findings.counts
        shares = {
            kind: self.numbers.percent(getattr(cells, kind) / (cells.total or 1))
            for kind in ("exact", "coarser", "mean", "star")
        }
        return self.say(
            "kept_means" if cells.mean else "kept",
            left=self.numbers.count(found.published),
            records=self.numbers.count(found.records),
            left_share=self.numbers.percent(found.published / found.records),
            published=self.numbers.count(len(self.result.roles.published)),
            columns=self.numbers.count(len(found.columns)),
            **shares,
        )

    def identifiers(self) -> list[str]:
        kept = tuple(c.attribute for c in self.result.roles.columns if c.identifier and c.role in ("kept", "sensitive"))
        return [*self.named("identifiers", self.findings.identifiers), *self.named("identifiers_kept", kept)]

    def unchanged(self) -> list[str]:
        return self.named("unchanged", self.result.roles.named("sensitive", "kept"))

    def risk(self) -> str:
        before, after = self.findings.before, self.findings.after or self.findings.before
        return self.say(
            "risk_alone" if after.uniques else "risk",
            uniques=self.numbers.count(before.uniques),
            records=self.numbers.count(before.records),
            share=self.numbers.percent(before.uniques / before.records),
            left=self.numbers.count(after.uniques),
            published=self.numbers.count(after.records),
            smallest=self.numbers.count(after.sizes[0].size),
            max_before=self.numbers.percent(before.max_risk),
            max_after=self.numbers.percent(after.max_risk),
            mean_before=self.numbers.percent(before.mean_risk),
            mean_after=self.numbers.percent(after.mean_risk),
        )

    def loss(self) -> str:
        words = loss_words(self.result, self.texts)
        key = "loss" if "highest" in words else "loss_only"
        return self.say(f"{key}_bound" if "bound" in words else key, **words)

    def use(self) -> list[str]:
        found = self.result.utility
        if found is None or found.mean_marginal is None:
            return []
        words = {"marginal": self.numbers.percent(found.mean_marginal)}
        two = next((queries for queries in found.queries if queries.attributes == 2), None)
        if two is None or found.mean_pair is None:
            said = [self.say("use_marginal", **words)]
        else:
            pair, error = self.numbers.percent(found.mean_pair), self.numbers.percent(two.median)
            said = [self.say("use", **words, pair=pair, error=error)]
        return [*said, *self._classifier()]

    def _classifier(self) -> list[str]:
        found = self.result.utility.classifier if self.result.utility else None
        if found is None:
            return []
        shares = {key: self.numbers.percent(getattr(found, key)) for key in ("before", "after", "baseline")}
        return [self.say("classifier", target=listed_names([found.target], self.texts), **shares)]

    def attacks(self) -> list[str]:
        found = self.result.attacks
        if found is None:
            return [self.say("attacks_none")]
        succeeded = {"attacks_above": found.above, "attacks_beyond": found.beyond}
        if any(succeeded.values()):
            return [self._succeeded(key, attacks) for key, attacks in succeeded.items() if attacks]
        tried = sum(attack.verdict == "within" for attack in found.attacks)
        return [self.say("attacks", tried=self.numbers.count(tried), all=self.numbers.count(len(found.attacks)))]

    def _succeeded(self, key: str, attacks: tuple[TableAttack, ...]) -> str:
        """Say which attacks reached more, each name once."""
        names = [self.texts.say(attack.title) for attack in attacks]
        return self.say(key, attacks=self.texts.listed(list(dict.fromkeys(names))))
