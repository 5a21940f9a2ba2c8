"""The rules of anonymize and re-identify contests: check, publish, judge; no web, no database."""

from sudare.lazy import attach

__getattr__, __dir__ = attach(__name__)
