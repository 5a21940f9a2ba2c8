"""The attack: what it identifies, what it must not know, and when it can be trained."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.errors import EngineNotAvailable, OptionNotUsable
from sudare.histories.profiles import attack, learning
from sudare.histories.profiles.attack import ProfileLinks, attack_profiles, best_places
from sudare.histories.profiles.measures import class_links, judge_links
from sudare.histories.profiles.sides import Sides, make_sides, places_of
from tests.histories.attack.histories import Row, anonymize_classes, history
from tests.histories.profiles.small_profiles import bought, habitual_rows, halves, sides_of

SEVERAL = 20


@pytest.fixture
def quick_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learn few trees: here it does not matter how well."""
    monkeypatch.setitem(learning._TREES, "max_iter", 5)


def pairs_of(links: ProfileLinks) -> list[tuple[int, int, float]]:
    """Return all pairs of a link with their probabilities."""
    found = links.candidates
    return list(zip(found.groups.tolist(), found.people.tolist(), links.shares.tolist(), strict=True))


def identified(links: ProfileLinks, truth: np.ndarray | None = None) -> float:
    """Return how many pseudonyms are identified whose number is their customer's, or what a truth says."""
    own = places_of(links.sides.customers, links.sides.pids) if truth is None else truth
    return float(judge_links(links, own).one_to_one.sum())


def check_at_chance(links: ProfileLinks) -> None:
    """Permute the truth several times: of all right guesses together, one a time is expected, whoever guesses."""
    random = np.random.default_rng(9)
    people = len(links.sides.customers)
    hits = sum(identified(links, random.permutation(people)) for _ in range(SEVERAL))
    # Sums of rare events are as good as Poisson's: five standard deviations.
    assert hits <= SEVERAL + 5 * SEVERAL**0.5


def test_with_a_permuted_truth_the_untrained_attack_is_at_chance() -> None:
    links = attack_profiles(make_sides(*halves(habitual_rows(1, 300, items=200))), trained=False, closed=True)
    assert identified(links) > 0.9 * 300
    check_at_chance(links)


@pytest.mark.slow
def test_with_a_permuted_truth_the_trained_attack_is_at_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(learning._TREES, "max_iter", 50)
    links = attack_profiles(make_sides(*halves(habitual_rows(1, 300, items=200))), trained=True, closed=True)
    assert links.trained
    assert identified(links) > 0.9 * 300
    check_at_chance(links)


@pytest.mark.parametrize("closed", [True, False])
def test_other_people_are_not_recognized_though_they_have_the_same_numbers(closed: bool) -> None:
    known, _ = halves(habitual_rows(1, 300, items=100))
    _, published = halves(habitual_rows(2, 300, items=100))
    links = attack_profiles(make_sides(known, published), trained=False, closed=closed)
    assert identified(links) <= 1 + 5


@pytest.mark.parametrize("closed", [True, False])
def test_people_who_all_buy_the_same_are_guessed(closed: bool) -> None:
    rows: list[Row] = [(n, day, 7, 100, 1) for n in range(1, 41) for day in (1, 2, 101 + n)]
    links = attack_profiles(make_sides(*halves(rows)), trained=False, closed=closed)
    assert judge_links(links, np.arange(40)).one_to_one == pytest.approx([1 / 40] * 40)
    assert links.confidence().max() <= 1 / 40 + 1e-6


@pytest.mark.parametrize("trained", [True, False])
def test_the_same_seed_gives_the_same_answer_however_many_work(
    monkeypatch: pytest.MonkeyPatch, quick_trees: None, trained: bool
) -> None:
    sides = make_sides(*halves(habitual_rows(3, 50)))
    found = []
    for cores in (1, 2, 7, 7):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        found.append(pairs_of(attack_profiles(sides, trained=trained, seed=5)))
    assert found[0] == found[1] == found[2] == found[3]


def test_another_seed_divides_people_otherwise(quick_trees: None) -> None:
    sides = make_sides(*halves(habitual_rows(3, 50)))
    one, other = (attack_profiles(sides, trained=True, seed=seed) for seed in (1, 2))
    assert one.shares.tolist() != other.shares.tolist()


