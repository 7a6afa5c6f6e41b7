"""The δ of a question: exact text, or a logarithm below what a float can hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from flint import arb, ctx

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.numerics.balls import ball
from bursar.numerics.search import refined


@final
@dataclass(frozen=True, slots=True)
class Question:
    """At which δ: one of `delta` and `log_delta` is set."""

    delta: Exact | None
    log_delta: float | None

    @classmethod
    def of_delta(cls, delta: Number | None, log_delta: float | None) -> Question:
        """Checked: exactly one of the two, in its domain."""
        if (delta is None) == (log_delta is None):
            raise InvalidParameter(
                "give exactly one of delta and log_delta", field="delta", value=delta
            )
        if delta is not None:
            return cls(require.unit_interval(delta=delta), None)
        logarithm = require.log_delta(log_delta)
        return cls(None, logarithm) if logarithm else cls(Exact(1), None)

    @property
    def text(self) -> str:
        """What was asked, as text."""
        return self.delta.text if self.delta is not None else repr(self.log_delta)

    @property
    def is_zero(self) -> bool:
        """Whether δ = 0 was asked."""
        return self.delta == 0 and self.delta is not None

    @property
    def is_one(self) -> bool:
        """Whether δ = 1 was asked."""
        return self.delta == 1

    def delta_ball(self) -> arb:
        """δ as a ball, above 0 unless δ is 0."""
        if self.delta is not None:
            return ball(self.delta)
        return refined(lambda: arb(self.log_delta).exp(), bits=max(64, ctx.prec - 16))

    def log_ball(self) -> arb:
        """log δ as a ball, for δ above 0."""
        return ball(self.delta).log() if self.delta is not None else arb(self.log_delta)
