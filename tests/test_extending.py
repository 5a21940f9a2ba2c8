"""The extension pages of CONTRIBUTING.md, followed: each test edits a copy of the sources as its page says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sudare

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]

PURCHASES = "customer,date,item,price,quantity\n" + "".join(
    f"c{number % 4},2024-{1 + number % 12:02}-0{1 + number % 3},i{number % 5},{1 + number % 3}.5,1\n"
    for number in range(40)
)
PEOPLE = "age,sex\n" + "".join(f"{age},{sex}\n" for age, sex in zip((21, 25, 25, 31, 36, 36), "fmfmmm", strict=True))
# A server's folder with a contest of three teams in it.
SMALL_CONTEST = """
from pathlib import Path
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import Contest
from tests.web import small_contest
settings = ServerSettings(Path("server").absolute())
settings.folder.mkdir()
files, database = FileStore(settings.files), Database(settings.database_url)
files.make()
database.migrate()
small = small_contest.SmallContest(settings, database, files)
small.make()
"""


class Copy:
    """A copy of the sources that is edited and then run, in processes of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "src" / "sudare"
        shutil.copytree(Path(sudare.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))

    def change(self, path: str, old: str, new: str) -> None:
        """Put a text in place of another that stands there once."""
        file = self.package / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} has {text.count(old)} times {old!r}"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def add(self, path: str, text: str) -> None:
        (self.package / path).parent.mkdir(exist_ok=True)
        (self.package / path).write_text(text, encoding="utf-8")

    def append(self, path: str, text: str) -> None:
        """Add a text to the end of a file."""
        with (self.package / path).open("a", encoding="utf-8") as file:
            file.write(text)

    def say(self, table: str, key: str, english: str, japanese: str) -> None:
        """Add a message at the beginning of a table of the catalogue."""
        for language, text in (("en", english), ("ja", japanese)):
            files = (self.package / "messages" / language).glob("*.toml")
            (file,) = (file for file in files if f"[{table}]\n" in file.read_text(encoding="utf-8"))
            self.change(f"messages/{language}/{file.name}", f"[{table}]\n", f'[{table}]\n{key} = "{text}"\n')

    def say_new(self, name: str, english: str, japanese: str) -> None:
        """Add a file to the catalogue of each language, with tables of its own."""
        self.add(f"messages/en/{name}.toml", english)
        self.add(f"messages/ja/{name}.toml", japanese)

    def put(self, name: str, text: str) -> Path:
        """Write a file of data beside the sources."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *words: object) -> str:
        """Run Python with the edited sources in the folder of the data, and return what it prints."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.package.parent), str(ROOT)])}
        command = [sys.executable, *map(str, words)]
        found = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert found.returncode == 0, found.stderr
        return found.stdout

    def sudare(self, *words: object) -> str:
        return self.run("-c", "from sudare.cli import main; main()", *words)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_a_piece_of_knowledge_is_a_row_and_its_words(copy: Copy) -> None:
    copy.change(
        "histories/attackers/parts.py",
        '        Part("count", "visit", "rows"),\n',
        '        Part("quarter", "visit", "quarter(day)", of_days=lambda days: (_year_month(days) % 100 + 2) // 3),\n'
        '        Part("count", "visit", "rows"),\n',
    )
    copy.say("part", "quarter", "quarter", "四半期")
    copy.say("knows", "quarter", "the quarter", "四半期")
    copy.put("purchases.csv", PURCHASES)
    code = "import sudare; print(sudare.read_history('purchases.csv').knowledge('quarter + item'))"
    assert "Knows the quarter and one item of a visit." in copy.run("-c", code)
    copy.put("T.csv", "1,2011/1/10,a,1.50,1\n2,2011/4/11,b,2.50,2\n")
    copy.put("A.csv", "11,[2011/1/1;2011/3/31],a,1.50,1\n12,*,b,2.50,2\n")
    shown = copy.sudare(
        "history", "attackers", "T.csv", "--anonymized", "A.csv", "--knowledge", "quarter", "--lang", "ja"
    )
    assert "四半期" in shown


