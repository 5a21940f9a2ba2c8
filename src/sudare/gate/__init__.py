"""The privacy gate: a policy of checks on sources, run in a pipeline, with evidence that others can verify."""

from sudare.lazy import attach

__getattr__, __dir__ = attach(__name__)
