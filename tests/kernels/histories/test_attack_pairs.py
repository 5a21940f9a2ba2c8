from itertools import permutations

import numpy as np
from hypothesis import given, strategies as st

from sudare.kernels.histories.attack_pairs import match_rows


def packed(choices: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    edges = np.array([other for row in choices for other in row], np.int64)
    return edges, np.cumsum([0, *map(len, choices)]).astype(np.int64)


@given(st.lists(st.sets(st.integers(0, 4)).map(sorted), max_size=5))
def test_as_many_rows_are_matched_as_in_the_best_injection(choices: list[list[int]]) -> None:
    others = 5
    best = max(
        sum(other in row for row, other in zip(choices, way, strict=False)) for way in permutations(range(others))
    )
    edges, starts = packed(choices)
    assert match_rows(edges, starts, others, False) == best
    assert (match_rows(edges, starts, others, True) == len(choices)) == (best == len(choices))


def test_two_rows_cannot_share_their_only_partner() -> None:
    assert match_rows(*packed([[0], [0], [1, 2]]), 3, False) == 2


def test_a_row_gives_way_along_a_path_of_exchanges() -> None:
    assert match_rows(*packed([[0, 1], [1, 2], [0, 2], [2, 3]]), 4, True) == 4
