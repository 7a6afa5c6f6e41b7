"""Which noise, sampling probability or number of steps meets a target: found, then proved.

The target is an ε at a δ, or a risk: an attacker's advantage, or true positive rate.  What comes
back is a value that is proved to meet it, written in eight digits at most, and the one beside it,
which is proved not to.  Not here: how it is found (`crossing.py`).
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from bursar import require
from bursar.accounting import choose, risk
from bursar.accounting.crossing import Crossing, Tried, above
from bursar.accounting.scales import Decimals, Wholes
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import SYMBOLS, Estimate, Proved


@final
@dataclass(frozen=True, slots=True)
class Calibrated:
    """`value` meets the target, as `result` proves; the `witness` beside it does not.

    There is no witness where the bracket, or the parameter's domain, ends at `value`.
    """

    target: Exact
    value: float
    result: Proved
    witness: Tried | None

    @property
    def sharp(self) -> bool:
        """Whether ε is proved to be above the target at the witness: else only a bound is."""
        return self.witness is not None and above(self.witness.result, self.target)

    def beside(self) -> str:
        """What is proved of the value beside it, in words."""
        if self.witness is None:
            return "nothing beyond it was allowed"
        symbol = SYMBOLS[self.result.about.quantity]
        lower = symbol if self.sharp else f"the bound on {symbol}"
        return f"at {self.witness.value} {lower} is above {self.target}"

    def sentence(self) -> str:
        """The result in words, rounded so that it stays true."""
        return f"{self.value}: {self.result.sentence()}; {self.beside()}"

    def to_json(self, parameter: str = "value") -> dict[str, Any]:
        """The object of the command line: the parameter under its name, ε there, the witness."""
        witness = self.witness and self.witness.to_json() | {"proved": self.sharp}
        return {
            parameter: self.value,
            **self.result.to_json(),
            "target": self.target.text,
            "witness": witness,
        }

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.sentence())}</p>{self.result._repr_html_()}"


def calibrate(
    make_plan: Callable[[Any], Plan | Mechanism],
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    log_delta: float | None = None,
    advantage: Number | None = None,
    true_positive_rate: Number | None = None,
    false_positive_rate: Number | None = None,
    bracket: tuple[Number, Number] | None = None,
    integer: bool = False,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None = None,
) -> Calibrated:
    """The value of a parameter at which a plan just meets a target, with the proof that it does.

    The target is `epsilon` at `delta` (or `log_delta`), or a risk: `advantage`, or
    `true_positive_rate` at `false_positive_rate`.  It must rise or
    fall with the value throughout; `bracket` = (low, high) narrows the search, and
    `integer` is for counts.  Raises Unreachable with the best that was proved, and what the
    accountants raise.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> found = calibrate(lambda s: 100 * Gaussian(noise_multiplier=s), epsilon=1, delta=1e-5)
    >>> found.value, float(found.result) <= 1, found.witness.value
    (37.306317, True, 37.306316)
    """
    if not callable(make_plan):
        need = "it must be a function from the value to a plan"
        raise InvalidParameter(need, field="make_plan", value=make_plan)
    if not isinstance(integer, bool):
        raise InvalidParameter("it must be True or False", field="integer", value=integer)
    risky = _Risky(advantage, true_positive_rate, false_positive_rate)
    if risky.meant:
        for name, given in {"epsilon": epsilon, "delta": delta, "log_delta": log_delta}.items():
            _absent(name, given)
        _absent("method", method)
        target, measure = risky.target(adjacency)
    else:
        if epsilon is None:
            raise InvalidParameter("it must be given", field="epsilon", hint="Or a risk.")
        target = require.nonnegative(epsilon=epsilon)
        question = {"delta": delta, "log_delta": log_delta, "adjacency": adjacency}
        measure = _costly(question, method)

    def ask(value: float) -> Proved:
        return measure(make_plan(value))

    search = Crossing(ask, Wholes() if integer else Decimals(), target)
    ends = search.outward() if bracket is None else search.inside(bracket)
    if isinstance(ends, Tried):
        return Calibrated(target, ends.value, ends.result, None)
    good, bad = search.narrowed(*ends)
    witness = search.witness(good, bad)
    search.check_monotone(good, bad)
    return Calibrated(target, search.tried[good].value, search.tried[good].result, witness)


Measure = Callable[[Plan | Mechanism], Proved]


def _costly(question: dict[str, Any], method: str | None) -> Measure:
    """ε of a plan."""

    def measure(plan: Plan | Mechanism) -> Proved:
        found = choose.epsilon(plan, method=method, **question)
        if isinstance(found, Estimate):
            raise InvalidParameter(
                "it must be one that proves",
                field="method",
                value=method,
                hint="Of a plan on the way it has no more than an estimate.",
            )
        return found

    return measure


@final
@dataclass(frozen=True, slots=True)
class _Risky:
    """The risk that is the target, if one is."""

    advantage: Number | None
    true_positive_rate: Number | None
    false_positive_rate: Number | None

    @property
    def meant(self) -> bool:
        """Whether a risk was given."""
        given = self.advantage, self.true_positive_rate, self.false_positive_rate
        return any(value is not None for value in given)

    def target(self, adjacency: Adjacency | str) -> tuple[Exact, Measure]:
        """The risk, and how a plan's is bounded."""
        rates = {
            "true_positive_rate": self.true_positive_rate,
            "false_positive_rate": self.false_positive_rate,
        }
        if self.advantage is not None:
            for name, value in rates.items():
                _absent(name, value)
            meant = require.unit_interval(advantage=self.advantage)
            return meant, lambda plan: risk.advantage(plan, adjacency=adjacency)
        together = "The two rates come together."
        for name, value in rates.items():
            if value is None:
                raise InvalidParameter("it must be given", field=name, hint=together)
            require.unit_interval(**{name: value})
        high, low = (Exact.of(value) for value in rates.values() if value is not None)
        if not high > low:
            need = f"it must be above the false positive rate, {low}, which guessing achieves"
            raise InvalidParameter(need, field="true_positive_rate", value=high)

        def measure(plan: Plan | Mechanism) -> Proved:
            return risk.true_positive_rate(plan, false_positive_rate=low, adjacency=adjacency)

        return high, measure


def _absent(name: str, value: object) -> None:
    if value is not None:
        need = "it may not stand beside a risk"
        raise InvalidParameter(need, field=name, value=value, hint="Give one target.")
