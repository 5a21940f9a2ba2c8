"""`sudare baskets` as a user meets it: check, suppress, verify, certificates and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.engine import DuckDBEngine

# Figure 1 of T. Nakagawa, Arai, H. Nakagawa: the original and the published records.
FIGURE = "milk,bread,medicine\napple\nmilk,coffee,bread\nmilk,medicine\ncoffee,bread,apple\norange,medicine\n"
PUBLISHED = "bread,medicine\napple\nmilk,coffee\nmilk,medicine\ncoffee,bread,apple\norange\n"
SENSITIVE = "user,item\n1,medicine\n3,coffee\n4,medicine\n6,medicine\n"
Run = Callable[..., Result]
GUARANTEE = ("--sensitive", "s.csv", "--rho", "0.5")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for name, text in {"b.txt": FIGURE, "p.txt": PUBLISHED, "s.csv": SENSITIVE}.items():
        Path(name).write_text(text)
    return lambda *words: CliRunner().invoke(app, ["baskets", *words])


def answer(result: Result, code: int = 0) -> Any:
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_check_shows_the_worst_adversaries_and_ends_with_3(run: Run) -> None:
    result = run("check", "b.txt", *GUARANTEE)
    assert result.exit_code == 3
    # Of three buyers of milk two have medicine: the example of the paper.
    assert any(line.split() == ["1", "│", "milk", "│", "medicine", "│", "66.67", "%", "│", "3"] for line in
               result.stdout.splitlines())  # fmt: skip
    assert "Adversaries checked: 28, all who know one or more items" in result.stdout
    assert "NOT SAFE" in result.stdout
    assert "Read b.txt: text, 6 rows, encoding utf-8, line format commas" in result.stderr
    assert "Baskets: 6 records, 6 items, 14 occurrences; longest 3, empty 0" in result.stderr


def test_on_a_cluster_a_sample_is_checked_and_nobody_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(user, item) for user, line in enumerate(FIGURE.splitlines(), start=1) for item in line.split(",")]
    polars.DataFrame(rows, schema=["user", "item"], orient="row").write_csv("pairs.csv")
    words = ("check", "pairs.csv", *GUARANTEE, "--epsilon", "0.1", "--delta", "0.1", "--json")
    expected = answer(run(*words), code=3)
    # The engine for clusters has tests of its own; here the command must take the way that leads there.
    monkeypatch.setattr("sudare.engine.open_engine", lambda _name, **_options: DuckDBEngine())
    found = answer(run(*words, "--engine", "local[1]"), code=3)
    names = ("adversaries", "unsafe_adversaries", "items", "safe", "sensitive")
    assert [found[name] for name in names] == [expected[name] for name in names]
    assert found["worst"] == []
    refused = run("check", "pairs.csv", *GUARANTEE, "--engine", "local[1]")
    assert (refused.exit_code, "checks samples of adversaries" in refused.stderr) == (2, True)
    refused = run("check", "b.txt", *GUARANTEE, "--engine", "local[1]", "--form", "commas")
    assert (refused.exit_code, "cannot read a text file of records" in refused.stderr) == (2, True)


def test_check_prints_json(run: Run) -> None:
    found = answer(run("check", "b.txt", *GUARANTEE, "--max-known", "1", "--json"), code=3)
    assert (found["rho"], found["max_known"], found["safe"], found["exact"]) == (0.5, 1, False, True)
    assert (found["adversaries"], found["unsafe_adversaries"], found["items"]) == (14, 4, 14)
    assert found["worst"][0] == {
        "user": "6", "known": ["orange"], "inferred": "medicine", "confidence": 1.0, "support": 1
    }  # fmt: skip
    assert found["reading"]["form"] == "commas"
    assert found["sensitive"]["lines"] == 4


def test_check_of_what_is_safe_ends_with_0(run: Run) -> None:
    result = run("check", "b.txt", "--sensitive", "all", "--rho", "1")
    assert result.exit_code == 0, result.output
    assert "SAFE: nobody who knows one or more items of a user's original record can" in said(result)
    sampled = run("check", "b.txt", "--sensitive", "all", "--rho", "1", "--epsilon", "0.1", "--delta", "0.1")
    assert "averaged over the users who have that many items, less than 10 % of a user's adversaries can infer" in said(
        sampled
    )
    # The least n with 0.9^n <= 0.1 is 22, and 1 - 0.1^(1/22) is 0.099371...
    assert "22 of each size, drawn at random" in said(sampled)
    assert "Drawn for each number: 22 (a user at random, then items of that user at random), unsafe: 0;" in said(
        sampled
    )
    assert "with the same confidence the average is at most 9.9372 %." in said(sampled)


def said(result: Result) -> str:
    return " ".join(result.stdout.split())


def test_a_sensitive_item_of_most_records_is_a_warning_beside_the_verdict(run: Run) -> None:
    Path("z.txt").write_text("hiv\nhiv\nhiv\nhiv\n")
    words = ("z.txt", "--sensitive", "all", "--rho", "0.5")
    checked = run("check", *words)
    assert checked.exit_code == 0
    assert "The sensitive item that most published records contain: hiv (4 of 4)." in said(checked)
    assert "WARNING: 4 of 4 published records (100 %) contain the same sensitive item." in said(checked)
    assert run("suppress", *words, "-o", "out.txt").exit_code == 0
    certificate = json.loads(Path("out.txt.certificate.json").read_text())
    assert (certificate["safe"], certificate["frequent_above_rho"]) == (True, True)
    assert "WARNING: 4 of 4 published records" in certificate["claim"]
    # A certificate holds no data.
    assert "hiv" not in json.dumps(certificate)
    report = run("report", *words, "-o", "report.html")
    assert report.exit_code == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Warning: 4 of 4 published records (100\N{NO-BREAK SPACE}%) contain the same sensitive item, “hiv”." in page
    assert "What the frequency of an item alone reveals" in page


def test_check_speaks_japanese(run: Run) -> None:
    shown = run("check", "b.txt", *GUARANTEE, "--max-known", "2", "--lang", "ja").stdout
    assert "アイテムを1個から2個まで知る攻撃者すべて" in shown
    assert "安全ではありません: 機微アイテムを 0.5 を超える確信度で推定できます。" in shown


@pytest.mark.slow
def test_many_known_items_are_cut_short(run: Run) -> None:
    Path("long.txt").write_text(" ".join(f"i{n:02}" for n in range(13)) + "\n")
    shown = run("check", "long.txt", "--sensitive", "item:i12", "--rho", "0.5", "--top", "5000").stdout
    assert "i09 and 2 more" in " ".join(shown.split())


def test_suppress_writes_a_safe_file_and_its_certificate(run: Run) -> None:
    result = run("suppress", "b.txt", *GUARANTEE, "-o", "out.txt")
    assert result.exit_code == 0, result.output
    assert "Suppressed: " in result.stdout
    assert "The items that lost most" in result.stdout
    assert "SAFE: nobody" in result.stdout
    assert "Wrote out.txt and out.txt.certificate.json" in result.stderr
    lines = [set(filter(None, line.split(","))) for line in Path("out.txt").read_text().split("\n")]
    assert len(lines) == 7
    assert all(new <= set(old.split(",")) for new, old in zip(lines, FIGURE.split("\n"), strict=True))
    certificate = json.loads(Path("out.txt.certificate.json").read_text())
    assert (certificate["rho"], certificate["safe"], certificate["strategy"]) == ("0.5", True, "paper")
    verified = run("verify", "b.txt", "out.txt", *GUARANTEE, "--certificate", "out.txt.certificate.json")
    assert verified.exit_code == 0, verified.output
    assert "out.txt is b.txt with some items left out, record by record." in verified.stdout
    assert "The certificate agrees" in verified.stdout


JSON_NAMES = {
    "rho", "max_known", "knowledge", "suppressed", "items", "suppressed_share", "kl_divergence", "safe",
    "unsafe_adversaries", "worst", "passes", "seconds", "seed",
}  # fmt: skip


def test_suppress_prints_json_and_repeats_with_the_same_seed(run: Run) -> None:
    words = ("suppress", "b.txt", *GUARANTEE, "--seed", "3", "--adversary-knows", "published", "--json")
    found = answer(run(*words, "-o", "out.txt", "--certificate", "c.json"))
    assert set(found) >= JSON_NAMES
    assert (found["items"], found["seed"], found["knowledge"], found["safe"]) == (14, 3, "published", True)
    assert (found["out"], found["certificate"]) == ("out.txt", "c.json")
    again = answer(run(*words, "-o", "again.txt"))
    assert Path("again.txt").read_bytes() == Path("out.txt").read_bytes()
    assert again["suppressed"] == found["suppressed"]


def test_suppress_and_verify_show_all_measures_and_the_lower_bound(run: Run) -> None:
    """Figure 1 of the paper loses four occurrences; no suppression loses fewer than the bound."""
    words = ("suppress", "b.txt", *GUARANTEE, "-o", "out.txt", "--strategy", "best", "--keep-low", "kl")
    found = answer(run(*words, "--json"))
    assert (found["strategy"], found["keep_low"]) == ("best", "kl")
    assert 0 < found["least_suppressed"] <= 4
    assert found["least_suppressed"] <= found["suppressed"]
    assert {"suppressed_share", "kl_divergence", "rules_distance"} <= found.keys()
    shown = run(*words).stdout
    assert "Lower bound: every suppression that is safe from all these adversaries removes at least" in shown
    assert "Distance of the strongest association rules" in shown
    assert "Kept low: KL divergence." in shown
    verified = answer(run("verify", "b.txt", "out.txt", *GUARANTEE, "--json"))
    assert verified["rules_distance"] == found["rules_distance"]


def test_what_the_paper_keeps_low_cannot_be_chosen(run: Run) -> None:
    refused = run("suppress", "b.txt", *GUARANTEE, "-o", "out.txt", "--keep-low", "kl")
    assert (refused.exit_code, "does not choose what is kept low" in refused.stderr) == (2, True)


def test_a_certificate_of_algorithm_2_is_verified_by_repeating_its_last_pass(run: Run) -> None:
    sampled = ("--epsilon", "0.1", "--delta", "0.1", "--max-known", "2")
    found = answer(run("suppress", "b.txt", *GUARANTEE, *sampled, "-o", "out.txt", "--json"))
    assert (found["draws"], found["look"], found["looks"]) == (116, found["passes"], 20_317)
    words = ("verify", "b.txt", "out.txt", *GUARANTEE, "--certificate", "out.txt.certificate.json")
    verified = answer(run(*words, "--json"))
    assert (verified["draws"], verified["look"], verified["certificate"]["matches"]) == (116, found["passes"], True)
    assert f"passed look {found['passes']} of a procedure whose looks all draw that many" in verified["claim"]


def test_tables_and_rules(run: Run) -> None:
    rows = [(f"u{n}", item) for n, line in enumerate(FIGURE.split()) for item in line.split(",")]
    polars.DataFrame(rows, schema=["user", "item"], orient="row").write_csv("b.csv")
    words = ("--sensitive", "random:0.5:3", "--rho", "0.6")
    assert run("suppress", "b.csv", *words, "-o", "out.parquet").exit_code == 0
    certificate = ("--certificate", "out.parquet.certificate.json")
    assert run("verify", "b.csv", "out.parquet", *words, *certificate).exit_code == 0
    other = run("verify", "b.csv", "out.parquet", "--sensitive", "random:0.5:4", "--rho", "0.6", *certificate)
    assert "the sensitive items (SHA-256 or rule): the certificate says random:0.5:3" in other.stdout
    refused = run("suppress", "b.csv", *words, "-o", "out.txt")
    assert (refused.exit_code, "written to a .csv or .parquet file" in refused.stderr) == (2, True)


def test_verify_the_published_records_of_the_figure(run: Run) -> None:
    result = run("verify", "b.txt", "p.txt", *GUARANTEE, "--json")
    found = answer(result)
    assert (found["safe"], found["holds"], found["suppressed"], found["certificate"]) == (True, True, 3, None)
    assert found["suppressed_share"] == pytest.approx(3 / 14)
    assert answer(run("verify", "b.txt", "p.txt", "--sensitive", "s.csv", "--rho", "0.4", "--json"), 3)["safe"] is False


def test_verify_matches_items_by_name_where_some_are_gone(run: Run) -> None:
    Path("q.txt").write_text("\n\n\n\napple\n\n")
    assert answer(run("verify", "b.txt", "q.txt", *GUARANTEE, "--json"))["suppressed"] == 13


def test_verify_takes_published_records_without_any_item(run: Run) -> None:
    Path("q.txt").write_text("\n" * 6)
    found = answer(run("verify", "b.txt", "q.txt", *GUARANTEE, "--json"))
    assert (found["safe"], found["suppressed"], found["suppressed_share"]) == (True, 14, 1.0)


def test_verify_says_what_is_not_as_certified(run: Run) -> None:
    run("suppress", "b.txt", *GUARANTEE, "-o", "out.txt", "--certificate", "c.json")
    words = ("--certificate", "c.json")
    Path("out.txt").write_text(FIGURE)
    changed = run("verify", "b.txt", "out.txt", *GUARANTEE, *words)
    assert changed.exit_code == 3
    assert "THE CERTIFICATE DOES NOT AGREE" in changed.stdout
    assert "the published file (SHA-256): the certificate says" in changed.stdout
    assert "safe: the certificate says yes, but it is no." in changed.stdout
    asked = answer(run("verify", "b.txt", "p.txt", *GUARANTEE, *words, "--max-known", "1", "--json"), 3)
    differences = {entry["what"]: entry for entry in asked["certificate"]["differences"]}
    assert differences["max_known"] == {"what": "max_known", "certified": None, "found": 1}
    assert asked["safe"] is True
    assert asked["holds"] is False
    Path("s.csv").write_text(SENSITIVE + "1,medicine\n")
    assert "the sensitive items" in run("verify", "b.txt", "p.txt", *GUARANTEE, *words).stdout


def test_verify_takes_what_is_not_said_from_the_certificate(run: Run) -> None:
    sampled = (
        "--epsilon",
        "0.1",
        "--delta",
        "0.1",
        "--max-known",
        "2",
        "--adversary-knows",
        "published",
        "--seed",
        "5",
    )
    words = ("suppress", "b.txt", *GUARANTEE, *sampled, "-o", "out.txt", "--keep-unsafe", "--json")
    made = json.loads(run(*words).stdout)
    verified = run("verify", "b.txt", "out.txt", *GUARANTEE, "--certificate", "out.txt.certificate.json", "--json")
    found = json.loads(verified.stdout)
    assert (found["epsilon"], found["delta"], found["max_known"], found["knowledge"]) == (
        0.1,
        0.1,
        2,
        "published",
    )
    assert found["certificate"]["matches"] is True
    assert found["unsafe_adversaries"] == made["unsafe_adversaries"]


def test_a_certificate_that_somebody_broke_is_refused(run: Run) -> None:
    run("suppress", "b.txt", *GUARANTEE, "-o", "out.txt", "--certificate", "c.json")
    certificate = json.loads(Path("c.json").read_text())
    for broken in ({"epsilon": "small"}, {"original": {}}, {"more": 1}, {"max_known": "3"}):
        Path("c.json").write_text(json.dumps({**certificate, **broken}))
        result = run("verify", "b.txt", "out.txt", *GUARANTEE, "--certificate", "c.json")
        assert (result.exit_code, "c.json: fields are missing" in result.stderr) == (2, True), broken


def test_rho_is_compared_as_a_number(run: Run) -> None:
    run("suppress", "b.txt", *GUARANTEE, "-o", "out.txt", "--certificate", "c.json")
    words = ("verify", "b.txt", "out.txt", "--sensitive", "s.csv", "--certificate", "c.json", "--json")
    assert answer(run(*words, "--rho", "0.50"))["certificate"]["matches"] is True
    found = answer(run(*words, "--rho", "0.6"), 3)
    assert found["certificate"]["differences"] == [{"what": "rho", "certified": "0.5", "found": "0.6"}]


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_result_is_not_safe_and_not_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.baskets.suppress.suppression.repair_all", interrupt)
    result = run("suppress", "b.txt", "--sensitive", "all", "--rho", "1", "-o", "out.txt")
    assert result.exit_code == 3
    assert "NOT SAFE: the work was stopped before its end." in result.stdout
    assert "SAFE: nobody" not in result.stdout
    assert "Nothing was written, because the result is not safe." in result.stderr
    assert not Path("out.txt").exists()
    found = answer(run("suppress", "b.txt", *GUARANTEE, "-o", "out.txt", "--json"), 3)
    assert (found["interrupted"], found["safe"], found["out"], found["certificate"]) == (True, False, None, None)


def test_an_unsafe_result_is_written_if_asked_for_and_marked(run: Run) -> None:
    result = run("suppress", "b.txt", *GUARANTEE, "-o", "out.txt", "--keep-unsafe", "--seconds", "1e-9")
    assert result.exit_code == 3, result.output
    assert "NOT SAFE" in result.stdout
    assert Path("out.txt").exists()
    assert json.loads(Path("out.txt.certificate.json").read_text())["safe"] is False
    verified = run("verify", "b.txt", "out.txt", *GUARANTEE, "--certificate", "out.txt.certificate.json")
    assert verified.exit_code == 3


def test_unknown_names_can_be_ignored_and_are_told(run: Run) -> None:
    Path("s.csv").write_text(SENSITIVE + "7,medicine\n")
    refused = run("check", "b.txt", *GUARANTEE)
    assert (refused.exit_code, "row 6: unknown user '7'" in refused.stderr) == (2, True)
    ignored = run("check", "b.txt", *GUARANTEE, "--unknown-items", "ignore")
    assert ignored.exit_code == 3
    assert "Ignored 1 sensitive line with an unknown user or item" in ignored.stderr


def test_duplicates_are_told(run: Run) -> None:
    Path("d.txt").write_text("a b a\n")
    assert "Counted once: 1 repetition of an item" in run("check", "d.txt", "--sensitive", "all", "--rho", "1").stderr


CERTIFICATE = {"format": "sudare baskets certificate", "version": 2}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "no.txt", *GUARANTEE], "There is no file no.txt"),
        (["check", "b.txt", "--sensitive", "s.csv", "--rho", "0"], "must be a number above 0 and at most 1, not 0"),
        (
            ["check", "b.txt", "--sensitive", "s.csv", "--rho", "half"],
            "must be a number above 0 and at most 1, not half",
        ),
        (["check", "b.txt", *GUARANTEE, "--max-known", "0"], "must be at least 1, not 0"),
        (["check", "b.txt", *GUARANTEE, "--epsilon", "0.1"], "Sampling needs both"),
        (["check", "b.txt", *GUARANTEE, "--epsilon", "2", "--delta", "0.1"], "must be above 0 and below 1"),
        (["check", "b.txt", *GUARANTEE, "--lang", "fr"], "the value must be en or ja"),
        (["check", "b.txt", "--sensitive", "rumour", "--rho", "0.5"], "'rumour' is neither a file nor a rule"),
        (["check", "b.txt", *GUARANTEE, "--column", "user"], "'user' must have the form NAME=VALUE"),
        (["suppress", "b.txt", *GUARANTEE, "-o", "b.txt"], "Cannot write b.txt: it is read"),
        (["suppress", "b.txt", *GUARANTEE, "-o", "s.csv"], "Cannot write s.csv: it is read"),
        (["suppress", "b.txt", *GUARANTEE, "-o", "o.txt", "--certificate", "o.txt"], "its name must end in .json"),
        (["suppress", "b.txt", *GUARANTEE, "-o", "no/o.txt"], "does not exist"),
        (["suppress", "b.txt", *GUARANTEE, "-o", "o.txt", "--seconds", "0"], "--seconds must be above 0"),
        (["verify", "b.txt", "s.csv", *GUARANTEE], "is not a suppression of b.txt"),
        (
            ["verify", "p.txt", "b.txt", *GUARANTEE],
            "line 1 has the item 'milk', which the original record does not have",
        ),
        (["verify", "b.txt", "p.txt", *GUARANTEE, "--certificate", "no.json"], "There is no file no.json"),
        (["verify", "b.txt", "p.txt", *GUARANTEE, "--certificate", "b.txt"], "it is not JSON"),
        (["verify", "b.txt", "p.txt", *GUARANTEE, "--certificate", "other.json"], "not a certificate of baskets"),
        (["verify", "b.txt", "p.txt", *GUARANTEE, "--certificate", "later.json"], "certificate of version 3"),
        (["verify", "b.txt", "p.txt", *GUARANTEE, "--certificate", "part.json"], "fields are missing"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(run: Run, words: list[str], message: str) -> None:
    certificates: dict[str, Any] = {"other.json": [], "later.json": {**CERTIFICATE, "version": 3}}
    for name, text in {**certificates, "part.json": {**CERTIFICATE, "rho": "0.5"}}.items():
        Path(name).write_text(json.dumps(text))
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Hint:" in result.stderr
    assert result.stdout == ""
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_the_data_of_the_paper(run: Run, real_data: Callable[[str], Path]) -> None:
    """BMS-WebView-1 as it is: nobody may know more than one item, which is quick to count."""
    words = ("check", str(real_data("bms-webview-1.txt")), "--sensitive", "random:0.4", "--rho", "0.5")
    found = answer(run(*words, "--max-known", "1", "--json"), 3)
    assert (found["adversaries"], found["items"]) == (149_638, 149_638)
    assert found["unsafe_adversaries"] > 0
