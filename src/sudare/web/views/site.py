"""Published results as a static site in all languages: pages without server or scripts."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from sqlalchemy.orm import Session

from sudare.messages import LANGUAGES, Language
from sudare.sources.result_folders import make_folder
from sudare.web.game.visibility import ALL_SCOPES, Viewer
from sudare.web.storage.database import database_now
from sudare.web.storage.models import Contest, Round
from sudare.web.views.csv_files import attacks_csv, standings_csv
from sudare.web.views.results import show_results
from sudare.web.views.shown_contests import ShownContest, ShownRound, show_contest
from sudare.web.views.templating import environment, result_values

ASSETS = ("style.css", "favicon.svg")


def write_site(session: Session, contest: Contest, folder: Path) -> None:
    """Write what everybody may see of a contest and its published results into a folder."""
    # Nobody in particular: what this viewer sees is fit for all.
    viewer = Viewer(contest, None, None, None, ALL_SCOPES, database_now(session))
    shown = show_contest(session, viewer)
    make_folder(folder)
    for name in ASSETS:
        (folder / name).write_bytes(files("sudare.web.views").joinpath("static", name).read_bytes())
    (folder / "index.html").write_text(_page(LANGUAGES[0], "site_start.html", contest=shown), "utf-8")
    published = [round for round in shown.rounds if round.results_open]
    for language in LANGUAGES:
        make_folder(folder / language)
        index = _page(language, "site_contest.html", contest=shown, published=published, page="index.html")
        (folder / language / "index.html").write_text(index, "utf-8")
    for round in published:
        for name, text in _round_files(session, viewer, shown, round):
            (folder / name).write_text(text, "utf-8")


def _round_files(
    session: Session, viewer: Viewer, contest: ShownContest, round: ShownRound
) -> Iterator[tuple[str, str]]:
    results = show_results(session, viewer, session.get_one(Round, round.id))
    for language in LANGUAGES:
        page = f"round-{round.position}.html"
        values = result_values(results, language)
        text = _page(language, "site_results.html", contest=contest, round=round, page=page, **values)
        yield f"{language}/{page}", text
    yield f"standings-{round.position}.csv", standings_csv(results)
    yield f"attacks-{round.position}.csv", attacks_csv(results)


def _page(language: Language, template: str, **values: object) -> str:
    return environment(language).get_template(template).render(**values)
