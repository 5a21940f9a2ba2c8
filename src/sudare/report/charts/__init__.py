"""Charts as SVG, in one style for all reports."""
