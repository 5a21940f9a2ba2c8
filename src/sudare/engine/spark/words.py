"""The SQL functions of the project on Spark, and how the SQL text is interpreted there."""

from __future__ import annotations

from sudare.engine.japanese import AMOUNT, DATE, western_date, western_day
from sudare.engine.protocol import BLANKS, OFFSET, YEAR_LAST, ZONE

# How the one SQL text is to be understood: names in double quotes, errors instead of wrong values.
LANGUAGE = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    # Else a line with too few cells is only found if the last ones are asked for.
    "spark.sql.csv.parser.columnPruning.enabled": "false",
    # A moment without a zone stays one; what has a zone becomes a day by the same clock on every machine.
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.session.timeZone": ZONE,
    # Compressing kept tables takes longer than all else that is done with them.
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    # Rows that lie together by one key of a join need not be sent, and not be sorted, to be joined by it and more.
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.join.preferSortMergeJoin": "false",
}

# A date of any divider as one of hyphens, and what its text must look like: Spark itself would take less.
_HYPHENS = r"regexp_replace(words, '^([0-9]{1,4})([/ ])([0-9]{1,2})\2([0-9]{1,2})', '$1-$3-$4')"
# Spark takes an offset after seconds only.
_MOMENT = f"regexp_replace({_HYPHENS}, '^([^:]*:[0-9]+)(?=[^0-9:])', '$1:00')"
_DATE = "^[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:.*)?$"
# The time of a text; a moment has one too.
_CLOCK = "regexp_replace(words, '^[0-9]{4}-[0-9]{2}-[0-9]{2} ', '')"
_FORMS = {
    "%Y": "yyyy", "%y": "yy", "%m": "M", "%d": "d", "%H": "H", "%I": "h", "%M": "m", "%S": "s", "%f": "SSSSSS",
    "%b": "MMM", "%B": "MMMM", "%p": "a", "%z": "[XXX][XX][X]", "%Z": "VV", "T": "''T''",
}  # fmt: skip


def _part(number: int) -> str:
    return f"regexp_extract(words, '{DATE}', {number})"


_WESTERN_DATE = western_date(_part, western_day(_part))


def _java_form(form: str) -> str:
    for code, letters in _FORMS.items():
        form = f"replace({form}, '{code}', '{letters}')"
    return form


