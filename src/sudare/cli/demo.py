"""`sudare demo`: everything once, on synthetic data."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import OutputFolder
from sudare.cli.frame import SeedOption, guarded, note, note_aligned, shown_progress, spoken
from sudare.cli.history.source import tell_reading
from sudare.cli.settings import Settings
from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.baskets.model import SensitiveItems
    from sudare.histories.attackers.assessment import AttackersAssessment
    from sudare.messages import Texts
    from sudare.progress import Progress
    from sudare.report.baskets.findings import Findings
    from sudare.report.contest.findings import Findings as ContestFindings
    from sudare.tables.anonymize.publication import AnonymizedTable
    from sudare.tables.classes.records import RecordsAssessment
    from sudare.tables.recoded.publish import PublishedTable

# What the folder has in the end, apart from the certificate of the published baskets.
PUBLISHED, HIERARCHIES = "published.csv", "hierarchies"
DATA = ("history.csv", "members.csv", "members-safe.csv", PUBLISHED, "contest")
REPORTS = ("report.html", "table-report.html", "members-safe-report.html", "baskets-report.html", "contest-report.html")

CUSTOMERS = 400
KNOWLEDGE = ("item*2", "item*3", "day*2", "(day + item)*2", "days")

RECORDS = 5000
# What a neighbour knows of a member, and what the shop should not give away.
KNOWN, SENSITIVE = ("sex", "age", "prefecture", "occupation", "household"), "favourite"
LIMIT, SUPPRESS = 0.2, 0.05
# What the anonymized member list satisfies, and how long it is searched for.
MEMBERS_K, MEMBERS_L, MEMBERS_SECONDS = 5, 3, 20

# Each visit is a basket; a hundredth of all items, for each visit other ones, is to be kept from who knows one item.
SECRETS, RHO, MOST_KNOWN = "random:0.01", "0.5", 1

# A contest on what this number of customers bought in the first month; everybody gets the same rows as two others.
CONTEST_CUSTOMERS, CONTEST_K, CONTEST_DRAWS = 100, 3, 5
# The format of PWSCUP 2018, with the days of the synthetic history.
CONTEST_RULES = """\
name = "demo"
most_items = 100
most_characters = 8000
p = "1/3"
alpha = "0.01/20"
attacks = 13

[[columns]]
name = "customer"
form = "person"
digits = 9

[[columns]]
name = "date"
form = "date"
low = "2024-12-01"
high = "2025-12-31"
separator = "-"

[[columns]]
name = "item"
form = "item"

[[columns]]
name = "price"
form = "decimal"
low = "0.01"
high = "99999.99"

