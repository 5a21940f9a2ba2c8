"""Spark as an engine: tables on a cluster, grouped where they are."""
