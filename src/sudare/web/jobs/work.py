"""What jobs do: files in, plain values out, in a process of their own without the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sudare.contest.check import CheckResult, check_guesses as check_guess_file
from sudare.contest.evaluation import FinalFiles, evaluate_finals
from sudare.contest.publish import publish_anonymized
from sudare.errors import InputError, SourceNotReadable
from sudare.histories.attack.duel import run_duel
from sudare.histories.generalized.blocks import open_text
from sudare.histories.generalized.complaints import Complaint, Complaints
from sudare.histories.generalized.model import CellHistory, ItemColumn
from sudare.histories.generalized.rule_sets import BUILT_IN, RuleSet, load_rules
from sudare.histories.generalized.text import (
    read_anonymized,
    read_original,
    read_published,
    read_valid_anonymized,
)
from sudare.histories.safety.classes import class_safety
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.utility.cost import cell_utility, population_deviation
from sudare.messages import LANGUAGES, Language, Texts
from sudare.web.game.refusals import Retold
from sudare.web.storage.files import HASH, is_whole

# Errors of an upload that are kept with their texts; all are counted.
MOST_ERRORS = 200
# Errors that are looked at for what may be told where T is private.
MOST_EXAMINED = 20_000
# What tells values or customers of T: kinds of errors, and texts about a name that T has not.
ABOUT_ORIGINAL = ("must-cover", "consistency")
UNKNOWN_ITEM, UNKNOWN_CUSTOMER = "complaint.item_unknown", "guess.customer_unknown"
# Rows are drawn so often for the use cases: of fifty finals of 80,000 rows that takes a minute.
USE_DRAWS = 5

Parameters = Mapping[str, Any]


class CorruptFile(Exception):
    """A kept file that a job needs does not have the content that was handed in."""


def whole_files(given: Parameters) -> tuple[Parameters, list[str]]:
    """Return what a job is told without those files of teams that were changed on the disk, and the hashes of these.

    Nothing can be done without others: CorruptFile. A kept file is named by the hash of its content.
    """
    corrupt = {path for path in paths(given) if HASH.fullmatch(Path(path).name) and not is_whole(Path(path))}
    finals = given.get("finals", [])
    if isinstance(finals, Mapping):
        left: Any = {name: path for name, path in finals.items() if path not in corrupt}
    else:
        left = [
            {**final, "guesses": {team: path for team, path in final["guesses"].items() if path not in corrupt}}
            for final in finals
            if final["path"] not in corrupt
        ]
    whole = {**given, "finals": left} if "finals" in given else given
    needed = corrupt & set(paths(whole))
    if needed:
        raise CorruptFile(Path(min(needed)).name)
    return whole, sorted(Path(path).name for path in corrupt)


def paths(given: object) -> Iterator[str]:
    """Yield the texts in what a job is told, of which the paths are some."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, Mapping):
        for part in given.values():
            yield from paths(part)
    elif isinstance(given, list):
        for part in given:
            yield from paths(part)


def check_original(given: Parameters) -> dict[str, Any]:
    """Check T and return its numbers, or what is wrong in all languages, without the name under which it is kept."""
    try:
        history = read_original(given["path"], _rules(given))
    except InputError as error:
        told = Retold(error, given["path"], "T")
        return {"valid": False, "message": {name: told.said(Texts(name)) for name in LANGUAGES}}
    return {"valid": True, **_numbers(history)}


def check_anonymized(given: Parameters) -> dict[str, Any]:
    """Check A, and if it follows the rules, return U with its explanation and how safe its classes are."""
    if not _is_text(given["path"]):
        return _no_text()
    rules = _rules(given)
    original = read_original(given["original"], rules)
    read = partial(read_anonymized, given["path"], original, rules, most_complaints=MOST_EXAMINED)
    found = {language: read(language=language) for language in LANGUAGES}
    first = found[LANGUAGES[0]]
    result = _checked(
        first.complaints, first.rows, {name: parsed.complaints for name, parsed in found.items()}, UNKNOWN_ITEM
    )
    if not result["valid"]:
        return result
    sizes = published_classes(first.history).sizes.tolist()
    safety = class_safety(sizes, p=rules.p, alpha=rules.alpha, attacks=rules.attacks).to_dict() if sizes else None
    return {**result, "utility": cell_utility(original, first.history, rules=rules).to_dict(), "classes": safety}


def check_guesses(given: Parameters) -> dict[str, Any]:
    """Check guesses on what was published."""
    if not _is_text(given["path"]):
        return _no_text()
    rules = _rules(given)
    original = read_original(given["original"], rules)
    published = read_published(given["published"], original, rules)
    check = partial(check_guess_file, original, published, given["path"], rules, most_errors=MOST_EXAMINED)
    found: dict[Language, CheckResult] = {language: check(language=language) for language in LANGUAGES}
    complaints = {name: Complaints(result.errors, result.totals) for name, result in found.items()}
    return _checked(complaints[LANGUAGES[0]], found[LANGUAGES[0]].rows, complaints, UNKNOWN_CUSTOMER)


