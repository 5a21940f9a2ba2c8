"""Every refusal, every action of the audit log and every kind of job has its text."""

from __future__ import annotations

import re
from pathlib import Path

import sudare.web
from sudare.messages import Texts, catalogue
from sudare.web.game.accounts import SCOPES
from sudare.web.game.phases import PHASES, TIMES
from sudare.web.game.refusals import Refused, not_there
from sudare.web.jobs.registry import KINDS
from sudare.web.storage.models import JOB_STATUSES, ROLES, STATUSES

SOURCES = "".join(path.read_text(encoding="utf-8") for path in Path(sudare.web.__path__[0]).rglob("*.py"))


def keys(table: str) -> set[str]:
    return {key.removeprefix(f"web.{table}.") for key in catalogue("en") if key.startswith(f"web.{table}.")}


def test_every_code_of_a_refusal_has_its_text_and_is_used() -> None:
    codes = set(re.findall(r'Refused\(\s*"(\w+)"', SOURCES)) | set(re.findall(r'\d{3}: "(\w+)"', SOURCES))
    codes |= {"not_anonymization", "not_reidentification", "bad_request"}
    assert codes | {"title"} == keys("error")


def test_every_action_of_the_audit_log_has_its_text() -> None:
    actions = set(re.findall(r'record\(\s*session,\s*[\w.]+,\s*"(\w+)"', SOURCES)) | {"unfreeze", "forbid_preview"}
    assert actions == keys("action")


def test_words_of_the_tables_have_their_texts() -> None:
    assert set(KINDS) == keys("job")
    assert set(JOB_STATUSES) == keys("job_status")
    assert {*STATUSES, "wait"} == keys("status")
    assert set(ROLES) == set(SCOPES) == keys("role")
    assert {scope for scopes in SCOPES.values() for scope in scopes} == keys("scope")
    assert set(PHASES) == keys("phase")
    assert set(TIMES) == keys("time")


def test_a_refusal_speaks_both_languages() -> None:
    refused = Refused("quota_used", 429, most=3)
    assert str(refused) == "All 3 uploads of today are used."
    assert "3 回" in refused.said(Texts("ja"))
    assert not_there().status == 404
