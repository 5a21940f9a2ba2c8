"""The synthetic members of a shop: which values occur together, and how often.

Every distribution is invented; they are skewed and depend on each other as those of real people do, so that most
records are common on each attribute alone and rare on several together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.common.arrays import Floats, Ints
from sudare.showing import dataclass
from sudare.statistics.random_streams import stream

ATTRIBUTES = (
    "sex", "age", "prefecture", "occupation", "household", "education", "income", "joined", "favourite",
)  # fmt: skip
# What nobody but the shop knows of a member; it has no hierarchy.
SENSITIVE = "favourite"
SEXES, FEMALE_SHARE = ("female", "male"), 0.62
YOUNGEST, OLDEST = 18, 94
# Two humps, of families and of those who have time to shop: centre, spread and weight for women, then for men.
AGE_HUMPS = (((41, 11, 1.0), (66, 9, 0.55)), ((46, 12, 1.0), (68, 8, 0.7)))
# Ages at which the next band of life begins; what follows depends on the band.
BANDS = np.array([25, 35, 45, 55, 65, 75])
# Region, half of the country, and prefectures with their people in ten thousands.
REGIONS: dict[str, tuple[str, dict[str, int]]] = {
    "Hokkaido": ("east", {"Hokkaido": 514}),
    "Tohoku": (
        "east", {"Aomori": 120, "Iwate": 118, "Miyagi": 228, "Akita": 93, "Yamagata": 104, "Fukushima": 179},
    ),
    "Kanto": (
        "east",
        {
            "Ibaraki": 284, "Tochigi": 191, "Gunma": 191, "Saitama": 734, "Chiba": 627, "Tokyo": 1404,
            "Kanagawa": 923,
        },
    ),
    "Chubu": (
        "east",
        {
            "Niigata": 215, "Toyama": 102, "Ishikawa": 112, "Fukui": 75, "Yamanashi": 80, "Nagano": 202, "Gifu": 195,
            "Shizuoka": 358, "Aichi": 750,
        },
    ),
    "Kansai": (
        "west",
        {
            "Mie": 174, "Shiga": 141, "Kyoto": 255, "Osaka": 878, "Hyogo": 540, "Nara": 131, "Wakayama": 90,
        },
    ),
    "Chugoku": ("west", {"Tottori": 54, "Shimane": 66, "Okayama": 186, "Hiroshima": 276, "Yamaguchi": 131}),
    "Shikoku": ("west", {"Tokushima": 70, "Kagawa": 93, "Ehime": 131, "Kochi": 68}),
    "Kyushu": (
        "west",
        {
            "Fukuoka": 512, "Saga": 80, "Nagasaki": 128, "Kumamoto": 172, "Oita": 111, "Miyazaki": 105,
            "Kagoshima": 156, "Okinawa": 147,
        },
    ),
}  # fmt: skip
# The shop has its stores in Kanto; elsewhere it sells by mail.
HOME_REGION, HOME_FACTOR = "Kanto", 4
# Occupations with their group, their weight in each of the seven bands, and the factors for women and men.
OCCUPATIONS: dict[str, tuple[str, tuple[float, ...], tuple[float, float]]] = {
    "office worker": ("employed", (16, 34, 32, 30, 20, 4, 1), (1.0, 1.0)),
    "sales worker": ("employed", (9, 12, 10, 9, 7, 3, 1), (1.0, 0.9)),
    "factory worker": ("employed", (7, 10, 10, 9, 7, 2, 0), (0.4, 1.8)),
    "engineer": ("employed", (3, 8, 9, 8, 5, 1, 0), (0.3, 2.2)),
    "nurse or carer": ("employed", (4, 7, 7, 6, 4, 1, 0), (1.5, 0.3)),
    "teacher": ("employed", (1, 4, 4, 4, 3, 1, 0), (1.0, 1.0)),
    "public servant": ("employed", (2, 5, 5, 5, 3, 0, 0), (0.8, 1.4)),
    "doctor or lawyer": ("employed", (0.1, 0.5, 0.8, 0.9, 0.8, 0.5, 0.2), (0.6, 1.7)),
    "farmer or fisher": ("self-employed", (0.3, 0.5, 0.8, 1.0, 1.6, 2.5, 2.0), (0.7, 1.5)),
    "shopkeeper": ("self-employed", (0.3, 1.5, 3.0, 4.0, 5.0, 4.0, 2.0), (0.8, 1.3)),
    "part-time worker": ("employed", (9, 10, 16, 18, 16, 8, 2), (1.5, 0.3)),
    "student": ("not working", (46, 2, 0.2, 0.1, 0, 0, 0), (1.0, 1.0)),
    "homemaker": ("not working", (2, 10, 12, 11, 14, 18, 12), (1.6, 0.04)),
    "retired": ("not working", (0, 0, 0, 0.5, 9, 55, 80), (0.9, 1.2)),
    "looking for work": ("not working", (2, 3, 2.5, 2, 2, 0.5, 0), (1.0, 1.0)),
}
OCCUPATION_MISSING = 0.015
# People in the household, from 1 to 6, in each band.
HOUSEHOLDS = np.array([
    [46, 12, 16, 17, 7, 2], [31, 24, 22, 16, 5, 2], [18, 17, 25, 28, 9, 3], [18, 22, 26, 24, 7, 3],
    [19, 37, 25, 12, 4, 3], [24, 50, 15, 5, 3, 3], [36, 44, 10, 4, 3, 3],
], dtype=np.float64)  # fmt: skip
HOUSEHOLD_GROUPS = (("1", "1-2"), ("2", "1-2"), ("3-4", "3-6"), ("3-4", "3-6"), ("5-6", "3-6"), ("5-6", "3-6"))
# Education with its group, its weight in each band, and how it moves the logarithm of the income.
EDUCATIONS: dict[str, tuple[str, tuple[float, ...], float]] = {
    "junior high school": ("school", (3, 3, 3, 4, 6, 14, 30), -0.25),
    "high school": ("school", (44, 25, 28, 34, 40, 46, 44), -0.08),
    "vocational school": ("college", (14, 16, 17, 15, 11, 7, 4), 0.0),
    "junior college": ("college", (5, 7, 12, 16, 14, 9, 5), 0.02),
    "bachelor": ("university", (31, 41, 35, 28, 27, 23, 16), 0.18),
    "master or doctor": ("university", (3, 8, 5, 3, 2, 1, 1), 0.38),
}
EDUCATION_MISSING = 0.03
# Upper ends of the bands of a household's yearly income in millions of yen, with their names and groups.
INCOME_ENDS = np.array([2, 3, 4, 5, 7, 10, 15])
INCOMES: dict[str, tuple[str, str]] = {
    "under 2M": ("under 4M", "under 7M"), "2M-3M": ("under 4M", "under 7M"), "3M-4M": ("under 4M", "under 7M"),
    "4M-5M": ("4M-7M", "under 7M"), "5M-7M": ("4M-7M", "under 7M"), "7M-10M": ("7M-15M", "7M and more"),
    "10M-15M": ("7M-15M", "7M and more"), "15M and more": ("15M and more", "7M and more"),
}  # fmt: skip
INCOME_BY_BAND = np.array([3.4, 4.6, 5.6, 6.2, 5.2, 3.6, 3.0])
INCOME_BY_HOUSEHOLD = np.array([0.72, 1.0, 1.08, 1.16, 1.18, 1.2])
WELL_PAID, WELL_PAID_FACTOR, NOT_WORKING_FACTOR = "doctor or lawyer", 2.2, 0.82
INCOME_SPREAD, INCOME_MISSING = 0.3, 0.06
# Members joined in these years: more every year, and most in April and December. Nobody joined as a child.
FIRST_YEAR, LAST_YEAR = 2010, 2025
MONTH_WEIGHTS = np.array([8, 6, 9, 14, 8, 7, 8, 6, 7, 8, 10, 16])
GROWTH_BY_BAND, FIRST_YEAR_OF_YOUNGEST = np.array([3.0, 2.2, 1.6, 1.2, 1.0, 0.8, 0.6]), 2019
# What a member buys most: weight in each band, and the factors for women and men.
FAVOURITES: dict[str, tuple[tuple[float, ...], tuple[float, float]]] = {
    "groceries": ((14, 20, 24, 25, 28, 33, 36), (1.1, 0.8)),
    "wine and spirits": ((5, 7, 8, 10, 10, 8, 5), (0.7, 1.6)),
    "cosmetics": ((16, 13, 10, 9, 7, 5, 3), (1.5, 0.15)),
    "clothes": ((16, 12, 10, 9, 8, 6, 4), (1.2, 0.7)),
    "books": ((7, 6, 6, 7, 8, 9, 9), (1.0, 1.0)),
    "games": ((14, 9, 6, 3, 1, 0.5, 0.2), (0.5, 1.9)),
    "baby goods": ((2, 13, 8, 0.5, 0.3, 0.2, 0.1), (1.3, 0.6)),
    "sports": ((7, 6, 6, 6, 5, 3, 1), (0.7, 1.5)),
    "garden and tools": ((1, 2, 4, 6, 10, 12, 10), (0.7, 1.5)),
    "pet supplies": ((3, 4, 5, 6, 6, 5, 4), (1.1, 0.9)),
    "medicine": ((2, 2, 3, 5, 8, 12, 19), (1.0, 1.0)),
    "diet and weight loss": ((3, 3, 4, 4, 3, 2, 1), (1.4, 0.5)),
    "hearing and mobility aids": ((0.1, 0.1, 0.2, 0.4, 1.2, 3, 8), (1.0, 1.0)),
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Records one after another."""

    seed: int
    first: int
    records: int

    def draw(self, purpose: str) -> Floats:
        """Return the number from 0 to 1 that every record has for a purpose, however the records are cut."""
        return stream(self.seed, purpose, self.first).random(self.records)