def test_in_a_closed_world_everybody_is_somebody() -> None:
    sides = make_sides(*halves(habitual_rows(4, 40)))
    shares = attack_profiles(sides, trained=False, closed=True).shares
    found = attack_profiles(sides, trained=False, closed=True).candidates
    assert np.bincount(found.groups, shares) == pytest.approx(np.ones(40))
    assert np.bincount(found.people, shares, 40) == pytest.approx(np.ones(40), abs=0.01)


def test_in_an_open_world_nobody_known_may_be_right() -> None:
    rows = habitual_rows(4, 60)
    known = history([row for row in rows if row[1] < 100 and row[0] <= 40])
    published = history([row for row in rows if row[1] >= 100 and row[0] > 20])
    links = attack_profiles(make_sides(known, published), trained=False)
    found = links.candidates
    assert (np.bincount(found.groups, links.shares) <= 1 + 1e-6).all()
    assert (np.bincount(found.people, links.shares, 40) <= 1.01).all()
    truth = places_of(links.sides.customers, links.sides.pids)
    assert (truth < 0).sum() == 20
    outcome = judge_links(links, truth)
    assert (outcome.one_to_one[truth < 0] == 0).all()
    assert outcome.one_to_one[truth >= 0].mean() > 0.7
    # The attacker is less sure of strangers.
    sure = links.confidence()[links.sides.groups]
    assert sure[truth < 0].mean() < 0.5 * sure[truth >= 0].mean()


@pytest.mark.parametrize("k", [2, 3])
def test_in_classes_of_k_no_more_than_one_of_k_is_identified(k: int) -> None:
    rows = habitual_rows(6, 42, rows=10, items=25)
    later = [row for row in rows if row[1] >= 100]
    known, published = halves(rows)[0], anonymize_classes(later, k)
    sides = make_sides(known, published)
    assert sides.multiplicity.tolist() == [k] * (42 // k)
    links = attack_profiles(sides, trained=False, closed=True)
    owners = dict(zip(published.persons.tolist(), (row[0] for row in later), strict=True))
    truth = places_of(sides.customers, np.array([owners[pid] for pid in sides.pids.tolist()]))
    outcome = judge_links(links, truth)
    assert outcome.one_to_one.max() <= 1 / k + 1e-9
    assert outcome.assigned.max() <= 1 / k + 1e-9
    assert outcome.one_to_one.mean() > 0.5 / k
    assert ((links.confidence() >= 0) & (links.confidence() <= 1 / k)).all()
    classes = class_links(links, truth)
    assert classes is not None
    assert (classes.classes, classes.smallest, classes.ceiling) == (42 // k, k, pytest.approx(1 / k))
    assert classes.right_class is not None
    assert classes.right_class > 5 * k / 42
    assert (links.not_trained, links.sides.overlapping) == ("overlapping", True)


def test_pseudonyms_with_nothing_in_common_with_anybody_are_guessed_at_random() -> None:
    links = attack_profiles(sides_of({1: ["a"], 2: ["b"]}, {1: ["x"], 2: ["y"], 3: ["a"]}), trained=False)
    # All rows have the same price and quantity, so that everybody is a candidate; without these, nobody is.
    assert len(links.candidates) == 6
    known, published = bought({1: ["a"], 2: ["b"]}), bought({1: ["x"], 2: ["y"], 3: ["z"]})
    bare = [type(part)(part.persons, part.columns[:2]) for part in (known, published)]
    found = attack_profiles(make_sides(*bare), trained=False, closed=True)
    assert len(found.candidates) == 0
    assert found.best().tolist() == [-1] * 3
    assert found.assigned().tolist() == [-1] * 3
    assert found.confidence().tolist() == [0] * 3
    outcome = judge_links(found, np.array([0, 1, -1]))
    for chances in (outcome.alone, outcome.one_to_one):
        assert chances.tolist() == [0.5, 0.5, 0]
    assert outcome.best_ten.tolist() == [1, 1, 0]


def test_one_person_and_one_pseudonym_are_a_pair() -> None:
    links = attack_profiles(sides_of({5: ["a"]}, {9: ["a"]}), trained=False, closed=True)
    assert pairs_of(links) == [(0, 0, 1.0)]
    assert links.assigned().tolist() == [0]


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=5))
def test_the_best_pair_of_a_group_is_the_first_of_the_greatest(table: list[list[int]]) -> None:
    starts = np.cumsum([0, *map(len, table)])
    found = best_places(starts, np.array([value for row in table for value in row], float))
    wanted = [start + row.index(max(row)) if row else -1 for start, row in zip(starts, table, strict=False)]
    assert found.tolist() == wanted


