"""The checks of a gate in the formats of other programs: JUnit XML for test reports, SARIF for code scanning."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from sudare.arguments import checked
from sudare.gate.run import GateCheck, GateRun
from sudare.gate.verdicts import FAILING
from sudare.lazy import above
from sudare.messages import Texts
from sudare.messages.catalogue import Language
from sudare.sources.writing import check_ending, keeps_inputs, whole_file
from sudare.version import __version__

JUNIT_ENDINGS = (".xml",)
SARIF_ENDINGS = (".sarif", ".json")
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@checked
@keeps_inputs()
def write_junit(found: GateRun, path: str | Path, *, language: Language = "en") -> None:
    """Write the checks as JUnit XML: a suite for each source, a case for each check. Warnings pass, and say so."""
    path = Path(path)
    check_ending(path, JUNIT_ENDINGS)
    texts = Texts(language)
    suites = Xml.Element("testsuites", {"name": _xml(found.title), **_counts(found.checks)})
    for source in dict.fromkeys(check.source for check in found.checks):
        checks = sorted((check for check in found.checks if check.source == source), key=lambda check: check.line)
        suite = Xml.SubElement(suites, "testsuite", {"name": _xml(source), **_counts(checks)})
        for check in checks:
            _add_case(suite, check, _xml(_place(found)), texts)
    tree = Xml.ElementTree(suites)
    Xml.indent(tree)
    with whole_file(path) as temporary:
        tree.write(temporary, encoding="utf-8", xml_declaration=True)


def _counts(checks: Sequence[GateCheck]) -> dict[str, str]:
    """Return how many checks there are, and how many fail or do not count."""
    failed = sum(check.verdict in FAILING for check in checks)
    waived = sum(check.verdict == "waived" for check in checks)
    return {"tests": str(len(checks)), "failures": str(failed), "errors": "0", "skipped": str(waived)}


def _place(found: GateRun) -> str:
    """Return where the policy lies: from the folder in which the command runs, if it is below that."""
    path = (found.policy.folder / found.source).resolve()
    here = Path.cwd().resolve()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _add_case(suite: Xml.Element, check: GateCheck, policy: str, texts: Texts) -> None:
    told = {"name": _xml(check.name), "classname": _xml(check.source), "file": policy, "line": str(check.line)}
    case, sentence = Xml.SubElement(suite, "testcase", told), _xml(_sentence(check, texts))
    if check.verdict in FAILING:
        failure = Xml.SubElement(case, "failure", message=sentence, type=check.verdict)
        failure.text = _xml("\n".join((*check.told(texts), check.command)))
    elif check.verdict == "waived" and check.waiver:
        Xml.SubElement(case, "skipped", message=_xml(check.waiver.reason))
    else:
        Xml.SubElement(case, "system-out").text = sentence


def _sentence(check: GateCheck, texts: Texts) -> str:
    """Return what was measured and what is allowed, in one line."""
    said: str = above("sudare.report.gate.wording", "check_sentence")(check, texts)
    return said


@checked
@keeps_inputs()
def write_sarif(found: GateRun, path: str | Path, *, language: Language = "en") -> None:
    """Write what does not pass as SARIF 2.1.0, each at its place in the policy."""
    path = Path(path)
    check_ending(path, SARIF_ENDINGS)
    texts = Texts(language)
    notable = [check for check in found.checks if check.verdict != "pass"]
    told = {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "sudare", "version": __version__,
                        "rules": [_rule(name, texts) for name in sorted({check.measure for check in found.checks})],
                    }
                },
                "results": [_result(check, _address(found), texts) for check in notable],
            }
        ],
    }  # fmt: skip
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", newline="\n")


def _rule(measure: str, texts: Texts) -> dict[str, object]:
    name: str = above("sudare.report.gate.wording", "measure_name")(measure, texts)
    return {"id": measure, "shortDescription": {"text": name}}


def _address(found: GateRun) -> str:
    """Return where the policy lies as an address, relative as code scanning wants it."""
    place = _place(found)
    return Path(place).as_uri() if Path(place).is_absolute() else quote(place)


def _result(check: GateCheck, policy: str, texts: Texts) -> dict[str, object]:
    lines = (_sentence(check, texts), *check.told(texts), check.command)
    suppressed = (
        [{"kind": "external", "justification": check.waiver.reason}]
        if check.verdict == "waived" and check.waiver
        else []
    )
    place = {"artifactLocation": {"uri": policy}, "region": {"startLine": check.line}}
    return {
        "ruleId": check.measure,
        "level": "error" if check.verdict in FAILING else "warning",
        "message": {"text": "\n".join(lines)},
        "locations": [{"physicalLocation": place}],
        **({"suppressions": suppressed} if suppressed else {}),
    }
