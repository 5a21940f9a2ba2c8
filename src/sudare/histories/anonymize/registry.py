"""The registry of anonymization models: a new model is a module and a line here.

A model's module is imported when it is used, so that the command line can name the models without their libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from sudare.errors import OptionNotUsable
from sudare.messages import Joined
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.anonymize.models import AnonymizedResult


@dataclass(frozen=True, slots=True)
class AnonymizationModel:
    """A way to anonymize a purchase history.

    `function` is its function, as module and name; it takes a history, k, what every search takes, and `options`.
    `everybody` says whether everybody is one of k; `title` is the message above its results.
    """

    name: str
    function: tuple[str, str]
    options: frozenset[str] = frozenset()
    everybody: bool = True
    title: str = "anonymize.title"

    @property
    def anonymize(self) -> Callable[..., AnonymizedResult]:
        """The function that anonymizes a history."""
        module, name = self.function
        found: Callable[..., AnonymizedResult] = getattr(import_module(module), name)
        return found


def _model(
    name: str,
    function: str,
    options: str = "",
    *,
    everybody: bool = True,
    title: str = "anonymize.title",
) -> AnonymizationModel:
    module, _, function = function.rpartition(".")
    home = f"sudare.histories.anonymize.{module}"
    return AnonymizationModel(name, (home, function), frozenset(options.split()), everybody, title)


MODELS = {
    model.name: model
    for model in (
        _model("classes", "classes.anonymize_history", "most_items groups"),
        _model("suppression", "levels.suppress_history"),
        _model("levels", "levels.anonymize_by_levels", "most_items levels"),
        _model(
            "concealment", "concealment.conceal_history", "most_items p alpha attacks",
            title="anonymize.concealment.title",
        ),
        _model(
            "untouched", "untouched.leave_untouched", "most_items untouched",
            everybody=False, title="anonymize.untouched.title",
        ),
    )
}  # fmt: skip
DEFAULT_MODEL = "classes"


def find_model(name: str) -> AnonymizationModel:
    """Return the model of that name, or raise OptionNotUsable."""
    if name not in MODELS:
        raise OptionNotUsable("errors.anonymize.unknown_model", model=name, models=Joined(list(MODELS), "or"))
    return MODELS[name]


def models_with(option: str) -> Joined:
    """Return in words the models that take an option."""
    return Joined([model.name for model in MODELS.values() if option in model.options], "or")
