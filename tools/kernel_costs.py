"""Show what compiling kernels costs: tools/kernel_costs.py [words of a sudare command; demo].

The command runs with an empty cache. Shown are for each kernel the seconds of processor time to compile it, for how
many combinations of kinds of arguments it is compiled, the size of its machine code, and who calls it.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from sudare.kernels import store

SOURCES = Path(__file__).parents[1] / "src" / "sudare"


def main(words: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        cache = Path(name) / "cache"
        command = [Path(sys.executable).parent / "sudare", *(words or ["demo", Path(name) / "demo"])]
        done = subprocess.run(command, env={**os.environ, "SUDARE_CACHE_DIR": str(cache)}, stdout=subprocess.DEVNULL)  # noqa: S603
        if done.returncode not in (0, 3):
            return done.returncode
        heads = [read(path) for path in cache.iterdir() if not path.name.startswith(".")]
    show(heads)
    return 0


def read(path: Path) -> tuple[str, float, int]:
    """Return the kernel, the seconds and the size of a file of the cache."""
    head, code = store.read(path)
    return head["kernel"], head["seconds"], len(code)


def show(heads: list[tuple[str, float, int]]) -> None:
    costs, callers = defaultdict[str, list[tuple[float, int]]](list), find_callers()
    for kernel, seconds, size in heads:
        costs[kernel].append((seconds, size))
    print(f"{'seconds':>8} {'kinds':>6} {'bytes':>9}  kernel (called by)")
    for kernel, found in sorted(costs.items(), key=lambda item: -sum(seconds for seconds, _ in item[1])):
        seconds, size = (sum(numbers) for numbers in zip(*found, strict=True))
        print(f"{seconds:8.2f} {len(found):6} {size:9,}  {kernel} ({', '.join(sorted(callers[kernel]))})")
    print(f"{sum(seconds for _, seconds, _ in heads):8.2f} {len(heads):6} {sum(size for *_, size in heads):9,}  all")


def find_callers() -> dict[str, set[str]]:
    """Return the modules outside the kernels that name each kernel."""
    found = defaultdict[str, set[str]](set)
    for path in SOURCES.rglob("*.py"):
        here = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        if here.startswith("kernels."):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sudare.kernels")
            for alias in node.names
        }
        for kernel in imported.values():
            found[kernel].add(here)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
                found[f"{imported[node.value.id]}.{node.attr}"].add(here)
    return found


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
