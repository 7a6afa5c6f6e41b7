"""Noise that is compared and never rounded: "is q + ν at least T + ρ?", decided exactly.

`q + nu >= threshold + rho` is written as it reads.  A LazyReals is an exact part plus scaled
draws; a comparison looks at the difference in float64, and where its proved error leaves the sign
open, balls with more and more bits of the draws decide.  The same ρ may be compared many times:
its bits, once drawn, stay (docs/proofs/exact-samplers.md, Prop. 5).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias, cast, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.noise.draws import Draws
from bursar.noise.laws import LAPLACE, NORMAL, Law
from bursar.noise.uniform import above, secret, settle
from bursar.numerics.balls import ball

Bools = NDArray[np.bool_]
Integers = NDArray[np.integer[Any]]
Part = tuple[int, Exact | Integers]  # a sign, and one number or an array of whole numbers
Operand: TypeAlias = "LazyReals | Number | Integers"


def lazy_gaussian(*, noise_std: Number, size: int | None = None) -> LazyReals:
    """Real numbers N(0, noise_std²): `size` of them, or one.

    >>> nu = lazy_gaussian(noise_std=1)
    >>> bool(nu >= -100), bool(100 + nu >= 200 + nu)
    (True, False)
    """
    return _drawn(NORMAL, require.positive(noise_std=noise_std), size)


def lazy_laplace(*, scale: Number, size: int | None = None) -> LazyReals:
    """Real numbers of the Laplace law: `size` of them, or one.

    >>> import numpy as np
    >>> nu, rho = lazy_laplace(scale=4, size=2), lazy_laplace(scale=2)
    >>> np.array([-500, 500]) + nu >= "0.5" + rho
    array([False,  True])
    """
    return _drawn(LAPLACE, require.positive(scale=scale), size)


@final
class LazyReals:
    """Secret real numbers: an exact part plus scaled draws, known as far as comparisons need."""

    __slots__ = ("_exact", "_terms", "shape")
    __array_ufunc__ = None  # an array on the left leaves the work to us

    def __init__(self, exact: tuple[Part, ...], terms: tuple[tuple[Exact, Draws], ...]) -> None:
        shapes = {part.shape for _, part in exact if isinstance(part, np.ndarray)}
        shapes |= {draws.shape for _, draws in terms}
        if len(shapes - {()}) > 1:
            raise InvalidParameter(
                "all must be single, or of one length", field="noise", value=shapes
            )
        self.shape: tuple[int, ...] = max(shapes, default=())
        self._exact, self._terms = exact, terms

    @property
    def private(self) -> bool:
        """Whether the operating system drew all of it, and no seed."""
        return all(draws.private for _, draws in self._terms)

    def __add__(self, other: Operand) -> LazyReals:
        more = _lazy(other)
        scales: dict[Draws, Fraction] = {}
        for scale, draws in self._terms + more._terms:
            scales[draws] = scales.get(draws, Fraction(0)) + scale
        terms = tuple((Exact(scale), draws) for draws, scale in scales.items())
        return LazyReals(self._exact + more._exact, terms)

    __radd__ = __add__

    def __neg__(self) -> LazyReals:
        turned = tuple((Exact(-scale), draws) for scale, draws in self._terms)
        return LazyReals(tuple((-sign, part) for sign, part in self._exact), turned)

    def __sub__(self, other: Operand) -> LazyReals:
        return self + -_lazy(other)

    def __rsub__(self, other: Operand) -> LazyReals:
        return -self + other

    def __ge__(self, other: Operand) -> Bools:
        return (self - other)._at_least_zero()

    def __le__(self, other: Operand) -> Bools:
        return (-self + other)._at_least_zero()

    def __gt__(self, other: Operand) -> Bools:
        return ~(self <= other)

    def __lt__(self, other: Operand) -> Bools:
        return ~(self >= other)

    def _at_least_zero(self) -> Bools:
        scales = [_float(scale) for scale, _ in self._terms]
        # twice the draws' own errors: enough for the roundings here, and the rest for underflow
        errors = [float(draws.error) for _, draws in self._terms]
        error = 2 * sum(abs(s) * e for s, e in zip(scales, errors, strict=True))
        with np.errstate(all="ignore"):  # what overflows or is NaN is left open
            parts: list[NDArray[np.float64]] = [_near(part) * sign for sign, part in self._exact]
            parts += [draws.near * s for s, (_, draws) in zip(scales, self._terms, strict=True)]
            total = np.asarray(sum(parts))
            # three roundings in each part, and one of the sum for each
            margin = sum(map(np.abs, parts)) * ((len(parts) + 4) * 2.0**-52) + error + 2.0**-1000
            answers, left_open = total >= 0, np.flatnonzero(~(np.abs(total) > margin))
        answers = np.array(answers)
        for index in left_open.tolist():
            answers.flat[index] = self._decide(index)
        return answers

    def _decide(self, index: int) -> bool:
        exact = sum((sign * _at(part, index) for sign, part in self._exact), Fraction(0))
        terms = [(scale, draws) for scale, draws in self._terms if scale != 0]

        def answer() -> bool | None:
            noise = (ball(scale) * draws.ball(index) for scale, draws in terms)
            return above(sum(noise, ball(exact)), arb(0))

        return settle(answer, *(d.uniform(index) for _, d in terms)) if terms else exact >= 0

    def __reduce__(self) -> NoReturn:
        raise secret()


def _drawn(law: Law, scale: Exact, size: int | None) -> LazyReals:
    checked = None if size is None else require.count(size=size, at_least=0)
    return LazyReals((), ((scale, Draws(law, checked)),))


def _lazy(value: Operand) -> LazyReals:
    if isinstance(value, LazyReals):
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        if value.dtype.kind not in "iu" or value.ndim != 1:
            need = "it must be a number, or a list of whole numbers in one dimension"
            hint = "Put the values on a grid: to_grid()."
            raise InvalidParameter(need, field="compared", value=value.dtype, hint=hint)
        return LazyReals(((1, value),), ())
    return LazyReals(((1, require.real(compared=cast(Number, value))),), ())


def _near(part: Exact | Integers) -> NDArray[np.float64]:
    """The float64 nearest to each number."""
    return part.astype(np.float64) if isinstance(part, np.ndarray) else np.asarray(_float(part))


def _float(value: Exact) -> float:
    """The float64 nearest to the number; infinite beyond floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _at(part: Exact | Integers, index: int) -> Fraction:
    return Fraction(int(part[index])) if isinstance(part, np.ndarray) else part
