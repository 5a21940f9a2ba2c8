"""The array types that kernels take and return, by element."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Ints32: TypeAlias = NDArray[np.int32]
Ints8: TypeAlias = NDArray[np.int8]
Words: TypeAlias = NDArray[np.uint64]  # bits, or whole numbers from 0 on
Bytes: TypeAlias = NDArray[np.uint8]
Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Floats32: TypeAlias = NDArray[np.float32]
# Where memory or what a caller has decides how wide the elements are; kernels are compiled for each.
Codes: TypeAlias = NDArray[np.uint16] | Ints32
Items: TypeAlias = Ints32 | Ints
