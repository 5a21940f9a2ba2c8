"""Every refusal, every action of the audit log and every kind of job has its text."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import sudare.web
from sudare.errors import SourceNotReadable
from sudare.messages import Texts, catalogue
from sudare.web.game.accounts import SCOPES
from sudare.web.game.phases import PHASES, TIMES
from sudare.web.game.refusals import Refused, Retold, not_there
from sudare.web.jobs.registry import KINDS
from sudare.web.storage.models import JOB_STATUSES, ROLES, STATUSES

SOURCES = "".join(path.read_text(encoding="utf-8") for path in Path(sudare.web.__path__[0]).rglob("*.py"))


def keys(table: str) -> set[str]:
    return {key.removeprefix(f"web.{table}.") for key in catalogue("en") if key.startswith(f"web.{table}.")}


def test_every_refusal_has_its_text_and_is_used() -> None:
    named = set(re.findall(r'"(errors\.(?:requests|accounts|contests|submissions)\.\w+)"', SOURCES))
    known = {key.removesuffix(".one").removesuffix(".other") for key in catalogue("en")}
    tables = ("errors.requests.", "errors.accounts.", "errors.contests.", "errors.submissions.")
    assert named == {key for key in known if key.startswith(tables)}
    assert re.findall(r'raise Refused\((?!\s*"errors\.).*', SOURCES) == []


def test_no_two_refusals_have_one_code() -> None:
    codes = [key.rpartition(".")[2] for key in set(re.findall(r'Refused\(\s*"([\w.]+)"', SOURCES))]
    assert len(codes) == len(set(codes))


def test_every_action_of_the_audit_log_has_its_text() -> None:
    actions = set(re.findall(r'record\(\s*session,\s*[\w.]+,\s*"(\w+)"', SOURCES)) | {
        "unfreeze",
        "forbid_preview",
        "enable",
    }
    assert actions == keys("action")


def test_words_of_the_tables_have_their_texts() -> None:
    assert set(KINDS) == keys("job")
    assert set(JOB_STATUSES) == keys("job_status")
    assert {*STATUSES, "wait"} == keys("status")
    assert set(ROLES) == set(SCOPES) == keys("role")
    assert {scope for scopes in SCOPES.values() for scope in scopes} == keys("scope")
    assert set(PHASES) == keys("phase")
    assert set(TIMES) == keys("time")


def test_every_detail_of_the_audit_log_has_its_text() -> None:
    records = re.findall(r"\brecord\((.*?)\)\n", SOURCES, re.DOTALL)
    names = {name for record in records for name in re.findall(r"(\w+)=", record)} - {"contest_id"}
    names |= {"address"}  # in entries of older servers
    assert names == keys("detail")


def test_a_refusal_speaks_both_languages() -> None:
    refused = Refused("errors.submissions.quota_used", 429, count=3)
    assert (refused.code, refused.status) == ("quota_used", 429)
    assert str(refused) == "You have used all 3 uploads for today."
    assert "3回" in refused.text(Texts("ja"))
    assert not_there().status == 404


def test_a_refusal_comes_back_from_another_process() -> None:
    refused = pickle.loads(pickle.dumps(Refused("errors.requests.too_large", 413, most=1000)))
    assert (refused.status, str(refused)) == (413, "The upload is larger than the limit of 1,000 bytes.")


def test_an_error_about_a_kept_file_is_told_with_the_name_that_people_know() -> None:
    reason = SourceNotReadable("errors.server.no_server", folder="/kept/files/ab/abcd")
    refused = Refused("errors.contests.bad_rules", 422, problem=Retold(reason, Path("/kept/files/ab/abcd"), "TOML"))
    assert str(refused).startswith("The rules cannot be used. TOML is not the folder of a server.\nHint: ")
    assert "TOML はサーバーのフォルダーではありません。\nヒント: " in refused.text(Texts("ja"))
