"""What runs the gate in other programs runs: the hook of pre-commit, the GitHub Action, the fixture of pytest.

The hook's entry is called as pre-commit calls it, and the action's steps are run as the shell scripts that they are.
The snippets of the pages are read with the real commands, hook and action.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.pages import DOCS, ROOT, blocks
from tests.test_documented_commands import refusal

COMMANDS = Path(sys.executable).parent
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
HOW_TO = [DOCS / "how-to" / "gate-a-pipeline.md", DOCS / "ja" / "how-to" / "gate-a-pipeline.md"]
# What pre-commit takes in a manifest of hooks.
HOOK_KEYS = {
    "id", "name", "entry", "language", "files", "exclude", "types", "types_or", "exclude_types", "always_run",
    "fail_fast", "verbose", "pass_filenames", "require_serial", "description", "language_version",
    "minimum_pre_commit_version", "args", "stages", "additional_dependencies",
}  # fmt: skip
POLICY = """\
[sources.people]
kind = "table"
file = "people.csv"

[[checks]]
source = "people"
measure = "smallest-class"
known = "sex, age"
fail = {least}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with six people, two of them alike: a policy that holds, one that does not, and one that is none."""
    (tmp_path / "people.csv").write_text("sex,age\nf,30\nf,30\nm,40\nm,40\nm,40\nm,40\n")
    (tmp_path / "policy.toml").write_text(POLICY.format(least=2))
    (tmp_path / "strict.toml").write_text(POLICY.format(least=3))
    (tmp_path / "broken.toml").write_text("checks = 1\n")
    return tmp_path


def run(words: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command where the commands of this environment are found first, with messages in English."""
    path = f"{COMMANDS}{os.pathsep}{os.environ['PATH']}"
    told = {**os.environ, "PATH": path, "SUDARE_LANG": "en", **variables}
    return subprocess.run(words, cwd=folder, env=told, capture_output=True, text=True, timeout=120)


# ------------------------------------------------------------------------------------------------------- pre-commit


def test_the_manifest_says_only_what_pre_commit_knows() -> None:
    assert [hook["id"] for hook in HOOKS] == ["sudare-gate"]
    (hook,) = HOOKS
    assert set(hook) <= HOOK_KEYS
    assert hook["language"] == "python"
    # The policy says which files are read; names that are passed on would be taken for policies.
    assert hook["pass_filenames"] is False
    assert set(hook["stages"]) <= {"pre-commit", "pre-push", "manual"}


@pytest.mark.parametrize(
    ("file", "runs"),
    [
        ("data/members.csv", True),
        ("sales.parquet", True),
        ("visits.dat.gz", True),
        ("policy.toml", True),
        ("gates/policy-members.toml", True),
        ("pyproject.toml", False),
        ("policy/notes.md", False),
        ("csv.py", False),
    ],
)
def test_the_hook_runs_when_data_or_a_policy_are_committed(file: str, runs: bool) -> None:
    assert bool(re.search(HOOKS[0]["files"], file)) is runs


