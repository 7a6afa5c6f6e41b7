"""The Rényi accountant: a proved upper bound for every plan that has RDP curves, never tight.

The curves of the steps add up; each order of the sum proves an (ε, δ); the best order is taken.
How far the truth is below is not known here (the exact accountant knows): the bill says what the
conversion adds to the curve, and bounds what arithmetic adds.
"""

from __future__ import annotations

import math
import time

from flint import arb

from bursar import require
from bursar.accounting.question import Question
from bursar.adjacency import DEFAULT, Adjacency
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.views import rdp
from bursar.numerics.balls import BITS, ball, float_up, precision
from bursar.numerics.search import nearest
from bursar.privacy.best_order import (
    CONVERSIONS,
    OPTIMAL,
    AtOrder,
    Conversion,
    least_epsilon,
    least_log_delta,
)
from bursar.privacy.conversions import to_delta
from bursar.truth import About, BillLine, UpperBound

NAME = "rdp"


def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    conversion: str = "optimal",
) -> UpperBound:
    """A proved upper bound on the plan's ε at this δ; give `log_delta` for a δ below 1e-308.

    Raises InvalidParameter, NoProof where a step has no curve, LimitReached for extreme noise.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> epsilon(Gaussian(noise_multiplier=5), delta=1e-5)
    UpperBound(upper=0.79...)
    """
    started = time.perf_counter()
    theorem, relation = _theorem(conversion), Adjacency.of(adjacency)
    question = Question.of_delta(delta, log_delta)
    with precision(BITS):
        target = arb.neg_inf() if question.is_zero else question.log_ball()
    found = least_epsilon(rdp(Plan.of(run), relation), target, theorem)
    reason = None
    if found.value == 0:
        reason = "δ is at or above a bound on the total variation"
    elif found.value == math.inf:
        unbounded = "δ is 0, and the curve has no limit"
        reason = unbounded if question.is_zero else "no order has a finite bound"
    about = About(
        given=question.text,
        method=_method(theorem),
        adjacency=relation,
        reason=reason,
        bill=_bill(found, theorem),
        seconds=time.perf_counter() - started,
    )
    return UpperBound(upper=found.value, about=about)


def delta(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    adjacency: Adjacency | str = DEFAULT,
    conversion: str = "optimal",
) -> UpperBound:
    """A proved upper bound on the plan's δ at this ε; the least float above 0 if it is smaller.

    Raises what `epsilon` raises.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> delta(Gaussian(noise_multiplier=5), epsilon=1)
    UpperBound(upper=8.825...e-08)
    """
    started = time.perf_counter()
    theorem, relation = _theorem(conversion), Adjacency.of(adjacency)
    target = require.nonnegative(epsilon=epsilon)
    found = least_log_delta(rdp(Plan.of(run), relation), target, theorem)
    upper = to_delta(found.value)
    about = About(
        quantity="delta",
        given=target.text,
        method=_method(theorem),
        adjacency=relation,
        reason="no loss is above ε" if upper == 0 else None,
        bill=_bill(found, theorem, upper),
        seconds=time.perf_counter() - started,
    )
    return UpperBound(upper=upper, about=about)


def order(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> Exact | None:
    """The order that `epsilon` takes its bound at; None is infinity, or none at all.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> round(float(order(Gaussian(noise_multiplier=5), delta=1e-5)))
    22
    """
    question = Question.of_delta(delta, log_delta)
    with precision(BITS):
        target = arb.neg_inf() if question.is_zero else question.log_ball()
    return least_epsilon(rdp(Plan.of(run), Adjacency.of(adjacency)), target).order


def _theorem(name: str) -> Conversion:
    return CONVERSIONS[require.one_of(CONVERSIONS, conversion=name)]


def _method(theorem: Conversion) -> str:
    return NAME if theorem is OPTIMAL else f"{NAME}-{theorem.name}"


def _bill(found: AtOrder, theorem: Conversion, delta: float | None = None) -> tuple[BillLine, ...]:
    """What the answer is made of; δ moves by a factor of e^{(α−1)x} where the curve moves by x."""
    upper = found.value if delta is None else delta
    if found.order is None or upper == math.inf:
        return ()
    with precision(BITS):
        width, more = 2 * found.rdp.rad(), ball(found.order - 1)
        added = arb(upper) - found.rdp.lower() if delta is None else arb(upper)
        moved = width if delta is None else -arb(upper) * (-more * width).expm1()
    where = f"{theorem.source}, at order 1 + {nearest(found.order - 1):.6g}"
    meaning = "what it adds to the curve" if delta is None else "the truth may be anything below"
    return (
        BillLine("conversion", max(float_up(added), 0.0), f"{where}: {meaning}"),
        BillLine("curve", float_up(moved), "trapezoidal rule, tails and rounding, in balls"),
        BillLine("rounding", math.ulp(upper), "to a float, upward"),
    )
