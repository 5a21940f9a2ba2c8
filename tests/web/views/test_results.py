"""Results: what is measured of the finals, as pages, as tables for spreadsheets, and as a static site."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from sudare.histories.utility.use_cases import MEASURES
from sudare.web.game.contests import publish_results
from sudare.web.storage.archive import export_contest
from sudare.web.storage.models import Round, Team
from sudare.web.views.csv_files import attacks_csv, neutral, standings_csv
from sudare.web.views.results import ShownResults, show_results
from tests.web.conftest import RunningServer
from tests.web.small_contest import SmallContest, guesses


def play(small: SmallContest, *, publish: bool = True) -> ShownResults:
    """Play a round in which one attack on red succeeds."""
    small.to_reidentification()
    small.guess("blue", "red", guesses(right=12, shift=2))
    small.guess("blue", "green", guesses(right=4, shift=1))
    small.work()
    small.move(reidentification_closes=0)
    small.work()
    with small.database.writing() as session:
        organizer = small.viewer(session, "organizer")
        if publish:
            publish_results(session, organizer, small.round)
        return show_results(session, organizer, session.get_one(Round, small.round))


def test_finals_come_with_their_breakdown_classes_and_uses(small: SmallContest) -> None:
    results = play(small)
    finals = {final.team: final for final in results.finals}
    assert set(finals) == {"blue", "green", "red"}
    blue = finals["blue"]  # without dates
    assert [(column["name"], column["utility"]) for column in blue.columns] == [
        ("date", 1.0), ("item", 0.0), ("price", 0.0), ("quantity", 0.0),
    ]  # fmt: skip
    assert {kind["kind"]: kind["cells"] for kind in blue.kinds}["deleted_cell"] == 24
    assert (blue.k, blue.chance_bound, blue.draws) == (1, 1.0, 5)
    assert [error["measure"] for error in blue.uses] == list(MEASURES)
    nearest = {entry.team: entry.nearest for entry in results.standings}
    # r(12) = 11.
    assert nearest == {"red": 12 / 11, "green": 4 / 11, "blue": None}


def test_the_page_shows_all_of_it_in_both_languages(small: SmallContest, running: RunningServer) -> None:
    play(small)
    with small.database.writing() as session:
        small.viewer(session, "organizer").contest.public = True
    running.start("web")
    client = running.client()
    shown = {
        "en": ("not broken by these attacks", "no attack that could succeed", "Use cases", "RFM table"),
        "ja": ("これらの攻撃では破られていない", "有効になりうる攻撃がない", "活用例"),
    }
    for language, words in shown.items():
        page = client.get(f"/rounds/{small.round}/results", params={"lang": language})
        assert page.status_code == 200
        assert "<svg" in page.text
        assert " style=" not in page.text
        for text in words:
            assert text in page.text
    table = client.get(f"/rounds/{small.round}/standings.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert table.text.splitlines()[1].startswith("1,green,")
    assert client.get(f"/rounds/{small.round}/attacks.csv").text.count("\n") == 3


def test_tables_are_not_there_before_the_results(small: SmallContest, running: RunningServer) -> None:
    play(small, publish=False)
    running.start("web")
    api = running.client(small.token("blue", "read"), "/api/v1")
    for name in ("standings.csv", "attacks.csv", "results"):
        assert api.get(f"/rounds/{small.round}/{name}").status_code == 404
    organizer = running.client(small.token("organizer", "read"), "/api/v1")
    assert organizer.get(f"/rounds/{small.round}/attacks.csv").text.startswith("target,attacker,")


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("x","y")'])
def test_a_name_never_becomes_a_formula(small: SmallContest, name: str) -> None:
    assert neutral(name) == f"'{name}"
    assert neutral("red = blue") == "red = blue"
    assert neutral(-3) == -3


def test_a_team_with_the_name_of_a_formula_is_neutral_in_tables(small: SmallContest) -> None:
    with small.database.writing() as session:
        session.get_one(Team, small.teams["red"]).name = '=cmd|"/c calc",1'
    results = play(small)
    for text in (standings_csv(results), attacks_csv(results)):
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert '\'=cmd|"/c calc",1' in cells
        assert not any(cell.startswith("=") for cell in cells)


def test_the_site_needs_no_server_and_no_script(small: SmallContest, tmp_path: Path) -> None:
    play(small)
    with small.database.writing() as session:
        session.get_one(Team, small.teams["red"]).name = "<script>alert(1)</script>"
    out = tmp_path / "out"
    export_contest(small.database, small.files, small.contest, out)
    site = out / "site"
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    assert pages == ["en/index.html", "en/round-1.html", "index.html", "ja/index.html", "ja/round-1.html"]
    for name in pages:
        text = (site / name).read_text()
        assert "<script" not in text and "<form" not in text and " style=" not in text
        for link in re.findall(r'(?:href|src)="([^"#]+)"', text):
            assert ((site / name).parent / link).resolve().is_file(), (name, link)
    assert "同順位" not in (site / "ja/round-1.html").read_text()
    assert "&lt;script&gt;" in (site / "en/round-1.html").read_text()


def test_the_site_has_only_what_is_published(small: SmallContest, tmp_path: Path) -> None:
    play(small, publish=False)
    export_contest(small.database, small.files, small.contest, tmp_path / "out")
    assert not list((tmp_path / "out" / "site").rglob("round-*.html"))
    assert "No results have been published yet." in (tmp_path / "out" / "site" / "en" / "index.html").read_text()