def test_a_model_of_anonymization_is_a_module_and_a_line(copy: Copy) -> None:
    copy.add(
        "histories/anonymize/dateless.py",
        '"""Publishing customers alike without any date."""\n\n'
        "from dataclasses import replace\n"
        "from typing import Any\n\n"
        "from sudare.histories.anonymize.levels import anonymize_by_levels\n"
        "from sudare.histories.anonymize.classes import AnonymizedHistory\n"
        "from sudare.histories.generalized.model import CellHistory\n\n\n"
        "def delete_dates(original: CellHistory, k: int, **search: Any) -> AnonymizedHistory:\n"
        '    """Publish every customer alike with at least k - 1 others, with no date at all."""\n'
        '    found = anonymize_by_levels(original, k, levels={"date": "all"}, **search)\n'
        '    return replace(found, model="dateless")\n',
    )
    copy.change(
        "histories/anonymize/registry.py",
        '        _model("suppression", "levels.suppress_history"),\n',
        '        _model("suppression", "levels.suppress_history"),\n'
        '        _model("dateless", "dateless.delete_dates"),\n',
    )
    copy.put("purchases.csv", PURCHASES)
    code = (
        "import sudare; print(sudare.read_history('purchases.csv').anonymize(k=2, model='dateless').publish('p.csv'))"
    )
    copy.run("-c", code)
    published = (copy.folder / "p.csv").read_text(encoding="utf-8").splitlines()
    assert len(published) > 1
    assert "2024" not in "".join(published)


def test_a_model_of_anonymization_for_tables_is_a_module_and_a_line(copy: Copy) -> None:
    copy.add(
        "tables/anonymize/everything.py",
        '"""Publishing a table as one class."""\n\n'
        "import numpy as np\n\n"
        "from sudare.tables.anonymize.registry import Ended, Request\n"
        "from sudare.tables.anonymize.weights import tree_column\n"
        "from sudare.tables.recoded.model import RecodedTable, record_rows, recoded\n\n\n"
        "def recode(request: Request) -> tuple[RecodedTable, float | None, Ended]:\n"
        '    """Give every record the highest node of each hierarchy."""\n'
        "    table, quasi = request.table, request.roles.quasi\n"
        "    values = [table.values[place] for place in table.positions(quasi)]\n"
        "    counts = [np.ones(len(of_one), np.int64) for of_one in values]\n"
        "    trees = map(tree_column, quasi, values, counts, [request.hierarchies[name] for name in quasi])\n"
        "    rows = record_rows(table)\n"
        "    owner, highest = np.zeros(len(rows), np.int32), np.zeros((len(quasi), 1), np.int32)\n"
        "    found = recoded(table, request.roles, [tree.cells for tree in trees], rows, owner, highest)\n"
        '    return found, None, "converged"\n',
    )
    copy.change(
        "tables/anonymize/registry.py",
        '        _model("levels", ',
        '        _model("everything", "everything.recode", "hierarchies", "entropy"),\n        _model("levels", ',
    )
    copy.put("people.csv", PEOPLE)
    code = (
        "import sudare\ntable = sudare.read_table('people.csv')\n"
        "found = table.anonymize(k=5, model='everything', attacks=False, utility=False)\n"
        "print(found.publish('p.csv').check.k)"
    )
    assert copy.run("-c", code) == "6\n"
    assert set((copy.folder / "p.csv").read_text(encoding="utf-8").splitlines()) == {"age,sex", "*,*"}


