"""What a contest says of itself: description, announcements, rules in words and as a file, times that count down."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from sudare.histories.generalized.rule_sets import load_rules
from sudare.messages import LANGUAGES, Texts
from sudare.web.game.announcements import MOST_ANNOUNCEMENTS, MOST_TEXT_LETTERS, announce, describe
from sudare.web.game.contests import rules_text
from sudare.web.game.refusals import Refused
from sudare.web.storage.models import Announcement, AuditEntry, Contest
from sudare.web.views.rules_words import rules_columns, rules_sentences
from sudare.web.views.site import write_site
from tests.web.conftest import Masters, RunningServer, csrf, log_in, new_settings
from tests.web.small_contest import SmallContest

ROLES = ("organizer", "blue", "observer", "outsider", None)
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def served(running: RunningServer, small: SmallContest) -> RunningServer:
    running.start("web")
    return running


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory, masters: Masters) -> Iterator[SmallContest]:
    """A contest on SQLite for tests that change little."""
    found = masters.copy_contest(new_settings(tmp_path_factory.mktemp("contest-pages") / "server"))
    yield found
    found.database.close()


def post(server: RunningServer, name: str, path: str, **fields: str) -> int:
    client = log_in(server, name)
    return client.post(path, data={"csrf": csrf(client.get("/account")), **fields}).status_code


def test_organizers_describe_and_announce_and_everybody_in_the_contest_reads(
    small: SmallContest, served: RunningServer
) -> None:
    home = f"/contests/{small.contest}"
    assert post(served, "organizer", f"{home}/description", text=f"The **main** cup. {EVIL}") == 303
    assert post(served, "organizer", f"{home}/announcements", title=f"Moved {EVIL}", text="See *below*.") == 303
    assert post(served, "organizer", f"{home}/announcements", title="Second", text="") == 303
    for name in ("organizer", "blue", "observer"):
        text = log_in(served, name).get(home).text
        assert "<strong>main</strong>" in text and "<em>below</em>" in text
        assert text.count("<script") == 1 and text.count("&lt;script") == 2
        assert text.index("Second") < text.index("Moved")
    api = served.client(small.token("blue", "read"), "/api/v1").get("/contest").json()
    assert api["description"].startswith("The **main** cup.")
    assert [entry["title"] for entry in api["announcements"]] == ["Second", f"Moved {EVIL}"]
    with small.database.reading() as session:
        actions = session.scalars(select(AuditEntry.action).order_by(AuditEntry.id.desc()).limit(20)).all()
        last = session.scalars(select(Announcement.id).order_by(Announcement.created_at.desc())).first()
    assert actions.count("announce") == 2 and actions.count("describe") == 1
    assert post(served, "organizer", f"{home}/announcements/{last}/withdraw") == 303
    assert "Second" not in log_in(served, "blue").get(home).text
    assert "withdraw" in log_in(served, "organizer").get(f"{home}/audit").text


def test_nobody_else_describes_announces_or_withdraws(small: SmallContest, served: RunningServer) -> None:
    home = f"/contests/{small.contest}"
    with small.database.writing() as session:
        identity = announce(session, small.viewer(session, "organizer"), "Here", "").id
    for path, fields in (
        (f"{home}/description", {"text": "x"}),
        (f"{home}/announcements", {"title": "x"}),
        (f"{home}/announcements/{identity}/withdraw", {}),
    ):
        assert [post(served, name, path, **fields) for name in ("blue", "observer", "outsider")] == [403, 403, 404]
    assert post(served, "organizer", f"{home}/announcements/nothing/withdraw") == 404
    team = served.client(small.token("blue", "read", "submit"), "/api/v1")
    reading = served.client(small.token("organizer", "read"), "/api/v1")
    for client in (team, reading):
        assert client.put("/description", json={"text": "x"}).status_code == 403
        assert client.post("/announcements", json={"title": "x"}).status_code == 403
        assert client.delete(f"/announcements/{identity}").status_code == 403
    api = served.client(small.token("organizer", "read", "organize"), "/api/v1")
    assert api.put("/description", json={"text": "x"}).status_code == 204
    made = api.post("/announcements", json={"title": "By program", "text": "y"}).json()
    assert api.delete(f"/announcements/{made['id']}").status_code == 204
    with small.database.reading() as session:
        assert session.scalars(select(Announcement.id)).all() == [identity]
        assert session.get_one(Contest, small.contest).description == "x"


def test_texts_have_a_bound(small: SmallContest, served: RunningServer) -> None:
    longest = "\N{HIRAGANA LETTER A}" * MOST_TEXT_LETTERS
    client = log_in(served, "organizer")
    secret = csrf(client.get("/account"))
    path = f"/contests/{small.contest}/description"
    # As the page sends it, in parts.
    sent = client.post(path, data={"csrf": secret, "text": longest}, files={"none": ("", b"")})
    assert sent.status_code == 303
    with small.database.writing() as session:
        assert session.get_one(Contest, small.contest).description == longest
        viewer = small.viewer(session, "organizer")
        with pytest.raises(Refused):
            describe(session, viewer, longest + "x")
        with pytest.raises(Refused):
            announce(session, viewer, "x" * 81, "")


def test_announcements_have_a_bound(lasting: SmallContest) -> None:
    with lasting.database.writing() as session:
        viewer = lasting.viewer(session, "organizer")
        for number in range(MOST_ANNOUNCEMENTS):
            fields = {"contest_id": viewer.contest.id, "created_by": viewer.actor.id, "created_at": viewer.now}
            session.add(Announcement(title=str(number), text="", **fields))
        session.flush()
        with pytest.raises(Refused, match="already 200"):
            announce(session, viewer, "one more", "")
        session.rollback()


def test_rules_are_told_in_words_and_as_the_file_that_holds(small: SmallContest, served: RunningServer) -> None:
    home = f"/contests/{small.contest}"
    found = {}
    for name in ROLES:
        client = log_in(served, name) if name else served.client()
        found[name] = (client.get(f"{home}/rules").status_code, client.get(f"{home}/rules.toml").status_code)
    assert found == {**dict.fromkeys(ROLES[:3], (200, 200)), **dict.fromkeys(ROLES[3:], (404, 404))}
    client = log_in(served, "blue")
    page = client.get(f"{home}/rules").text
    assert "2010/1/1 to 2011/12/31" in page and "0.01 to 99,999.99" in page and "at most 9 digits" in page
    assert "probability 1/3" in page and "below 0.0005" in page
    sent = client.get(f"{home}/rules.toml")
    assert tomllib.loads(sent.text)["name"] == "pwscup2018"
    assert sent.headers["content-disposition"] == 'attachment; filename="rules.toml"'
    api = served.client(small.token("observer", "read"), "/api/v1")
    assert api.get("/rules").text == sent.text
    own = sent.text.replace("most_items = 100", "most_items = 7").replace("2011/12/31", "2012/1/2")
    with small.database.writing() as session:
        session.get_one(Contest, small.contest).rules = small.keep(own).hash
    page = client.get(f"{home}/rules").text
    assert "at most 7 items" in page and "2010/1/1 to 2012/1/2" in page
    assert client.get(f"{home}/rules.toml").text == own


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_kinds_of_columns_have_words(language: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    rules = load_rules()
    columns = list(rules_columns(texts, rules))
    assert len(columns) == len(rules.columns) and all(allowed for _, allowed in columns)
    assert len(rules_sentences(texts, rules)) == 6


def test_times_count_down_by_the_servers_clock_and_stand_there_without_script(
    small: SmallContest, served: RunningServer
) -> None:
    client = log_in(served, "blue")
    for path in (f"/contests/{small.contest}", f"/rounds/{small.round}"):
        text = client.get(path).text
        found = re.search(
            r'<time datetime="([^"]+)">[^<]+</time> <span [^>]*data-until="([^"]+)" data-now="([^"]+)"></span>',
            text,
        )
        assert found and found[1] == found[2] > found[3], path
    assert client.get(f"/contests/{small.contest}").text.count("<time ") == 5


def test_the_archive_has_the_description_and_the_text_of_rules(lasting: SmallContest, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    with lasting.database.writing() as session:
        contest = session.get_one(Contest, lasting.contest)
        contest.description = f"All about **it** {EVIL}"
        write_site(session, contest, folder)
        assert rules_text(lasting.files, contest).startswith("# PWSCUP")
    for language in LANGUAGES:
        page = (folder / language / "index.html").read_text(encoding="utf-8")
        assert "<strong>it</strong>" in page and EVIL not in page