def publish_finals(given: Parameters) -> dict[str, Any]:
    """Write A' of each final into a folder, under its submission's identity, and return their rows."""
    rules, folder = _rules(given), Path(given["folder"])
    return {
        "rows": {
            name: publish_anonymized(path, folder / f"{name}.csv", rules) for name, path in given["finals"].items()
        }
    }


def evaluate_round(given: Parameters) -> dict[str, Any]:
    """Measure all finals, judge all guesses and rank, by the identities of teams."""
    rules = _rules(given)
    finals = [
        FinalFiles(final["team"], Path(final["path"]), {team: Path(path) for team, path in final["guesses"].items()})
        for final in given["finals"]
    ]
    return evaluate_finals(read_original(given["original"], rules), finals, rules, draws=USE_DRAWS).to_dict()


def preview_attacks(given: Parameters) -> dict[str, Any]:
    """Run every built-in attack on an A; of one that crashed no more is told, since errors may have data in them."""
    rules = _rules(given)
    original = read_original(given["original"], rules)
    anonymized = read_valid_anonymized(given["path"], original, rules)
    found = run_duel(original, anonymized, p=rules.p, alpha=rules.alpha).to_dict()
    return {**found, "attacks": [{**attack, "error": None} for attack in found["attacks"]]}


def _rules(given: Parameters) -> RuleSet:
    name = given["rules"]
    return load_rules(name if name in BUILT_IN else Path(name))


def _is_text(path: str) -> bool:
    """Say whether an upload can be read at all: archives, tables of other programs and UTF-16 cannot."""
    try:
        open_text(Path(path)).close()
    except SourceNotReadable:
        if not Path(path).is_file():
            raise
        return False
    return True


def _no_text() -> dict[str, Any]:
    texts = {name: Texts(name)("web.errors.no_text") for name in LANGUAGES}
    said = {name: Complaints((Complaint(1, 1, "invalid", text),), {"invalid": 1}) for name, text in texts.items()}
    return _checked(said[LANGUAGES[0]], 0, said, UNKNOWN_ITEM)


def _checked(
    complaints: Complaints, rows: int, by_language: Mapping[Language, Complaints], unknown: str
) -> dict[str, Any]:
    """Return what was found, and `private`: what may be told of it where T is private."""
    return {
        "valid": not complaints.total,
        "rows": rows,
        "total_errors": complaints.total,
        "totals": dict(complaints.totals),
        "errors": _listed({name: found.errors for name, found in by_language.items()}),
        "private": _private(complaints, by_language, unknown),
    }


def _private(complaints: Complaints, by_language: Mapping[Language, Complaints], unknown: str) -> dict[str, Any]:
    """Return the errors that do not depend on T, and how many others there are, whatever their kinds.

    If there are more than were examined, all are counted as one.
    """
    plain = {
        name: [error for error in found.errors if not _about_original(error, unknown, Texts(name))]
        for name, found in by_language.items()
    }
    first = plain[LANGUAGES[0]]
    totals: dict[str, int] = dict(Counter(error.kind for error in first))
    if complaints.total > len(complaints.errors):
        totals = {}
    hidden = complaints.total - sum(totals.values())
    return {
        "errors": _listed(plain),
        "totals": {**totals, "original": hidden} if hidden else totals,
        "total_errors": complaints.total,
    }


def _about_original(error: Complaint, unknown: str, texts: Texts) -> bool:
    # A pseudonym that is guessed twice says nothing of T.
    if unknown == UNKNOWN_ITEM and error.kind in ABOUT_ORIGINAL:
        return True
    before, _, after = texts(unknown, part="\0", text="\0").partition("\0")
    return error.kind == "invalid" and error.message.startswith(before) and error.message.endswith(after)


def _listed(errors: Mapping[Language, Sequence[Complaint]]) -> dict[str, list[dict[str, Any]]]:
    return {name: [error.to_dict() for error in found[:MOST_ERRORS]] for name, found in errors.items()}


def _numbers(history: CellHistory) -> dict[str, Any]:
    """Return what may be told of T without showing a row of it."""
    columns = []
    for column in history.columns:
        if isinstance(column, ItemColumn):
            columns.append({"name": column.name, "form": "item", "values": len(column.names)})
        else:
            columns.append(
                {
                    "name": column.name,
                    "form": column.form,
                    "values": len(np.unique(column.low)),
                    # Decimal numbers are held in hundredths.
                    "deviation": population_deviation(column.low) / (100 if column.form == "decimal" else 1),
                }
            )
    return {"rows": len(history), "customers": len(np.unique(history.persons)), "columns": columns}
