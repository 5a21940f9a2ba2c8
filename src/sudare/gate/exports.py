"""The checks of a gate in the formats of other programs: JUnit XML for test reports, SARIF for code scanning."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

from sudare.arguments import checked
from sudare.gate.run import GateCheck, GateRun
from sudare.gate.verdicts import FAILING
from sudare.lazy import above
from sudare.messages import Texts
from sudare.messages.catalogue import Language
from sudare.sources.writing import check_ending, whole_file
from sudare.version import __version__

JUNIT_ENDINGS = (".xml",)
SARIF_ENDINGS = (".sarif", ".json")
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@checked
def write_junit(found: GateRun, path: str | Path, *, language: Language = "en") -> None:
    """Write the checks as JUnit XML: a suite for each source, a case for each check. Warnings pass, and say so."""
    path = Path(path)
    check_ending(path, JUNIT_ENDINGS)
    texts = Texts(language)
    suites = Xml.Element("testsuites", name=found.title)
    for source in dict.fromkeys(check.source for check in found.checks):
        checks = sorted((check for check in found.checks if check.source == source), key=lambda check: check.line)
        failed = sum(check.verdict in FAILING for check in checks)
        waived = sum(check.verdict == "waived" for check in checks)
        counts = {"tests": str(len(checks)), "failures": str(failed), "errors": "0", "skipped": str(waived)}
        suite = Xml.SubElement(suites, "testsuite", {"name": source, **counts})
        for check in checks:
            _add_case(suite, check, found.source, texts)
    tree = Xml.ElementTree(suites)
    Xml.indent(tree)
    with whole_file(path) as temporary:
        tree.write(temporary, encoding="utf-8", xml_declaration=True)


def _add_case(suite: Xml.Element, check: GateCheck, policy: str, texts: Texts) -> None:
    case = Xml.SubElement(suite, "testcase", name=check.name, classname=check.source, file=policy, line=str(check.line))
    told = _sentence(check, texts)
    if check.verdict in FAILING:
        Xml.SubElement(case, "failure", message=told, type=check.verdict).text = "\n".join(
            (*check.told(texts), check.command)
        )
    elif check.verdict == "waived" and check.waiver:
        Xml.SubElement(case, "skipped", message=check.waiver.reason)
    else:
        Xml.SubElement(case, "system-out").text = told


def _sentence(check: GateCheck, texts: Texts) -> str:
    """Return what was measured and what is allowed, in one line."""
    said: str = above("sudare.report.gate.wording", "check_sentence")(check, texts)
    return said


@checked
def write_sarif(found: GateRun, path: str | Path, *, language: Language = "en") -> None:
    """Write what does not pass as SARIF 2.1.0, each at its place in the policy."""
    path = Path(path)
    check_ending(path, SARIF_ENDINGS)
    texts = Texts(language)
    told = {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "sudare", "version": __version__,
                        "rules": [{"id": name} for name in sorted({check.measure for check in found.checks})],
                    }
                },
                "results": [_result(check, found.source, texts) for check in found.checks if check.verdict != "pass"],
            }
        ],
    }  # fmt: skip
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", newline="\n")


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