[[columns]]
name = "quantity"
form = "integer"
low = 1
high = 999999
"""


@guarded
def demo(
    folder: Annotated[Path, OutputFolder(), typer.Argument(metavar="DIR")] = Path("sudare-demo"),
    seed: SeedOption = 0,
) -> None:
    """Try everything once on synthetic data."""
    from sudare.baskets.certificate import certificate_path
    from sudare.report.baskets.text import show_title, show_verdict
    from sudare.report.history.text import show_attackers
    from sudare.report.table.anonymized_text import show_anonymized
    from sudare.report.table.text import show_summary
    from sudare.sources.result_folders import filling

    texts = spoken()
    history, members, safe, published, contest = (folder / name for name in DATA)
    reports = [folder / name for name in REPORTS]
    with filling(folder), shown_progress() as progress:
        clear_demo(folder)
        found = _assess_history(history, reports[0], seed, progress)
        records = _assess_members(members, folder / HIERARCHIES, reports[1], seed, progress)
        made, checked = _anonymize_members(members, folder / HIERARCHIES, safe, reports[2], seed, progress)
        sensitive, baskets = _suppress_baskets(history, published, reports[3], seed, progress)
        anonymized = _play_contest(history, contest, reports[4], seed, progress)
    show_attackers(found, str(history), texts)
    console().print()
    show_summary(records, LIMIT, texts)
    console().print()
    show_anonymized(made, texts, published=checked)
    console().print()
    show_title(str(published), baskets.after.verdict, sensitive, texts)
    show_verdict(baskets.after.verdict, texts)
    console().print()
    _show_contest(anonymized, contest / "A.csv", texts)
    known = ",".join(KNOWN)
    note_aligned(contest / "A.csv")
    history_page, table_page, safe_page, baskets_page, contest_page = (report.resolve() for report in reports)
    note(
        "notes.demo", history=history, history_page=history_page, members=members, hierarchies=folder / HIERARCHIES,
        table_page=table_page, known=known, sensitive=SENSITIVE, safe=safe, safe_page=safe_page, published=published,
        baskets_page=baskets_page,
        secrets=sensitive.described, rho=RHO, certificate=certificate_path(published), contest=contest,
        contest_page=contest_page, original=contest / "T.csv", anonymized=contest / "A.csv",
        rules=contest / "rules.toml",
    )  # fmt: skip


def clear_demo(folder: Path) -> None:
    """Remove an earlier demonstration from its folder, and nothing else; refuse a folder that is somebody else's."""
    from sudare.baskets.certificate import certificate_path
    from sudare.sources.result_folders import keep_parameters

    if not keep_parameters(folder, "demo", {}):
        return
    for name in (*DATA, *REPORTS, HIERARCHIES, certificate_path(Path(PUBLISHED)).name):
        if (folder / name).is_dir():
            shutil.rmtree(folder / name)
        else:
            (folder / name).unlink(missing_ok=True)


def _assess_history(data: Path, report: Path, seed: int, progress: Progress) -> AttackersAssessment:
    from sudare.histories.attackers.assessment import assess_attackers
    from sudare.histories.read import read_history
    from sudare.histories.synthetic import generate_history
    from sudare.report.history.report import write_history_report

    generate_history(data, customers=CUSTOMERS, seed=seed, progress=progress)
    with read_history(data, progress=progress) as history:
        tell_reading(history.reading)
        found = assess_attackers(history, knowledge=KNOWLEDGE, seed=seed, progress=progress)
        write_history_report(history, found, report, language=Settings.language, progress=progress)
    return found


def _assess_members(data: Path, folder: Path, report: Path, seed: int, progress: Progress) -> RecordsAssessment:
    from sudare.report.table.report import write_table_report
    from sudare.tables.classes.records import assess_records
    from sudare.tables.hierarchies.model import find_hierarchies, read_hierarchy
    from sudare.tables.read import read_table
    from sudare.tables.synthetic import generate_table

    generate_table(data, records=RECORDS, seed=seed, hierarchies=folder, progress=progress)
    with read_table(data, progress=progress) as table:
        tell_reading(table.reading)
        files = find_hierarchies(folder, table.attributes)
        write_table_report(
            table,
            report,
            known=KNOWN,
            limit=LIMIT,
            sensitive=SENSITIVE,
            hierarchies={name: read_hierarchy(file, name) for name, file in files.items()},
            suppress=SUPPRESS,
            seed=seed,
            language=Settings.language,
            progress=progress,
        )
        return assess_records(table, KNOWN)


def _anonymize_members(
    data: Path, folder: Path, published: Path, report: Path, seed: int, progress: Progress
) -> tuple[AnonymizedTable, PublishedTable]:
    """Anonymize the member list, and report about the file as it was written."""
    from sudare.tables.anonymize.publication import anonymize_table
    from sudare.tables.read import read_table

    with read_table(data, progress=progress) as table:
        made = anonymize_table(
            table, k=MEMBERS_K, l=MEMBERS_L, known=KNOWN, sensitive=SENSITIVE, hierarchies=folder, seed=seed,
            seconds=MEMBERS_SECONDS, progress=progress,
        )  # fmt: skip
        checked = made.publish(published)
        made.report(report, published=checked, language=Settings.language, progress=progress)
    return made, checked


