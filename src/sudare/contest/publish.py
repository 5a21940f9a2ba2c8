"""What a contest publishes of an anonymized history."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OutputNotWritable
from sudare.histories.generalized.blocks import open_text
from sudare.histories.generalized.rule_sets import RuleSet, load_rules
from sudare.histories.generalized.text import check_alone
from sudare.kernels.cells.line_order import copy_lines, find_line_ends, sort_lines
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.sources.writing import LINES_ENDINGS, check_ending, keeps_inputs, whole_file

LF = ord("\n")


@checked
@keeps_inputs("path")
def publish_anonymized(
    path: str | Path,
    out: str | Path,
    rules: RuleSet | None = None,
    *,
    unchecked: bool = False,
    progress: Progress = silent,
) -> int:
    """Write the published history A' of an anonymized history A and return its number of rows.

    Deleted rows are left out. The remaining lines are unchanged, sorted by code point and end in LF. The file is read
    back and compared before it gets its name. Raises BadRows if A breaks a rule that can be checked without the
    original, unless `unchecked` is set.
    """
    check_ending(Path(out), LINES_ENDINGS)
    rules = rules or load_rules()
    if not unchecked:
        check_alone(path, rules, progress=progress)
    with open_text(Path(path)) as file:
        text = file.read()
    data = np.frombuffer(text, np.uint8)
    progress(message("progress.sorting"), 0, 1)
    starts, ends = _kept_lines(data, len(rules.columns))
    lines = np.empty(int((ends - starts).sum()) + len(starts), np.uint8)
    copy_lines(data, starts, ends, sort_lines(data, starts, ends), lines)
    with whole_file(Path(out)) as target:
        target.write_bytes(lines.data)
        if not _holds_lines(target, text, ",".join("*" * len(rules.columns)).encode()):
            raise OutputNotWritable("errors.contest.not_as_written", out=out, path=path)
    return len(starts)


def _holds_lines(written: Path, text: bytes, deleted: bytes) -> bool:
    """Say whether a file has the lines of a text that are not deleted, each as often, in order.

    Which lines there are is compared by their number and the sum of their hashes: a second list of them may not fit.
    """
    wanted = [0, 0]
    for line in BytesIO(text):
        kept = line.removesuffix(b"\r\n") if line.endswith(b"\r\n") else line.removesuffix(b"\n")
        if kept != deleted:
            wanted = [wanted[0] + 1, wanted[1] + hash(kept)]
    found, before = [0, 0], b""
    with written.open("rb") as file:
        for line in file:
            found = [found[0] + 1, found[1] + hash(line[:-1])]
            if not line.endswith(b"\n") or line[:-1] < before:
                return False
            before = line[:-1]
    return found == wanted


def _kept_lines(data: NDArray[np.uint8], columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the lines that are not deleted begin and end."""
    lines = int(np.count_nonzero(data == LF)) + int(len(data) > 0 and data[-1] != LF)
    starts, ends = np.empty(lines, np.int64), np.empty(lines, np.int64)
    find_line_ends(data, starts, ends)
    deleted = np.frombuffer(",".join("*" * columns).encode(), np.uint8)
    kept = ends - starts != len(deleted)
    short = np.flatnonzero(~kept)
    kept[short] = (data[starts[short, np.newaxis] + np.arange(len(deleted))] != deleted).any(axis=1)
    return starts[kept], ends[kept]
