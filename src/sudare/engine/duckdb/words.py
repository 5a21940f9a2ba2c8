"""The SQL functions of the project that DuckDB does not have itself."""

from __future__ import annotations

from sudare.engine.japanese import AMOUNT, DATE, PARTS, western_date, western_day
from sudare.engine.protocol import BLANKS, OFFSET, YEAR_LAST, ZONE

# Letters of which no text changes in NFKC: ASCII, À to ÿ, Cyrillic, kana, Chinese characters, Hangul. Most texts have
# no others, and are not sent to Python.
STABLE = "\x01-\x7fÀ-ÿА-я、-〃々-〇ぁ-ゖァ-ヺー一-鿿가-힣"

# The words of the protocol that DuckDB does not know by itself. Regular expressions are looked at last: each cell costs
# more than several looks at single letters, and of a Parquet file these are taken of different texts only.
WORDS = (
    f"normal(words) AS CASE WHEN strlen(words) = length(words) OR regexp_full_match(words, '[{STABLE}]*') THEN words "
    "ELSE nfkc(words) END",
    "trimmed(words) AS CASE WHEN strlen(words) = length(words) AND words >= '!' AND words[-1] >= '!' THEN words "
    f"WHEN regexp_matches(words, '^[{BLANKS}]|[{BLANKS}]$') "
    f"THEN regexp_replace(words, '^[{BLANKS}]+|[{BLANKS}]+$', '', 'g') ELSE words END",
    f"read_number(words) AS coalesce(try_cast(words AS DOUBLE), try_cast({AMOUNT} AS DOUBLE))",
    # A date alone, a time alone, and a time of the usual form in the end have none, and are far quicker to see.
    "has_offset(words) AS CASE WHEN words LIKE '% __:__:__' OR words LIKE '__:__' OR NOT contains(words, ':') "
    f"THEN false ELSE regexp_matches(words, '{OFFSET}') END",
    # DuckDB reads no blank before an offset.
    "clock_of(words, zone) AS timezone(zone, try_cast(regexp_replace(words, ' ([+-])', '\\1') AS TIMESTAMPTZ))",
    # DuckDB takes any word after a time for a zone that it need not know, such as the PM of 8:00 PM.
    "western_moment(words) AS coalesce(CASE WHEN words >= '0' AND words < ':' "
    f"AND (NOT has_offset(words) OR clock_of(words, '{ZONE}') IS NOT NULL) THEN try_cast(words AS TIMESTAMP) END, CASE "
    "WHEN regexp_full_match(words, '[0-9]{8}') THEN try_strptime(words, '%Y%m%d') "
    "WHEN regexp_full_match(words, '[0-9]{5}([.][0-9]+)?') THEN TIMESTAMP '1899-12-30 00:00:00' "
    "+ to_seconds(CAST(round(try_cast(words AS DOUBLE) * 86400) AS BIGINT)) END)",
    # A macro is put in the place of its name, and what it is given in each place of its own: lists of one thing hold
    # what is worked out once.
    f"western_date(words) AS list_transform(list_transform([regexp_extract(words, '{DATE}', {list(PARTS)})], "
    f"lambda parts: {{'parts': parts, 'day': {western_day(lambda number: f'parts.part{number}')}}}), "
    f"lambda found: {western_date(lambda number: f'found.parts.part{number}', 'found.day')})[1]",
    "read_moment(words) AS coalesce(western_moment(words), "
    "list_transform([western_date(words)], lambda western: western_moment(western))[1])",
    f"day_first(words) AS CASE WHEN regexp_full_match(words, '{YEAR_LAST}') "
    f"THEN regexp_replace(words, '{YEAR_LAST}', '\\7-\\3\\4\\5-\\1\\8') END",
    f"month_first(words) AS CASE WHEN regexp_full_match(words, '{YEAR_LAST}') "
    f"THEN regexp_replace(words, '{YEAR_LAST}', '\\7-\\1-\\3\\4\\5\\8') END",
    "read_moment_in(words, form) AS CAST(try_strptime(words, form) AS TIMESTAMP)",
    # Spark calls it so.
    "explode(list) AS unnest(list)",
    f"clock_in(moment, zone) AS timezone(zone, timezone('{ZONE}', moment))",
    "day_number(day) AS datediff('day', DATE '1970-01-01', day)",
    "is_like(words, form) AS regexp_full_match(words, form)",
    "text_at(texts, place) AS list_extract(texts, place)",
    "texts_in(texts) AS len(texts)",
    "joined(texts) AS array_to_string(list_sort(texts), ';')",
    "digest_part(words, place) AS CAST('0x' || substr(sha256(words), 15 * place + 1, 15) AS BIGINT)",
    "read_minute(words) AS CASE WHEN NOT has_offset(words) "
    "THEN hour(try_cast(words AS TIME)) * 60 + minute(try_cast(words AS TIME)) END",
)
