"""The text of a suggested policy: checks with comments that a person reads before editing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sudare.gate.measures.registry import Kind, find_measure
from sudare.gate.suggestion import SuggestedCheck, check_lines, source_lines
from sudare.messages import Texts
from sudare.report.legal.section import value_text


def policy_text(
    file: str, kind: Kind, options: Mapping[str, Any], checks: Sequence[SuggestedCheck], texts: Texts
) -> str:
    """Return the policy as TOML, with comments in the language of the texts."""
    lines = [
        *_comment(texts("gate.policy.about")),
        "",
        "[gate]",
        f'title = "{texts("gate.policy.title")}"',
        *_comment(texts("gate.policy.gate")),
        "",
        *source_lines(file, kind, options),
        *_comment(texts("gate.policy.source")),
    ]
    for check in checks:
        measure = find_measure(kind, check.measure)
        value = value_text(check.value, measure.unit, texts).replace("\N{NO-BREAK SPACE}", " ")
        state = texts("gate.policy.within" if check.within else "gate.policy.beyond")
        lines += [
            "",
            *_comment(texts(f"gate.about.{check.measure}")),
            *_comment(texts("gate.policy.today", value=value, state=state)),
            *check_lines(check),
        ]
    lines += ["", *_comment(texts("gate.policy.except")), ""]
    return "\n".join(lines)


def _comment(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]
