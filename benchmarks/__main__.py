"""Runs the benchmarks and writes RESULTS.md: ./dev bench [name ...]."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
NAMES = (
    "startup",
    "attackers",
    "scale",
    "subsets",
    "levels",
    "many_attributes",
    "baskets",
    "contest",
    "anonymize_histories",
    "attack",
    "server_load",
)


def main(words: list[str]) -> int:
    unknown = [word for word in words if word not in NAMES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; there are: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    sys.path.insert(0, str(HERE))
    sections = {}
    for name in words or NAMES:
        module = import_module(name)
        print(f"## {module.TITLE}\n", flush=True)
        sections[name] = f"## {module.TITLE}\n\n{module.run()}\n"
        print(sections[name].split("\n\n", 1)[1], flush=True)
    write(list(sections.values()))
    return 0


def write(sections: list[str]) -> None:
    """Write the results; sections that were not run stay as they are."""
    path = HERE / "RESULTS.md"
    old = path.read_text(encoding="utf-8").split("\n## ")[1:] if path.exists() else []
    found = {text.split("\n", 1)[0]: f"## {text.strip()}\n" for text in old}
    found.update({text.split("\n", 1)[0].removeprefix("## "): text for text in sections})
    path.write_text("\n".join([heading(), *found.values()]), encoding="utf-8")
    print(f"Wrote {path}")


def heading() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("sudare", "duckdb", "numpy", "polars", "pandas"))
    return (
        "# Benchmarks\n\nWritten by `./dev bench`. Compare ratios, not seconds: all numbers of a section come from "
        f"one run on one machine.\n\n{os.cpu_count()} cores, Python {platform.python_version()}, {packages}.\n"
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
