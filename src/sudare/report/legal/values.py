"""What each report says to the legal map: the measures it has taken, of what is published where something is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sudare.messages import Message, Texts
from sudare.report.legal.map import LegalValue
from sudare.tables.codes import code_columns
from sudare.tables.identifiers import direct_identifiers

if TYPE_CHECKING:
    from sudare.gate.measures.model import Basis
    from sudare.histories.attack.duel import Duel
    from sudare.histories.attackers.assessment import AttackersAssessment
    from sudare.histories.attackers.published import PublishedAssessment
    from sudare.histories.profiles.assessment import ProfileAssessment
    from sudare.report.baskets.findings import Findings as BasketFindings
    from sudare.report.contest.findings import Findings as HistoryFindings
    from sudare.report.table.anonymized.findings import Findings as AnonymizedFindings
    from sudare.report.table.findings import Findings as TableFindings
    from sudare.statistics.class_sizes import ClassSize
    from sudare.tables.anonymize.publication import AnonymizedTable
    from sudare.tables.attack.results import TableAttacks
    from sudare.tables.model import Table

# Names of attributes that say what a value is about; of more, their number.
_MOST_NAMES = 4


def _share(measure: str, value: float, about: str = "", basis: Basis = "counted") -> LegalValue:
    return LegalValue(measure, value, "share", "low", about, basis)


def history_legal(
    assessment: AttackersAssessment,
    profiles: ProfileAssessment | Message,
    published: PublishedAssessment | None,
    texts: Texts,
) -> Iterator[LegalValue]:
    """Yield what is known of a purchase history; of one that was anonymized, afterwards."""
    if published:
        yield _share("attackers", max(risk.after for risk in published.attackers), texts("legal.about.published"))
    else:
        yield _share("attackers", max(risk.measured for risk in assessment.attackers), texts("legal.about.as_it_is"))
    if not isinstance(profiles, Message) and profiles.one_to_one is not None:
        yield _share("profiles", profiles.one_to_one, texts("legal.about.as_it_is"), "attacked")


def table_legal(table: Table, findings: TableFindings, limit: float, texts: Texts) -> Iterator[LegalValue]:
    """Yield what is known of a table as it is."""
    yield from _classes_legal(findings.records.sizes, _names(findings.records.attributes, texts))
    yield _share("above-limit", findings.records.share_above(limit), texts.exact_percent(limit))
    if findings.diversity:
        about = findings.diversity.sensitive
        yield LegalValue("l", findings.diversity.l, "number", "high", about)
        yield LegalValue("t", findings.diversity.t, "number", "low", about)
    codes = code_columns(table)
    yield LegalValue("identifiers", len(direct_identifiers(table)), "count", "low")
    yield LegalValue("codes", sum(found.kind != "card" for found in codes), "count", "low")
    yield LegalValue("card-numbers", sum(found.kind == "card" for found in codes), "count", "low")


def anonymized_legal(findings: AnonymizedFindings, result: AnonymizedTable, texts: Texts) -> Iterator[LegalValue]:
    """Yield what is known of an anonymized table."""
    if findings.after:
        yield from _classes_legal(findings.after.sizes, texts("legal.about.published"))
    if result.attacks:
        yield from _attacks_legal(result.attacks, texts)


def contest_legal(findings: HistoryFindings, texts: Texts) -> Iterator[LegalValue]:
    """Yield what is known of an anonymized history."""
    if findings.safety:
        yield LegalValue("smallest-class", findings.safety.k, "count", "high", texts("legal.about.pseudonyms"))
        yield _share("uniques", findings.safety.uniques / findings.safety.persons, texts("legal.about.pseudonyms"))
    if findings.published:
        after = max(risk.after for risk in findings.published.attackers)
        yield _share("attackers", after, texts("legal.about.published"))
    # Where nothing was tried, nothing is said: no attack is not a number of attacks that failed.
    if findings.duel and _is_telling(findings.duel):
        broken, about = len(findings.duel.broken_by), texts("legal.about.published")
        yield LegalValue("attacks", broken, "count", "low", about, "attacked")
    profiles = findings.profiles
    if profiles is not None and not isinstance(profiles, Message) and profiles.after.right is not None:
        yield _share("profiles", profiles.after.right, texts("legal.about.published"), "attacked")


def _attacks_legal(attacks: TableAttacks, texts: Texts) -> Iterator[LegalValue]:
    """Yield what attacks on a table reached; those that failed their control, or were not tried, say nothing."""
    if attacks.verdict not in ("too_weak", "not_tried"):
        succeeded, about = len(attacks.above) + len(attacks.beyond), texts("legal.about.attacks")
        yield LegalValue("attacks", succeeded, "count", "low", about, "attacked")
    telling = {
        attack.sensitive
        for attack in attacks.attacks
        if attack.name == "inference" and attack.verdict not in ("too_weak", "not_tried")
    }
    for guessed in attacks.inference:
        if guessed.sensitive in telling:
            yield _share("inference", guessed.success, guessed.sensitive, "attacked")


def _is_telling(duel: Duel) -> bool:
    """Return whether the number of attacks that succeeded says anything: one did, or all the rest passed a control."""
    missed = any(attack.outcome in ("crashed", "proves_nothing") for attack in duel.attacks)
    return bool(duel.broken_by) or (duel.verdict != "not_tried" and not missed)


def baskets_legal(findings: BasketFindings, texts: Texts) -> Iterator[LegalValue]:
    """Yield what is known of suppressed baskets."""
    verdict = findings.after.verdict
    if verdict.complete:
        about = texts("legal.about.rho", rho=texts.exact_percent(verdict.rho))
        yield LegalValue("rho", verdict.unsafe_adversaries, "count", "low", about)


def _classes_legal(sizes: Sequence[ClassSize], about: str) -> Iterator[LegalValue]:
    """Yield what the sizes of classes say, the smallest first."""
    records = sum(part.records for part in sizes)
    if not records:
        return
    yield _share("highest-risk", 1 / sizes[0].size, about)
    yield _share("mean-risk", sum(part.records / part.size for part in sizes) / records, about)
    yield _share("uniques", sum(part.records for part in sizes if part.size == 1) / records, about)
    yield LegalValue("smallest-class", sizes[0].size, "count", "high", about)


def _names(attributes: Sequence[str], texts: Texts) -> str:
    if len(attributes) <= _MOST_NAMES:
        return texts("list.comma").join(attributes)
    return texts("count.attributes", count=len(attributes))