def test_what_the_known_period_does_not_repeat_is_no_measure_of_another_period() -> None:
    """Everybody buys other things in the second half of what is known, and both again later."""
    rows = [(n, 10, 2 * n, 100, 1) for n in range(1, 41)] + [(n, 60, 2 * n + 1, 200, 2) for n in range(1, 41)]
    later = [(n, 120, item, cents, quantity) for n, _, item, cents, quantity in rows]
    sides = make_sides(history(rows), history(later))
    for trained in (None, False):
        links = attack_profiles(sides, trained=trained, closed=True)
        assert identified(links) == pytest.approx(40)
        assert not links.trained
    assert attack_profiles(sides, closed=True).not_trained == "nothing_repeated"


def test_a_known_period_that_misleads_does_not_turn_the_order_around() -> None:
    """In the known period everybody buys what the next one bought before; in the published one, what they did."""
    rows = [(n, 10, n, 100, 1) for n in range(1, 41)] + [(n, 60, n % 40 + 1, 100, 1) for n in range(1, 41)]
    later = [(n, 120, item, 100, 1) for n, _, item, _, _ in rows]
    links = attack_profiles(make_sides(history(rows), history(later)), trained=False, closed=True)
    assert identified(links) == pytest.approx(40)
    assert links.confidence().max() < 0.5


def without_days(sides: Sides) -> Sides:
    return type(sides)(**{name: getattr(sides, name) for name in sides.__slots__} | {"known": undated(sides.known)})


def undated(side: attack.Side) -> attack.Side:
    return attack.Side(side.starts, side.columns, side.numbers, None)


def overlapping_sides() -> Sides:
    rows = habitual_rows(6, 42, rows=10, items=25)
    return make_sides(halves(rows)[0], anonymize_classes([row for row in rows if row[1] >= 100], 2))


def few_sides() -> Sides:
    return make_sides(*halves(habitual_rows(1, 20)))


def repeating_nothing() -> Sides:
    rows = [(n, 10 * visit, 3 * n + visit, 100 + 3 * n + visit, 1) for n in range(1, 41) for visit in range(3)]
    return make_sides(history(rows), history([(n, 150, item, cents, 1) for n, _, item, cents, _ in rows]))


@pytest.mark.parametrize(
    ("reason", "sides", "said"),
    [
        ("overlapping", overlapping_sides, "the published cells overlap"),
        ("no_days", lambda: without_days(few_sides()), "the known history has no exact days"),
        ("few_people", few_sides, "too few people come in both parts"),
        ("nothing_repeated", repeating_nothing, "hardly anybody buys the same again within the known period"),
    ],
)
def test_why_nothing_is_learnt_is_said_and_asking_for_it_is_refused(reason: str, sides: object, said: str) -> None:
    made = sides()  # type: ignore[operator]
    links = attack_profiles(made)
    assert (links.trained, links.not_trained) == (False, reason)
    with pytest.raises(OptionNotUsable, match=f"The attack cannot be trained: {said}"):
        attack_profiles(made, trained=True)


def test_nothing_is_learnt_of_the_same_days() -> None:
    sides = few_sides()
    assert attack_profiles(sides, same_time=True).not_trained == "same_time"
    with pytest.raises(OptionNotUsable, match="both histories cover the same days"):
        attack_profiles(sides, same_time=True, trained=True)


def test_without_scikit_learn_the_attack_is_untrained_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = make_sides(*halves(habitual_rows(3, 50)))
    untrained = attack_profiles(sides, trained=False)
    monkeypatch.setattr(attack, "find_spec", lambda name: None if name == "sklearn" else find_spec(name))
    found = attack_profiles(sides)
    assert (found.trained, found.not_trained) == (False, "not_installed")
    assert pairs_of(found) == pairs_of(untrained)
    with pytest.raises(EngineNotAvailable, match=r"pip install 'sudare\[learn\]'"):
        attack_profiles(sides, trained=True)


def test_who_does_not_want_to_learn_is_not_told_why_not() -> None:
    links = attack_profiles(make_sides(*halves(habitual_rows(3, 50))), trained=False)
    assert (links.trained, links.not_trained) == (False, None)
