"""Writes docs/explanation/papers.md: python tools/papers."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from papers.page import PAGE, at_hand, page

PAGE.write_text(page(at_hand), encoding="utf-8")
print(f"wrote {PAGE}")
