"""Standings: who was broken, and how the others rank."""

from __future__ import annotations

from hypothesis import given, strategies as st

from sudare.contest.standings import Attack, rank_histories
from sudare.histories.safety.judgement import judge_hits


def attack(attacker: str, target: str, guesses: int, hits: int) -> Attack:
    return Attack(attacker, target, judge_hits(guesses, hits))


def test_the_least_utility_wins_among_those_not_broken_and_ties_are_stated() -> None:
    # r(24) = 18.
    attacks = [attack("a", "b", 24, 17), attack("b", "a", 24, 18), attack("c", "b", 0, 0)]
    found = rank_histories({"a": 0.0, "b": 0.5, "c": 0.5, "d": 0.7}, attacks)
    assert [(s.name, s.rank, s.outcome, s.tied, s.attacks, s.effective) for s in found] == [
        ("b", 1, "withstood", ("c",), 1, 0),
        ("c", 1, "not_attacked", ("b",), 0, 0),
        ("d", 3, "not_attacked", (), 0, 0),
        ("a", None, "broken", (), 1, 1),
    ]
    assert found[0].to_dict()["tied"] == ["c"]


def test_an_attack_that_could_not_be_effective_says_nothing() -> None:
    # r(1) is more than 1.
    found = rank_histories({"a": 0.5}, [attack("b", "a", 1, 0), attack("c", "a", 1, 1)])
    assert [(s.outcome, s.attacks, s.effective) for s in found] == [("not_attacked", 0, 0)]


def test_nobody_has_no_standings() -> None:
    assert rank_histories({}, []) == ()


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 0.5, 1.0])), st.sets(st.sampled_from("abcdef")))
def test_a_rank_counts_the_better_ones_that_are_not_broken(utilities: dict[str, float], broken: set[str]) -> None:
    attacks = [attack("x", name, 24, 24) for name in sorted(broken)]
    for standing in rank_histories(utilities, attacks):
        left = [name for name in utilities if name not in broken]
        better = [name for name in left if utilities[name] < standing.utility]
        assert standing.rank == (None if standing.name in broken else len(better) + 1)
