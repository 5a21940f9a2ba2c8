"""What Spark says when something goes wrong, as our errors, and what it says without need, kept back."""

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
            raise BadRows(
                "A text has lines that do not divide into the columns; nothing was read.\n"
                "Hint: mend or remove them; --engine duckdb says which they are."
            ) from None
        if "java.lang.OutOfMemoryError" in str(error):
            raise MemoryNotEnough(
                "The work needs more memory than Spark may use.\n"
                "Hint: allow more with --memory 8GB, or more for the machines of the cluster (spark.executor.memory)."
            ) from None
        if any(sign in str(error) for sign in _NO_PYTHON):
            raise EngineNotAvailable(
                "This analysis runs in Python on the machines of the cluster, and they have none with sudare.\n"
                "Hint: pip install 'sudare[spark]' there, and name that Python in the variable PYSPARK_PYTHON here."
            ) from None
        if "aborted" in str(error) or "SparkContext was shut down" in str(error):
            reason = str(error).splitlines()[0]
            raise EngineNotAvailable(
                f"The cluster gave the work up: {reason}\nHint: look at its logs; more memory or machines may help."
            ) from None
        raise