# The words of the protocol that Spark does not know by itself. What is written counts, whatever its time zone.
WORDS = (
    "isodow(day DATE) RETURNS INT RETURN weekday(day) + 1",
    # ICU, which Spark brings along, has NFKC as a static method of Java.
    "normal(words STRING) RETURNS STRING RETURN CASE WHEN words IS NULL OR octet_length(words) = length(words) "
    "THEN words ELSE reflect('com.ibm.icu.text.Normalizer', 'compose', words, true) END",
    # Most texts begin and end with visible letters of ASCII, and a regular expression costs more than all else.
    "trimmed(words STRING) RETURNS STRING RETURN CASE WHEN ascii(words) BETWEEN 33 AND 126 "
    "AND ascii(right(words, 1)) BETWEEN 33 AND 126 THEN words "
    f"ELSE regexp_replace(words, '^[{BLANKS}]+|[{BLANKS}]+$', '') END",
    # Java's 1d and 1f are not numbers here, and DuckDB reads 1_000.
    "read_number(words STRING) RETURNS DOUBLE RETURN coalesce(CASE WHEN NOT words RLIKE '[dDfF]$' "
    f"THEN try_cast(regexp_replace(words, '(?<=[0-9])_(?=[0-9])', '') AS DOUBLE) END, try_cast({AMOUNT} AS DOUBLE))",
    "list_extract(numbers ARRAY<INT>, place INT) RETURNS INT RETURN element_at(numbers, place)",
    "western_moment(words STRING) RETURNS TIMESTAMP_NTZ RETURN CASE "
    f"WHEN {_HYPHENS} RLIKE '{_DATE}' THEN try_cast({_MOMENT} AS TIMESTAMP_NTZ) "
    "WHEN words RLIKE '^[0-9]{8}$' THEN "
    "try_cast(substr(words, 1, 4) || '-' || substr(words, 5, 2) || '-' || substr(words, 7, 2) AS TIMESTAMP_NTZ) "
    "WHEN words RLIKE '^[0-9]{5}([.][0-9]+)?$' THEN TIMESTAMP_NTZ '1899-12-30 00:00:00' "
    "+ make_dt_interval(0, 0, 0, CAST(round(CAST(words AS DOUBLE) * 86400) AS DECIMAL(18, 6))) END",
    f"western_date(words STRING) RETURNS STRING RETURN {_WESTERN_DATE}",
    "read_moment(words STRING) RETURNS TIMESTAMP_NTZ "
    "RETURN coalesce(western_moment(words), western_moment(western_date(words)))",
    f"day_first(words STRING) RETURNS STRING RETURN CASE WHEN words RLIKE '{YEAR_LAST}' "
    f"THEN regexp_replace(words, '{YEAR_LAST}', '$7-$3$4$5-$1$8') END",
    f"month_first(words STRING) RETURNS STRING RETURN CASE WHEN words RLIKE '{YEAR_LAST}' "
    f"THEN regexp_replace(words, '{YEAR_LAST}', '$7-$1-$3$4$5$8') END",
    "read_moment_in(words STRING, form STRING) RETURNS TIMESTAMP_NTZ "
    f"RETURN CAST(try_to_timestamp(words, {_java_form('form')}) AS TIMESTAMP_NTZ)",
    f"has_offset(words STRING) RETURNS BOOLEAN RETURN words RLIKE '{OFFSET}'",
    "clock_of(words STRING, zone STRING) RETURNS TIMESTAMP_NTZ RETURN "
    # Of a time alone Spark makes one of today.
    f"CASE WHEN {_HYPHENS} RLIKE '{_DATE}' "
    f"THEN convert_timezone('{ZONE}', zone, CAST(try_cast({_MOMENT} AS TIMESTAMP_LTZ) AS TIMESTAMP_NTZ)) END",
    "clock_in(moment TIMESTAMP_NTZ, zone STRING) RETURNS TIMESTAMP_NTZ "
    f"RETURN convert_timezone('{ZONE}', zone, moment)",
    "day_number(day DATE) RETURNS BIGINT RETURN unix_date(day)",
    "is_like(words STRING, form STRING) RETURNS BOOLEAN RETURN words RLIKE ('^(' || form || ')$')",
    "text_at(texts ARRAY<STRING>, place INT) RETURNS STRING RETURN try_element_at(texts, place)",
    "texts_in(texts ARRAY<STRING>) RETURNS INT RETURN size(texts)",
    "joined(texts ARRAY<STRING>) RETURNS STRING RETURN array_join(sort_array(texts), ';')",
    "digest_part(words STRING, place INT) RETURNS BIGINT "
    "RETURN CAST(conv(substr(sha2(words, 256), 15 * place + 1, 15), 16, 10) AS BIGINT)",
    # Most times have this form, and single letters are looked at in a fraction of the time of a regular expression.
    "read_minute(words STRING) RETURNS INT RETURN CASE WHEN length(words) = 5 AND substr(words, 3, 1) = ':' "
    "AND substr(words, 1, 2) BETWEEN '00' AND '23' AND substr(words, 2, 1) BETWEEN '0' AND '9' "
    "AND substr(words, 4, 1) BETWEEN '0' AND '5' AND substr(words, 5, 1) BETWEEN '0' AND '9' "
    "THEN CAST(substr(words, 1, 2) AS INT) * 60 + CAST(substr(words, 4, 2) AS INT) "
    f"WHEN {_CLOCK} RLIKE '^[0-9]{{1,2}}:[0-9]{{1,2}}(:[0-9.]*)?$' "
    f"THEN hour(try_cast('2000-01-01 ' || {_CLOCK} AS TIMESTAMP_NTZ)) * 60 "
    f"+ minute(try_cast('2000-01-01 ' || {_CLOCK} AS TIMESTAMP_NTZ)) END",
)
