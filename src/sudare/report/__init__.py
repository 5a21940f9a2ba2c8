"""Charts and self-contained HTML pages that show results to people."""
