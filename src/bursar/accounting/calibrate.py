"""Which noise, sampling probability or number of steps meets a target: found, then proved.

What comes back is a value that is proved to meet the target, written in eight digits at most, and
the one beside it, which is proved not to.  Not here: how it is found (`crossing.py`).
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from bursar import require
from bursar.accounting import choose
from bursar.accounting.crossing import Crossing, Tried, above
from bursar.accounting.scales import Decimals, Wholes
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import Estimate, Proved


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

    def sentence(self) -> str:
        """The result in words, rounded so that it stays true."""
        told = f"{self.value}: {self.result.sentence()}"
        if self.witness is None:
            return f"{told}; nothing beyond it was allowed"
        lower = "ε" if self.sharp else "the bound on ε"
        return f"{told}; at {self.witness.value} {lower} is above {self.target}"

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
    epsilon: Number,
    delta: Number | None = None,
    log_delta: float | None = None,
    bracket: tuple[Number, Number] | None = None,
    integer: bool = False,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None = None,
) -> Calibrated:
    """The value of a parameter at which a plan just meets ε, with the proof that it does.

    ε must rise or fall with the value throughout; `bracket` = (low, high) narrows the search, and
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
    target = require.nonnegative(epsilon=epsilon)

    def ask(value: float) -> Proved:
        found = choose.epsilon(
            make_plan(value), delta=delta, log_delta=log_delta, adjacency=adjacency, method=method
        )
        if isinstance(found, Estimate):
            raise InvalidParameter("it must be one that proves", field="method", value=method)
        return found

    search = Crossing(ask, Wholes() if integer else Decimals(), target)
    ends = search.outward() if bracket is None else search.inside(bracket)
    if isinstance(ends, Tried):
        return Calibrated(target, ends.value, ends.result, None)
    good, bad = search.narrowed(*ends)
    witness = search.witness(good, bad)
    search.check_monotone(good, bad)
    return Calibrated(target, search.tried[good].value, search.tried[good].result, witness)
