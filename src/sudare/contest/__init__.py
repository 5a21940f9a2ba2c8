"""The rules of anonymize and re-identify contests: check, publish, judge; no web, no database."""
