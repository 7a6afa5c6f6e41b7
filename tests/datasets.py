"""Real data sets for tests that train (`bench.datasets`).

A test without its data is a listed skip, or a failure in CI (`engines.missing`).
"""

from __future__ import annotations

import numpy as np

from bench import datasets
from tests.engines import missing


def mnist() -> dict[str, np.ndarray]:
    """All 70,000 digits."""
    try:
        return datasets.mnist()
    except datasets.Absent as error:
        missing(str(error))
