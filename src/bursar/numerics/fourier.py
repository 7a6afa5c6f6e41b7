"""The discrete Fourier transform in float64 with a proved bound on its error.

A Stockham transform of radix 2, in numpy's elementary operations only, so that the bound is a
theorem about these lines and not about a library: docs/proofs/lattice.md, section 3.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from bursar.numerics.balls import precision

Complex = NDArray[np.complex128]
Floats = NDArray[np.float64]

UNIT = 2.0**-53
TINY = 1e-290  # far above what underflow adds
_STAGE = 10 * UNIT  # of one stage, relative in the 2-norm


def transform(x: Complex) -> Complex:
    """Computes Σ x_j e^{−2πi jk/N}.

    Valid for: N a power of two, and no overflow.
    Error:     `growth(N)` times √N ‖x‖₂, plus TINY, in the 2-norm.
    Cost:      log₂ N passes.
    Source:    Van Loan 1992, Sec. 1.7; the error of a product of complex numbers is Brent,
               Percival & Zimmermann 2007.
    """
    n = len(x)
    roots = _roots(n)
    y = np.ascontiguousarray(x).reshape(n, 1)
    while len(y) > 1:
        half, stride = len(y) // 2, y.shape[1]
        first, second = y[:half], y[half:]
        out = np.empty((half, 2, stride), dtype=np.complex128)
        np.add(first, second, out=out[:, 0])
        np.subtract(first, second, out=out[:, 1])
        out[:, 1] *= roots[::stride, None]
        y = out.reshape(half, 2 * stride)
    return y.reshape(n)


def growth(n: int) -> float:
    """The relative error of `transform` in the 2-norm."""
    return 1.01 * _STAGE * max(1, n.bit_length() - 1)


def norm_up(x: Complex | Floats) -> float:
    """An upper bound on the 2-norm."""
    flat = x.view(np.float64)
    return 1.0000001 * math.sqrt(math.fsum(_row_sums(flat * flat))) + TINY


def total(x: Floats) -> tuple[float, float]:
    """The sum, and a bound on its error: rows of at most 512, then correctly rounded."""
    found = math.fsum(_row_sums(x))
    return found, 515 * UNIT * math.fsum(_row_sums(np.abs(x))) * 1.0001 + TINY


def _row_sums(x: Floats) -> list[float]:
    rows = x.reshape(-1, min(512, len(x))).sum(axis=1)
    return [float(value) for value in rows]


@lru_cache(maxsize=8)
def _roots(n: int) -> Complex:
    """e^{−2πi j/n} for j < n/2, each a product of two that are correct to the last place."""
    half = max(n // 2, 1)
    low = 1 << ((half.bit_length() - 1) // 2)
    fine = np.array([_root(j, n) for j in range(low)])
    coarse = np.array([_root(j * low, n) for j in range(half // low)])
    return np.asarray(np.multiply.outer(coarse, fine)).reshape(half)


def _root(j: int, n: int) -> complex:
    with precision(96):
        sine, cosine = arb.sin_cos_pi_fmpq(fmpq(-2 * j, n))
        return complex(float(cosine), float(sine))


def powers(base: arb, count: int) -> Floats:
    """base^0, …, base^{count−1} for 0 < base ≤ 1, each within 4 units of 2^-53, or below TINY."""
    low = 1 << ((max(count - 1, 1).bit_length() + 1) // 2)
    with precision(128):
        fine = np.array([float(base**j) for j in range(low)])
        coarse = np.array([float(base ** (j * low)) for j in range(-(-count // low))])
    return np.asarray(np.multiply.outer(coarse, fine)).reshape(-1)[:count]
