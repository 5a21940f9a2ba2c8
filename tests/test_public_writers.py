"""What the library writes: every public writer refuses names that say something else, and files that are its input."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sudare
from tests.public import public
from tests.public_examples import Examples

# The files that each writer's example was read from or made of. Generators read nothing; thresholds and guesses are
# numbers, and what is written of them is what was read.
SOURCES: dict[str, tuple[str, ...]] = {
    "AnonymizedTable.publish": ("people.csv",),
    "HistoryRows.publish": ("purchases.csv",),
    "HistoryRows.write_aligned": ("purchases.csv",),
    "LevelsFound.publish": ("people.csv",),
    "ProfileAssessment.write_guesses": ("purchases.csv",),
    "Publication.publish": ("purchases.csv",),
    "Publication.write_aligned": ("purchases.csv",),
    "Suppression.publish": ("baskets.txt",),
    "SuggestedPolicy.write_questions": ("people.csv",),
    "generate_history": (),
    "generate_table": (),
    "publish_anonymized": ("A.csv",),
    "publish_recoded": ("people.csv",),
    "write_anonymized_report": ("people.csv",),
    "write_baskets": ("baskets.txt",),
    "write_baskets_report": ("baskets.txt",),
    "write_baseline": (),
    "write_cells": ("T.csv", "A.csv"),
    "write_cells_parquet": ("T.csv", "A.csv"),
    "write_contest_report": ("T.csv", "A.csv", "guesses.csv"),
    "write_customer_risks": ("purchases.csv",),
    "write_guesses": (),
    "write_hierarchy": ("hierarchies/age.csv",),
    "write_history_report": ("purchases.csv",),
    "write_junit": ("policy.toml", "people.csv"),
    "write_key": ("people.csv",),
    "write_levels": ("people.csv",),
    "write_published": ("baskets.txt",),
    "write_record_risks": ("people.csv",),
    "write_recoded": ("people.csv",),
    "write_moved_records": ("people.csv",),
    "write_dangerous_records": ("people.csv",),
    "write_moved_rises": ("people.csv",),
    "write_sarif": ("policy.toml", "people.csv"),
    "write_subset_sizes": ("people.csv",),
    "write_subsets": ("people.csv",),
    "write_table_report": ("people.csv",),
    "write_thresholds": (),
    "write_values": ("purchases.csv",),
    "write_visits": ("purchases.csv",),
}
# These fill folders, with files of their own names: see the rules of folders.
FOLDERS = {"write_evidence", "write_experiment_page", "write_frontier_page", "write_hierarchies"}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Examples]:
    found = Examples(tmp_path_factory.mktemp("writers"))
    yield found
    found.close()


def is_writer(name: str) -> bool:
    return name == "publish" or name.startswith(("write_", "generate_", "publish_"))


def writers() -> set[str]:
    functions = {name for name in public() if is_writer(name)}
    kinds = [found for found in public().values() if inspect.isclass(found)]
    return functions | {f"{kind.__name__}.{name}" for kind in kinds for name in vars(kind) if is_writer(name)}


def test_all_writers_are_here() -> None:
    assert writers() == SOURCES.keys() | FOLDERS


def call(examples: Examples, writer: str, **others: Any) -> object:
    """Call a writer with its example, some arguments replaced."""
    owner, _, method = writer.partition(".")
    if owner == "HistoryRows":
        opened = sudare.histories.read_history_rows(examples.folder / "purchases.csv", engine=examples.engine)
        return getattr(opened, method)(history=opened.history, **others)
    if owner == "LevelsFound":
        return sudare.tables.find_levels(examples.table, {}, known=["age"], limit=1).publish(**others)
    if method:
        return getattr(examples.instance(public()[owner]), method)(**others)
    if writer == "write_hierarchy":
        others["hierarchy"] = sudare.tables.read_hierarchy(examples.folder / "hierarchies/age.csv", "age")
    function: Callable[..., Any] = public()[owner]
    return examples.call(writer, function, **others)


def place(examples: Examples, writer: str) -> tuple[str, Path]:
    """Return the argument that says where to write, and its example."""
    if "." in writer:
        ending = ".toml" if writer.startswith("SuggestedPolicy.") else ".csv"
        return "path", examples.folder / "made" / f"out{ending}"
    given = examples.arguments(writer, public()[writer])
    name = "out" if "out" in given else "path"
    return name, given[name]


@pytest.mark.parametrize("ending", [".xlsx", ".pdf", ".csv.exe", ""])
@pytest.mark.parametrize("writer", sorted(SOURCES))
def test_a_name_that_says_something_else_is_refused(writer: str, ending: str, examples: Examples) -> None:
    target = examples.folder / f"other{ending}"
    with pytest.raises(sudare.OptionNotUsable, match="Change the ending"):
        call(examples, writer, **{place(examples, writer)[0]: target})
    assert not target.exists()


def test_a_certificate_is_json(examples: Examples) -> None:
    target = examples.folder / "certificate.pdf"
    with pytest.raises(sudare.OptionNotUsable, match="Change the ending"):
        call(examples, "write_published", path=examples.folder / "made" / "b.txt", certificate=target)
    assert not target.exists()


@pytest.mark.parametrize(("writer", "source"), [(writer, name) for writer in SOURCES for name in SOURCES[writer]])
def test_what_was_read_is_not_replaced(writer: str, source: str, examples: Examples, tmp_path: Path) -> None:
    """By whatever name: the file is a link with an ending that the writer accepts."""
    name, example = place(examples, writer)
    kept, target = (examples.folder / source).read_bytes(), tmp_path / f"linked{example.suffix}"
    target.hardlink_to(examples.folder / source)
    with pytest.raises(sudare.OutputNotWritable, match="is read"):
        call(examples, writer, **{name: target})
    assert (examples.folder / source).read_bytes() == kept


def test_what_is_made_of_a_history_does_not_replace_it(tmp_path: Path) -> None:
    path = tmp_path / "T.csv"
    path.write_text("1,2011/1/1,a,1,1\n2,2011/1/2,a,1,1\n")
    made = sudare.histories.anonymize_history(sudare.histories.read_original(path), 2, rounds=1).history
    with pytest.raises(sudare.OutputNotWritable, match="is read"):
        sudare.histories.write_cells(made, path)


def test_certificates_and_thresholds_of_a_report_are_not_replaced(examples: Examples, tmp_path: Path) -> None:
    for writer, argument, source in (
        ("write_contest_report", "thresholds", examples.folder / "thresholds.csv"),
        ("write_baskets_report", "certificate", examples.certificate),
    ):
        target = tmp_path / f"{argument}.html"
        target.hardlink_to(source)
        with pytest.raises(sudare.OutputNotWritable, match="is read"):
            call(examples, writer, path=target, **{argument: source})
