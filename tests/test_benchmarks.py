"""How benchmarks are run and their results kept; no benchmark is run."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import polars
import pytest

import sudare
from sudare.tables.roles import find_roles

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"

# A benchmark that returns at once; each run finds half of what the one before took.
QUICK = """\
from measuring import NotRun
from results import Found, Line

TITLE = "Quick (a test, 1 x)"
PACKAGES = ("polars", "pycanon")
runs = []


def run():
    runs.append(1)
    if len(runs) > 2:
        raise NotRun("the data are missing")
    ours = 1 / len(runs)
    return Found(f"Took {ours} s.", (Line("Quick work", ours, {"slow way": 5.0, "known way": 2.0}, exponent=1.5),))
"""
OTHER = """\
from results import Found, Line

TITLE = "Other"
PACKAGES = ()


def run():
    lines = (Line("Other work", 0.25), Line("Loss", 0.5, {"blind": 0.4}, unit="U"))
    return Found("| a |\\n|---|\\n| 1 |\\n\\nMore.", lines)
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The command with two small benchmarks on an idle machine; `before` and `during` are the cores others use."""
    (tmp_path / "quick_benchmark.py").write_text(QUICK)
    (tmp_path / "other_benchmark.py").write_text(OTHER)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("quick_benchmark", "other_benchmark"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    machine, results = import_module("machine"), import_module("results")
    path = tmp_path / "RESULTS.md"
    load = SimpleNamespace(before=0.03, during=0.04)
    monkeypatch.setattr(machine, "cores_of_others", lambda: load.before)
    monkeypatch.setattr(machine.Watch, "others", lambda _: load.during)
    monkeypatch.setattr(machine, "commit", lambda: "commit 1234567 with changes")
    monkeypatch.setattr(machine, "version_of", lambda name: f"{name}'s version")
    command = runpy.run_path(str(BENCHMARKS / "__main__.py"))
    variables = command["main"].__globals__
    variables.update(NAMES=("quick_benchmark", "other_benchmark"), RESULTS=path)
    return SimpleNamespace(main=command["main"], path=path, load=load, results=results)


def test_a_section_has_its_own_stamp(bench: SimpleNamespace) -> None:
    assert bench.main(["quick_benchmark"]) == 0
    stamp = bench.results.read(bench.path)["quick_benchmark"].stamp
    assert stamp.startswith("Measured 20")
    for said in (
        " UTC at commit 1234567 with changes; Python 3.",
        "sudare sudare's version, ",
        "polars polars's version, pycanon pycanon's version; ",
        " cores, load average ",
        "; other processes used 0.03 cores before it began and 0.04 while it ran.",
    ):
        assert said in stamp
    assert "**" not in stamp


def test_sections_that_are_not_run_stay_as_they_are(bench: SimpleNamespace) -> None:
    assert bench.main([]) == 0
    before = {name: str(section) for name, section in bench.results.read(bench.path).items()}
    bench.load.before = 0.01
    assert bench.main(["quick_benchmark"]) == 0
    after = {name: str(section) for name, section in bench.results.read(bench.path).items()}
    assert list(before) == list(after) == ["quick_benchmark", "other_benchmark"]
    assert after["other_benchmark"] == before["other_benchmark"]
    assert "Took 1.0 s." in before["quick_benchmark"]
    assert "Took 0.5 s." in after["quick_benchmark"]
    assert "used 0.01 cores before" in after["quick_benchmark"]
    assert after["other_benchmark"] in bench.path.read_text()


def test_the_summary_is_made_of_what_all_sections_keep(bench: SimpleNamespace) -> None:
    assert bench.main([]) == 0
    assert bench.main(["quick_benchmark"]) == 0
    head = bench.path.read_text().split("\n## ")[0]
    rows = [line for line in head.splitlines() if line.startswith("|")]
    assert rows[2:] == [
        "| Quick work | 0.5 s | known way, 2 s | 4 x | rows^1.50 | [quick_benchmark](#quick-a-test-1-x) |",
        "| Other work | 0.25 s | none measured |  |  | [other_benchmark](#other) |",
        "| Loss | 0.5 U | blind, 0.4 U | 0.8 x |  | [other_benchmark](#other) |",
    ]


def test_a_loaded_machine_is_refused(bench: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["other_benchmark"]) == 0
    before = bench.path.read_bytes()
    bench.load.before = 1.25
    assert bench.main([]) == 2
    [message] = capsys.readouterr().err.splitlines()
    assert "quick_benchmark was not measured: other processes use 1.25 of" in message
    assert "--loaded" in message
    assert bench.path.read_bytes() == before


def test_a_loaded_machine_is_told_where_it_is_allowed(bench: SimpleNamespace) -> None:
    bench.load.before = 1.25
    assert bench.main(["--loaded", "other_benchmark"]) == 0
    section = bench.results.read(bench.path)["other_benchmark"]
    assert section.loaded
    assert "used 1.25 cores before" in section.stamp
    assert section.stamp.endswith("**Measured on a loaded machine.**")
    assert "[other_benchmark](#other) (loaded machine)" in bench.path.read_text()


def test_load_that_arises_is_marked_and_stops_what_follows(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.load.during = 0.7
    loads = iter((0.0, 0.7))
    monkeypatch.setattr(sys.modules["machine"], "cores_of_others", lambda: next(loads))
    assert bench.main([]) == 2
    [section] = bench.results.read(bench.path).values()
    assert section.name == "quick_benchmark"
    assert section.loaded
    assert section.stamp.endswith("and 0.70 while it ran. **Load arose while it ran.**")


def test_a_benchmark_whose_data_are_missing_keeps_its_section(
    bench: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(["quick_benchmark"]) == bench.main(["quick_benchmark"]) == 0
    before = str(bench.results.read(bench.path)["quick_benchmark"])
    assert bench.main([]) == 2
    assert "its section stays as it is: the data are missing" in capsys.readouterr().err
    found = bench.results.read(bench.path)
    assert str(found["quick_benchmark"]) == before
    assert "other_benchmark" in found


def test_an_unknown_benchmark_is_refused(bench: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["quick_benchmark", "slow"]) == 2
    assert "There is no benchmark 'slow'; there are: quick_benchmark, other_benchmark" in capsys.readouterr().err
    assert not bench.path.exists()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("machine")


def test_a_watch_tells_what_others_use(machine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {"busy": 100.0, "own": 40.0, "now": 10.0}
    monkeypatch.setattr(machine, "busy_seconds", lambda: clock["busy"])
    monkeypatch.setattr(machine, "own_seconds", lambda: clock["own"])
    monkeypatch.setattr(machine, "time", SimpleNamespace(monotonic=lambda: clock["now"]))
    watch = machine.Watch()
    clock.update(busy=107.0, own=43.0, now=14.0)
    assert watch.others() == 1.0
    # Clocks tick in hundredths of a second, so that our own time can be ahead.
    clock.update(busy=103.0, own=43.01)
    assert watch.others() == 0.0


def test_waiting_is_not_work_and_what_other_machines_take_is(
    machine: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "cpu  100 20 30 99999 88888 4 5 600 70 80\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
    monkeypatch.setattr(machine, "Path", lambda _: SimpleNamespace(read_text=lambda: text))
    monkeypatch.setattr(machine, "os", SimpleNamespace(sysconf=lambda _: 100))
    assert machine.busy_seconds() == 7.59


def test_the_time_of_processes_that_ended_is_our_own(machine: ModuleType) -> None:
    before = machine.own_seconds()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.2: pass"], check=True)
    assert machine.own_seconds() - before >= 0.2 - 0.02


def test_the_commit_and_changes_beside_the_results_are_told(
    machine: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "HERE", tmp_path / "benchmarks")
    assert machine.commit() == "an unknown commit"
    for name in ("benchmarks", "docs/explanation"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "docs" / "explanation" / "scale.md").write_text("old")
    settings = ("user.name=n", "user.email=e@example.org", "commit.gpgsign=false", "core.hooksPath=/dev/null")
    git = ["git", "-C", str(tmp_path), *(word for setting in settings for word in ("-c", setting))]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    short = subprocess.run([*git, "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True)
    assert machine.commit() == f"commit {short.stdout.strip()}"
    (tmp_path / "benchmarks" / "RESULTS.md").write_text("new")
    (tmp_path / "docs" / "explanation" / "scale.md").write_text("new")
    assert machine.commit() == f"commit {short.stdout.strip()}"
    (tmp_path / "benchmarks" / "new.py").write_text("")
    assert machine.commit() == f"commit {short.stdout.strip()} with changes"


def test_versions_are_those_here_or_of_the_rivals(machine: ModuleType) -> None:
    pins = dict(line.split("==") for line in (BENCHMARKS / "rivals.txt").read_text().split())
    assert machine.version_of("pycanon") == pins["pycanon"]
    assert machine.version_of("numpy") == import_module("numpy").__version__
    assert machine.version_of("no-such-package") == "not installed"


def test_the_results_can_be_read_and_their_summary_is_that_of_the_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    results = import_module("results")
    text = (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8")
    sections = results.read(BENCHMARKS / "RESULTS.md")
    assert set(sections) <= set(names())
    assert all(section.stamp.startswith("Measured ") for section in sections.values())
    assert all(section.found.lines for section in sections.values())
    parts = [results.HEADING, *results.summary(list(sections.values())), "", *map(str, sections.values())]
    assert text == "\n".join(parts)


def names() -> tuple[str, ...]:
    tree = ast.parse((BENCHMARKS / "__main__.py").read_text(encoding="utf-8"))
    return constants(tree)["NAMES"]


def constants(tree: ast.Module) -> dict[str, Any]:
    """The constants of a module that can be told without importing it: some benchmarks need packages of their own."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


