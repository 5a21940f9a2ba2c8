"""Makes the pictures of the how-to pages on contests from `sudare server demo`; run it when pages have changed."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
COMMAND = [sys.executable, "-c", "from sudare.cli import main; main()", "server"]
WIDTH = 800
# A picture shows at most this much of a page.
HEIGHT = 900
MOST_BYTES = 120_000


def main() -> None:
    """Fill a server, open its pages and keep what they look like."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        demo = [*COMMAND, "demo", f"{folder}/demo"]
        told = subprocess.run(demo, check=True, stdout=subprocess.PIPE, text=True).stdout  # noqa: S603
        password = told.rsplit("password: ", 1)[1].strip()
        with running(f"{folder}/demo") as url:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            take_organizer(log_in(browser, url, "organizer", password))
            take_team(log_in(browser, url, "sudare", password))
            browser.close()


@contextmanager
def running(folder: str) -> Iterator[str]:
    """Run a server and yield its address."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([*COMMAND, "run", folder, "--port", str(port)])  # noqa: S603
    try:
        wait(url)
        yield url
    finally:
        server.terminate()
        server.wait()


def wait(url: str) -> None:
    for _ in range(600):
        try:
            urlopen(f"{url}/login").close()  # noqa: S310
            return
        except URLError:
            time.sleep(0.1)
    raise TimeoutError("the server did not start")


def log_in(browser: Browser, url: str, name: str, password: str) -> Page:
    context = browser.new_context(
        base_url=url, locale="en-GB", timezone_id="Asia/Tokyo", viewport={"width": WIDTH, "height": HEIGHT}
    )
    page = context.new_page()
    page.goto("/login")
    page.fill("input[name=login]", name)
    page.fill("input[name=password]", password)
    page.click("main form button")
    page.click("main a[href^='/contests/']")
    return page


def take_organizer(page: Page) -> None:
    """Take the pictures of run-a-contest.md."""
    contest = page.url
    page.click("main a[href$='/organize']")
    page.click("form[action$='/invitations'] button >> nth=0")
    take(page, "desk")
    page.goto(contest)
    open_round(page, "Preliminary")
    take(page, "round", until="Original data T")
    page.goto(contest)
    open_round(page, "Practice")
    page.click("main a[href$='/results']")
    take(page, "results")


def take_team(page: Page) -> None:
    """Take the pictures of take-part-in-a-contest.md."""
    contest = page.url
    open_round(page, "Main")
    take(page, "submissions")
    first = page.locator("main a[href^='/submissions/']")
    links = [str(first.nth(number).get_attribute("href")) for number in range(first.count())]
    page.goto(links[-1])
    take(page, "errors", until="About the file")
    page.goto(links[0])
    take(page, "score")
    page.goto(contest)
    open_round(page, "Preliminary")
    take(page, "targets", since="Targets")


def open_round(page: Page, name: str) -> None:
    page.click(f"main a[href^='/rounds/']:text-is('{name}')")


def take(page: Page, name: str, *, since: str | None = None, until: str | None = None) -> None:
    """Keep the picture of a page, or of the part from one heading to another, at most so high."""
    page.wait_for_load_state("networkidle")
    top = place(page, since) if since else 0.0
    bottom = place(page, until) if until else page.evaluate("document.documentElement.scrollHeight")
    clip = {"x": 0, "y": top, "width": WIDTH, "height": min(bottom - top, HEIGHT)}
    path = FOLDER / f"contest-{name}.png"
    page.screenshot(path=path, full_page=True, clip=clip)
    size = path.stat().st_size
    print(f"{path.name}: {size:,} bytes")
    if size > MOST_BYTES:
        raise SystemExit(f"{path} is larger than {MOST_BYTES:,} bytes")


def place(page: Page, heading: str) -> float:
    """Return how far below the top of a page a heading is."""
    found = page.locator(f"h2:text-is('{heading}')").first
    return float(found.evaluate("(e) => e.getBoundingClientRect().top + scrollY"))


if __name__ == "__main__":
    main()
