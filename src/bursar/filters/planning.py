"""Questions to a budget that spend nothing: what would it cost, may it run, how often more?

They answer for the state at hand; whoever else charges the same budget meanwhile changes that.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from bursar import require
from bursar.errors import Unreachable
from bursar.exact import Exact, Number
from bursar.filters.machine import Filter, Granted, State, add, priced
from bursar.filters.units import NEVER
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan

_MANY = 2**62  # as often as one likes
_HALVINGS = 60


def cost(filter: Filter, plan: Mechanism | Plan) -> dict[str, Exact | None]:  # noqa: A002
    """What the plan would be charged in each account, rounded up to units; None is infinite.

    >>> from bursar.filters.concentrated import ZcdpFilter
    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> cost(ZcdpFilter(rho="0.5"), 10 * Gaussian(noise_multiplier=10))["rho"]
    0.05
    """
    units = priced(filter, Plan.of(plan))
    pairs = zip(filter.accounts, units, strict=True)
    return {a.name: None if u == NEVER else a.value(u) for a, u in pairs}


def may_run(filter: Filter, state: State, plan: Mechanism | Plan) -> bool:  # noqa: A002
    """Whether the plan would be granted now."""
    return isinstance(filter.ask(state, plan)[1], Granted)


def most(filter: Filter, state: State, step: Mechanism | Plan) -> int:  # noqa: A002
    """The largest n for which n * step may run as one plan; 2^62 where the step costs nothing.

    >>> from bursar.filters.concentrated import ZcdpFilter
    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> zcdp = ZcdpFilter(rho="0.5")
    >>> most(zcdp, zcdp.start(), Gaussian(noise_multiplier=10))
    100
    """
    return largest(lambda n: may_run(filter, state, n * step))


def more(filter: Filter, state: State, step: Mechanism | Plan) -> int:  # noqa: A002
    """How many more like the last: the largest n for which the step may be charged n times over."""
    if not may_run(filter, state, step):
        return 0
    once = priced(filter, Plan.of(step))

    def fits(n: int) -> bool:
        times = tuple(NEVER if u == NEVER else n * u for u in once)
        return filter.blocking(add(state.spent, times)) is None

    return largest(fits)


def largest(fits: Callable[[int], bool]) -> int:
    """The largest n from 0 to 2^62 that fits, if smaller ones do where larger ones do."""
    low, high = 0, 1
    while high < _MANY and fits(high):
        low, high = high, 2 * high
    if high >= _MANY:
        return _MANY
    while high - low > 1:  # low fits, high does not
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def nearest(
    filter: Filter,  # noqa: A002
    state: State,
    family: Callable[[Exact], Mechanism | Plan],
    *,
    may: Number,
    may_not: Number,
) -> Exact:
    """The parameter nearest to `may_not` whose plan may still run: what spends all that is left.

    `family` makes a plan of a parameter, and costs more and more from `may` towards `may_not`.
    The answer may run for certain; it is within 2^-60 of the distance of the best.  Raises
    Unreachable where the plan at `may` is too dear as well.

    >>> from bursar.filters.concentrated import ZcdpFilter
    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> zcdp = ZcdpFilter(rho="0.5")
    >>> family = lambda sigma: 100 * Gaussian(noise_multiplier=sigma)
    >>> float(nearest(zcdp, zcdp.start(), family, may=100, may_not=1))
    10.0
    """
    return closest(lambda at: may_run(filter, state, family(at)), may=may, may_not=may_not)


def closest(fits: Callable[[Exact], bool], *, may: Number, may_not: Number) -> Exact:
    """The number nearest to `may_not` that is known to fit, between it and `may`, which must."""
    good, bad = require.real(may=may), require.real(may_not=may_not)
    if not fits(good):
        raise Unreachable("not even the cheapest plan of the family may run", best=None)
    if fits(bad):
        return bad
    for _ in range(_HALVINGS):
        middle = Exact((good + bad) / Fraction(2))
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good