def as_pre_commit(folder: Path, args: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    """Call the hook as pre-commit does: the entry in words, its arguments or those of the user, no names of files."""
    (hook,) = HOOKS
    return run([*shlex.split(hook["entry"]), *(hook["args"] if args is None else args)], folder, PRE_COMMIT="1")


@pytest.mark.slow
def test_the_hook_lets_pass_what_is_within_the_policy_and_stops_the_rest(project: Path) -> None:
    open_ = as_pre_commit(project)
    assert open_.returncode == 0, open_.stderr
    closed = as_pre_commit(project, ["strict.toml", "--junit", "gate.xml"])
    assert closed.returncode == 3
    assert "people: smallest-class (sex, age): fails" in closed.stdout
    assert (project / "gate.xml").is_file()


# ---------------------------------------------------------------------------------------------------- GitHub Action


def variables(step: dict[str, Any], folder: Path, **given: str) -> dict[str, str]:
    """Return the variables of a step as the runner makes them: expressions replaced by what the user gave."""
    inputs = {name: str(told["default"]) for name, told in ACTION["inputs"].items()}
    assert set(given) <= set(inputs)
    values = {f"inputs.{name}": value for name, value in {**inputs, **given}.items()}
    values["github.action_path"] = str(ROOT)
    output = folder / "github-output"
    output.touch()
    found = {
        name: re.sub(r"\$\{\{ (.*?) \}\}", lambda part: values[part[1]], text) for name, text in step["env"].items()
    }
    return {**found, "GITHUB_OUTPUT": str(output)}


def run_step(name: str, folder: Path, path: str = "", **given: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as the runner does, with `shell: bash`; `path` is looked at before all others."""
    step = STEPS[name]
    assert step["shell"] == "bash"
    script = folder / "step.sh"
    script.write_text(step["run"])
    told = variables(step, folder, **given)
    if path:
        told["PATH"] = f"{path}{os.pathsep}{os.environ['PATH']}"
    return run(["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], folder, **told)


def test_the_action_has_the_inputs_that_are_documented_and_uses_each_of_them_as_a_variable() -> None:
    assert set(ACTION["inputs"]) == {"policy", "report", "junit", "sarif", "evidence", "baseline", "version"}
    used = {value for step in STEPS.values() for value in step["env"].values()}
    assert used == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]} | {"${{ github.action_path }}"}
    assert ACTION["runs"]["using"] == "composite"


def test_no_expression_is_written_into_a_script() -> None:
    assert [name for name, step in STEPS.items() if "${{" in step["run"]] == []


@pytest.mark.slow
def test_the_action_ends_as_the_gate_does_and_writes_what_is_asked_for(project: Path) -> None:
    outputs = {"report": "gate.html", "junit": "gate.xml", "sarif": "gate.sarif", "evidence": "the evidence"}
    found = run_step("Run the gate", project, policy="strict.toml", **outputs)
    assert found.returncode == 3, found.stderr
    assert (project / "github-output").read_text() == "exit-code=3\n"
    assert all((project / name).exists() for name in outputs.values())
    assert json.loads((project / "gate.sarif").read_text())["runs"][0]["results"][0]["level"] == "error"
    assert json.loads((project / "the evidence" / "results.json").read_text())["verdict"] == "fail"


@pytest.mark.slow
def test_the_action_passes_and_compares_with_a_baseline(project: Path) -> None:
    assert run_step("Run the gate", project).returncode == 0
    assert (project / "github-output").read_text() == "exit-code=0\n"
    checks = {"people: smallest-class (sex, age)": {"measure": "smallest-class", "value": 4}}
    told = {"format": "sudare gate baseline", "version": 1, "checks": checks}
    (project / "last.json").write_text(json.dumps(told))
    worse = run_step("Run the gate", project, baseline="last.json")
    assert worse.returncode == 3
    assert "worse than before" in worse.stdout


@pytest.mark.slow
def test_the_action_tells_a_broken_policy_from_a_closed_gate(project: Path) -> None:
    found = run_step("Run the gate", project, policy="broken.toml")
    assert found.returncode == 2
    assert "broken.toml" in found.stderr


@pytest.fixture
def stub(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with commands that only write down, word by word, how they were called."""
    folder = tmp_path_factory.mktemp("stubs")
    for name in ("python", "sudare"):
        (folder / name).write_text('#!/bin/sh\nprintf "%s\\n" "${0##*/}" "$@" >> called\n')
        (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    ("version", "installed"),
    [("", str(ROOT)), ("0.1.0", "sudare==0.1.0"), ("1.0.0rc1+local", "sudare==1.0.0rc1+local"), ("installed", None)],
)
def test_the_action_installs_what_it_belongs_to_or_a_version_or_nothing(
    project: Path, stub: str, version: str, installed: str | None
) -> None:
    assert run_step("Install sudare", project, stub, version=version).returncode == 0
    called = project / "called"
    words = called.read_text().splitlines() if called.exists() else None
    assert words == (["python", "-m", "pip", "install", installed] if installed else None)


@pytest.mark.parametrize("version", ["--index-url=x", "1.0; touch owned", "$(touch owned)", "latest"])
def test_what_is_not_a_version_is_not_installed(project: Path, stub: str, version: str) -> None:
    found = run_step("Install sudare", project, stub, version=version)
    assert found.returncode == 2
    assert found.stdout.startswith("::error::")
    assert not (project / "called").exists()
    assert not (project / "owned").exists()


@pytest.mark.parametrize("name", ["policy", "report", "junit", "sarif", "evidence", "baseline"])
@pytest.mark.parametrize("text", ["$(touch owned)", "`touch owned`", '"; touch owned; "', "--help", "a  b *", "x\ny"])
def test_an_input_is_one_word_of_the_call_whatever_is_in_it(project: Path, stub: str, name: str, text: str) -> None:
    assert run_step("Run the gate", project, stub, **{name: text}).returncode == 0
    words = ["sudare", "gate", "run"]
    words += ["--", text] if name == "policy" else [f"--{name}={text}", "--", "policy.toml"]
    assert (project / "called").read_text() == "".join(f"{word}\n" for word in words)
    assert not (project / "owned").exists()


# ----------------------------------------------------------------------------------------------------------- pytest


@pytest.mark.slow
def test_the_fixture_fails_a_test_whose_gate_is_closed_and_no_other(project: Path) -> None:
    (project / "test_release.py").write_text(
        'def test_open(sudare_gate):\n    assert sudare_gate("policy.toml").verdict == "pass"\n\n\n'
        'def test_closed(sudare_gate):\n    sudare_gate("strict.toml")\n'
    )
    found = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_release.py"], project)
    assert found.returncode == 1, found.stdout
    assert "1 failed, 1 passed" in found.stdout
    assert "strict: the gate is closed." in found.stdout
    assert "$ sudare table risk" in found.stdout


# ------------------------------------------------------------------------------------------------------------ pages


def code(page: Path, language: str) -> list[str]:
    """Return the blocks of a language on a page."""
    return [block.text for block in blocks(page) if block.language == language]


@pytest.mark.parametrize("page", HOW_TO, ids=["en", "ja"])
def test_python_of_the_page_compiles_and_calls_commands_that_there_are(page: Path) -> None:
    snippets = code(page, "python")
    assert len(snippets) >= 3
    called = []
    for snippet in snippets:
        compile(snippet, page.name, "exec")
        # A command as one text for a shell, or as a list of words.
        called += [shlex.split(re.sub(r"\{\{.*?\}\}", "x", text)) for text in re.findall(r'"(sudare [^"]*)"', snippet)]
        called += [re.findall(r'"([^"]*)"', words) for words in re.findall(r'\[("sudare".*?)\]', snippet, re.DOTALL)]
    assert len(called) >= 2
    assert [refusal(words[1:]) for words in called] == [""] * len(called)


@pytest.mark.parametrize("page", HOW_TO, ids=["en", "ja"])
def test_yaml_of_the_page_uses_the_hook_and_the_action_as_they_are(page: Path) -> None:
    read = [yaml.safe_load(text) for text in code(page, "yaml")]
    (hooks,) = [one for one in read if "repos" in one]
    (used,) = hooks["repos"][0]["hooks"]
    assert used["id"] == HOOKS[0]["id"]
    assert set(used) <= HOOK_KEYS
    assert refusal([*shlex.split(HOOKS[0]["entry"])[1:], *used["args"]]) == ""
    (workflow,) = [one for one in read if "jobs" in one]
    steps = [step for job in workflow["jobs"].values() for step in job["steps"] if "sudare" in step.get("uses", "")]
    assert len(steps) == 1
    assert set(steps[0]["with"]) <= set(ACTION["inputs"])