def test_a_loss_is_a_line_and_a_number_of_the_kernel(copy: Copy) -> None:
    copy.change(
        "kernels/tables/grouping.py",
        "ENTROPY, DISCERNIBILITY, PRECISION, CERTAINTY = range(4)",
        "ENTROPY, DISCERNIBILITY, PRECISION, CERTAINTY, HEIGHT = range(5)",
    )
    copy.change(
        "kernels/tables/grouping.py",
        "    if lattice.loss == PRECISION:\n",
        "    if lattice.loss == HEIGHT:\n        return suppressed, base\n    if lattice.loss == PRECISION:\n",
    )
    copy.change(
        "tables/anonymize/losses.py",
        "\n\nLOSSES = {",
        "\n\ndef _height(found: LeveledRows) -> float:\n"
        '    """Return the sum of the levels; what is suppressed costs nothing."""\n'
        "    return found.base\n\n\nLOSSES = {",
    )
    copy.change(
        "tables/anonymize/losses.py",
        '        Loss("precision",',
        '        Loss("height", grouping.HEIGHT, lambda column: float(column.level), _height),\n'
        '        Loss("precision",',
    )
    copy.put("people.csv", PEOPLE)
    (copy.folder / "hierarchies").mkdir()
    copy.put("hierarchies/age.csv", "21,20s,*\n25,20s,*\n31,30s,*\n36,30s,*\n")
    copy.put("hierarchies/sex.csv", "f,*\nm,*\n")
    code = (
        "import sudare\ntable = sudare.read_table('people.csv')\n"
        "files = {name: f'hierarchies/{name}.csv' for name in ('age', 'sex')}\n"
        "print(sudare.tables.find_levels(table, files, limit=0.5, loss='height'))"
    )
    assert "Loss (height): 2" in copy.run("-c", code)


def test_an_input_format_is_a_branch_of_what_is_prepared(copy: Copy) -> None:
    copy.change(
        "sources/local/prepared.py",
        "    else:\n        made = _prepare_text(file, name, options, cleanup)\n",
        '    elif file.suffix.lower() == ".jsonl":\n'
        "        made = _prepare_json_lines(file, name, cleanup)\n"
        "    else:\n        made = _prepare_text(file, name, options, cleanup)\n",
    )
    copy.change(
        "sources/local/prepared.py",
        "\n\ndef _prepare_sheet(",
        "\n\ndef _prepare_json_lines(file: Path, name: str, cleanup: ExitStack) -> Prepared:\n"
        '    """Read objects, one a line, through a temporary CSV file, by the same rules as any text."""\n'
        "    import csv\n    import json\n\n"
        '    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]\n'
        '    target = temporary_folder(cleanup) / "lines.csv"\n'
        '    with target.open("w", encoding="utf-8", newline="") as written:\n'
        "        csv.writer(written).writerows([list(rows[0]), *(list(row.values()) for row in rows)])\n"
        '    form = find_form(target, "utf-8", delimiter=",", header=True, name=name)\n'
        '    return Prepared("JSON lines", target, None, form)\n'
        "\n\ndef _prepare_sheet(",
    )
    copy.put(
        "p.jsonl",
        "".join(f'{{"customer": "{name}", "date": "2024-12-01", "item": "tea"}}\n' for name in "ab"),
    )
    code = "import sudare; print(sudare.read_history('p.jsonl').reading.format)"
    assert copy.run("-c", code).strip() == "JSON lines"
    copy.put("t.jsonl", '{"age": 1, "sex": "f"}\n{"age": 1, "sex": "m"}\n')
    assert copy.run("-c", "import sudare; print(sudare.read_table('t.jsonl').reading.rows)").strip() == "2"


def test_a_section_of_a_report_is_a_template_and_its_title(copy: Copy) -> None:
    copy.change("report/table/report.py", '    "levels", "legal",', '    "levels", "advice", "legal",')
    copy.add(
        "report/templates/table/advice.html",
        '<p>{{ t("report.table.advice.text", limit=question.limit|exact_percent) }}</p>\n',
    )
    copy.say("report.table.section", "advice", "What to do next", "次にすること")
    copy.say_new(
        "advice",
        '[report.table.advice]\ntext = "Keep every risk below {limit}."\n',
        '[report.table.advice]\ntext = "リスクを{limit}未満にする。"\n',
    )
    copy.put("people.csv", PEOPLE)
    copy.run("-c", "import sudare; sudare.read_table('people.csv').report('report.html', limit=0.25)")
    page = (copy.folder / "report.html").read_text(encoding="utf-8")
    assert "What to do next" in page
    assert "Keep every risk below 25" in page


