"""Ball arithmetic (Arb, through python-flint): the one place that knows how balls meet floats.

A ball contains the truth; a float that leaves here is rounded outward.  The working precision
belongs to the process (python-flint's context), is set by `precision` and restored on exit; another
thread that changes it makes balls wider, never wrong.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq

from bursar.errors import InternalError

BITS = 128


@contextmanager
def precision(bits: int = BITS) -> Iterator[None]:
    """Work with so many bits inside the block."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(value: Fraction | float) -> arb:
    """A ball that contains this rational number; a float is taken exactly."""
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)


def float_up(value: arb) -> float:
    """The least float known to be at or above the ball."""
    top = finite(value).upper()
    near = max(float(top), -sys.float_info.max)
    while math.isfinite(near) and not arb(near) >= top:
        near = math.nextafter(near, math.inf)
    return near


def float_down(value: arb) -> float:
    """The largest float known to be at or below the ball."""
    return -float_up(-value)


def finite(value: arb) -> arb:
    """The ball itself; InternalError where nothing is known, so that no NaN survives a choice."""
    if not value.is_finite():
        raise InternalError("a ball became infinite")
    return value


def upper_of(*values: arb) -> arb:
    """An upper bound on the largest of the balls, as an exact ball."""
    first, *rest = (finite(value).upper() for value in values)
    for value in rest:
        first = first.max(value)
    return first


def lower_of(*values: arb) -> arb:
    """A lower bound on the smallest of the balls, as an exact ball."""
    return -upper_of(*(-value for value in values))


def normal_tail(x: arb) -> arb:
    """P(N(0, 1) > x), by the mean value theorem: erfc of a ball is lost in Arb where x > 2^17."""
    y = x / arb(2).sqrt()
    slope = 2 * (-(y.abs_lower() ** 2)).exp() / arb.pi().sqrt()
    return (y.mid().erfc() + slope * y.rad() * arb(0, 1)) / 2
