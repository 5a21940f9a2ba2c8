"""The version of sudare, defined in one place."""

__version__ = "0.1.0"
