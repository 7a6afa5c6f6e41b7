"""Filters that are stated in (ε, δ), for steps that are: pure, or (ε_t, δ_t).

`DpFilter` is Feldman & Zrnic 2021, Thm 4.9: the Σ of ½ε² under the largest ρ that implies (ε, δ).
In its best form a step costs ε·tanh(ε/2) and the conversion is that of one order.  The steps' own
δ have a share of δ that is fixed at birth.  `RogersFilter` (Rogers et al. 2016, Thm 5.1) is the
baseline: whatever it grants, `DpFilter` in the printed form grants too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, final

from flint import arb

from bursar import require
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.filters import budgets, costs
from bursar.filters.machine import Filter, Units, born, unless_all_hold
from bursar.filters.units import Account
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import ApproximateDP
from bursar.numerics.balls import ball, precision

Form = Literal["best", "printed"]


@final
@dataclass(frozen=True, slots=True, init=False)
class DpFilter(Filter):
    """Everything granted is (ε, δ)-DP together; steps that are not pure share `delta_of_steps`.

    >>> DpFilter(epsilon=1, delta=1e-5, form="printed").accounts[0].name
    'rho'
    """

    name: ClassVar[str] = "dp"
    epsilon: Exact
    delta: Exact
    delta_of_steps: Exact
    form: str
    adjacency: Adjacency
    accounts: tuple[Account, ...]

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        delta_of_steps: Number = 0,
        form: Form = "best",
        adjacency: Adjacency | str = DEFAULT,
        unit: Number | None = None,
    ) -> None:
        e, d = require.nonnegative(epsilon=epsilon), require.probability(delta=delta)
        theirs = require.nonnegative(delta_of_steps=delta_of_steps)
        if not theirs < d:
            need = f"it must be below delta = {d}"
            raise InvalidParameter(need, field="delta_of_steps", value=theirs)
        largest = {"best": budgets.concentrated, "printed": budgets.concentrated_as_printed}
        rho = largest[require.one_of(largest, form=form)](e, Exact(d - theirs))
        accounts = (
            Account.of("rho", rho, None if unit is None else Exact.of(unit)),
            Account.of("delta of steps", theirs),
        )
        born(self, epsilon=e, delta=d, delta_of_steps=theirs, form=form)
        born(self, adjacency=Adjacency.of(adjacency), accounts=accounts)

    def price(self, plan: Plan) -> Units:
        """The sum of ε·tanh(ε/2), or of ½ε², and the sum of δ."""
        total = plan.total(self._cost)
        return tuple(a.up(v) for a, v in zip(self.accounts, total.values, strict=True))

    def _cost(self, mechanism: Mechanism) -> costs.Amounts:
        epsilon, delta = costs.approximate(mechanism, self.adjacency)
        rho = costs.rho_of_pure(epsilon) if self.form == "best" else epsilon**2 / 2
        return costs.Amounts((rho, delta))

    def blocking(self, spent: Units) -> int | None:
        """Both sums must hold."""
        return unless_all_hold(self.accounts, spent)

    @property
    def promise(self) -> Mechanism:
        """The (ε, δ) statement."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)


@final
@dataclass(frozen=True, slots=True, init=False)
class RogersFilter(Filter):
    """Everything granted is (ε, δ)-DP together, by the first filter that was known: a baseline.

    >>> RogersFilter(epsilon=1, delta=1e-5).promise
    ApproximateDP(epsilon=1, delta=1e-5)
    """

    name: ClassVar[str] = "rogers"
    epsilon: Exact
    delta: Exact
    adjacency: Adjacency
    accounts: tuple[Account, ...]

    def __init__(
        self, *, epsilon: Number, delta: Number, adjacency: Adjacency | str = DEFAULT
    ) -> None:
        e, d = require.positive(epsilon=epsilon), require.positive(delta=delta)
        if not d < Fraction(1, 3):
            raise InvalidParameter("it must be below 1/3", field="delta", value=d)
        accounts = (
            Account.of("sum of squares", 2 * e),
            Account.of("mean loss", e),
            Account.of("delta of steps", d / 2),
        )
        born(self, epsilon=e, delta=d, adjacency=Adjacency.of(adjacency), accounts=accounts)

    def price(self, plan: Plan) -> Units:
        """The sums of ε², of ε(e^ε − 1)/2 and of δ."""
        total = plan.total(self._cost)
        return tuple(a.up(v) for a, v in zip(self.accounts, total.values, strict=True))

    def _cost(self, mechanism: Mechanism) -> costs.Amounts:
        epsilon, delta = costs.approximate(mechanism, self.adjacency)
        with precision():
            e = ball(epsilon)
            mean = costs.up(e * e.expm1() / 2)
        return costs.Amounts((epsilon**2, mean, delta))

    def blocking(self, spent: Units) -> int | None:
        """K ≤ ε, with K as in the theorem; the caps alone are only what K could never exceed."""
        blamed = unless_all_hold(self.accounts, spent)
        if blamed is not None:
            return blamed
        squares, mean, _ = (a.value(s) for a, s in zip(self.accounts, spent, strict=True))
        with precision():
            return None if self._loss(squares, mean) <= ball(self.epsilon) else 1

    def _loss(self, squares: Fraction, mean: Fraction) -> arb:
        """K = Σε(e^ε−1)/2 + √((Σε² + h)(2 + log(Σε²/h + 1)) log(2/δ)), h = ε²/(28.04 log(1/δ))."""
        delta = ball(self.delta)
        h = ball(self.epsilon) ** 2 / (ball(Fraction(701, 25)) * -delta.log())
        total = ball(squares)
        spread = (total + h) * (2 + (total / h + 1).log()) * (2 / delta).log()
        return ball(mean) + spread.sqrt()

    @property
    def promise(self) -> Mechanism:
        """The (ε, δ) statement."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)
