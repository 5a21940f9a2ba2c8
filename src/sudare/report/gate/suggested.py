"""The texts of a suggested policy and its questionnaire, with comments that a person reads before filling them in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sudare.gate.measures.registry import Kind, find_measure
from sudare.gate.suggestion import SuggestedCheck, check_lines, source_lines, toml_value
from sudare.messages import Joined, Texts
from sudare.report.legal.criteria import legal_frames, legal_questions
from sudare.report.legal.section import value_text


def policy_text(
    file: str,
    kind: Kind,
    options: Mapping[str, Any],
    checks: Sequence[SuggestedCheck],
    texts: Texts,
    *,
    answers: str | None = None,
) -> str:
    """Return the policy as TOML, with comments in the language of the texts."""
    lines = [
        *_comment(texts("gate.policy.about")),
        "",
        "[gate]",
        f'title = "{texts("gate.policy.title")}"',
        *([] if answers is None else [f"answers = {toml_value(answers)}"]),
        *(line for line in _comment(texts("gate.policy.gate")) if answers is None or "answers = " not in line),
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


def questions_text(texts: Texts) -> str:
    """Return the questions of the legal map as TOML without answers; each with why it is asked, and who asks it."""
    lines = _comment(texts("gate.questions.about"))
    for name, question in legal_questions().items():
        frames = [frame.id for frame in legal_frames() if any(name in one.questions for one in frame.criteria)]
        lines += [
            "",
            *_comment(question.text[texts.language]),
            *_comment(texts("gate.questions.why", why=question.why[texts.language], frames=Joined(frames, "comma"))),
            *(_comment(texts("gate.questions.yes_no")) if question.yes_no else []),
            f'{name} = ""',
        ]
    return "\n".join([*lines, ""])


def _comment(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]