def make_columns(chunk: Chunk) -> dict[str, NDArray[np.int16]]:
    """Return every attribute as the number of its value from 1 on; 0 is a missing value, and an age is itself."""
    sex = (chunk.draw("sex") >= FEMALE_SHARE).astype(np.int64)
    age = YOUNGEST + _pick(_age_weights(), sex, chunk.draw("age"))
    band = np.searchsorted(BANDS, age, side="right")
    jobs = _by_band_and_sex([(by_band, by_sex) for _, by_band, by_sex in OCCUPATIONS.values()])
    occupation = _pick(jobs, 2 * band + sex, chunk.draw("occupation"))
    household = _pick(HOUSEHOLDS, band, chunk.draw("household"))
    education = _pick(np.array([entry[1] for entry in EDUCATIONS.values()]).T, band, chunk.draw("education"))
    income = _income_band(chunk, band, occupation, household, education)
    favourite = _pick(_by_band_and_sex(list(FAVOURITES.values())), 2 * band + sex, chunk.draw("favourite"))
    columns = {
        "sex": sex + 1,
        "age": age,
        "prefecture": 1 + _pick(_prefecture_weights(), np.zeros_like(sex), chunk.draw("prefecture")),
        "occupation": _missing(chunk, "occupation", occupation + 1, OCCUPATION_MISSING),
        "household": household + 1,
        "education": _missing(chunk, "education", education + 1, EDUCATION_MISSING),
        "income": _missing(chunk, "income", income + 1, INCOME_MISSING),
        "joined": 1 + _pick(_joined_weights(), band, chunk.draw("joined")),
        "favourite": favourite + 1,
    }
    return {name: columns[name].astype(np.int16) for name in ATTRIBUTES}