def test_a_command_is_a_function_a_line_and_a_schema(copy: Copy) -> None:
    copy.add(
        "cli/history/days.py",
        '"""`sudare history days`: on how many days a history has purchases."""\n\n'
        "from sudare.cli.frame import JsonOption, guarded, show_json, shown_progress\n"
        "from sudare.cli.history.source import HistoryOptions\n"
        "from sudare.cli.options import taking\n\n\n"
        "@guarded\n@taking(HistoryOptions)\n"
        "def days(source: HistoryOptions, json: JsonOption = False) -> None:\n"
        '    """Count the days of a purchase history."""\n'
        "    with shown_progress() as progress, source.read(progress) as history:\n"
        "        found, = history.engine.total(f\"SELECT count(DISTINCT day) FROM {history.table('visit')}\")\n"
        "    if json:\n"
        '        show_json("days", {"days": found})\n'
        "    else:\n"
        "        print(found)\n",
    )
    copy.change("cli/app.py", "COMMANDS = {\n", 'COMMANDS = {\n    "history days": "history.days:days",\n')
    copy.say_new(
        "days",
        '[help.history.days]\nsummary = "Count the days of a history."\nexample = "sudare history days log.csv"\n',
        '[help.history.days]\nsummary = "購買履歴の日数を数えます。"\nexample = "sudare history days log.csv"\n',
    )
    copy.add(
        "schemas/days.json",
        '{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "sudare.days/1", "type": "object", '
        '"description": "The days of a history.", "additionalProperties": false, "required": ["schema", "days"], '
        '"properties": {"schema": {"const": "sudare.days/1"}, "days": {"type": "integer"}}}\n',
    )
    copy.put("purchases.csv", PURCHASES)
    assert copy.sudare("history", "days", "purchases.csv").strip() == "12"
    assert '"schema": "sudare.days/1"' in copy.sudare("history", "days", "purchases.csv", "--json")
    assert "Count the days of a history." in copy.sudare("history", "--help")
    assert "日数を数えます。" in copy.sudare("history", "days", "--help", "--lang", "ja")


def test_a_result_is_a_frozen_dataclass_of_the_base(copy: Copy) -> None:
    copy.add(
        "tables/median.py",
        '"""The record in the middle."""\n\n'
        "from sudare.results import Result\n"
        "from sudare.showing import dataclass\n\n\n"
        "@dataclass(frozen=True, slots=True)\n"
        "class MedianAge(Result):\n"
        '    """The age of the record in the middle."""\n\n'
        "    age: int\n"
        "    records: int\n",
    )
    copy.change(
        "tables/__init__.pyi",
        "from sudare.tables.model import",
        "from sudare.tables.median import MedianAge as MedianAge\nfrom sudare.tables.model import",
    )
    copy.change(
        "report/table/presentation.py",
        "TEXTS: Mapping[type, Any] = {\n",
        "TEXTS: Mapping[type, Any] = {\n    MedianAge: lambda found, texts: console().print(found.age),\n",
    )
    copy.change(
        "report/table/presentation.py",
        "from sudare.tables.population.risk import",
        "from sudare.report.terminal import console\n"
        "from sudare.tables.median import MedianAge\n"
        "from sudare.tables.population.risk import",
    )
    code = (
        "import sudare\nfound = sudare.tables.MedianAge(31, 6)\n"
        "print(found.to_dict(), found.to_frame().shape, found.text(), found._repr_html_()[:4])"
    )
    assert copy.run("-c", code).strip() == "{'age': 31, 'records': 6} (1, 2) 31 <div"


def test_an_engine_is_a_folder_and_a_name(copy: Copy) -> None:
    copy.add("engine/careful/__init__.py", '"""An engine that shows no people."""\n')
    copy.add(
        "engine/careful/engine.py",
        '"""DuckDB for data of which only counts may be seen."""\n\n'
        "from sudare.engine.duckdb import DuckDBEngine\n\n\n"
        "class CarefulEngine(DuckDBEngine):\n"
        '    """A DuckDB that lets out totals and counts, and no people."""\n\n'
        '    name = "careful"\n'
        "    shows_people = False\n",
    )
    copy.change(
        "engine/opening.py",
        "    from sudare.engine.spark.engine import SparkEngine\n\n    return SparkEngine(name",
        '    if name == "careful":\n'
        "        from sudare.engine.careful.engine import CarefulEngine\n\n"
        "        return CarefulEngine(memory=memory, threads=threads, spill=spill, min_cell=min_cell)\n"
        "    from sudare.engine.spark.engine import SparkEngine\n\n    return SparkEngine(name",
    )
    copy.put("purchases.csv", PURCHASES)
    code = (
        "import sudare\n"
        "history = sudare.read_history('purchases.csv', engine=sudare.open_engine('careful'))\n"
        "print(len(history.attackers().attackers))\n"
        "try:\n    history.values('day')\nexcept sudare.NotOnEngine as error:\n    print(error)\n"
    )
    counted, refused = copy.run("-c", code).split("\n", 1)
    assert counted == "10"
    assert "The engine careful does not show" in refused


