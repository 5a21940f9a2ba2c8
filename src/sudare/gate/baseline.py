"""Baselines: what was measured at another time, so that a gate sees what has become worse."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from sudare.arguments import checked
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.gate.policy import Policy
from sudare.messages.reasons import reason_of
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.local.names import not_found
from sudare.sources.writing import CERTIFICATE_ENDINGS, check_ending, whole_file

FORMAT = "sudare gate baseline"
VERSION = 1


@dataclass(frozen=True, slots=True)
class BaselineValue(Result):
    """What a check measured, and what it was a measure of."""

    measure: str
    value: float


@dataclass(frozen=True, slots=True)
class Baseline(Result):
    """What the checks of a policy measured at another time, by their names."""

    source: str
    checks: Mapping[str, BaselineValue]

    @checked
    def values_of(self, policy: Policy) -> dict[str, float]:
        """Return the values of the checks of a policy that measured the same then."""
        return {
            check.name: before.value
            for check in policy.checks
            if (before := self.checks.get(check.name)) and before.measure == check.measure
        }


@checked
def read_baseline(path: str | Path) -> Baseline:
    """Read what was written by `write_baseline`."""
    path = Path(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if (found["format"], found["version"]) != (FORMAT, VERSION):
            raise ValueError(path)
        checks = {
            name: BaselineValue(str(one["measure"]), _number(one["value"])) for name, one in found["checks"].items()
        }
    except FileNotFoundError:
        raise not_found(path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceNotReadable("errors.gate.not_readable", path=path, why=reason_of(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise OptionNotUsable("errors.gate.no_baseline", path=path) from None
    return Baseline(path.name, checks)


def _number(value: object) -> float:
    """Return a number; nothing is better or worse than what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


@checked
def write_baseline(found: Baseline, path: str | Path) -> None:
    """Write what was measured: values of measures, and nothing of the data."""
    path = Path(path)
    check_ending(path, CERTIFICATE_ENDINGS)
    content = {"format": FORMAT, "version": VERSION, "checks": found.to_dict()["checks"]}
    with whole_file(path) as temporary:
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        temporary.write_text(text, encoding="utf-8", newline="\n")
