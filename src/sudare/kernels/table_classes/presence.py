"""How likely people of a population are in a table whose cells overlap."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Ints, Ints32
from sudare.kernels.entry import entry
from sudare.kernels.table_classes.boxes import Attributes, is_covered
from sudare.kernels.table_classes.divisions import fill, new_division
from sudare.kernels.table_classes.secrets import Population


@entry
def presence(
    attributes: Attributes, population: Population, records: Ints32, owner: Ints, halt: Bools
) -> tuple[Floats, Ints]:
    """Return for each record of the population its presence, and the two lightest classes that cover it (-1: none).

    A record of a class is each of the people that its cells cover with the same probability. Somebody whom several
    classes cover may be in each of them.
    """
    division = new_division(attributes, records, np.arange(len(records)), owner.max() + 1)
    fill(attributes, division, owner)
    people = len(population.counts)
    shares, classes = np.zeros(people), np.full((people, 2), -1, np.int64)
    covered = np.zeros(people, np.bool_)
    for c in np.argsort(division.weights):
        if not division.sizes[c] or halt[0]:
            continue
        number = 0
        for i in range(people):
            covered[i] = is_covered(attributes, division.boxes[c], population.records[i])
            number += population.counts[i] * covered[i]
        for i in range(people):
            if covered[i]:
                shares[i] += division.sizes[c] / number
                if classes[i, 0] < 0:
                    classes[i, 0] = c
                elif classes[i, 1] < 0:
                    classes[i, 1] = c
    return shares, classes
