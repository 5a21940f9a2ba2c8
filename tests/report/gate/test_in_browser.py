"""The page about a gate, and the legal map, in a real browser: on a phone, in the dark, offline and without errors."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from sudare.gate.run import run_gate
from sudare.messages import LANGUAGES
from sudare.report.gate.report import write_gate_report
from tests.gate.small_gates import PEOPLE, write, write_policy
from tests.report.test_in_browser import CHROMIUM, OPTIONS

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is not installed"),
]  # fmt: skip

EVIL = "<script>document.title='evil'</script><img src=x onerror=alert(1)>"
LONG = "attribute_" + "long" * 30


@pytest.fixture(scope="module")
def browser() -> Iterator[api.Browser]:
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=[(language, alone) for language in LANGUAGES for alone in (False, True)])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with evil and long names, and with the map unfolded; in turn the whole page and the map alone."""
    language, alone = request.param
    folder: Path = tmp_path_factory.mktemp("gate")
    write(folder, people_csv=PEOPLE.replace("town", LONG))
    (folder / "answers.toml").write_text(f'recipients = "{EVIL}"\nsecurity = "{"wide" * 40}"\n', encoding="utf-8")
    checks: list[dict[str, Any]] = [
        {"name": EVIL, "source": "s", "measure": "highest-risk", "known": ["sex", LONG], "fail": 0.09},
        {"name": "wide" * 30, "source": "s", "measure": "smallest-class", "known": [LONG], "warn": 11},
        {"source": "s", "measure": "identifiers", "fail": 0},
    ]
    source = {"s": {"kind": "table", "file": "people.csv"}}
    found = run_gate(write_policy(folder, source, *checks, title=EVIL, answers="answers.toml"))
    made, frames = dt.datetime(2025, 1, 31), ["appi", "ema", "cell-sizes"]
    write_gate_report(found, folder / "r.html", legal=frames, only_legal=alone, language=language, made=made)
    return folder / "r.html"


def test_it_opens_offline_without_errors_and_is_never_wider_than_the_screen(browser: api.Browser, report: Path) -> None:
    page = browser.new_page()
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    page.goto(report.as_uri())
    assert [url for url in requests if not url.startswith("data:")] == [report.as_uri()]
    assert page.locator("main img, main script").count() == 0
    assert page.title() == EVIL
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            beyond = page.evaluate(
                "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll table') "
                "&& e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))"
            )
            assert beyond == []
    # On a phone nothing has to be scrolled sideways: rows stand as cards.
    page.set_viewport_size({"width": 390, "height": 844})
    wide = page.evaluate("[...document.querySelectorAll('.stacked')].filter(e => e.scrollWidth > e.clientWidth).length")
    assert (wide, errors) == (0, [])
    page.close()
