"""The extension pages of CONTRIBUTING.md, followed: each test edits a copy of the sources as its page says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sudare

pytestmark = pytest.mark.slow

PURCHASES = "customer,date,item,price,quantity\n" + "".join(
    f"c{number % 4},2024-{1 + number % 12:02}-0{1 + number % 3},i{number % 5},{1 + number % 3}.5,1\n"
    for number in range(40)
)
PEOPLE = "age,sex\n" + "".join(f"{age},{sex}\n" for age, sex in zip((21, 25, 25, 31, 36, 36), "fmfmmm", strict=True))


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
        (self.package / path).write_text(text, encoding="utf-8")

    def say(self, table: str, key: str, english: str, japanese: str) -> None:
        """Add a message at the beginning of a table of the catalogue."""
        for language, text in (("en", english), ("ja", japanese)):
            self.change(f"messages/{language}.toml", f"\n[{table}]\n", f'\n[{table}]\n{key} = "{text}"\n')

    def put(self, name: str, text: str) -> Path:
        """Write a file of data beside the sources."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *words: object) -> str:
        """Run Python with the edited sources in the folder of the data, and return what it prints."""
        environment = {**os.environ, "PYTHONPATH": str(self.package.parent)}
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
    shown = copy.sudare("attackers", "T.csv", "--anonymized", "A.csv", "--knowledge", "quarter", "--lang", "ja")
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


def test_a_loss_is_a_line_and_a_number_of_the_kernel(copy: Copy) -> None:
    copy.change(
        "kernels/tables/grouping.py",
        "ENTROPY, DISCERNIBILITY, PRECISION = range(3)",
        "ENTROPY, DISCERNIBILITY, PRECISION, HEIGHT = range(4)",
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
    copy.change("cli/table/levels.py", "entropy|discernibility|precision", "entropy|discernibility|precision|height")
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


def test_an_input_format_is_a_branch_of_opening(copy: Copy) -> None:
    copy.change(
        "sources/opening.py",
        "    return _open_text(path, engine, options, cleanup)\n",
        '    if path.suffix.lower() == ".jsonl":\n'
        "        return _open_json_lines(path, engine, cleanup)\n"
        "    return _open_text(path, engine, options, cleanup)\n",
    )
    copy.change(
        "sources/opening.py",
        "\n\ndef _choose_sheet(",
        "\n\ndef _open_json_lines(path: Path, engine: Engine, cleanup: ExitStack) -> Source:\n"
        '    """Read objects, one a line, through a temporary CSV file, by the same rules as any text."""\n'
        "    import json\n\n"
        '    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]\n'
        '    file = _temporary(cleanup) / "lines.csv"\n'
        '    with file.open("w", encoding="utf-8", newline="") as target:\n'
        "        csv.writer(target).writerows([list(rows[0]), *(list(row.values()) for row in rows)])\n"
        '    form = find_form(file, "utf-8", delimiter=",", header=True, name=str(path))\n'
        '    return _text_source(str(path), "JSON lines", file_hash(path), file, form, engine, {})\n'
        "\n\ndef _choose_sheet(",
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
    copy.change("report/table/report.py", '    "levels", "parameters",\n', '    "levels", "advice", "parameters",\n')
    copy.add(
        "report/templates/table/advice.html",
        '<p>{{ t("report.table.advice.text", limit=question.limit|exact_percent) }}</p>\n',
    )
    copy.say("report.table.section", "advice", "What to do next", "次にすること")
    for language, text in (("en", "Keep every risk below {limit}."), ("ja", "リスクを{limit}未満にする。")):
        copy.change(
            f"messages/{language}.toml",
            "\n[report.table.answer]\n",
            f'\n[report.table.advice]\ntext = "{text}"\n\n[report.table.answer]\n',
        )
    copy.put("people.csv", PEOPLE)
    copy.run("-c", "import sudare; sudare.read_table('people.csv').report('report.html', limit=0.25)")
    page = (copy.folder / "report.html").read_text(encoding="utf-8")
    assert "What to do next" in page
    assert "Keep every risk below 25" in page


def test_a_command_is_a_function_a_line_and_a_schema(copy: Copy) -> None:
    copy.add(
        "cli/history/days.py",
        '"""`sudare days`: on how many days a history has purchases."""\n\n'
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
    copy.change("cli/app.py", "COMMANDS = {\n", 'COMMANDS = {\n    "days": "history.days:days",\n')
    copy.add(
        "schemas/days.json",
        '{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "sudare.days/1", "type": "object", '
        '"description": "The days of a history.", "additionalProperties": false, "required": ["schema", "days"], '
        '"properties": {"schema": {"const": "sudare.days/1"}, "days": {"type": "integer"}}}\n',
    )
    copy.put("purchases.csv", PURCHASES)
    assert copy.sudare("days", "purchases.csv").strip() == "12"
    assert '"schema": "sudare.days/1"' in copy.sudare("days", "purchases.csv", "--json")
    assert "Count the days of a purchase history." in copy.sudare("--help")


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
