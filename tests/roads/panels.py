"""Adaptive Gauss-Legendre panels in Arb: the quadrature of the slow roads.

A panel is taken when the last Legendre coefficients of its samples are small; Gauss-Legendre is
then better by about their square.  Nothing is proved here: roads are believed when two of them,
or two orders of one of them, agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from flint import acb, arb, ctx

_NARROWEST = 2.0**-60  # of the first panel: kinks end here


@dataclass(frozen=True)
class Sample:
    """A node with its weight, and the value that was found there."""

    node: arb
    weight: arb
    value: acb


def panel(
    f: Callable[[arb], acb], low: arb, high: arb, *, tolerance: arb, order: int = 24
) -> list[Sample]:
    """Samples that resolve ∫ f over [low, high]: halved until the coefficients have decayed."""
    todo, taken = [(low, high)], []
    while todo:
        a, b = todo.pop()
        samples = _sampled(f, a, b, order)
        narrow = (b - a) <= (high - low) * _NARROWEST
        if narrow or _tail(samples, tolerance / (b - a)) < 1:
            taken += samples
        else:
            middle = ((a + b) / 2).mid()
            todo += [(middle, b), (a, middle)]
    return taken


def _sampled(f: Callable[[arb], acb], a: arb, b: arb, order: int) -> list[Sample]:
    half, middle = (b - a) / 2, (a + b) / 2
    places = [((middle + half * x).mid(), half * w) for x, w in _rule(order, ctx.prec)]
    return [Sample(node, weight, acb(f(node))) for node, weight in places]


@cache
def _rule(order: int, _prec: int) -> list[tuple[arb, arb]]:
    return [arb.legendre_p_root(order, k, weight=True) for k in range(order)]


def _tail(samples: list[Sample], scale: arb) -> float:
    """The square of the last two Legendre coefficients, over the largest sample and `scale`.

    A coefficient that its ball cannot tell from 0 is 0: halving would only resolve round-off.
    """
    peak = max(abs(s.value).mid() for s in samples)
    if not peak > scale:
        return 0.0
    last = max(
        sum((s.value * c for s, c in zip(samples, row, strict=True)), acb(0)).abs_lower()
        for row in _last(len(samples), ctx.prec)
    )
    return float((last**2 / (peak * scale)).mid())


@cache
def _last(order: int, _prec: int) -> list[list[arb]]:
    """Rows that turn samples into their Legendre coefficients of degree order−1 and order−2."""
    rule = _rule(order, ctx.prec)
    degrees = (order - 1, order - 2)
    return [[(2 * m + 1) * w * x.legendre_p(m) / 2 for x, w in rule] for m in degrees]
