"""Assessments of purchase histories as terminal text."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from sudare.report.terminal import console, percent, percent_at_most, ratio
from sudare.report.wording import knowledge_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.histories.attackers.assessment import AttackerRisk, AttackersAssessment
    from sudare.histories.attackers.customers import CustomerRisks
    from sudare.histories.attackers.knowledge import Knowledge
    from sudare.histories.attackers.persons import PersonsRisk
    from sudare.histories.attackers.published import PublishedAssessment, PublishedRisk
    from sudare.histories.attackers.values import KnowledgeValue
    from sudare.histories.visit_list import Visit
    from sudare.messages import Texts

QUANTILES = (10, 50, 90)


THEORY = ("theory", "rank", "rank_theory")


def show_attackers(found: AttackersAssessment, source: str, texts: Texts, *, theory: bool = False) -> None:
    """Print the table of the ten attackers and further knowledge, with what its columns mean.

    With `theory`, the paper's theory and two better ones stand beside what was measured.
    """
    out = console()
    out.print(texts("attackers.title", source=source), style="bold")
    out.print(
        texts(
            "attackers.read",
            rows=texts("count.rows", count=found.records),
            customers=texts("count.customers", count=found.customers),
            weighting=found.weighting,
        )
    )
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(texts("attackers.attacker"), no_wrap=True)
    table.add_column(texts("attackers.knows"))
    for name in ("measured", "unique", *(THEORY if theory else ())):
        table.add_column(texts(f"attackers.{name}"), justify="right", no_wrap=name != "rank_theory")
    for risk in (*found.attackers, *found.knowledge):
        table.add_row(*_row(risk, texts, theory=theory))
    out.print(table)
    for remark in _remarks(found, texts, theory=theory):
        out.print(remark)
    command = shlex.join(["sudare", "history", "anonymize", source, "--k", "3", "-o", "published.csv"])
    out.print(texts("attackers.next", command=command))
    if theory:
        _show_theories((*found.attackers, *found.knowledge), texts)


def _show_theories(risks: Sequence[AttackerRisk], texts: Texts) -> None:
    """Print the better theories beside the paper's, and how often its first assumption holds."""
    table = _titled(texts("attackers.theories.title"), texts)
    better = [texts(f"attackers.theories.{name}") for name in ("occurring", "marginal", "equal")]
    for title in (texts("attackers.measured"), texts("attackers.theory"), *better):
        table.add_column(title, justify="right", no_wrap=True)
    none = texts("report.number.none")
    for risk in risks:
        equal = none
        if risk.rows_equal is not None:
            equal = texts("attackers.theories.equal_of", equal=f"{risk.rows_equal:,}", values=f"{risk.values:,}")
        table.add_row(
            _name(risk.attacker, risk.knowledge),
            percent(risk.measured, texts),
            ratio(risk.theory),
            *(none if t is None else percent(t, texts) for t in (risk.theory_occurring, risk.theory_marginal)),
            equal,
        )
    out = console()
    out.print()
    out.print(table)
    out.print(texts("attackers.theories.meaning"))


def show_persons(found: Sequence[PersonsRisk], numbers: Sequence[int | None], texts: Texts) -> None:
    """Print what is known of several persons at once; `numbers` are those of the attackers of the paper."""
    persons = found[0].persons
    table = _titled(texts("attackers.persons.title", persons=persons), texts)
    for name in ("alone", "measured", "together", "certain"):
        table.add_column(texts(f"attackers.persons.{name}"), justify="right", no_wrap=True)
    for number, risk in zip(numbers, found, strict=True):
        table.add_row(
            _name(number, risk.knowledge),
            percent(risk.alone, texts),
            _estimate(risk.measured, risk.interval, texts),
            _estimate(risk.together, risk.interval_together, texts),
            percent(risk.certain, texts),
        )
    out = console()
    out.print()
    out.print(table)
    out.print(texts("attackers.persons.meaning", persons=persons))


def _titled(title: str, texts: Texts) -> Table:
    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    table.add_column(texts("attackers.attacker"), no_wrap=True)
    return table


def _name(attacker: int | None, knowledge: Knowledge) -> str:
    return str(knowledge) if attacker is None else str(attacker)


def show_visits(listed: Sequence[Visit], visits: int, source: str, texts: Texts) -> None:
    """Print visits with their items (Table 6)."""
    out = console()
    out.print(texts("visits.title", source=source), style="bold")
    out.print(texts("visits.read", visits=f"{visits:,}", shown=f"{len(listed):,}"))
    table = Table(show_edge=False, pad_edge=False)
    for name in ("customer", "day", "rows", "kinds", "items"):
        number = name in ("rows", "kinds")
        table.add_column(
            texts(f"visits.{name}"), justify="right" if number else "left", no_wrap=number or name == "day"
        )
    for visit in listed:
        cells = [visit.customer, visit.day.isoformat(), f"{visit.rows:,}", f"{visit.kinds:,}"]
        table.add_row(*(Text(cell) for cell in (*cells, texts("list.comma").join(visit.items))))
    out.print(table)


def _row(risk: AttackerRisk, texts: Texts, *, theory: bool) -> list[str]:
    predicted = [ratio(risk.theory), str(risk.rank_measured or ""), str(risk.rank_theory or "")] if theory else []
    return [
        _name(risk.attacker, risk.knowledge),
        knowledge_sentence(risk.knowledge, texts),
        _measured(risk, texts),
        percent(risk.unique_share, texts),
        *predicted,
    ]


