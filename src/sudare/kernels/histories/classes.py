"""Partitioning customers into classes by pairwise costs alone, by simulated annealing.

A class of c customers costs about `rates[c]` times the summed costs of its pairs: rows are not looked at here.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Floats32, Ints
from sudare.kernels.entry import entry, inner


@inner
def _to_class(pairs: Floats32, members: Ints, size: int, customer: int, without: int) -> float:
    """Return the summed costs of a customer's pairs with a class, but for one member."""
    total = 0.0
    for k in range(size):
        if members[k] != without and members[k] != customer:
            total += pairs[customer, members[k]]
    return total


@entry
def anneal(
    pairs: Floats32,
    near: Ints,
    classes: Ints,
    sizes: Ints,
    class_of: Ints,
    rates: Floats,
    bounds: tuple[int, int],
    steps: int,
    heat: tuple[float, float],
    rng: np.random.Generator,
    halt: Bools,
) -> None:
    """Move and swap customers between classes, at first also for the worse, by exp(-loss / heat).

    Line c of `classes` has the members of class c, `sizes[c]` of them; `near[i]` are customers with whom i makes cheap
    pairs; `bounds` are the fewest and most members of a class, `heat` the first and last temperatures. All are changed
    in place.
    """
    fewest, most = bounds
    sums = np.zeros(len(sizes))
    for c in range(len(sizes)):
        for k in range(sizes[c]):
            sums[c] += _to_class(pairs, classes[c], sizes[c], classes[c, k], -1) / 2
    temperature, cooling = heat[0], (heat[1] / heat[0]) ** (1 / steps)
    for _ in range(steps):
        if halt[0]:
            break
        temperature *= cooling
        one = int(rng.integers(0, len(class_of)))
        to = class_of[near[one, rng.integers(0, near.shape[1])]]
        origin = class_of[one]
        if to == origin:
            continue
        place = rng.integers(0, sizes[to] + 1)
        moves = place == sizes[to]
        if moves and (sizes[origin] <= fewest or sizes[to] >= most):
            continue
        other = -1 if moves else classes[to, place]
        here = sums[origin] - _to_class(pairs, classes[origin], sizes[origin], one, -1)
        there = sums[to] + _to_class(pairs, classes[to], sizes[to], one, other)
        if not moves:
            here += _to_class(pairs, classes[origin], sizes[origin], other, one)
            there -= _to_class(pairs, classes[to], sizes[to], other, -1)
        shift = 1 if moves else 0
        loss = (
            rates[sizes[origin] - shift] * here + rates[sizes[to] + shift] * there
            - rates[sizes[origin]] * sums[origin] - rates[sizes[to]] * sums[to]
        )  # fmt: skip
        if loss > 0 and rng.random() >= np.exp(-loss / temperature):
            continue
        sums[origin], sums[to] = here, there
        spot = 0
        while classes[origin, spot] != one:
            spot += 1
        class_of[one] = to
        if moves:
            sizes[origin] -= 1
            classes[origin, spot] = classes[origin, sizes[origin]]
            classes[to, sizes[to]] = one
            sizes[to] += 1
        else:
            class_of[other] = origin
            classes[origin, spot], classes[to, place] = other, one
