"""Makes pictures of results as notebooks show them: those of docs/images, or all of them, light and dark, in a folder.

Run it when cells have changed: tools/notebook_pictures.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import sudare
from sudare.results import Result

IMAGES = Path(__file__).parents[1] / "docs" / "images"
IN_DOCS = {"notebook-attackers-light", "notebook-levels-dark"}
CHROMIUM = "/usr/bin/chromium"
WIDTH = 900
# A picture shows at most this much of a cell.
HEIGHT = 900
MOST_BYTES = 150_000
# What JupyterLab says of the cells of its light and dark themes.
THEMES = {"light": ("#ffffff", "rgba(0, 0, 0, 0.87)"), "dark": ("#111111", "rgba(255, 255, 255, 0.87)")}
JUPYTER = """
body { margin: 0; padding: 12px 16px; background: %s; color: %s; font-family: system-ui, sans-serif; font-size: 14px; }
.cell table { margin-left: auto; border-collapse: collapse; border: none; font-size: 12px; table-layout: fixed; }
.cell td, .cell th { text-align: right; vertical-align: middle; padding: 0.5em; white-space: normal; max-width: none; }
.cell tbody tr:nth-child(odd) { background: rgba(128, 128, 128, 0.1); }
"""


def main() -> None:
    """Compute some results, show them and keep what they look like."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, found in results(Path(folder)):
            for theme in THEMES:
                path = target / f"notebook-{name}-{theme}.png"
                if target != IMAGES or path.stem in IN_DOCS:
                    take(browser, found, path, theme)
        browser.close()


def results(folder: Path) -> Iterator[tuple[str, Result]]:
    """Yield results of synthetic data by their names."""
    sudare.histories.generate_history(folder / "purchases.csv", customers=60)
    hierarchies = folder / "hierarchies"
    sudare.tables.generate_table(folder / "members.csv", records=2000, hierarchies=hierarchies)
    with sudare.read_history(folder / "purchases.csv") as history:
        yield "attackers", sudare.histories.assess_attackers(history)
        yield "anonymized", history.anonymize(k=3, fast=True)
    with sudare.read_table(folder / "members.csv") as table:
        known = ["sex", "age", "prefecture"]
        yield "risk", sudare.tables.assess_records(table, known)
        files = {name: hierarchies / f"{name}.csv" for name in ("age", "prefecture")}
        yield "levels", sudare.tables.find_levels(table, files, known=known, limit=0.2)
    baskets = sudare.read_baskets(folder / "purchases.csv", form="history")
    sensitive = sudare.baskets.read_sensitive("random:0.02", baskets)
    yield "suppression", sudare.baskets.suppress_baskets(baskets, sensitive, rho=0.5, max_known=1)


def take(browser: Browser, found: Result, path: Path, theme: str) -> None:
    """Keep what a cell with a result looks like."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.set_content(f'<style>{JUPYTER % THEMES[theme]}</style><div class="cell">{found._repr_html_()}</div>')
    height = min(HEIGHT, int(page.evaluate("document.querySelector('.cell').getBoundingClientRect().bottom")) + 12)
    page.screenshot(path=path, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
    page.close()
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path} has more than {MOST_BYTES:,} bytes")
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
