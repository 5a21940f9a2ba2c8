"""Anonymizing with knowledge of earlier releases: classes stay the same people."""
