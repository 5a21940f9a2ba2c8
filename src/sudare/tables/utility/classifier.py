"""The accuracy of a classifier that is trained with anonymized records instead of original ones.

Gradient-boosted trees of scikit-learn predict one column from the other published ones. A third of the original records
(of the persons, where the table has a person column) is held out; one classifier is trained with the others, and one
with the anonymized rows of the same records. If the column to predict is generalized, only records with a single value
in it can be used for training.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.messages import Joined, message
from sudare.progress import Progress, silent
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.utility.estimates import Column, Compared, Shares
from sudare.tables.utility.features import Features, make_features
from sudare.tables.utility.model import ClassifierAccuracy, NotMeasured, TargetChoice

# Different values of a column to predict, if it is given, if it is sensitive, and otherwise.
MOST_GIVEN, MOST_SENSITIVE, MOST_OTHER = 50, 20, 10
# Records that are drawn from a larger table, a third of them for testing: each training takes some seconds at most.
MOST_RECORDS = 75_000
# Below, no part of the records is set aside to stop training early.
LEAST_TO_STOP = 1_000
# Small trees that stop early: with larger ones, more values to predict than two are overfitted (on Adult, occupation is
# predicted with 35 % instead of 27 %), and training with blurred records may seem better than with the original.
_TREES: dict[str, Any] = {
    "learning_rate": 0.1, "max_iter": 100, "max_leaf_nodes": 15, "min_samples_leaf": 40, "n_iter_no_change": 5,
}  # fmt: skip

Codes = NDArray[np.int64]


def classifier_accuracy(
    found: RecodedTable, sides: Compared, *, target: str | None, seed: int, progress: Progress = silent
) -> ClassifierAccuracy | NotMeasured:
    """Return how well a column is predicted before and after, or why this was not measured."""
    named = choose_target(found, sides, target)
    if named is None or len(sides.columns) < 2:
        return "no_target"
    if find_spec("sklearn") is None:
        return "not_installed"
    column, chosen = named
    rng = np.random.default_rng([seed, len(sides.columns)])
    records, held_out = _divided(found, _labelled(found, column), rng)
    truth, labels = _labels(found, column, records)
    usable = ~held_out & (labels >= 0)
    if not usable.any() or not held_out.any():
        return "too_few_records"
    others = [other for other in sides.columns if other is not column]
    features = make_features(found, others, records, rng)
    right = _compared(features, truth, labels, held_out, seed, progress)
    counts = int((~held_out).sum()), int(usable.sum()), int(held_out.sum())
    return ClassifierAccuracy(column.attribute, chosen, *right, *counts)


def _compared(
    features: Features, truth: Codes, labels: Codes, held_out: NDArray[np.bool_], seed: int, progress: Progress
) -> tuple[float, float, float]:
    """Return the shares of right answers on the records held out: before, after, and of the most common value."""
    train, test = ~held_out, features.original[held_out]
    answers = []
    for done, (trained, said) in enumerate(((features.original, truth), (features.published, labels))):
        progress(message("progress.classifiers"), done, 2)
        used = train & (said >= 0)
        answers.append(_predicted(trained[used], said[used], test, features.categories, seed))
    progress(message("progress.classifiers"), 2, 2)
    answers.append(np.full(len(test), np.bincount(truth[train]).argmax()))
    before, after, baseline = (float(np.mean(answer == truth[held_out])) for answer in answers)
    return before, after, baseline


def choose_target(found: RecodedTable, sides: Compared, target: str | None) -> tuple[Column, TargetChoice] | None:
    """Return the column to predict, and why: the given one, else one that depends only on the original and the roles.

    This is the first sensitive column with 2 to 20 different values; else, of the columns with 2 to 10, the last one
    that is published unchanged, or the last quasi-identifier: tables often end with what is to be predicted.
    """
    columns = {column.attribute: column for column in sides.columns}
    if target is not None:
        return _given(found, columns, target), "given"
    roles = found.roles
    choices: list[tuple[TargetChoice, tuple[str, ...], int]] = [
        ("sensitive", roles.sensitive, MOST_SENSITIVE),
        ("kept", roles.named("kept")[::-1], MOST_OTHER),
        ("quasi", roles.quasi[::-1], MOST_OTHER),
    ]
    fitting = ((columns[n], choice) for choice, names, most in choices for n in names if _fits(columns[n], most))
    return next(fitting, None)


def _given(found: RecodedTable, columns: dict[str, Column], target: str) -> Column:
    found.table.positions([target])
    if target not in columns:
        raise OptionNotUsable(
            "errors.table_utility.target_not_published", attribute=target, attributes=Joined(tuple(columns))
        )
    count = _different(columns[target])
    if count < 2:
        raise OptionNotUsable("errors.table_utility.target_constant", attribute=target)
    if count > MOST_GIVEN:
        raise OptionNotUsable(
            "errors.table_utility.target_values", attribute=target, count=count, least=2, most=MOST_GIVEN
        )
    return columns[target]


def _different(column: Column) -> int:
    return sum(value is not None for value in column.values)


def _fits(column: Column, most: int) -> bool:
    return 2 <= _different(column) <= most


def _labelled(found: RecodedTable, column: Column) -> Codes:
    """Return the records whose value of a column is not missing."""
    there = np.array([value is not None for value in column.values])
    return np.flatnonzero(there[column.codes[found.rows]])


def _divided(found: RecodedTable, records: Codes, rng: np.random.Generator) -> tuple[Codes, NDArray[np.bool_]]:
    """Return records, drawn if they are many, and which of them are held out."""
    if len(records) > MOST_RECORDS:
        records = np.sort(rng.choice(records, MOST_RECORDS, replace=False))
    persons = found.table.persons
    owner = np.arange(len(records)) if persons is None else persons[found.rows[records]]
    persons_there, person = np.unique(owner, return_inverse=True)
    order = rng.permutation(len(persons_there))
    return records, order[person] < len(order) // 3


def _labels(found: RecodedTable, column: Column, records: Codes) -> tuple[Codes, Codes]:
    """Return the true value of each record, and the published one: -1 if that is hidden."""
    truth = column.codes[found.rows[records]].astype(np.int64)
    there = found.owner[records] >= 0
    if column.cells_of is not None:
        cells = found.cells[found.quasi.index(column.attribute)][found.owner[records]]
        there &= column.cells_of.widths[cells] == 1
    return truth, np.where(there, truth, -1)


def _predicted(features: Shares, labels: Codes, asked: Shares, categories: tuple[bool, ...], seed: int) -> Codes:
    """Train on features and labels, and return the labels predicted for others."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    early = len(labels) >= LEAST_TO_STOP
    if early:  # A value of a single record cannot be on both sides.
        several = np.bincount(labels)[labels] > 1
        features, labels = features[several], labels[several]
    # A feature that fewer records have than a leaf must have cannot be split, and one that none has is refused.
    useful = (~np.isnan(features)).sum(axis=0) >= _TREES["min_samples_leaf"]
    if len(np.unique(labels)) == 1 or not useful.any():
        return np.full(len(asked), np.bincount(labels).argmax())
    model = HistGradientBoostingClassifier(
        **_TREES, categorical_features=np.array(categories)[useful], early_stopping=early, random_state=seed % 2**32
    )
    # Trees this small gain nothing from a second thread, and threads that wait for each other stall on a busy machine.
    with threadpool_limits(1):
        return np.asarray(model.fit(features[:, useful], labels).predict(asked[:, useful]))
