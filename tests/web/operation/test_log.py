"""The log: one JSON object a line if it is so set, and neither data nor secrets in any of them."""

from __future__ import annotations

import datetime as dt
import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from sudare.errors import OptionNotUsable
from sudare.web.http.app import make_app
from sudare.web.jobs.worker import Worker
from sudare.web.operation.log import JsonLines, Log
from sudare.web.settings import ServerSettings, load_settings
from tests.web.http.test_fault_answers import SECRET, asked
from tests.web.small_contest import SmallContest, anonymized


def lines(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return what was logged; every line is an object with a moment, a level and an event."""
    found = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    for line in found:
        assert dt.datetime.fromisoformat(line.pop("time")).utcoffset() == dt.timedelta(0)
        assert line["level"] in ("info", "warning")
    return found


def test_requests_and_faults_are_one_object_each(small: SmallContest, capfd: pytest.CaptureFixture[str]) -> None:
    def fail(name: str) -> None:
        raise KeyError(name)

    settings = replace(small.settings, log_format="json", log_level="info")
    app = make_app(settings)
    app.add_api_route("/fails/{name}", fail)
    capfd.readouterr()
    asked(app, f"/invitations/{SECRET}", Authorization=f"Bearer {SECRET}", Cookie=f"sudare_session={SECRET}")
    asked(app, f"/fails/{SECRET}?name={SECRET}")
    app.state.server.database.close()
    refused, ended, failed = lines(capfd)
    seconds = [line.pop("seconds") for line in (refused, ended)]
    assert all(0 <= taken < 60 for taken in seconds)
    told = {"event": "request", "level": "info", "method": "GET"}
    assert refused == {**told, "route": "/invitations/{token}", "status": 410}
    assert ended == {**told, "route": "/fails/{name}", "status": 500}
    assert (failed["event"], failed["error"], failed["status"]) == ("request_failed", "KeyError", 500)
    assert "in fail" in failed["places"]
    assert SECRET not in str([refused, ended, failed])


def test_jobs_are_told_by_number_and_kind(small: SmallContest, capfd: pytest.CaptureFixture[str]) -> None:
    small.submit("blue", anonymized())
    capfd.readouterr()
    worker = Worker(replace(small.settings, log_format="json", log_level="info"), small.database, small.files)
    worker.work_off()
    worker.close()
    jobs = [line for line in lines(capfd) if line.get("kind") == "anonymized"]
    assert [line["event"] for line in jobs] == ["job_begun", "job_ended"]
    assert jobs[1]["failure"] is None
    assert "blue" not in str(jobs)


def test_what_fails_is_told_at_any_level_what_was_done_only_if_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    for level, expected in (("warning", ["failed"]), ("info", ["done", "failed"])):
        log = Log("json", level)
        log.info("done", number=1)
        log.warning("failed", "it failed")
        assert [line["event"] for line in lines(capfd)] == expected
    Log("text").warning("failed", "it failed\n")
    assert capfd.readouterr().err == "sudare: it failed\n"


def test_what_the_web_server_says_has_the_same_form_and_no_message_of_an_error() -> None:
    try:
        raise KeyError(SECRET)
    except KeyError as error:
        record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 1, "It broke", None, (KeyError, error, None))
    told = json.loads(JsonLines().format(record))
    assert (told["event"], told["level"], told["message"]) == ("web_server", "error", "It broke")
    assert "KeyError" in told["error"]
    assert SECRET not in str(told)
    other = logging.LogRecord("asyncio", logging.ERROR, "", 1, f"Task {SECRET}", None, None)
    assert SECRET not in JsonLines().format(other)


def test_a_form_that_is_not_known_is_told(settings: ServerSettings) -> None:
    path = settings.folder / "settings.toml"
    path.write_text(path.read_text().replace('log_format = "text"', 'log_format = "xml"'))
    with pytest.raises(OptionNotUsable, match="log_format"):
        load_settings(settings.folder)
