"""Makes the picture of a report in README, in English and Japanese, from synthetic data; run it when reports change."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import sudare
from sudare.messages import Language

IMAGES = Path(__file__).parents[1] / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
WIDTH = 760
MOST_BYTES = 200_000
PICTURES: dict[str, Language] = {"report.png": "en", "report-ja.png": "ja"}


def main() -> None:
    """Assess a purchase history in both languages, open the reports and keep what they look like."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, language in PICTURES.items():
            take(browser, report(Path(folder), language), IMAGES / name)
        browser.close()


def report(folder: Path, language: Language) -> Path:
    """Write the report of a purchase history."""
    purchases, page = folder / "purchases.csv", folder / f"{language}.html"
    if not purchases.exists():
        sudare.generate_history(purchases, customers=120, seed=1)
    with sudare.read_history(purchases) as history:
        history.report(page, language=language)
    return page


def take(browser: Browser, page: Path, path: Path) -> None:
    """Keep what the first section of a report looks like: the answer, with its chart."""
    tab = browser.new_page(viewport={"width": WIDTH, "height": WIDTH}, color_scheme="light")
    tab.goto(page.as_uri())
    top, bottom = (tab.locator("h2").nth(n).evaluate("(e) => e.getBoundingClientRect().top + scrollY") for n in (1, 2))
    tab.screenshot(path=path, full_page=True, clip={"x": 0, "y": top - 12, "width": WIDTH, "height": bottom - top - 36})
    tab.close()
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path} has more than {MOST_BYTES:,} bytes")
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
