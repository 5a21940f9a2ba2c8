"""Numbers after "at most", "at least" or "above" are true: bounds are rounded to their safe side, limits not at all."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from sudare.contest.frontier_points import FrontierPoint
from sudare.histories.safety.guess_plans import GuessPlan
from sudare.messages import Texts, catalogue
from sudare.report.contest import duel_text as contest_duel_text, frontier_text, safety_text as contest_safety_text
from sudare.report.contest.answers import _Answers as ContestAnswers
from sudare.report.history import anonymized_text as anonymize_text
from sudare.report.numbers import Numbers
from sudare.report.table import sets_text, text as risk_text

# A number after one of these words has to be true as it is written.
WORDS = re.compile(
    r"(?:at most|at least|no more than|above|below|exceeds?|do not exceed:|less than|fewer than) "
    r"(?:the )?(?:risk of |bound of |limit of )?\{(\w+)\}"
)
# How a value gets into a text: counted, as it was asked for, or rounded to its safe side.
COUNTED, ASKED, ROUNDED = "a whole number", "as it was asked for", "rounded to its safe side"
NAMES = {
    "bound": ROUNDED, "gap": ROUNDED, "independent": ROUNDED, "least": ROUNDED, "share": ROUNDED, "curve": ROUNDED,
    "survives_at_least": ROUNDED, "survives_if_independent": ROUNDED, "low": ROUNDED, "high": ROUNDED,
    "median": ROUNDED, "quantiles": ROUNDED, "limit": ASKED, "rho": ASKED, "epsilon": ASKED, "factor": ASKED,
    "suppress": ASKED, "seconds": ASKED, "digits": ASKED, "m": ASKED, "longest": ASKED, "k": COUNTED, "size": COUNTED,
    "needed": COUNTED, "smallest": COUNTED, "l": COUNTED, "largest": COUNTED, "unsafe": COUNTED, "allowed": COUNTED,
    "known": COUNTED, "least_k": COUNTED, "fewest": COUNTED, "count": COUNTED, "ge": ASKED,
}  # fmt: skip
# Where the same name stands for something else.
KEYS = {
    "risk.above.bound": ASKED, "risk.walk_merged.least": COUNTED, "report.table.lattice.band_last.low": ASKED,
    "errors.knowledge.many_visits_hint.most": COUNTED, "errors.knowledge.many_rows_hint.most": COUNTED,
    "errors.sets.too_many_attributes_hint.most": COUNTED,
    "risk.dangerous_estimate.most": ROUNDED, "risk.affordable_estimate.riskier": ROUNDED,
    "profiles.classes.ceiling": ROUNDED, "mining.rules.confidence": ASKED, "risk.levels_t.t": ASKED,
    "report.anonymized.claims.at_least.value": ASKED, "report.anonymized.claims.at_most.value": ASKED,
    "report.anonymized.attacks.skewed_means.above": ASKED, "legal.usual.low.number": ASKED,
    "errors.requests.text_too_long.most": COUNTED, "web.rules.effective.alpha": ASKED,
    "legal.usual.high.number": ASKED,
}  # fmt: skip

shares = st.floats(0, 1, allow_nan=False)


class Recorded(Texts):
    """Texts that remember what was filled in where."""

    def __init__(self) -> None:
        super().__init__("en")
        self.filled: dict[str, dict[str, Any]] = {}

    def __call__(self, key: str, **values: object) -> str:
        self.filled[key] = dict(values)
        return super().__call__(key, **values)


def number(text: str) -> Fraction:
    """Return the number that a text says: 12.5 % is 0.125."""
    plain = text.replace("\N{NO-BREAK SPACE}", " ").replace(",", "")
    return Fraction(plain.removesuffix(" %")) / (100 if plain.endswith("%") else 1)


# Rounding noise of floating point numbers, which does not push a bound to the next digit.
NOISE = Fraction(1, 10**9)


def at_most(said: str, true: float) -> bool:
    return Fraction(true) - NOISE <= number(said) <= Fraction(true) + Fraction(11, 100_000)


def at_least(said: str, true: float) -> bool:
    return Fraction(true) - Fraction(11, 100_000) <= number(said) <= Fraction(true) + NOISE


def test_every_number_after_such_words_is_known_to_be_safe() -> None:
    found = [(f"{key}.{name}", name) for key, text in catalogue("en").items() for name in WORDS.findall(text)]
    assert len(found) > 40
    assert [place for place, name in found if place not in KEYS and name not in NAMES] == []


@given(shares)
def test_bounds_are_on_their_safe_side(share: float) -> None:
    numbers, texts = Numbers(Texts("en")), Texts("en")
    assert at_most(numbers.at_most(share), share)
    assert at_least(numbers.at_least(share), share)
    assert at_least(numbers.decimal_at_least(share, 5), share)
    assert at_least(numbers.decimal_at_least(share, 4), share)
    assert at_most(texts.upper_percent(share), share)


@given(st.decimals(min_value="0.00001", max_value=1, places=7).map(float))
def test_limits_are_shown_with_all_their_digits(limit: float) -> None:
    assert number(Numbers(Texts("en")).exact_percent(limit)) == Fraction(str(limit))


@given(shares, shares)
@settings(deadline=None)
def test_what_commands_print_is_on_its_safe_side(bound: float, gap: float) -> None:
    for show, checks in PRINTED.items():
        texts = Recorded()
        show(bound, gap, texts)
        for place, (check, which) in checks.items():
            key, _, name = place.rpartition(".")
            if key in texts.filled:
                assert check(str(texts.filled[key][name]), (bound, gap)[which]), place


def print_cost(bound: float, gap: float, texts: Texts) -> None:
    found = SimpleNamespace(utility=1, rows=1, bound=bound, gap=gap, deleted_rows=0, converged=True, seconds=1.0)
    anonymize_text._show_cost(found, texts)  # type: ignore[arg-type]


def answer_cost(bound: float, gap: float, texts: Texts) -> None:
    said = SimpleNamespace(
        findings=SimpleNamespace(made=SimpleNamespace(bound=bound, gap=gap)), numbers=Numbers(texts),
        say=lambda key, **values: texts(f"report.contest.answer.{key}", **values),
    )  # fmt: skip
    ContestAnswers.made(said)  # type: ignore[arg-type]


def attack_safety(bound: float, survives: float) -> Any:
    plan = GuessPlan(0, 0, 0.0, ())
    return SimpleNamespace(
        attacks=3, bound=bound, plan_found=plan, test="contest", proven=True, survives_at_least=survives,
        survives_at_least_if_independent=survives,
    )  # fmt: skip


def print_chances(bound: float, survives: float, texts: Texts) -> None:
    found = attack_safety(bound, survives)
    contest_duel_text._chance(found, texts)
    contest_safety_text._show_attack(found, texts)


def print_disclosable(limit: float, _: float, texts: Texts) -> None:
    found = SimpleNamespace(limit=limit, quantile=None, class_size=2)
    sets_text.disclosable_title(found, texts)  # type: ignore[arg-type]


def print_levels(bound: float, gap: float, texts: Texts) -> None:
    risk_text._bound_of_levels(SimpleNamespace(bound=bound, gap=gap), texts)  # type: ignore[arg-type]


def print_drawn(low: float, high: float, texts: Texts) -> None:
    found = SimpleNamespace(low=low, high=high, share=low, seed=0, max_factor_at_most=1 + low)
    sets_text._dangerous_estimate(found, texts)  # type: ignore[arg-type]


def same(said: str, true: float) -> bool:
    return number(said) == Fraction(str(true))


PRINTED: dict[Callable[[float, float, Texts], None], dict[str, tuple[Callable[[str, float], bool], int]]] = {
    print_cost: {"anonymize.bound.bound": (at_least, 0), "anonymize.bound.gap": (at_most, 1)},
    answer_cost: {"report.contest.answer.bound.bound": (at_least, 0), "report.contest.answer.bound.gap": (at_most, 1)},
    print_chances: {
        "contest.duel.classes.bound": (at_most, 0),
        "contest.safety.bound.bound": (at_most, 0),
        "contest.safety.survives.independent": (at_least, 1),
        "contest.safety.survives.least": (at_least, 1),
    },
    print_levels: {"risk.levels_gap.bound": (at_least, 0), "risk.levels_gap.gap": (at_most, 1)},
    print_drawn: {"risk.dangerous_estimate.low": (at_least, 0), "risk.dangerous_estimate.high": (at_most, 1)},
    print_disclosable: {"risk.disclosable_title.limit": (same, 0)},
}


@given(st.floats(1e-6, 1), st.floats(1e-6, 1), shares)
@settings(deadline=None)
def test_the_frontier_is_on_its_safe_side(utility: float, chance: float, survives: float) -> None:
    point = FrontierPoint(2, 1.0, utility, 0, 1, False, chance, 0.0, survives, None, None, True, 1.0)
    line = frontier_text._line(point, Texts("en"))
    assert at_least(line[2], utility)
    assert at_most(line[5], chance)
    assert at_least(line[7], survives)


def test_where_too_few_are_left_no_number_is_said_and_that_people_may_be_recognized_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts, recognized = Texts("en"), "They may still be recognized."
    point = FrontierPoint(7, 0.5, 0.3, 9, 1, True, 0.0, 0.0, 1.0, "not_broken", -4, True, 1.5)
    assert frontier_text._chances(point, texts) == ["too few"] * 3
    assert contest_duel_text._chance(attack_safety(0.0, 1.0), texts).endswith(recognized)
    contest_safety_text._show_attack(attack_safety(0.0, 1.0), texts)
    assert recognized in capsys.readouterr().out
    too_few = {key for key, text in catalogue("en").items() if re.search(r"too few (pseud|cust|peop)|[Ss]o few", text)}
    silent = {key for key in too_few if "may still be recognized" not in catalogue("en")[key]}
    # Said of a single file of guesses, and of what there is to learn from: nothing is said of the people then.
    learning = {"profiles.not_trained.few_people", "errors.profiles.few_people"}
    assert silent == {"report.contest.attacks.note", "contest.safety.judged_never", *learning}