# What the examples below are asked: for whom the sex is certain who knows the age.
POLICY = """
[gate]
legal = ["{frames}"]

[sources.people]
kind = "table"
file = "people.csv"

[[checks]]
source = "people"
"""


def test_a_measure_of_the_gate_is_a_function_and_a_line(copy: Copy) -> None:
    copy.change(
        "gate/measures/tables.py",
        "\n\ndef _k_map(",
        "\n\ndef _revealed(source: OpenTable, asked: Asked) -> Measured:\n"
        '    found = source.diversity(asked["sensitive"], asked.get("known"))\n'
        '    facts = (message("gate.fact.revealed", count=found.revealed),)\n'
        "    return Measured(found.revealed / source.collapsed.records, facts=facts)\n"
        "\n\ndef _k_map(",
    )
    copy.change(
        "gate/measures/tables.py",
        '    Measure("k-map",',
        '    Measure("revealed", "low", "share", _revealed, _SENSITIVE, _CLASSES),\n    Measure("k-map",',
    )
    copy.say("gate.measure", "revealed", "Certain sensitive values", "確定する機微な値")
    copy.say(
        "gate.about", "revealed", "The share of the records whose sensitive value is certain.",
        "機微な値が確定するレコードの割合。",
    )  # fmt: skip
    copy.put("people.csv", PEOPLE)
    check = 'measure = "revealed"\nsensitive = "sex"\nknown = "age"\nfail = "70%"\nwarn = 0.5\n'
    copy.put("policy.toml", POLICY.format(frames="gdpr") + check)
    # All but the two people of 25, who differ.
    [found] = json.loads(copy.sudare("gate", "run", "policy.toml", "--json"))["checks"]
    assert (found["value"], found["verdict"]) == (4 / 6, "warn")
    assert found["command"] == "sudare table risk people.csv --sensitive sex --known age"
    shown = copy.sudare("gate", "run", "policy.toml", "--lang", "ja", "--report", "gate.html")
    assert "revealed" in shown
    assert "確定する機微な値" in (copy.folder / "gate.html").read_text(encoding="utf-8")


def test_a_criterion_of_the_legal_map_is_an_entry_of_a_file(copy: Copy) -> None:
    copy.append(
        "report/legal/criteria.toml",
        "\n[sources.house-rules]\n"
        'title = { en = "Rules of the house", ja = "社内規程" }\n'
        'publisher = { en = "The house", ja = "当社" }\ndate = "2026-01"\nchecked = "2026-02-03"\n\n'
        '[[frames]]\nid = "house"\ntitle = { en = "The house", ja = "社内" }\n'
        'about = { en = "What the house asks.", ja = "社内の基準である。" }\n\n'
        '[[frames.criteria]]\nid = "classes"\nclause = { en = "Rule 7", ja = "第7条" }\n'
        'text = { en = "No class has fewer than four records.", ja = "同値類は4件以上とする。" }\n'
        'measures = ["smallest-class"]\nusual = { measure = "smallest-class", number = 4 }\n'
        'source = "house-rules"\nplace = "p. 3"\nquestions = ["cake"]\n',
    )
    copy.append(
        "report/legal/questions.toml",
        '\n[[questions]]\nid = "cake"\ntext = { en = "Who was asked?", ja = "誰に確認したか。" }\n'
        'why = { en = "The rule wants it.", ja = "規程が求める。" }\nkind = "text"\n',
    )
    copy.put("people.csv", PEOPLE)
    copy.put(
        "policy.toml", POLICY.format(frames="house") + 'measure = "smallest-class"\nknown = "age"\nwarn = 2\nfail = 1\n'
    )
    copy.sudare("gate", "run", "policy.toml", "--legal-page", "legal.html")
    page = (copy.folder / "legal.html").read_text(encoding="utf-8")
    for text in ("Rule 7", "Rules of the house", "<li>at least 4</li>", "below the usual number", "Who was asked?"):
        assert text in page
    copy.sudare("table", "report", "people.csv", "--legal", "house", "--lang", "ja", "-o", "report.html")
    assert "第7条" in (copy.folder / "report.html").read_text(encoding="utf-8")


