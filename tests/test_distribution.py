"""What is given to others: a wheel and a source distribution that have all they need, and work where nothing else is.

The wheel is the one for all platforms, so that no kernel is compiled here: kernels that the tests have compiled serve
it too, since their sources are the same.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path
from types import SimpleNamespace

import pytest
import trove_classifiers
import yaml

import sudare

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "sudare"
# What lies in the package's folder while somebody works, and is made again where it is installed.
MADE = ("__pycache__", "compiled")
# Where no file of the checkout is found by accident, whoever calls.
HIDDEN = {"PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", "PYTEST_ADDOPTS"}
ROWS = "sex,age,job\n" + "".join(f"{'fm'[n % 2]},{30 + 10 * (n // 2 % 2)},{'ab'[n // 4 % 2]}\n" for n in range(40))


def run(*words: object, folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command without the settings of this environment."""
    inherited = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    return subprocess.run(
        [*map(str, words)], cwd=folder, env={**inherited, **variables}, capture_output=True, text=True,
        encoding="utf-8", check=False,
    )  # fmt: skip


def sources() -> set[str]:
    """Return all files of the package, by their paths from `src`."""
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and not set(MADE) & set(path.parts))
    return {path.relative_to(PACKAGE.parent).as_posix() for path in files}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The source distribution, and the wheel that is built from that, as `./dev build --pure` builds them."""
    folder = tmp_path_factory.mktemp("dist")
    done = run(
        sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT,
        folder=folder, SUDARE_PURE_WHEEL="1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    [wheel], [archive] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return SimpleNamespace(wheel=wheel, archive=archive)


@pytest.fixture(scope="module")
def installed(dist: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment that has the wheel and what it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    made = run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    assert made.returncode == 0, made.stderr
    commands = folder / "venv" / "bin"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", commands / "python")
    constraints = ROOT / "constraints.txt"
    # Modules are compiled when they are imported: most of them never are here.
    done = run(*pip, "install", "-q", "--no-compile", "-c", constraints, dist.wheel, folder=folder)
    if done.returncode:
        small = next(line for line in constraints.read_text().splitlines() if line.startswith("mdurl=="))
        reached = run(
            *pip, "download", "-q", "--no-deps", "--no-cache-dir", "-d", folder / "reached", small, folder=folder
        )
        if reached.returncode:
            pytest.skip("no index of packages can be reached, so nothing can be installed")
        raise AssertionError(done.stderr)
    return commands


def names(dist: SimpleNamespace) -> set[str]:
    with zipfile.ZipFile(dist.wheel) as wheel:
        return set(wheel.namelist())


def metadata(dist: SimpleNamespace) -> Message:
    with zipfile.ZipFile(dist.wheel) as wheel:
        [name] = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_string(wheel.read(name).decode("utf-8"))


@pytest.mark.slow
def test_the_wheel_has_the_whole_package_and_nothing_else(dist: SimpleNamespace) -> None:
    about = f"sudare-{sudare.__version__}.dist-info/"
    packed = names(dist)
    assert {name for name in packed if not name.startswith(about)} == sources()
    assert {name.removeprefix(about) for name in packed if name.startswith(about)} == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip
    endings = {Path(name).suffix for name in packed if name.startswith("sudare/")}
    assert endings >= {".toml", ".json", ".html", ".css", ".js", ".svg", ".mako", ".pyi"}
    assert "sudare/py.typed" in packed


@pytest.mark.slow
def test_the_source_distribution_has_what_builds_the_wheel_and_what_people_read(dist: SimpleNamespace) -> None:
    with tarfile.open(dist.archive) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in packed if not name.startswith("src/")} == {
        "CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE", "README.ja.md",
        "README.md", "SECURITY.md", "constraints.txt", "hatch_build.py", "pyproject.toml", ".gitignore", "PKG-INFO",
    }  # fmt: skip
    assert {name for name in packed if name.startswith("src/")} == {f"src/{name}" for name in sources()}


@pytest.mark.slow
def test_the_metadata_say_what_it_is(dist: SimpleNamespace) -> None:
    told = metadata(dist)
    assert (told["Name"], told["Version"]) == ("sudare", sudare.__version__)
    assert (told["License-Expression"], told.get_all("License-File")) == ("Apache-2.0", ["LICENSE"])
    classifiers = set(told.get_all("Classifier") or ())
    assert classifiers <= trove_classifiers.classifiers
    assert classifiers >= {"Typing :: Typed", "Natural Language :: English", "Natural Language :: Japanese"}
    assert told["Description-Content-Type"] == "text/markdown"
    assert str(told.get_payload()).startswith("# sudare")
    assert dist.wheel.name == f"sudare-{sudare.__version__}-py3-none-any.whl"


@pytest.mark.slow
def test_the_package_is_imported_from_where_it_was_installed(installed: Path, tmp_path: Path) -> None:
    code = "import sudare, sudare.gate.run; print(sudare.__file__, sudare.gate.run.__file__, sep='\\n')"
    done = run(installed / "python", "-c", code, folder=tmp_path)
    found = [Path(line) for line in done.stdout.splitlines()]
    assert len(found) == 2, done.stderr
    assert all(installed.parent in path.parents for path in found)
    told = run(installed / "sudare", "--version", folder=tmp_path)
    assert (told.returncode, told.stdout.split()[-1]) == (0, sudare.__version__)


@pytest.mark.slow
def test_the_demonstration_runs_where_it_was_installed(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "sudare", "demo", "shown", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    reports = sorted(path.name for path in (tmp_path / "shown").glob("*report.html"))
    assert len(reports) == 5
    assert all("</html>" in (tmp_path / "shown" / name).read_text(encoding="utf-8") for name in reports)


@pytest.mark.slow
def test_the_gate_runs_where_it_was_installed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(ROWS)
    made = run(installed / "sudare", "gate", "init", "people.csv", "-o", "policy.toml", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    words = ("gate", "run", "policy.toml", "--report", "gate.html", "--json")
    done = run(installed / "sudare", *words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    # Each of the eight combinations is there five times.
    values = {check["measure"]: check["value"] for check in json.loads(done.stdout)["checks"]}
    assert (values["highest-risk"], values["uniques"]) == (1 / 5, 0)
    policy = tmp_path / "policy.toml"
    policy.write_text(policy.read_text(encoding="utf-8").replace("fail = 0.2", "fail = 0.1"), encoding="utf-8")
    assert run(installed / "sudare", *words, "--lang", "ja", folder=tmp_path).returncode == 3
    assert 'lang="ja"' in (tmp_path / "gate.html").read_text(encoding="utf-8")


def test_the_citation_is_valid_and_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    told = yaml.safe_load(text)
    # The keys that version 1.2.0 of the format requires, and others that it has.
    assert {"cff-version", "message", "title", "authors"} <= set(told)
    assert set(told) <= {
        "cff-version", "message", "type", "title", "abstract", "authors", "version", "license", "keywords",
    }  # fmt: skip
    assert all(isinstance(told[name], str) and told[name] for name in set(told) - {"authors", "keywords"})
    assert (told["cff-version"], told["type"], told["version"]) == ("1.2.0", "software", sudare.__version__)
    assert told["authors"] == [{"name": "The sudare authors"}]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [told[name] for name in ("title", "license", "keywords", "authors")] == [
        project[name] for name in ("name", "license", "keywords", "authors")
    ]


@pytest.mark.parametrize("page", ["SECURITY.md", "CODE_OF_CONDUCT.md"])
def test_pages_for_people_name_files_and_commands_that_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for file in re.findall(r"\]\(([^)]+)\)|`([\w/.-]+\.(?:md|toml|py))`", text):
        assert (ROOT / (file[0] or file[1])).is_file()
