"""The command line that shows more about what a check measures."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from sudare.gate.arguments import Value, exact_share
from sudare.gate.measures.model import Measure
from sudare.gate.policy import Policy, PolicyCheck, PolicySource

# Options of sources that a command does not take, since they do not matter to it.
_WITHOUT: Mapping[str, tuple[str, ...]] = {"history knowledge": ("rules",), "history profiles": ("rules",)}
_PLACE = re.compile(r"\{([a-z-]+)(?::([^}]*))?\}")


def command_of(policy: Policy, source: PolicySource, check: PolicyCheck, measure: Measure) -> str:
    """Return the command line that shows more: the first of the measure's that the check has the arguments for.

    Where no command shows it, this is the gate itself with its report.
    """
    told = {
        "source": policy.location_of(source), **_of_limits(check), **_of_check(policy, check),
        **({"seed": str(policy.seed)} if policy.seed else {}),
    }  # fmt: skip
    for command in measure.commands:
        words = _filled(command, told)
        if words is not None:
            return shlex.join(["sudare", *words, *_reading(policy, source, words)])
    return shlex.join(["sudare", "gate", "run", str(policy.folder / policy.source), "--report", "gate.html"])


def _of_check(policy: Policy, check: PolicyCheck) -> dict[str, str]:
    files = policy.files_of(check)
    return {
        name: str(policy.folder / str(value)) if name in files else _text(name, value)
        for name, value in check.arguments.items()
    }


def _of_limits(check: PolicyCheck) -> dict[str, str]:
    """Return the stricter limit of a risk, and the larger one as a number of people."""
    limits = [limit for limit in (check.warn, check.fail) if limit is not None]
    risk = {"limit": _number(min(limits))} if 0 < min(limits) <= 1 else {}
    return {**risk, "k": str(max(1, ceil(max(limits))))}


def _filled(command: str, told: Mapping[str, str]) -> list[str] | None:
    """Put values into their places; an option without its value is left out, another word makes the command useless."""
    found: list[str] = []
    for word in command.split():
        place = _PLACE.search(word)
        if place is None:
            found.append(word)
            continue
        value = told.get(place[1], place[2])
        if value is not None:
            found.append(word.replace(place[0], value))
        elif word.startswith("--"):
            continue
        elif found[-1].startswith("--"):
            found.pop()
        else:
            return None
    return found


def _reading(policy: Policy, source: PolicySource, words: Sequence[str]) -> Iterator[str]:
    """Yield how a source is read, as it is typed."""
    left_out = _WITHOUT.get(" ".join(words[:2]), ())
    for name, value in policy.options_of(source).items():
        if name in left_out or f"--{name}" in words:
            continue
        if isinstance(value, bool):
            yield f"--{name}" if value else f"--no-{name}"
        elif isinstance(value, tuple) and name != "attributes":
            for one in value:
                yield from (f"--{name}", str(one))
        else:
            yield from (f"--{name}", _text(name, value))


def _text(name: str, value: Value) -> str:
    """Return a value as it is typed; a flag is its name, or its opposite."""
    if isinstance(value, bool):
        return name if value else f"un{name}"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return _number(value) if isinstance(value, int | float) else value


def _number(value: float) -> str:
    """Return a number as people write it: 3, 0.2, or 1/3 where no decimal fraction says the same."""
    if value == int(value):
        return str(int(value))
    exact = exact_share(value)
    return f"{exact.numerator}/{exact.denominator}" if len(str(value)) > len(str(exact)) else str(value)
