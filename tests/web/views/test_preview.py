"""The private preview: the built-in attacks on a team's own submission."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select, update

from sudare.web.game.contests import retry_job, set_preview
from sudare.web.game.visibility import visible_round
from sudare.web.jobs.orders import enqueue
from sudare.web.jobs.queue import finish, lease_next
from sudare.web.storage.models import AuditEntry, Job, Preview, Submission
from sudare.web.views.shown_submissions import ShownSubmission, show_submission, show_submissions
from tests.web.small_contest import SmallContest, anonymized


def allow(small: SmallContest, allowed: bool = True) -> None:
    with small.database.writing() as session:
        set_preview(session, small.viewer(session, "organizer"), small.round, allowed)


def shown(small: SmallContest, name: str, identity: str) -> ShownSubmission:
    with small.database.reading() as session:
        return show_submission(session, small.viewer(session, name), session.get_one(Submission, identity))


def kinds(small: SmallContest) -> list[str]:
    with small.database.reading() as session:
        return list(session.scalars(select(Job.kind).where(Job.kind == "preview")))


def test_a_team_sees_how_the_built_in_attacks_break_its_submission(small: SmallContest) -> None:
    allow(small)
    identity = small.submit("blue", anonymized(shift=3))
    small.work()
    preview = shown(small, "blue", identity).preview
    assert preview
    assert (preview.status, preview.verdict, preview.failure) == ("done", "broken", None)
    best = next(attack for attack in preview.attacks if attack.method == "best")
    # All twelve are unique in T, and r(12) = 11.
    assert (best.outcome, best.guesses, best.hits, best.threshold, best.margin) == ("broke", 12, 12, 11, 1)
    assert (best.control_hits, best.control_threshold) == (12, 11)
    assert "best" in preview.broken_by


def test_nobody_else_sees_a_preview_not_even_the_organizer(small: SmallContest) -> None:
    allow(small)
    identity = small.submit("blue", anonymized())
    small.work()
    assert shown(small, "organizer", identity).preview is None
    with small.database.reading() as session:
        viewer = small.viewer(session, "blue")
        listed = show_submissions(session, viewer, visible_round(session, viewer, small.round)).submissions
    assert [entry.preview for entry in listed] == [None]


def test_there_is_no_preview_unless_it_is_allowed_and_the_submission_valid(small: SmallContest) -> None:
    good = small.submit("blue", anonymized())
    small.work()
    assert kinds(small) == []
    assert shown(small, "blue", good).preview is None
    allow(small)  # what would count is attacked now
    bad = small.submit("blue", "x\n")
    small.work()
    assert len(kinds(small)) == 1
    assert shown(small, "blue", bad).preview is None
    assert shown(small, "blue", good).preview is not None
    allow(small, False)
    small.submit("blue", anonymized(dates=False))
    small.work()
    assert len(kinds(small)) == 1
    with small.database.reading() as session:
        done = list(session.scalars(select(AuditEntry.action).where(AuditEntry.action.contains("preview"))))
    assert done == ["allow_preview", "forbid_preview"]


def test_a_preview_that_fails_says_so_and_can_be_tried_again(small: SmallContest) -> None:
    identity = small.submit("blue", anonymized())
    small.work()
    allow(small)
    settings = small.settings
    small.settings = replace(settings, job_seconds=0)
    small.work()
    preview = shown(small, "blue", identity).preview
    assert preview and (preview.status, preview.failure, preview.attacks) == ("failed", "time", [])
    assert shown(small, "blue", identity).status == "valid"
    with small.database.writing() as session:
        job = session.scalars(select(Job).where(Job.kind == "preview")).one()
        retry_job(session, small.viewer(session, "organizer"), job.id)
        assert session.get_one(Preview, identity).status == "queued"
    small.settings = settings
    small.work()
    again = shown(small, "blue", identity).preview
    assert again and again.status == "done"


def test_previews_wait_for_checks_and_leave_them_room(small: SmallContest) -> None:
    with small.database.writing() as session:
        session.execute(update(Job).values(status="done"))
        enqueue(session, "preview", "p1", small.contest, team_id=small.teams["blue"])
        enqueue(session, "preview", "p2", small.contest, team_id=small.teams["blue"])
        enqueue(session, "anonymized", "a1", small.contest, team_id=small.teams["blue"])
        enqueue(session, "preview", "p3", small.contest, team_id=small.teams["green"])

    def lease(*, previews: bool = True) -> str | None:
        with small.database.writing() as session:
            job = lease_next(session, "w", 60, previews=previews)
            return job.subject_id if job else None

    assert lease() == "a1"
    assert lease(previews=False) is None
    assert lease() == "p3"  # green was never served
    assert lease() == "p1"  # beside the check of the same team, but one preview at a time
    assert lease() is None
    with small.database.writing() as session:
        finish(session, session.scalars(select(Job.id).where(Job.subject_id == "p1")).one(), "w")
    assert lease() == "p2"


def test_a_change_is_against_the_valid_submission_before(small: SmallContest) -> None:
    numbers = [small.submit("blue", text) for text in (anonymized(), "x\n", anonymized(dates=False))]
    small.work()
    changes = [shown(small, "blue", identity).change for identity in numbers]
    assert changes == [None, None, 0.25]