def test_a_page_of_the_server_is_a_route_and_a_template(copy: Copy) -> None:
    copy.change(
        "web/http/routes/contest_pages.py",
        '@router.get("/contests/{contest_id}")\n',
        '@router.get("/contests/{contest_id}/teams")\n'
        "def show_teams(request: Request, contest_id: str) -> Response:\n"
        '    """Show who takes part."""\n'
        "    with visiting(request) as visit:\n"
        "        teams = visible_teams(visit.session, visit.viewer(contest_id))\n"
        '        return render(visit, "teams.html", names=[team.name for team in teams])\n\n\n'
        '@router.get("/contests/{contest_id}")\n',
    )
    copy.change(
        "web/http/routes/contest_pages.py",
        "visible_evaluation, visible_round\n",
        "visible_evaluation, visible_round, visible_teams\n",
    )
    copy.add(
        "web/views/templates/teams.html",
        '{% extends "base.html" %}\n{% block main %}\n<h1>{{ t("web.teams.title") }}</h1>\n'
        "<p>{{ names|join(', ') }}</p>\n{% endblock %}\n",
    )
    copy.say_new("teams", '[web.teams]\ntitle = "Who takes part"\n', '[web.teams]\ntitle = "参加チーム"\n')
    code = SMALL_CONTEST + (
        "from starlette.testclient import TestClient\n"
        "from sudare.web.http.app import make_app\n"
        "client = TestClient(make_app(settings), base_url='http://127.0.0.1')\n"
        "address = f'/contests/{small.contest}/teams'\n"
        "print(client.get(address).status_code)\n"
        "with small.database.writing() as session:\n"
        "    session.get_one(Contest, small.contest).public = True\n"
        "print(client.get(address).text)\n"
    )
    hidden, page = copy.run("-c", code).split("\n", 1)
    assert hidden == "404"
    assert "<h1>Who takes part</h1>" in page
    assert "blue, green, red" in page


def test_a_kind_of_job_is_its_work_and_a_line(copy: Copy) -> None:
    copy.change(
        "web/jobs/work.py",
        "\n\ndef publish_finals(",
        "\n\ndef count_lines(given: Parameters) -> dict[str, Any]:\n"
        '    """Count the lines of an A."""\n'
        '    return {"lines": len(Path(given["path"]).read_bytes().splitlines())}\n'
        "\n\ndef publish_finals(",
    )
    copy.change(
        "web/jobs/registry.py",
        "\n\nKINDS = {\n",
        "\n\ndef _keep_lines(session: Session, job: Job, result: Told, _published: Published) -> None:\n"
        '    record(session, None, "count_lines", job.subject_id, contest_id=job.contest_id, **result)\n'
        "\n\nKINDS = {\n",
    )
    copy.change(
        "web/jobs/registry.py",
        '        JobKind("targets",',
        '        JobKind("lines", "count_lines", _tell_submission, _keep_lines, waited_for=False),\n'
        '        JobKind("targets",',
    )
    copy.say("web.job", "lines", "count the lines of A", "Aの行数を数える")
    copy.say("web.action", "count_lines", "lines counted", "行数を計測")
    code = SMALL_CONTEST + (
        "from sudare.web.jobs.orders import enqueue\n"
        "from sudare.web.storage.models import AuditEntry\n"
        "identity = small.submit('blue', small_contest.anonymized())\n"
        "with small.database.writing() as session:\n"
        "    enqueue(session, 'lines', identity, small.contest)\n"
        "small.work()\n"
        "with small.database.reading() as session:\n"
        "    print([entry.details for entry in session.query(AuditEntry).filter_by(action='count_lines')])\n"
    )
    assert '{"lines": 24}' in copy.run("-c", code)
