"""The reports in a real browser: offline, without errors, on a phone and on paper."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pytest

import sudare
from sudare.contest.frontier import Frontier, FrontierSearch
from sudare.contest.frontier_points import FrontierPoint
from sudare.histories.generalized.rule_sets import ContestResult
from sudare.report.baskets.report import write_baskets_report
from sudare.report.contest.frontier import write_frontier_page
from sudare.report.contest.report import write_contest_report
from sudare.report.history.report import write_history_report
from sudare.report.table.anonymized.report import write_anonymized_report
from sudare.report.table.report import write_table_report
from sudare.tables.hierarchies.model import make_hierarchy
from sudare.tables.recoded.losses import table_loss
from sudare.tables.roles import Roles
from tests.conftest import TOY
from tests.report.table.anonymized.small import (
    FRONTIER,
    PEOPLE,
    ROLES,
    UTILITY,
    anonymized_people,
    published_people,
)
from tests.tables.recoded.partitioned import partitioned

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = Path("/usr/bin/chromium")
OPTIONS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
EVIL = "<script>document.title='evil'</script><img src=x onerror=alert(1)>"
# Three attributes of long names, one of them evil, one Japanese, and one with long values.
LONG = ["attribute_" + "long" * 12, "都道府県と市区町村の名前" * 4, EVIL]
SECTIONS = {"history": 11, "table": 12, "anonymized": 12, "baskets": 11, "contest": 15, "frontier": 4}

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[api.Browser]:
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=[(kind, language) for kind in SECTIONS for language in ("en", "ja")])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    kind, language = request.param
    folder = tmp_path_factory.mktemp(kind)
    write = {
        "history": write_history, "table": write_table, "anonymized": write_anonymized, "baskets": write_baskets,
        "contest": write_contest, "frontier": write_frontier,
    }  # fmt: skip
    write[kind](folder, language)
    return folder / "report.html"


def write_history(folder: Path, language: str) -> None:
    wide = "".join(f"8,800,2010/12/5,9:00,{'wide' * 30}{n},1,1\n" for n in range(30))
    (folder / "toy.csv").write_text(f"{TOY}7,700,2010/12/4,9:00,{EVIL},1,1\n{wide}", encoding="utf-8")
    with sudare.read_history(folder / "toy.csv") as history:
        found = sudare.histories.assess_attackers(
            history, knowledge=["day*2", "(day + item)*2", "days + item*2 + price*2"]
        )
        write_history_report(history, found, folder / "report.html", language=language, made=dt.datetime(2025, 1, 31))


def write_table(folder: Path, language: str) -> None:
    names = [*LONG, *(f"a{n}" for n in range(5)), "sensitive"]
    rows = [[str(n % (2 + place)) for place in range(8)] + ["value " * 20 + str(n % 3)] for n in range(60)]
    lines = [",".join(names), *(",".join(row) for row in rows)]
    (folder / "toy.csv").write_text("\n".join(lines), encoding="utf-8")
    levels = {1: ("0", "*"), 2: ("1", "*"), 3: ("2", "*"), 4: ("3", "*")}
    hierarchies = {name: make_hierarchy(name, levels) for name in LONG}
    with sudare.read_table(folder / "toy.csv") as table:
        write_table_report(
            table,
            folder / "report.html",
            sensitive="sensitive",
            hierarchies=hierarchies,
            language=language,
            made=dt.datetime(2025, 1, 31),
        )


def write_anonymized(folder: Path, language: str) -> None:
    """Long and evil names of columns, and long and evil cells; the results are those of another table."""
    renamed = dict(zip(("sex", "age", "illness"), LONG, strict=True))
    roles = Roles(tuple(replace(c, attribute=renamed.get(c.attribute, c.attribute)) for c in ROLES.columns))
    text = PEOPLE.replace("sex", LONG[0]).replace("age", LONG[1]).replace("illness", LONG[2]).replace("f,", f"{EVIL},")
    (folder / "toy.csv").write_text(text, encoding="utf-8")
    with sudare.read_table(folder / "toy.csv") as table, anonymized_people(folder) as made:
        owner = [n % 2 for n in range(table.records)]
        recoded = partitioned(table, roles, owner, cells="sets")
        moved = tuple(replace(marginal, attribute=LONG[n]) for n, marginal in enumerate(UTILITY.marginals))
        changed = {"utility": replace(UTILITY, marginals=moved), "loss": table_loss(recoded)}
        write_anonymized_report(
            replace(made, recoded=recoded, roles=roles, **changed),
            folder / "report.html",
            published=replace(published_people(folder), path=str(folder / "safe-toy.csv")),
            frontier=FRONTIER,
            language=language,
            made=dt.datetime(2025, 1, 31),
        )


def write_baskets(folder: Path, language: str) -> None:
    lines = [f"{LONG[n % 3]},{'wide' * 30}{n % 2},item {n % 7}" for n in range(40)]
    (folder / "toy.csv").write_text("\n".join(lines), encoding="utf-8")
    original = sudare.read_baskets(folder / "toy.csv", form="commas")
    sensitive = sudare.baskets.read_sensitive("random:0.4", original)
    found = sudare.baskets.suppress_baskets(original, sensitive, rho="0.3", max_known=2)
    write_baskets_report(found, folder / "report.html", language=language, made=dt.datetime(2025, 1, 31))


def write_contest(folder: Path, language: str) -> None:
    # Evil and long items, rules of an evil name, a column and a file of long names.
    items = [EVIL, "wide" * 30, "都道府県と市区町村の名前" * 4]
    rules = sudare.histories.load_rules()
    columns = tuple(replace(c, name=LONG[0]) if c.form == "integer" else c for c in rules.columns)
    rules = replace(rules, name=EVIL, columns=columns)
    rows = [(100 + n // 2, f"2011/{1 + n % 12}/1", items[n % 3], f"{n}.99", 1000 * n + 1) for n in range(60)]
    lines = [",".join(map(str, row)) for row in rows]
    (folder / "T.csv").write_text("\n".join(lines), encoding="utf-8")
    hidden = [
        "*,*,*,*,*" if n % 10 > 7 else f"{c},[2011/1/1;2011/12/31],{{{items[0]};{items[1]};{items[2]}}},*,[1;{q}]"
        for n, (c, _, _, _, q) in enumerate(rows)
    ]
    (folder / "toy.csv").write_text("\n".join(hidden), encoding="utf-8")
    (folder / f"{'guesses' * 12}.csv").write_text("".join(f"{c},{c}\n" for c in range(100, 104)))
    original = sudare.histories.read_original(folder / "T.csv", rules)
    anonymized = sudare.histories.read_valid_anonymized(folder / "toy.csv", original, rules)
    utility = sudare.histories.cell_utility(original, anonymized).utility
    made = sudare.histories.AnonymizedHistory(
        anonymized, 3, 0, 30, 60, 12, (30,), utility, utility / 2, converged=True, seconds=1.0
    )
    write_contest_report(
        folder / "T.csv",
        folder / "toy.csv",
        folder / "report.html",
        rules=rules,
        guesses=[folder / f"{'guesses' * 12}.csv"],
        anonymization=made,
        duel=sudare.contest.run_duel(original, anonymized),
        draws=2,
        language=language,
        made=dt.datetime(2025, 1, 31),
    )


def write_frontier(folder: Path, language: str) -> None:
    points = [
        FrontierPoint(
            k, 0.03 * k, 0.02 * k, k, k, k > 6, 0.2**k, 0.1**k, 1 - 0.2**k, "broken" if k < 5 else None, -k, True, 1
        )
        for k in range(2, 21)
    ]
    results = (ContestResult(0.206, safe=True), ContestResult(0.193, safe=False))
    found = Frontier(30, 60, FrontierSearch(), tuple(points))
    made = dt.datetime(2025, 1, 31)
    write_frontier_page(found, folder, source="toy.csv", rules=EVIL, results=results, language=language, made=made)
    (folder / "index.html").rename(folder / "report.html")


@dataclass(frozen=True)
class Opened:
    """A page that is open, and what the browser asked for and complained about while it was opened."""

    page: api.Page
    requests: list[str]
    errors: list[str]


@pytest.fixture(scope="module")
def opened(browser: api.Browser, report: Path) -> Iterator[Opened]:
    page = browser.new_page(viewport={"width": 1200, "height": 844})
    found = Opened(page, [], [])
    page.on("request", lambda request: found.requests.append(request.url))
    page.on("console", lambda message: found.errors.append(message.text))
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("dialog", lambda dialog: found.errors.append(dialog.message))
    page.goto(report.as_uri())
    yield found
    page.close()


@pytest.fixture
def page(opened: Opened) -> api.Page:
    """The opened page, wide and light."""
    opened.page.set_viewport_size({"width": 1200, "height": 844})
    opened.page.emulate_media(color_scheme="light")
    return opened.page


def test_it_opens_from_a_file_without_requests_and_without_errors(opened: Opened, report: Path) -> None:
    title = opened.page.title()
    assert [url for url in opened.requests if not url.startswith("data:")] == [report.as_uri()]
    assert opened.errors == []
    assert "toy.csv" in title


def test_names_with_markup_are_seen_as_they_are_written(page: api.Page) -> None:
    assert page.locator("main img, main script").count() == 0
    assert page.get_by_text("<script>document.title='evil'</script>").count() > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_no_page_is_wider_than_the_screen(page: api.Page, width: int, scheme: Literal["light", "dark"]) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Wide tables scroll in their own boxes; everything else lies within the page.
    beyond = page.evaluate(
        "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll table') "
        "&& e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))"
    )
    assert beyond == []


def test_labels_of_charts_lie_within_their_drawings(page: api.Page) -> None:
    clipped = page.evaluate(
        "[...document.querySelectorAll('svg text')].filter(t => { const a = t.getBoundingClientRect(), "
        "b = t.closest('svg').getBoundingClientRect(); return a.left < b.left - 1 || a.right > b.right + 1 "
        "|| a.top < b.top - 1 || a.bottom > b.bottom + 1 }).map(t => t.textContent)"
    )
    assert clipped == []


def test_dark_pages_keep_their_charts_on_a_light_ground(page: api.Page) -> None:
    page.emulate_media(color_scheme="dark")
    colour = "e => getComputedStyle(e).backgroundColor.match(/\\d+/g).map(Number)"
    body = page.locator("html").evaluate(colour)
    figure = page.locator("figure").first.evaluate(colour)
    assert max(body) < 60
    assert min(figure) > 230


def test_it_prints_on_several_pages(page: api.Page, report: Path) -> None:
    printed = page.pdf(prefer_css_page_size=True)
    kind = report.parent.name.rstrip("0123456789")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > (1 if kind == "frontier" else 3)


def test_every_entry_of_the_contents_leads_to_a_section(page: api.Page, report: Path) -> None:
    targets = page.locator("nav a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    found = [page.locator(f"section{target}").count() for target in targets]
    kind = report.parent.name.rstrip("0123456789")
    assert len(targets) == SECTIONS[kind]
    assert set(found) == {1}
