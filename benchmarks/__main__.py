"""Runs the benchmarks and writes RESULTS.md: ./dev bench [--loaded] [name ...].

A benchmark is a module with TITLE, PACKAGES (what it uses beside sudare) and run(), which measures and returns a
results.Found, or raises measuring.NotRun if something that it needs is not there.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import machine
import results
from measuring import NotRun

RESULTS = Path(__file__).parent / "RESULTS.md"
NAMES = (
    "startup",
    "first_use",
    "attackers",
    "scale",
    "subsets",
    "levels",
    "many_attributes",
    "anonymize_tables",
    "baskets",
    "contest",
    "anonymize_histories",
    "attack",
    "profiles",
    "gate",
    "server_load",
)


def main(words: list[str]) -> int:
    names = [word for word in words if word != "--loaded"]
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; there are: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    not_run = False
    for name in names or NAMES:
        before = machine.cores_of_others()
        if machine.is_loaded(before) and "--loaded" not in words:
            print(
                f"{name} was not measured: other processes use {before:.2f} of {os.cpu_count()} cores, and more than "
                f"{machine.QUIET} spoil a measurement. Wait until they end, or measure with --loaded; the section will "
                "say so.",
                file=sys.stderr,
            )
            return 2
        try:
            measure(name, before)
        except NotRun as missing:
            print(f"{name} was not measured, its section stays as it is: {missing}", file=sys.stderr)
            not_run = True
    return 2 if not_run else 0


def measure(name: str, before: float) -> None:
    """Run a benchmark and write its section."""
    module = import_module(name)
    print(f"## {module.TITLE}\n", flush=True)
    stamp = machine.stamp(module.PACKAGES)
    watch = machine.Watch()
    found = module.run()
    during = watch.others()
    remark = machine.load_remark(before, during)
    section = results.Section(name, module.TITLE, f"{stamp}; {remark}", machine.is_loaded(before, during), found)
    results.put(RESULTS, section)
    print(f"{section.stamp}\n\n{found.text}\n\nWrote {RESULTS}\n", flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
