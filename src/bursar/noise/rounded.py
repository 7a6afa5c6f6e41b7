"""Noise on the integers: a continuous law rounded exactly, and the discrete ones.

A draw x of the standard law becomes sign(x)·floor(σ|x| + c): with c = 1/2 that is σx rounded to
the nearest integer, and with c = σ log(2/(1 + e^(−1/σ))) the discrete Laplace law.  float64
decides wherever its proved error cannot matter, balls decide the rest, so each integer has exactly
its probability (docs/proofs/rounded-gaussian.md, Thm 1 and Thm 5).  The time does not depend on
the value: every draw runs the same array operations, and what is left to balls is a set of fixed
width around each boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar import require
from bursar.errors import InternalError, InvalidParameter
from bursar.exact import Exact, Number
from bursar.noise.draws import Draws
from bursar.noise.laws import EXPONENTIAL, LAPLACE, NORMAL, Law
from bursar.noise.quantile import CHUNK, quantile
from bursar.noise.uniform import above, settle, whole
from bursar.numerics.balls import ball, float_up, precision

Integers = NDArray[np.int64]

LARGEST_SCALE = 2**40
_THREE = Fraction(301, 100) / 2**53  # three roundings of float64, and their products
_ROUNDS = 1000  # rejections in a row: below 2^-800 for a working source


def rounded_gaussian(*, noise_std: Number, size: int) -> Integers:
    """Integers with P(j) = Φ((j+½)/σ) − Φ((j−½)/σ) exactly, for a noise_std σ in (0, 2^40].

    >>> rounded_gaussian(noise_std="1e-3", size=4)
    array([0, 0, 0, 0])
    """
    return _drawn(NORMAL, _scale(noise_std=noise_std), require.count(size=size, at_least=0), _half)


def rounded_laplace(*, scale: Number, size: int) -> Integers:
    """Integers with P(j) = F(j+½) − F(j−½) exactly, F the Laplace law's distribution function.

    >>> rounded_laplace(scale="1e-3", size=4)
    array([0, 0, 0, 0])
    """
    return _drawn(LAPLACE, _scale(scale=scale), require.count(size=size, at_least=0), _half)


def discrete_laplace(*, scale: Number, size: int) -> Integers:
    """Integers with P(j) proportional to exp(−|j|/scale) exactly.

    >>> discrete_laplace(scale="1e-3", size=4)
    array([0, 0, 0, 0])
    """
    b = _scale(scale=scale)
    return _drawn(
        LAPLACE,
        b,
        require.count(size=size, at_least=0),
        lambda: ball(b) * (2 / (1 + (-1 / ball(b)).exp())).log(),
    )


def discrete_gaussian(*, sigma: Number, size: int) -> Integers:
    """Integers with P(j) proportional to exp(−j²/2σ²) exactly: a law of its own, not a rounded one.

    A discrete Laplace of scale t = floor(σ) + 1 is kept with probability exp(−(|j| − σ²/t)²/2σ²),
    which is that an exponential draw exceeds the exponent.  Canonne, Kamath & Steinke 2020, Alg. 3.

    >>> discrete_gaussian(sigma="1e-3", size=4)
    array([0, 0, 0, 0])
    """
    exact = _scale(sigma=sigma)
    t = int(exact) + 1
    kept = np.empty(require.count(size=size, at_least=0), dtype=np.int64)
    filled = 0
    for _ in range(_ROUNDS):
        if filled == size:
            return kept
        proposed = discrete_laplace(scale=t, size=size - filled)
        proposed = proposed[_survives(proposed, t, exact)]
        kept[filled : filled + len(proposed)] = proposed
        filled += len(proposed)
    raise InternalError("a thousand proposals were rejected: is the entropy source broken?")


def _drawn(law: Law, scale: Exact, size: int, shift: Callable[[], arb]) -> Integers:
    table = quantile(law)
    with precision():
        c = float(shift())
        # the draw's error, three roundings (of σ, product and sum), and that of c itself
        rounding = ball(scale * (table.error + _THREE * table.largest) + _THREE)
        margin = float_up(rounding + abs(shift() - c))
    factor, drawn = float(scale), np.empty(size, dtype=np.int64)
    for start in range(0, size, CHUNK):
        draws = Draws(law, min(CHUNK, size - start))
        x = draws.near * factor
        rest = np.abs(x)
        rest += c
        cell = np.floor(rest)
        rest -= cell
        left_open = np.flatnonzero(~((rest > margin) & (rest < 1 - margin)))
        cell[left_open] = 0
        drawn[start : start + CHUNK] = np.copysign(cell, x, out=cell)
        for index in left_open.tolist():
            drawn[start + index] = _by_balls(draws, index, scale, shift)
    return drawn


def _by_balls(draws: Draws, index: int, scale: Exact, shift: Callable[[], arb]) -> int:
    def answer() -> int | None:
        x = draws.ball(index)
        cell = whole(abs(x) * ball(scale) + shift())
        if cell is None or cell == 0:
            return cell
        return cell if x > 0 else -cell

    return settle(answer, draws.uniform(index))


def _survives(proposed: Integers, t: int, sigma: Exact) -> NDArray[np.bool_]:
    """Whether an exponential draw is above (|j| − σ²/t)²/2σ², for each j."""
    draws = Draws(EXPONENTIAL, len(proposed))
    height, centre = np.abs(proposed).astype(np.float64), sigma**2 / t
    with np.errstate(all="ignore"):  # what overflows or is NaN is left open
        exponent = ((height - float(centre)) / float(sigma)) ** 2 / 2
        margin = ((height + float(centre)) / float(sigma)) ** 2 * 2.0**-48 + float(2 * draws.error)
        gap = draws.near - exponent
        survives, left_open = gap > 0, np.flatnonzero(~(np.abs(gap) > margin))
    for index in left_open.tolist():
        exact = (abs(int(proposed[index])) - centre) ** 2 / (2 * sigma**2)
        survives[index] = _outlives(draws, index, exact)
    return survives


def _outlives(draws: Draws, index: int, exponent: Fraction) -> bool:
    return settle(lambda: above(draws.ball(index), ball(exponent)), draws.uniform(index))


def _half() -> arb:
    return arb(0.5)


def _scale(**field: Number) -> Exact:
    """A scale in units of the grid: positive, and at most 2^40, so that no sum overflows."""
    ((name, _),) = field.items()
    scale = require.positive(**field)
    if not scale <= LARGEST_SCALE:
        raise InvalidParameter(
            "it must be at most 2^40 units of the grid",
            field=name,
            value=scale,
            hint="Choose a coarser grid.",
        )
    return scale
