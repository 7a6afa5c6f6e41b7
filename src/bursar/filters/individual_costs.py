"""What a question costs each person (Feldman & Zrnic 2021, Def. 2.5), rounded up to units.

A person's cost is the divergence that their own data can cause at most, with whatever other people
beside it.  A per-instance loss (Def. 2.6) looks at the people who are really there, so that being
left out does not end the loss: it may be reported to its owner, and no filter takes it.
No error shows a value.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from bursar import require
from bursar.accounting.gdp_steps import square_of_pure
from bursar.adjacency import Adjacency
from bursar.errors import InvalidParameter, NoProof
from bursar.exact import Exact, Number
from bursar.filters.costs import rho_of_pure
from bursar.filters.individual import Costs, IndividualFilter
from bursar.filters.sealed import Array, whole
from bursar.filters.units import LARGEST, NEVER
from bursar.mechanisms.statements import GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from bursar.numerics.balls import ball, float_up, precision
from bursar.privacy.curve import GaussianCurve, RdpCurve

_BLOCK = 1 << 16


def of_squared_norms(
    filter: IndividualFilter,  # noqa: A002 - it is the filter
    norms: Array,
    *,
    noise_variance: Number,
    at_most: int = LARGEST,
    lipschitz: Number | None = None,
) -> Costs:
    """Squared l2 norms of what each person adds, as integers, to a sum with Gaussian noise.

    Whoever has more than `at_most`, a public number, is left out.  In a filter that was made
    `for_norms` of this noise a squared norm is its own cost; else `at_most` must be given.
    With `lipschitz` what is added goes through a map with that constant (Example 2.8), which is
    proved for zero-out alone; without it the sum itself is released (Example 2.7).
    """
    variance = require.positive(noise_variance=noise_variance)
    constant = Exact(1) if lipschitz is None else require.positive(lipschitz=lipschitz)
    if lipschitz is not None and filter.adjacency is not Adjacency.ZERO_OUT:
        raise NoProof(
            "a Lipschitz analysis has individual costs under zero-out alone",
            hint="Make the filter with adjacency zero-out.",
        )
    price = _per_squared_norm(filter) * constant**2 / variance / filter.account.unit
    squares = whole(norms, filter.people, "norms")
    if price == 1 and at_most == LARGEST:
        return Costs(squares, filter.account)
    most = require.count(at_most=at_most)
    _countable(math.ceil(most * price))
    return _in_blocks(filter, squares, lambda block: _times_up(block, price, most))


def of_curves(
    filter: IndividualFilter,  # noqa: A002 - it is the filter
    curves: Sequence[RdpCurve],
    which: Array,
) -> Costs:
    """Each person's cost is that of one of these curves: `which` says of which.

    Filters of zCDP and GDP take curves that end at a pure ε; that of zCDP takes curves αρ as well.
    """
    index = whole(which, filter.people, "which")
    if len(index) and not index.max() < len(curves):
        need = f"they must be below {len(curves)}"
        raise InvalidParameter(need, field="which", value="private")
    top = int(np.iinfo(filter.kind).max)  # above every cap: such a person is left out
    units = [min(filter.account.up(_at(curve, filter)), top) for curve in curves]
    return Costs(np.take(np.array(units, filter.kind), index), filter.account)


def given(
    filter: IndividualFilter,  # noqa: A002 - it is the filter
    amounts: Array,
) -> Costs:
    """Costs that the caller has proved: integers are units, floats are amounts, rounded up."""
    found = np.asarray(amounts)
    if found.dtype.kind in "ui":
        units = whole(found, filter.people, "costs")
        _countable(int(units.max(initial=0)))
        return Costs(units, filter.account)
    if found.dtype != np.float64 or found.shape != (filter.people,):
        need = f"they must be {filter.people} integers or float64"
        raise InvalidParameter(need, field="costs", value=f"{found.dtype} of {found.shape}")
    if not np.all((found >= 0) & (found < math.inf)):
        raise InvalidParameter("they must be finite, 0 or above", field="costs", value="private")
    if np.any((found > 0) & (found < sys.float_info.min)):
        raise InvalidParameter("they must not be subnormal", field="costs", value="private")
    with precision():
        inverse = float_up(ball(1 / filter.account.unit))
    return _in_blocks(filter, found, lambda block: _units_up(block, inverse))


def _per_squared_norm(filter: IndividualFilter) -> Fraction:  # noqa: A002 - it is the filter
    """The Gaussian's cost in the filter's measure, for norm 1 and variance 1."""
    promise = filter.promise
    if isinstance(promise, ZeroConcentratedDP):
        return Fraction(1, 2)
    if isinstance(promise, GaussianDP):
        return Fraction(1)
    if isinstance(promise, RenyiDP):
        return promise.orders[0] / 2
    raise NoProof("Gaussian noise has no pure ε", hint="Use a zCDP, GDP or RDP filter.")


def _at(curve: RdpCurve, filter: IndividualFilter) -> Fraction | float:  # noqa: A002
    promise = filter.promise
    if isinstance(promise, RenyiDP):
        return curve.at(promise.orders[0])
    if isinstance(promise, PureDP):
        limit = curve.limit()
        return math.inf if limit is None else limit
    if isinstance(promise, ZeroConcentratedDP) and isinstance(curve, GaussianCurve):
        return curve.rho
    if isinstance(promise, ZeroConcentratedDP) and (limit := curve.limit()) is not None:
        return rho_of_pure(Fraction(limit))
    if isinstance(promise, GaussianDP) and (limit := curve.limit()) is not None:
        return square_of_pure(Fraction(limit))
    raise NoProof(
        f"this curve has no {promise.name} cost",
        hint="Use IndividualFilter.renyi, or give the costs.",
    )


def _times_up(counts: Array, price: Fraction, most: int) -> Array:
    """counts x price, rounded up, and NEVER for a count above `most`.

    Valid for: counts ≥ 0.  Error: none for a whole price; else at most 1, and 2^-(61−bits of most)
    relatively, upwards.  The rounding depends on `most`, never on another person's count.
    Source: the price as P/2^k, P rounded up, so that most x P stays below 2^62.
    """
    bits = LARGEST.bit_length() - most.bit_length()
    size = price.numerator.bit_length() - price.denominator.bit_length()
    shift = 0 if price.denominator == 1 else min(max(0, bits - size + 1), 63)
    while shift and math.ceil(price * 2**shift) * most > LARGEST:  # three times at most
        shift -= 1
    scaled = np.uint64(math.ceil(price * 2**shift))
    wide = counts.astype(np.uint64)
    units = np.minimum(wide, np.uint64(most))
    units *= scaled
    units += np.uint64((1 << shift) - 1)
    units >>= np.uint64(shift)
    return np.where(wide > np.uint64(most), np.uint64(NEVER), units)


def _units_up(amounts: Array, inverse: float) -> Array:
    """amounts x inverse, rounded up: each rounding of the product is undone by one float more."""
    with np.errstate(all="ignore"):  # infinity and NaN are not countable either
        scaled = np.ceil(np.nextafter(amounts * inverse, math.inf))
    _countable(scaled.max(initial=0.0))
    return np.where(amounts > 0, scaled, 0.0).astype(np.uint64)


def _in_blocks(
    filter: IndividualFilter,  # noqa: A002
    source: Array,
    units_of: Callable[[Array], Array],
) -> Costs:
    """Costs of the filter's kind, made a block at a time so that no wide array is ever whole.

    A cost that this kind cannot hold is above every cap, and becomes the largest number it can.
    """
    costs = np.empty(len(source), filter.kind)
    top = np.uint64(np.iinfo(filter.kind).max)
    for i in range(0, len(source), _BLOCK):
        units = units_of(source[i : i + _BLOCK])
        costs[i : i + _BLOCK] = np.minimum(units, top)
    return Costs(costs, filter.account)


def _countable(units: float) -> None:
    if not units <= LARGEST:
        need = f"they must be at most {LARGEST} units"
        raise InvalidParameter(need, field="costs", value="private")
