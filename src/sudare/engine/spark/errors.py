"""Spark's errors translated into ours, and its unnecessary output suppressed."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sudare import interruption
from sudare.errors import BadRows, EngineNotAvailable, MemoryNotEnough

# What is said where the machines of a cluster have no Python, or one without sudare.
_NO_PYTHON = ("Cannot run program", "ModuleNotFoundError")


@contextmanager
def without_warnings() -> Iterator[None]:
    """Keep back what pyspark has to say about versions of pandas, which is not used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep pyspark from repeating each error of this thread on the terminal, with the lines of Java."""
    from pyspark.logger import PySparkLogger

    def is_of_others(record: logging.LogRecord) -> bool:
        return record.thread != own

    own, logger = threading.get_ident(), PySparkLogger.getLogger("SQLQueryContextLogger")
    logger.addFilter(is_of_others)
    try:
        yield
    finally:
        logger.removeFilter(is_of_others)


@contextmanager
def explained() -> Iterator[None]:
    """Turn what a cluster says about broken lines and lost work into our errors."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    interruption.safe_point()
    try:
        with _unlogged():
            yield
    except (PySparkException, Py4JError) as error:
        # Jobs that were cancelled for it fail.
        interruption.safe_point()
        if "MALFORMED_RECORD" in str(error) or "MALFORMED_CSV" in str(error):
            raise BadRows("errors.spark.broken_lines") from None
        if "java.lang.OutOfMemoryError" in str(error):
            raise MemoryNotEnough("errors.spark.out_of_memory") from None
        if any(sign in str(error) for sign in _NO_PYTHON):
            raise EngineNotAvailable("errors.spark.no_python") from None
        if "aborted" in str(error) or "SparkContext was shut down" in str(error):
            reason = str(error).splitlines()[0]
            raise EngineNotAvailable("errors.spark.gave_up", reason=reason) from None
        raise