def _pick(weights: Floats, group: Ints, share: Floats) -> Ints:
    """Return for each record the choice at this share of the cumulated weights of its group, a row of `weights`."""
    groups, choices = weights.shape
    cumulated = np.cumsum(weights, axis=1)
    cumulated = (cumulated / cumulated[:, -1:] + np.arange(groups)[:, None]).ravel()
    found = np.searchsorted(cumulated, group + share, side="right") - group * choices
    limited: Ints = np.minimum(found, choices - 1)  # group + share may round up to the next group
    return limited


def _missing(chunk: Chunk, name: str, numbers: Ints, share: float) -> Ints:
    return np.where(chunk.draw(f"missing {name}") < share, 0, numbers)


def _age_weights() -> Floats:
    ages = np.arange(YOUNGEST, OLDEST + 1)
    rows = [
        sum(weight * np.exp(-(((ages - centre) / spread) ** 2) / 2) for centre, spread, weight in humps)
        for humps in AGE_HUMPS
    ]
    return np.array(rows)


def _prefecture_weights() -> Floats:
    weights = [
        people * (HOME_FACTOR if region == HOME_REGION else 1)
        for region, (_, prefectures) in REGIONS.items()
        for people in prefectures.values()
    ]
    return np.array([weights], dtype=np.float64)


def _by_band_and_sex(choices: Sequence[tuple[tuple[float, ...], tuple[float, float]]]) -> Floats:
    """Return the weights of some choices in row 2 x band + sex."""
    by_band, by_sex = (np.array(columns).T for columns in zip(*choices, strict=True))
    weights: Floats = (by_band[:, None, :] * by_sex[None, :, :]).reshape(-1, len(choices))
    return weights


def _income_band(chunk: Chunk, band: Ints, occupation: Ints, household: Ints, education: Ints) -> Ints:
    """Return the band of the household's income, which is log-logistic around what its facts let expect."""
    names = list(OCCUPATIONS)
    by_occupation = np.array([NOT_WORKING_FACTOR if OCCUPATIONS[name][0] == "not working" else 1.0 for name in names])
    by_occupation[names.index(WELL_PAID)] = WELL_PAID_FACTOR
    moved = np.array([entry[2] for entry in EDUCATIONS.values()])[education]
    share = chunk.draw("income")
    noise = INCOME_SPREAD * np.log((share + 1e-12) / (1 - share))
    expected = INCOME_BY_BAND[band] * INCOME_BY_HOUSEHOLD[household] * by_occupation[occupation]
    found: Ints = np.searchsorted(INCOME_ENDS, expected * np.exp(moved + noise), side="right")
    return found


def _joined_weights() -> Floats:
    years = np.repeat(np.arange(FIRST_YEAR, LAST_YEAR + 1), 12)
    month = np.tile(MONTH_WEIGHTS, LAST_YEAR + 1 - FIRST_YEAR)
    weights: Floats = (years - FIRST_YEAR + 1.0) ** GROWTH_BY_BAND[:, None] * month
    weights[0, years < FIRST_YEAR_OF_YOUNGEST] = 0
    return weights