def _measured(risk: AttackerRisk, texts: Texts) -> str:
    return _estimate(risk.measured, risk.interval, texts)


def _estimate(value: float, interval: tuple[float, float] | None, texts: Texts) -> str:
    if interval is None:
        return percent(value, texts)
    low, high = (percent(end, texts) for end in interval)
    return texts("attackers.sampled", value=percent(value, texts), low=low, high=high)


def _remarks(found: AttackersAssessment, texts: Texts, *, theory: bool) -> list[str]:
    remarks = [texts("attackers.meaning")]
    risks = (*found.attackers, *found.knowledge)
    if theory and any(risk.theory > 1 for risk in risks):
        remarks.append(texts("attackers.theory_remark"))
    sampled = next((risk for risk in risks if risk.sample), None)
    if sampled:
        remarks.append(texts("attackers.sample_remark", sample=f"{sampled.sample:,}", seed=found.seed))
    if found.customers == 1:
        remarks.append(texts("attackers.one_customer"))
    return remarks


def show_published(found: PublishedAssessment, source: str, texts: Texts) -> None:
    """Print the table of the attackers before and after anonymization, with what its columns mean."""
    out = console()
    out.print(texts("attackers.published.title", source=source), style="bold")
    counts = {"rows": found.records, "customers": found.customers, "pseudonyms": found.pseudonyms}
    shown = {name: texts(f"count.{name}", count=count) for name, count in counts.items()}
    deleted = f"{found.deleted_rows:,}"
    out.print(texts("attackers.published.read", **shown, deleted=deleted, weighting=found.weighting))
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(texts("attackers.attacker"), no_wrap=True)
    table.add_column(texts("attackers.knows"))
    for name in ("before", "after", "unique_customers", "highest", "unique", "misled", "nobody"):
        table.add_column(texts(f"attackers.published.{name}"), justify="right", no_wrap=True)
    for risk in (*found.attackers, *found.knowledge):
        table.add_row(*_published_row(risk, texts))
    out.print(table)
    out.print(texts("attackers.published.meaning"))
    sampled = next((risk for risk in found.knowledge if risk.sample), None)
    if sampled:
        out.print(texts("attackers.sample_remark", sample=f"{sampled.sample:,}", seed=found.seed))


def _published_row(risk: PublishedRisk, texts: Texts) -> list[str]:
    none = texts("report.number.none")
    return [
        _name(risk.attacker, risk.knowledge),
        knowledge_sentence(risk.knowledge, texts),
        _estimate(risk.before, risk.interval_before, texts),
        _estimate(risk.after, risk.interval_after, texts),
        none if risk.unique_customers is None else f"{risk.unique_customers:,}",
        none if risk.highest is None else percent(risk.highest, texts),
        *(percent(share, texts) for share in (risk.unique_after, risk.misled, risk.nobody)),
    ]


def show_knowledge(
    risk: AttackerRisk, listed: list[KnowledgeValue], people: CustomerRisks | None, texts: Texts
) -> None:
    """Print what one kind of knowledge gives away; without `people` it was estimated from a sample."""
    show_risk(risk, texts, counted=people is not None)
    if people:
        show_values(listed, texts)
        show_customers(people, texts)


def show_risk(risk: AttackerRisk, texts: Texts, *, counted: bool) -> None:
    """Print how often one kind of knowledge is enough; what was not counted has no number of values."""
    out = console()
    out.print(Text.assemble((str(risk.knowledge), "bold"), "  ", knowledge_sentence(risk.knowledge, texts)))
    out.print(texts("knowledge.summary", measured=_measured(risk, texts), unique=percent(risk.unique_share, texts)))
    counts = {"possible": f"{risk.possible:,}", "theory": ratio(risk.theory)}
    if not counted:
        out.print(texts("knowledge.sampled", **counts))
        return
    out.print(texts("knowledge.values", values=f"{risk.values:,}", **counts))
    _show_theories([risk], texts)


def show_values(listed: Sequence[KnowledgeValue], texts: Texts) -> None:
    """Print the values that identify most."""
    table = Table(title=texts("knowledge.most_identifying"), show_edge=False, pad_edge=False, title_justify="left")
    for name in listed[0].value if listed else ():
        table.add_column(name, overflow="ellipsis", no_wrap=True, max_width=50)
    for name in ("occurrences", "probability", "customers", "identification", "risk"):
        table.add_column(texts(f"knowledge.{name}"), justify="right", no_wrap=True)
    for value in listed:
        cells = [str(cell) for cell in value.value.values()]
        table.add_row(
            *cells,
            f"{value.occurrences:,}",
            percent(value.probability, texts),
            f"{value.customers:,}",
            percent(value.identification, texts),
            percent(value.risk, texts),
        )
    console().print(table)


def show_customers(people: CustomerRisks, texts: Texts) -> None:
    """Print how many customers are unique, and who has the highest risks."""
    out = console()
    counts = {"unique": f"{people.unique:,}", "customers": f"{people.customers:,}"}
    out.print(texts("knowledge.customers_unique", share=percent(people.unique_rate, texts), **counts))
    if people.untouched:
        out.print(texts("knowledge.untouched", count=people.untouched))
    if people.quantiles:
        shown = [f"{share} %: {percent_at_most(people.quantiles[share], texts)}" for share in QUANTILES]
        out.print(texts("knowledge.quantiles", quantiles=", ".join(shown)))
    if people.highest:
        highest = [f"{risk.customer} ({percent(risk.probability, texts)})" for risk in people.highest]
        out.print(texts("knowledge.highest", customers=", ".join(highest)))