@pytest.mark.parametrize("name", names())
def test_every_benchmark_names_the_packages_it_imports(name: str, machine: ModuleType) -> None:
    tree = ast.parse((BENCHMARKS / f"{name}.py").read_text(encoding="utf-8"))
    own = constants(tree)
    assert own["TITLE"]
    assert any(isinstance(node, ast.FunctionDef) and node.name == "run" for node in tree.body)
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    local = {path.stem for path in BENCHMARKS.glob("*.py")}
    packages = imported - set(sys.stdlib_module_names) - local
    assert packages <= {*machine.ALWAYS, *own["PACKAGES"]}


@pytest.fixture
def members(tmp_path: Path) -> Path:
    """Four records with ages and jobs, and a hierarchy of each."""
    (tmp_path / "age.csv").write_text("31;30-39;*\n34;30-39;*\n52;50-59;*\n58;50-59;*\n")
    (tmp_path / "job.csv").write_text("cook;*\nnurse;*\npilot;*\n")
    path = tmp_path / "members.csv"
    path.write_text("age;job\n52;nurse\n31;cook\n58;pilot\n34;cook\n")
    return path


@pytest.mark.parametrize(
    ("raised", "ages", "jobs"),
    [(False, {"31", "34", "52"}, {"cook", "pilot"}), (True, {"31", "34", "52", "58"}, {"cook", "nurse", "pilot"})],
)
def test_cells_of_rivals_cover_what_they_say(
    members: Path, raised: bool, ages: set[str], jobs: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    cell_tables = import_module("cell_tables")
    said = {"age": {"50-59": {"52", "58"}, "31-52": ages, "31": {"31"}}, "job": {"cook,pilot": jobs}}
    with sudare.read_table(members) as table:
        for a, name in enumerate(table.attributes):
            hierarchy = sudare.tables.read_hierarchy(members.parent / f"{name}.csv", name)
            for text, values in said[name].items():
                found = cell_tables.covered_values(table.values[a], hierarchy, raised, text)
                assert {table.values[a][code] for code in found} == values


def test_every_record_of_a_rival_keeps_its_own_values(members: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    cell_tables = import_module("cell_tables")
    # In the order of the file: the first and the third record are one class, the others another.
    cells = {"age": ["52-58", "31-34", "52-58", "31-34"], "job": ["nurse,pilot", "cook", "nurse,pilot", "cook"]}
    written = members.with_suffix(".parquet")
    polars.DataFrame(cells).write_parquet(written)
    with sudare.read_table(members) as table:
        hierarchies = table.hierarchies(members.parent)
        roles = find_roles(table, known=["age", "job"])
        found = cell_tables.read_cells(table, roles, str(members), str(written), hierarchies)
    assert sorted(found.sizes) == [2, 2]
    for column, cells_of_classes in zip(found.columns, found.cells, strict=True):
        assert column.covers(cells_of_classes[found.owner], found.codes(column.attribute)).all()


def test_the_plain_mondrian_cuts_at_the_median_and_publishes_nodes(
    members: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    median_mondrian = import_module("median_mondrian").median_mondrian
    with sudare.read_table(members) as table:
        hierarchies = table.hierarchies(members.parent)
        roles = find_roles(table, known=["age", "job"])
        found = median_mondrian(table, hierarchies, roles, k=2, diverse=None)
        whole = median_mondrian(table, hierarchies, roles, k=3, diverse=None)
        only_age = find_roles(table, known=["age"], sensitive=["job"])
        diverse = median_mondrian(table, hierarchies, only_age, k=2, diverse=2)
    assert sorted(found.columns[0].texts) == ["31,34", "52,58"]
    assert whole.classes == 1
    assert diverse.classes == 1


def test_many_records_have_the_values_of_their_source(members: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    write_records = import_module("many_records").write_records
    paths = [members.with_name(f"{number}.csv") for number in range(3)]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        write_records(members, path, records=50, seed=seed)
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()
    frame = polars.read_csv(paths[0], separator=";")
    assert len(frame) == 50
    assert set(frame["job"]) <= {"cook", "nurse", "pilot"}
    assert frame["age"].is_between(31, 58).all()
