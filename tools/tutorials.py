"""Runs README and the tutorials and writes what their commands print into them; a test checks that they are up to date.

A block `sh` is run, all blocks of a page in one shell and one empty folder. A block `text` right after it is what was
printed, stdout and stderr together. A command that fails ends the run, unless its block shows the exit code (`$?`).
`python tools/tutorials.py [PAGE ...]` writes the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").rglob("tutorials/*.md"))]
STEP = re.compile(r"```sh\n(?P<commands>.*?)```(?:\n\n```text\n(?P<printed>.*?)```)?", re.DOTALL)
# What differs from run to run: how long something took.
CHANGING = re.compile(r"\d+(?:\.\d+)?(?= ?(?:s\b|seconds?\b|秒))|(?<=Seconds: )\d+\.\d+")


class TutorialFailed(Exception):
    """A command of a tutorial failed that was not expected to."""


def rewritten(page: Path) -> str:
    """Return a page with what its commands print now. Blocks whose output is not shown are run too."""
    text = page.read_text(encoding="utf-8")
    printed = run([step["commands"] for step in STEP.finditer(text)])
    return STEP.sub(lambda step: _block(step, next(printed)), text)


def _block(step: re.Match[str], printed: str) -> str:
    if step["printed"] is None:
        return step[0]
    shown = printed if same(step["printed"]) != same(printed) else step["printed"]
    return f"```sh\n{step['commands']}```\n\n```text\n{shown}```"


def same(printed: str) -> str:
    """Return what was printed without what differs from run to run."""
    return CHANGING.sub("_", printed)


def run(blocks: list[str]) -> Iterator[str]:
    """Run blocks of shell one after the other in an empty folder, and yield what each prints."""
    with tempfile.TemporaryDirectory() as folder:
        (script := Path(folder) / "tutorial.sh").write_text(_script(blocks), encoding="utf-8")
        (work := Path(folder) / "work").mkdir()
        done = subprocess.run(  # noqa: S603
            ["/bin/bash", str(script)], cwd=work, env=environment(), capture_output=True, text=True, check=False
        )
        outputs = [Path(folder) / f"{number}.out" for number in range(len(blocks))]
        if done.returncode:
            raise TutorialFailed("\n".join(out.read_text(encoding="utf-8") for out in outputs if out.exists())[-3000:])
        yield from (_tidy(out.read_text(encoding="utf-8").replace(f"{work}/", "")) for out in outputs)


def _script(blocks: list[str]) -> str:
    """Return one script: what a block sets, the next one has. A failure ends it unless its block asks for `$?`."""
    lines = []
    for number, block in enumerate(blocks):
        strict = "set +e" if "$?" in block else "set -e"
        lines.append(f'{strict}\nexec >"$(dirname "$0")/{number}.out" 2>&1\n{block}')
    return "\n".join([*lines, "exit 0"])


def _tidy(printed: str) -> str:
    """Return what was printed without progress, which terminals remove, and without blanks at the ends of lines."""
    lines = [line.rstrip() for line in printed.strip("\n").split("\n") if not line.startswith("... ")]
    return "".join(f"{line}\n" for line in lines)


def environment() -> dict[str, str]:
    """Return the environment of the tutorials: the commands of this Python, English unless a page says otherwise."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("SUDARE_LANG", "LC_", "LANG"))}
    commands = f"{Path(sys.executable).parent}{os.pathsep}{plain.get('PATH', '')}"
    return plain | {"PATH": commands, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", "COLUMNS": "100", "NO_COLOR": "1"}


def main() -> None:
    """Write the pages that are named, or all."""
    for page in [Path(word).resolve() for word in sys.argv[1:]] or PAGES:
        text = rewritten(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
