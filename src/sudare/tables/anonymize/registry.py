"""The registry of models that anonymize a table: a new model is a module and a line here.

A model's module is imported when it is used, so that the command line can name the models without their libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from sudare.errors import OptionNotUsable
from sudare.messages import Joined
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.tables.classes.class_criteria import ClassCriteria
    from sudare.tables.hierarchies.model import Hierarchy
    from sudare.tables.model import Table
    from sudare.tables.recoded.model import RecodedTable
    from sudare.tables.roles import Roles

Ended = Literal["converged", "time", "interrupted"]
CellKind = Literal["nodes", "sets", "ranges"]


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What is asked of a model: a table with roles and hierarchies, what its classes must satisfy, and how to search.

    `population` is the reference population, if there is one. Only models that take these look at `cells`, the columns
    that are `microaggregate`d, and `blunt_ends`.
    """

    table: Table
    roles: Roles
    hierarchies: Mapping[str, Hierarchy]
    criteria: ClassCriteria
    loss: str
    population: Table | None
    cells: CellKind
    microaggregate: tuple[str, ...]
    blunt_ends: bool
    seconds: float | None
    seed: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class TableModel:
    """A way to anonymize a table: its function, as module and name, the options it takes, and its losses.

    The function returns the recoded table, a bound of its loss (None: there is none) and how the search ended.
    """

    name: str
    function: tuple[str, str]
    options: frozenset[str]
    losses: tuple[str, ...]

    @property
    def recode(self) -> Callable[[Request], tuple[RecodedTable, float | None, Ended]]:
        """The function that recodes a table."""
        module, name = self.function
        found: Callable[[Request], tuple[RecodedTable, float | None, Ended]] = getattr(import_module(module), name)
        return found


def _model(name: str, function: str, options: str, losses: str) -> TableModel:
    module, _, called = function.rpartition(".")
    home = f"sudare.tables.anonymize.{module}"
    return TableModel(name, (home, called), frozenset(options.split()), tuple(losses.split()))


MODELS = {
    model.name: model
    for model in (
        _model("local", "local.recode", "hierarchies cells microaggregate blunt_ends population", "entropy ncp"),
        _model("levels", "by_levels.recode", "hierarchies", "entropy ncp discernibility precision"),
        _model("suppress", "local.suppress_cells", "population", "entropy ncp"),
    )
}
DEFAULT_MODEL = "local"


def find_model(name: str) -> TableModel:
    """Return the model of that name, or raise OptionNotUsable."""
    if name not in MODELS:
        raise OptionNotUsable("errors.table_models.unknown", model=name, models=Joined(list(MODELS), "or"))
    return MODELS[name]


def check_model(name: str, loss: str, options: Mapping[str, bool]) -> TableModel:
    """Return a model; refuse a loss that it cannot minimize, and options that are given and that it does not take."""
    model = find_model(name)
    if loss not in model.losses:
        losses = Joined(list(model.losses), "or")
        raise OptionNotUsable("errors.table_models.loss", model=name, loss=loss, losses=losses)
    for option, given in options.items():
        if given and option not in model.options:
            able = Joined([other.name for other in MODELS.values() if option in other.options], "or")
            raise OptionNotUsable("errors.table_models.option", model=name, argument=option, models=able)
    return model
