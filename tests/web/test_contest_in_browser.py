"""A whole contest with three teams in a real browser: both languages, by keyboard, on a phone, without script."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sudare.messages import Texts
from sudare.web.game.phases import TIMES
from tests.web.conftest import RunningServer, new_settings
from tests.web.small_contest import PASSWORD, T, anonymized, guesses
from tests.web.test_whole_contest import admin_link

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = Path("/usr/bin/chromium")
OPTIONS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync "
    # Lists below the address bar, which nobody opens here: they take more than all pages together.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup"
).split()
ZONE = ZoneInfo("Asia/Tokyo")
PATIENCE = 120_000
# A folder in which pictures of all pages are kept.
PICTURES = os.environ.get("SUDARE_PICTURES")
# The hits of attackers on targets; r(12) = 11.
HITS = {"blue": {"green": 5, "red": 5}, "green": {"blue": 11}}
SHIFTS = {"blue": 0, "green": 1, "red": 2}
# The language; fields without a name for those who do not see them, pictures without a text, a page that is wider than
# the screen; how bright the text is.
SEEN = """() => ({
  language: document.documentElement.lang,
  flaws: [
    ...[...document.querySelectorAll("input:not([type=hidden]):not([hidden]), select, textarea")]
      .filter((e) => !e.labels.length),
    ...[...document.querySelectorAll("button, a")].filter((e) => !e.textContent.trim()),
    ...[...document.querySelectorAll("img:not([alt])")],
  ].map((e) => e.outerHTML).concat(
    document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["wider than the screen"] : [],
    document.querySelectorAll("h1").length === 1 ? [] : ["headings"],
  ),
  brightness: getComputedStyle(document.body).color.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 765,
})"""
# How many steps of the keyboard away a place is at least: some fields take several.
STEPS = """(e) => {
  const all = "a[href], button, summary, select, textarea, input:not([type=hidden])";
  const found = [...document.querySelectorAll(all)].filter((e) => !e.disabled && e.getClientRects().length);
  return Math.max(found.indexOf(e) - found.indexOf(document.activeElement), 0);
}"""
FOCUS_IS_SEEN = """(e) => {
  const style = getComputedStyle(e);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
}"""

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is not installed")


@dataclass(frozen=True)
class Variant:
    """How people look at the pages."""

    language: str
    keyboard: bool = False
    script: bool = True
    width: int = 1100
    dark: bool = False

    @property
    def name(self) -> str:
        return "-".join(str(getattr(self, name)) for name in self.__dataclass_fields__)


VARIANTS = {
    "english-by-keyboard": Variant("en", keyboard=True),
    "japanese-on-a-dark-phone": Variant("ja", width=390, dark=True),
    "english-without-script": Variant("en", script=False),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[api.Browser]:
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    running = RunningServer(new_settings(tmp_path / "server"))
    running.start("web")
    running.start("worker")
    yield running
    running.stop()


class Person:
    """Somebody at a browser; every page is looked over, and kept as a picture if somebody wants to see them."""

    def __init__(self, browser: api.Browser, server: RunningServer, variant: Variant, name: str) -> None:
        self.variant, self.name = variant, name
        self.texts, self.complaints, self.pictures = Texts(variant.language), list[str](), 0
        context = browser.new_context(
            base_url=server.settings.public_url,
            locale={"en": "en-GB", "ja": "ja-JP"}[variant.language],
            timezone_id="Europe/Paris",
            viewport={"width": variant.width, "height": 900},
            color_scheme="dark" if variant.dark else "light",
            java_script_enabled=variant.script,
        )
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def open(self, path: str) -> None:
        try:
            self.page.goto(path)
        except api.Error as error:  # the page looked for news at that very moment, and reloaded itself
            assert "interrupted by another navigation" in error.message
            self.page.goto(path)
        self.look()

    def open_until(self, selector: str) -> None:
        """Open a page again and again, until something is there that no page waits for."""
        while not self.find(selector).count():
            self.page.wait_for_timeout(100)
            self.open(self.page.url)

    def look(self) -> None:
        """See that a page is fit to be seen."""
        seen = self.see()
        if PICTURES:
            self.pictures += 1
            path = Path(PICTURES) / self.variant.name / f"{self.name}-{self.pictures:02}.png"
            self.page.screenshot(path=path, full_page=True)
        assert (seen["language"], seen["flaws"]) == (self.variant.language, []), self.page.url
        assert (seen["brightness"] > 0.5) == self.variant.dark
        assert self.complaints == [], self.page.url

    def see(self) -> dict[str, Any]:
        while True:
            self.page.wait_for_load_state()
            try:
                return dict(self.page.evaluate(SEEN))
            except api.Error as error:  # the page found news, and reloaded itself
                assert "context was destroyed" in error.message

    def find(self, selector: str, **options: str) -> api.Locator:
        return self.page.locator(f"main {selector}", **options).first

    def reach(self, place: api.Locator) -> None:
        """Go to a place by the keyboard alone."""
        place.wait_for()
        # Looking after each step takes longer than the steps.
        for _ in range(place.evaluate(STEPS)):
            self.page.keyboard.press("Tab")
        for _ in range(200):
            if place.evaluate("(e) => e === document.activeElement"):
                assert place.evaluate(FOCUS_IS_SEEN), place
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{place} is not reached by the keyboard")

    def write(self, selector: str, text: str) -> None:
        place = self.find(selector)
        if self.variant.keyboard and place.get_attribute("type") != "datetime-local":
            self.reach(place)
            self.page.keyboard.press("Control+a")
            self.page.keyboard.type(text)
        else:
            place.fill(text)

    def give(self, selector: str, text: str) -> None:
        """Choose a file."""
        file = {"name": "a.csv", "mimeType": "text/csv", "buffer": text.encode()}
        place = self.find(selector)
        if not self.variant.keyboard:
            place.set_input_files(file)
            return
        self.choosing(place).set_files(file)

    def choosing(self, place: api.Locator) -> api.FileChooser:
        """Open the dialog of files by the keyboard; a press that a busy browser takes as too old is made again."""
        for _ in range(40):
            self.reach(place)
            try:
                with self.page.expect_file_chooser(timeout=3_000) as chosen:
                    self.page.keyboard.press("Enter")
            except api.TimeoutError:
                continue
            return chosen.value
        raise AssertionError(f"{place} does not open a dialog of files")

    def press(self, selector: str, **options: str) -> None:
        """Press a button or follow a link, and look at the page it leads to."""
        place = self.find(selector, **options)
        with self.page.expect_navigation():
            if self.variant.keyboard:
                self.reach(place)
                self.page.keyboard.press("Enter")
            else:
                place.click()
        self.look()

    def wait_for(self, selector: str) -> None:
        """Wait for what a worker does: the page looks for it itself, or says to reload."""
        place = self.page.locator(f"main {selector}").first
        if self.variant.script:
            place.wait_for()
        else:
            for _ in range(600):
                if place.count():
                    break
                assert self.page.get_by_role("status").first.inner_text()
                self.page.wait_for_timeout(200)
                self.page.reload()
        self.look()

    def log_in(self, name: str) -> None:
        self.write("input[name=login]", name)
        self.write("input[name=password]", PASSWORD)
        self.press("form button")


def moment(days: float) -> str:
    return (dt.datetime.now(ZONE) + dt.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S")


def move(organizer: Person, **days: float) -> None:
    """Move times of the round."""
    for name, day in days.items():
        organizer.write(f"form[action$='/times'] input[name={name}]", moment(day))
    organizer.press("form[action$='/times'] button")


def set_up(organizer: Person, server: RunningServer) -> None:
    """Choose a password, log in, make a contest."""
    organizer.open(admin_link(server))
    organizer.write("input[name=password]", PASSWORD)
    organizer.press("form button")
    organizer.log_in("admin")
    organizer.press("a[href='/new-contest']")
    organizer.write("input[name=name]", "Cup <i>2026</i> 匿名化")
    organizer.press("form button")


def invite(organizer: Person, name: str) -> str:
    organizer.write("form[action$='/teams'] input[name=name]", name)
    organizer.press("form[action$='/teams'] button")
    organizer.press("form[action$='/invitations'] button", has_text=name)
    return str(organizer.page.locator(".notice code").inner_text())


def join(team: Person, link: str) -> None:
    team.open(link)
    team.log_in(team.name)
    assert f": {team.name}" in team.page.locator("main").inner_text()


def open_round(organizer: Person) -> str:
    """Add a round and its data; return its address."""
    organizer.write("form[action$='/rounds'] input[name=name]", "Main")
    for name, day in zip(TIMES, (-1, 1, 2, 3), strict=True):
        organizer.write(f"form[action$='/rounds'] input[name={name}]", moment(day))
    organizer.press("form[action$='/rounds'] button")
    organizer.press("a[href^='/rounds/']")
    organizer.give("form[action$='/data'] input[type=file]", T)
    organizer.press("form[action$='/data'] button")
    organizer.wait_for("a[href$='/data']")
    return str(organizer.page.url)


def hand_in(team: Person, *tried: str) -> None:
    """Hand in what breaks the rules, then a good A, which is chosen."""
    team.open(team.page.url)
    team.press("a[href^='/rounds/']")
    round = team.page.url
    for text, status in (*((text, "invalid") for text in tried), (team_history(team.name), "valid")):
        team.give("form[action$='/submissions'] input[type=file]", text)
        team.write("form[action$='/submissions'] input[name=note]", "a <b>note</b>")
        team.press("form[action$='/submissions'] button")
        team.wait_for(f".status.{status}")
        if status == "invalid":
            team.open(round)
    team.press("form[action$='/final'] button")
    assert team.page.url == round


def team_history(name: str) -> str:
    return anonymized(dates=name == "blue", shift=SHIFTS[name])


def attack(team: Person, round: str, owners: dict[str, str]) -> None:
    """Hand in guesses on others' A'."""
    for number, owner in sorted(owners.items()):
        if owner in HITS.get(team.name, {}):
            card = f"ul.cards > li:has-text('{team.texts('web.targets.number', number=number)}')"
            team.open(round)
            team.give(f"{card} input[type=file]", guesses(right=HITS[team.name][owner], shift=SHIFTS[owner]))
            team.press(f"{card} form button")
            team.wait_for(".status.valid")
    team.open(round)
    assert "hits" not in team.page.content()


def own_number(team: Person) -> str:
    text = team.page.locator("ul.cards > li", has_text=team.texts("web.targets.own")).inner_text()
    found = re.search(r"\d+", text)
    assert found
    return found[0]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_contest_is_played_in_a_browser(browser: api.Browser, server: RunningServer, name: str) -> None:
    variant = VARIANTS[name]
    organizer = Person(browser, server, variant, "organizer")
    set_up(organizer, server)
    teams = [Person(browser, server, variant, name) for name in SHIFTS]
    for team in teams:
        join(team, invite(organizer, team.name))
    round = open_round(organizer)
    hand_in(teams[0], anonymized()[:-10])
    for team in teams[1:]:
        hand_in(team)

    organizer.open(round)
    move(organizer, anonymization_closes=0, reidentification_opens=0)
    organizer.open_until("ul.cards a[href^='/targets/']")
    for team in teams:
        team.open(round)
    owners = {own_number(team): team.name for team in teams}
    for team in teams:
        attack(team, round, owners)

    organizer.open(round)
    move(organizer, reidentification_closes=0)
    results = f"{round}/results"
    organizer.open_until("a[href$='/results']")
    organizer.open(results)
    assert teams[0].page.request.get(results).status == 404
    organizer.open(round)
    organizer.press("a[href$='/publish']")
    assert organizer.find("tbody").inner_text().count("green") == 1
    organizer.press("form:has(input[value=publish]) button")
    for team in teams:
        team.open(results)
        rows = team.page.locator("table").first.locator("tbody tr").all_inner_texts()
        assert [re.findall(r"blue|green|red", row)[0] for row in rows] == ["green", "red", "blue"]
        assert [row.split()[0] for row in rows] == ["1", "1", "–"]
    contest = teams[0]
    contest.open("/account")
    contest.write("form[action='/account/tokens'] input[name=name]", "laptop")
    contest.press("form[action='/account/tokens'] button")
    other = {"en": "ja", "ja": "en"}[variant.language]
    contest.page.locator(f"nav a[hreflang={other}]").click()
    assert contest.page.locator("html").get_attribute("lang") == other


def test_times_are_in_the_readers_zone_with_script_and_in_the_contests_without(
    browser: api.Browser, server: RunningServer
) -> None:
    with_script = Person(browser, server, Variant("en"), "with")
    set_up(with_script, server)
    open_round(with_script)
    times = with_script.page.locator("time").all_inner_texts()
    assert times and all("CET" in time or "GMT+" in time for time in times)
    assert "JST" in (with_script.page.locator("time").first.get_attribute("title") or "")
    without = Person(browser, server, Variant("en", script=False), "without")
    without.open("/login")
    without.log_in("admin")
    without.open(with_script.page.url)
    assert all("JST" in time for time in without.page.locator("time").all_inner_texts())


def test_the_button_of_a_file_speaks_the_language_of_the_page(browser: api.Browser, server: RunningServer) -> None:
    """And a link is copied by a button, or at least selected."""
    organizer = Person(browser, server, Variant("ja", width=390), "organizer")
    set_up(organizer, server)
    link = invite(organizer, "blue")
    assert organizer.find(".notice strong").inner_text().count("blue") == 1
    organizer.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = organizer.find("[data-copy]")
    button.click()
    organizer.page.wait_for_function("(e) => e.textContent === e.dataset.done", arg=button.element_handle())
    assert organizer.page.evaluate("navigator.clipboard.readText()") == link
    field = organizer.find("form[action$='/rules'] label")
    assert organizer.texts("web.page.choose_file") in field.inner_text()
    assert organizer.texts("web.page.no_file") in field.inner_text()
    assert field.locator("input").evaluate("(e) => getComputedStyle(e).opacity") == "0"
    organizer.give("form[action$='/rules'] input[type=file]", "name")
    assert "a.csv" in field.inner_text()
    assert organizer.texts("web.page.no_file") not in field.inner_text()
    without = Person(browser, server, Variant("ja", script=False), "without")
    without.open(link)
    assert "blue" in without.find(".lead").inner_text()


@pytest.mark.parametrize(("language", "words"), [("en", "in 23 hours"), ("ja", "23 時間後")])
def test_a_contest_explains_itself(browser: api.Browser, server: RunningServer, language: str, words: str) -> None:
    """On a phone, by keyboard; the countdown goes by the server's clock."""
    organizer = Person(browser, server, Variant(language, keyboard=True, width=390), "organizer")
    set_up(organizer, server)
    desk = organizer.page.url
    open_round(organizer)
    organizer.open(desk)
    for action in ("description", "announcements"):
        form = f"form[action$='/{action}']"
        organizer.find(f"details:has({form}) summary").press("Enter")
        if action == "announcements":
            organizer.write(f"{form} input[name=title]", "News")
        organizer.write(f"{form} textarea", "A **long** word: " + "x" * 200)
        organizer.press(f"{form} button")
        assert organizer.find(".prose strong").inner_text() == "long"
        organizer.open(desk)
    organizer.open(desk.removesuffix("/organize"))
    assert organizer.find("[data-until]").inner_text() == words
    organizer.press("a[href$='/rules']")
    assert "2010/1/1" in organizer.find("table").inner_text()


def test_a_file_that_is_dropped_is_handed_in(browser: api.Browser, server: RunningServer) -> None:
    organizer = Person(browser, server, Variant("en"), "organizer")
    set_up(organizer, server)
    organizer.write("form[action$='/rounds'] input[name=name]", "Main")
    for name, day in zip(TIMES, (-1, 1, 2, 3), strict=True):
        organizer.write(f"form[action$='/rounds'] input[name={name}]", moment(day))
    organizer.press("form[action$='/rounds'] button")
    organizer.press("a[href^='/rounds/']")
    area = organizer.find("form[action$='/data'] label.drop")
    dropped = organizer.page.evaluate_handle(
        "(text) => { const d = new DataTransfer(); d.items.add(new File([text], 'T.csv')); return d; }", T
    )
    area.dispatch_event("dragover", {"dataTransfer": dropped})
    area.dispatch_event("drop", {"dataTransfer": dropped})
    organizer.press("form[action$='/data'] button")
    organizer.wait_for("a[href$='/data']")
