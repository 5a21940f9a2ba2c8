"""What is left of the use of an anonymized table, whatever model made it."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

from sudare.arguments import checked
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.utility.classifier import classifier_accuracy
from sudare.tables.utility.distances import grouped, marginals_moved, pairs_moved
from sudare.tables.utility.estimates import Compared, compared
from sudare.tables.utility.means import means_moved
from sudare.tables.utility.model import ClassifierAccuracy, QueriesError, TableUtility
from sudare.tables.utility.queries import query_errors

ATTRIBUTES_ASKED = (2, 3)


@checked
def table_utility(
    found: RecodedTable,
    *,
    queries: int = 1000,
    seed: int = 0,
    target: str | None = None,
    progress: Progress = silent,
) -> TableUtility:
    """Measure what is left of the use of an anonymized table: distributions, counts of queries, a classifier.

    All measures compare the original with what a recipient estimates from the cells (`estimates.py` has the rule).
    There are `queries` random queries over two attributes and as many over three. `target` is the column that the
    classifier predicts; by default a sensitive one, if it has few values, else another with few values. Without
    scikit-learn (the extra `learn`) the classifier is not measured.
    """
    sides = compared(found)
    columns = [grouped(column) for column in sides.columns]
    classifier = classifier_accuracy(found, sides, target=target, seed=seed, progress=progress)
    return TableUtility(
        sides.records,
        int(sides.published.sum()),
        marginals_moved(sides, columns),
        means_moved(sides),
        pairs_moved(sides, columns, _counter(progress, "progress.distributions", comb(len(columns), 2))),
        _errors(sides, queries, seed, progress),
        classifier if isinstance(classifier, ClassifierAccuracy) else None,
        None if isinstance(classifier, ClassifierAccuracy) else classifier,
        seed,
    )


def _errors(sides: Compared, queries: int, seed: int, progress: Progress) -> tuple[QueriesError, ...]:
    each = _counter(progress, "progress.query_counts", queries * len(ATTRIBUTES_ASKED))
    found = (query_errors(sides, attributes=n, queries=queries, seed=seed, each=each) for n in ATTRIBUTES_ASKED)
    return tuple(errors for errors in found if errors is not None)


def _counter(progress: Progress, key: str, total: int) -> Callable[[], None]:
    """Return a function that reports one more of a number of steps each time it is called."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(message(key), done, total)

    return step
