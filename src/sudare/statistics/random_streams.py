"""Random numbers for synthetic data: an independent stream for each purpose."""

from __future__ import annotations

import numpy as np

# Data of any size are made and written in this much memory.
ENGINE_MEMORY = "1GB"


def stream(seed: int, purpose: str, start: int = 0) -> np.random.Generator:
    """Return the random numbers of one purpose from the `start`-th on, whatever else was drawn before."""
    return np.random.Generator(np.random.PCG64(stream_key(seed, purpose)).advance(start))


def stream_key(seed: int, purpose: str) -> np.random.SeedSequence:
    """Return what the random numbers of one purpose begin with."""
    return np.random.SeedSequence([seed, *purpose.encode()])