def _suppress_baskets(
    data: Path, published: Path, report: Path, seed: int, progress: Progress
) -> tuple[SensitiveItems, Findings]:
    from sudare.baskets.certificate import certificate_path, write_published
    from sudare.baskets.read import read_baskets
    from sudare.baskets.sensitive import read_sensitive
    from sudare.baskets.suppress.suppression import suppress_baskets
    from sudare.baskets.verification import verify_baskets
    from sudare.report.baskets.report import write_baskets_report

    baskets = read_baskets(data, per="visit", progress=progress)
    sensitive = read_sensitive(f"{SECRETS}:{seed}", baskets)
    made = suppress_baskets(baskets, sensitive, rho=RHO, max_known=MOST_KNOWN, seed=seed, progress=progress)
    write_published(made, published)
    # The report is about the file as it was written, and compares it with its certificate.
    read = read_baskets(published, form="pairs", progress=progress)
    checked = verify_baskets(baskets, read, sensitive, rho=RHO, max_known=MOST_KNOWN, progress=progress)
    found = write_baskets_report(
        checked,
        report,
        certificate=certificate_path(published),
        language=Settings.language,
        progress=progress,
    )
    return sensitive, found


def _play_contest(data: Path, folder: Path, report: Path, seed: int, progress: Progress) -> ContestFindings:
    """Anonymize a month of the history, publish it, attack it, and report about the files as they were written."""
    from sudare.contest.publish import publish_anonymized
    from sudare.histories.anonymize.classes import anonymize_history
    from sudare.histories.attack.duel import run_duel
    from sudare.histories.attackers.published import measure_published
    from sudare.histories.generalized.rule_sets import load_rules
    from sudare.histories.generalized.text import read_original, write_cells
    from sudare.report.contest.report import write_contest_report
    from sudare.sources.result_folders import make_folder
    from sudare.sources.writing import whole_file

    make_folder(folder)
    original, anonymized = folder / "T.csv", folder / "A.csv"
    for path, text in ((folder / "rules.toml", CONTEST_RULES), (original, _first_month(data))):
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    rules = load_rules(folder / "rules.toml")
    history = read_original(original, rules, progress=progress)
    found = anonymize_history(history, CONTEST_K, seed=seed, fast=True, progress=progress)
    write_cells(found.history, anonymized, rules)
    publish_anonymized(anonymized, folder / "PUBLISHED.csv", rules, progress=progress)
    duel = run_duel(history, found.history, p=rules.p, alpha=rules.alpha, seed=seed, progress=progress)
    before_after = measure_published(history, found.history, progress=progress)
    return write_contest_report(
        original, anonymized, report, rules=rules, anonymization=found, duel=duel, published=before_after,
        draws=CONTEST_DRAWS, seed=seed, language=Settings.language, progress=progress,
    )  # fmt: skip


def _first_month(data: Path) -> str:
    """Return what the first customers bought in the first month, as rows of a contest."""
    with data.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    month = min(row["day"] for row in rows)[: len("2024-12")]
    rows = [row for row in rows if row["day"].startswith(month)]
    chosen = set(sorted({row["customer"] for row in rows})[:CONTEST_CUSTOMERS])
    cells = ("customer", "day", "item", "price", "quantity")
    return "".join(",".join(row[cell] for cell in cells) + "\n" for row in rows if row["customer"] in chosen)


def _show_contest(found: ContestFindings, anonymized: Path, texts: Texts) -> None:
    """Print U, the classes and how safe they are, what the attacks reached, and the attackers before and after."""
    from sudare.report.contest.duel_text import show_duel_summary
    from sudare.report.contest.safety_text import safety_words
    from sudare.report.history.text import show_published

    out, safety = console(), found.safety
    utility = f"{found.utility.utility:.4f}"
    out.print(texts("contest.utility.title", source=str(anonymized), utility=utility), style="bold")
    if safety:
        classes, test = sum(size.classes for size in safety.sizes), safety.tests[0]
        out.print(texts("contest.safety.reached", persons=safety.persons, classes=classes, k=safety.k))
        out.print(texts("anonymize.safety", **safety_words(test, texts)))
    if found.duel:
        show_duel_summary(found.duel, texts)
    if found.published:
        out.print()
        show_published(found.published, str(anonymized), texts)
