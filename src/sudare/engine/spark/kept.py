"""Stored tables as leaves of Spark's plans: Spark knows their columns and which rows are stored together.

Spark offers no public way to these; they are the ones by which it keeps what is checkpointed and cached.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ADAPTIVE = "spark.sql.adaptive.enabled"


def as_leaf(session: SparkSession, frame: DataFrame) -> DataFrame:
    """Return a frame whose plan says nothing of how it is made but which rows lie together."""
    java: Any = frame._jdf
    plans: Any = getattr(session._jvm, "org.apache.spark.sql.execution.LogicalRDD$")
    leaf = getattr(plans, "MODULE$")
    # Later versions of Spark take one thing more, and say what it is if nothing is said.
    more = "fromDataset$default$4"
    others = [getattr(leaf, more)()] if more in dir(leaf) else []
    return _of_plan(session, leaf.fromDataset(java.queryExecution().toRdd(), java, False, *others))


def cached(session: SparkSession, frame: DataFrame) -> DataFrame:
    """Return a frame that reads what was kept of another, column by column."""
    manager: Any = session._jsparkSession.sharedState().cacheManager()
    return _of_plan(session, manager.lookupCachedData(frame._jdf).get().cachedRepresentation())


def _of_plan(session: SparkSession, plan: Any) -> DataFrame:
    from pyspark.sql import DataFrame

    java: Any = session._jvm
    return DataFrame(java.org.apache.spark.sql.classic.Dataset.ofRows(session._jsparkSession, plan), session)


@contextmanager
def planned_at_once(session: SparkSession, near: str) -> Iterator[None]:
    """Have Spark plan a query before it runs where rows are to lie together, since else it does not say if they do."""
    if not near:
        yield
        return
    before: Any = session.conf.get(_ADAPTIVE)
    session.conf.set(_ADAPTIVE, "false")
    try:
        yield
    finally:
        session.conf.set(_ADAPTIVE, before)
