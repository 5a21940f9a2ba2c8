"""A team's history as a chart: of its own valid submissions, for itself alone."""

from __future__ import annotations

from tests.web.conftest import RunningServer, log_in
from tests.web.small_contest import SmallContest, anonymized

ABOUT = "U of your valid submissions"


def test_a_team_sees_its_own_submissions_as_a_chart_and_nobody_elses(
    small: SmallContest, running: RunningServer
) -> None:
    running.start("web")
    path = f"/rounds/{small.round}"
    small.submit("blue", anonymized(dates=False, items=False))
    small.submit("blue", anonymized()[:-10])
    small.submit("green", anonymized(dates=False))
    small.work()
    blue, green = log_in(running, "blue"), log_in(running, "green")
    assert ABOUT not in blue.get(path).text  # one point is no history
    small.submit("blue", anonymized(dates=False))
    small.work()
    page = blue.get(path).text
    assert ABOUT in page and "(Asia/Tokyo)" in page
    assert "submission 1: U 0.5000, submission 3: U 0.2500" in page
    assert " style=" not in page
    assert ABOUT not in green.get(path).text
    assert ABOUT not in log_in(running, "organizer").get(path).text
    assert "提出物 1: U 0.5000" in blue.get(f"{path}?lang=ja").text
