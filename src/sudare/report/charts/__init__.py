"""Charts as SVG, one look for all reports."""
