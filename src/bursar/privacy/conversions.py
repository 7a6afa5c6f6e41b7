"""From RDP, zCDP and GDP to (ε, δ): one theorem a function, in balls, rounded up.

log δ stands for δ, so that e^-1000 is an ordinary δ; `to_delta` makes a float of it.  δ = 0 has no
logarithm: there the answer is the curve's limit at order infinity.  ε is at least 0 and δ at most
1: a bound beyond that says no more.  Which order is best is not decided here: `best_order`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from bursar import require
from bursar.errors import InvalidParameter, LimitReached
from bursar.exact import Exact, Number
from bursar.numerics.balls import BITS, ball, float_up, normal_tail, precision
from bursar.numerics.search import refined

_LARGEST_PURE = 10_000
Ball = arb | float  # a number, or a ball whose upper end counts


def rdp_to_epsilon(order: Number, rdp: Ball, log_delta: Ball) -> float:
    """ε = r + log((α−1)/α) − (log δ + log α)/(α−1).  Canonne, Kamath & Steinke 2020, Prop. 12.

    >>> rdp_to_epsilon(12, 0.25, -11.5)
    0.9825...
    """
    alpha, r, log_d = _order(order), _known("rdp", rdp), _log_delta(log_delta)
    with precision(BITS):
        a, more = ball(alpha), ball(alpha - 1)
        return _up(r + _log_share(alpha) - (log_d + a.log()) / more, at_least=0.0)


def rdp_to_epsilon_mironov(order: Number, rdp: Ball, log_delta: Ball) -> float:
    """ε = r + log(1/δ)/(α−1): older, and never the better.  Mironov 2017, Prop. 3."""
    alpha, r, log_d = _order(order), _known("rdp", rdp), _log_delta(log_delta)
    with precision(BITS):
        return _up(r - log_d / ball(alpha - 1), at_least=0.0)


def rdp_to_log_delta(order: Number, rdp: Ball, epsilon: Number) -> float:
    """δ = e^{(α−1)(r−ε)} (1−1/α)^{α−1} / α.  Koskela & Kulkarni 2023, Lemma 3."""
    alpha, r, target = _order(order), _known("rdp", rdp), require.nonnegative(epsilon=epsilon)
    with precision(BITS):
        a, more = ball(alpha), ball(alpha - 1)
        return _up(more * (r - ball(target) + _log_share(alpha)) - a.log(), at_most=0.0)


def rdp_to_log_delta_mironov(order: Number, rdp: Ball, epsilon: Number) -> float:
    """δ = e^{(α−1)(r−ε)}.  Mironov 2017, Prop. 3."""
    alpha, r, target = _order(order), _known("rdp", rdp), require.nonnegative(epsilon=epsilon)
    with precision(BITS):
        return _up(ball(alpha - 1) * (r - ball(target)), at_most=0.0)


def zcdp_to_epsilon(rho: Number, log_delta: Ball) -> float:
    """ε = ρ + 2√(ρ log(1/δ)): short, not the best order's.  Bun & Steinke 2016, Prop. 1.3.

    >>> zcdp_to_epsilon("0.1", -11.5)
    2.2447...
    """
    exact, log_d = require.nonnegative(rho=rho), _log_delta(log_delta)
    with precision(BITS):
        return _up(ball(exact) + 2 * (ball(exact) * -log_d).nonnegative_part().sqrt())


def zcdp_to_log_delta(rho: Number, epsilon: Number) -> float:
    """δ = e^{−(ε−ρ)²/4ρ} for ε ≥ ρ, which is the same statement; −inf for ρ = 0."""
    exact, target = require.nonnegative(rho=rho), require.nonnegative(epsilon=epsilon)
    if exact == 0:
        return -math.inf
    with precision(BITS):
        return _up(ball(-((max(target - exact, Fraction(0))) ** 2) / (4 * exact)), at_most=0.0)


def gdp_profile(mu_squared: Number, epsilon: Number) -> arb:
    """A ball around δ = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ).  Dong, Roth & Su 2022, Cor. 2.13.

    About 64 good bits, however small δ is; LimitReached where even 2^14 bits do not tell.
    """
    square, target = require.positive(mu_squared=mu_squared), require.nonnegative(epsilon=epsilon)

    delta = refined(lambda: gaussian_delta(ball(square).sqrt(), ball(target)))
    if not delta > 0:
        raise LimitReached("the profile is too small, or too near 0, to be told from it")
    return delta


def gaussian_delta(mu: arb, epsilon: arb) -> arb:
    """The same formula at the working precision, its cancellation not yet made good."""
    return normal_tail(epsilon / mu - mu / 2) - epsilon.exp() * normal_tail(epsilon / mu + mu / 2)


def gdp_to_log_delta(mu_squared: Number, epsilon: Number) -> float:
    """log δ of `gdp_profile`, which a float can hold for any δ."""
    delta = gdp_profile(mu_squared, epsilon)
    with precision(4 * BITS):
        return _up(delta.log(), at_most=0.0)


def pure_to_gdp(epsilon: Number) -> float:
    """The least float μ known to satisfy Φ(μ/2) ≥ e^ε/(1+e^ε): every ε-DP mechanism is μ-GDP.

    docs/proofs/conversions.md, section 1: the least μ there is, up to rounding.

    >>> pure_to_gdp(1)
    1.23203...
    """
    exact = require.nonnegative(epsilon=epsilon)
    if exact == 0:
        return 0.0

    def enough(mu: float) -> bool:
        with precision(256 + 4 * int(exact)):
            share = 1 / (1 + ball(exact).exp())
            return bool(normal_tail(arb(mu) / 2) <= share)

    if exact > _LARGEST_PURE:
        raise LimitReached(f"ε is above {_LARGEST_PURE}, where μ is not computed")
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def to_delta(log_delta: Ball) -> float:
    """δ as a float, rounded up: 5e-324 stands for all that is smaller, 0 for δ = 0 only."""
    if isinstance(log_delta, float) and log_delta == -math.inf:
        return 0.0
    with precision(BITS):
        return _up(_log_delta(log_delta).exp(), at_most=1.0)


def _log_share(alpha: Exact) -> arb:
    """log((α−1)/α), without cancellation where α is large."""
    return ball(-1 / alpha).log1p() if alpha > 2 else ball((alpha - 1) / alpha).log()


def _order(order: Number) -> Exact:
    alpha = Exact.of(order, field="order")
    if not alpha > 1:
        raise InvalidParameter("it must be above 1", field="order", value=order)
    return alpha


def _log_delta(value: Ball) -> arb:
    if not isinstance(value, arb):
        return arb(require.log_delta(value))
    if value > 0:
        raise InvalidParameter("it must be 0 or below", field="log_delta", value=value)
    return _known("log_delta", value)


def _known(name: str, value: Ball) -> arb:
    """The ball itself, where it is a number or plus infinity; a float is taken exactly."""
    if isinstance(value, (arb, int, float)) and not isinstance(value, bool):
        found = arb(value)
        if found.is_finite() or found == arb.pos_inf():
            return found
    raise InvalidParameter("it must be a ball or a float, and no NaN", field=name, value=value)


def _up(value: arb, *, at_least: float = -math.inf, at_most: float = math.inf) -> float:
    """The ball's upper end as a float, within limits that hold anyway."""
    top = math.inf if value == arb.pos_inf() else float_up(value)
    return min(max(top, at_least), at_most)
