"""Files as Spark reads them: by address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sudare.engine.options import not_parquet
from sudare.engine.spark.errors import explained

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def address(path: Path) -> str:
    """Return the address of a file; what would be a pattern in it is taken literally."""
    return "file://" + re.sub(r"[*?\[\]{}\\]", r"\\\g<0>", str(path.resolve()))


def read_parquet(session: SparkSession, addresses: Sequence[str], name: str, *, base: str | None = None) -> DataFrame:
    """Read Parquet files; folders like year=2024 between `base` and a file are a column of it."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with explained():
            reader = session.read
            return (reader.option("basePath", base) if base else reader).parquet(*addresses)
    except (PySparkException, Py4JError) as error:
        reason = next((line for line in str(error).splitlines() if "Exception" in line), str(error).splitlines()[0])
        raise not_parquet(name, reason) from None
