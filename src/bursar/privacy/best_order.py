"""The order at which an RDP curve says most about (ε, δ): float64 looks, balls evaluate.

Any order gives a valid answer, so the search proves nothing and needs no proof.  It is over
x = log(α−1), where the objectives have one valley: (α−1)ε(α) plus a convex function of α, over
α−1 (for ε) or less ε(α−1) (for log δ), and (α−1)ε(α) is convex.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from flint import arb

from bursar import require
from bursar.exact import Exact, Number
from bursar.numerics.search import Floats, least, nearest
from bursar.privacy import conversions
from bursar.privacy.conversions import Ball
from bursar.privacy.curve import RdpCurve

_START = (-7, 11)
_LIMITS = (-20, 354)  # as far as a float order and its square say something


@final
@dataclass(frozen=True, slots=True)
class Conversion:
    """A theorem from RDP to (ε, δ), both ways, with what it adds to (α−1)r in float64."""

    name: str
    source: str
    epsilon: Callable[[Number, Ball, Ball], float]
    log_delta: Callable[[Number, Ball, Number], float]
    moment_cost: Callable[[Floats], Floats]


OPTIMAL = Conversion(
    "optimal",
    "Canonne, Kamath & Steinke 2020, Prop. 12",
    conversions.rdp_to_epsilon,
    conversions.rdp_to_log_delta,
    lambda order: (order - 1) * np.log1p(-1 / order) - np.log(order),
)
MIRONOV = Conversion(
    "mironov",
    "Mironov 2017, Prop. 3",
    conversions.rdp_to_epsilon_mironov,
    conversions.rdp_to_log_delta_mironov,
    np.zeros_like,
)
CONVERSIONS = {conversion.name: conversion for conversion in (OPTIMAL, MIRONOV)}


@final
@dataclass(frozen=True, slots=True)
class AtOrder:
    """What one order proves: the value, the order (None: infinity), the curve's ball there."""

    value: float
    order: Exact | None
    rdp: arb


def least_epsilon(curve: RdpCurve, log_delta: Ball, conversion: Conversion = OPTIMAL) -> AtOrder:
    """The least ε that one order proves for this δ; log δ = −inf stands for δ = 0.

    >>> from bursar.privacy.curves import GaussianCurve
    >>> least_epsilon(GaussianCurve(Exact.of("0.021")), -11.512925464970229).value
    0.81562...
    """
    target = float(log_delta)
    if target == 0:
        return AtOrder(0.0, None, arb(0))

    def objective(orders: Floats) -> Floats:
        more = orders - 1
        return curve.sketch(orders) + (conversion.moment_cost(orders) - target) / more

    def at(order: Exact) -> AtOrder:
        rdp = curve.bound(order)
        return AtOrder(conversion.epsilon(order, rdp, log_delta), order, rdp)

    found = [AtOrder(curve.at(math.inf), None, curve.bound(math.inf))]
    if target > -math.inf:
        found += (at(order) for order in _orders(curve, objective))
    return min(found, key=lambda bound: bound.value)


def least_log_delta(curve: RdpCurve, epsilon: Number, conversion: Conversion = OPTIMAL) -> AtOrder:
    """The least log δ that one order, or infinity, proves for this ε.

    >>> from bursar.privacy.curves import GaussianCurve
    >>> least_log_delta(GaussianCurve(Exact.of("0.021")), 1).value
    -15.60020...
    """
    exact = require.nonnegative(epsilon=epsilon)
    limit, target = curve.limit(), nearest(exact)
    if limit is not None and limit <= exact:
        return AtOrder(-math.inf, None, curve.bound(math.inf))

    def objective(orders: Floats) -> Floats:
        return (orders - 1) * (curve.sketch(orders) - target) + conversion.moment_cost(orders)

    def at(order: Exact) -> AtOrder:
        rdp = curve.bound(order)
        return AtOrder(conversion.log_delta(order, rdp, exact), order, rdp)

    return min((at(order) for order in _orders(curve, objective)), key=lambda bound: bound.value)


def _orders(curve: RdpCurve, objective: Callable[[Floats], Floats]) -> list[Exact]:
    """Where to evaluate: the bottom of the valley, and the best of the orders that are listed."""

    def of_excess(x: Floats) -> Floats:
        return objective(1 + np.exp(x))

    orders = [Exact.of(1 + math.exp(least(of_excess, _START, _LIMITS)))]
    if curve.orders is not None:
        with np.errstate(all="ignore"):
            values = objective(np.array([nearest(order) for order in curve.orders]))
        orders.append(curve.orders[int(np.argmin(np.nan_to_num(values, nan=np.inf)))])
    return orders
