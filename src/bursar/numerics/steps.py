"""One Poisson-subsampled Gaussian step, as the contour sees it: its functions in balls.

Legend: s the noise multiplier, q the sampling probability, t the noise's axis,
x = (2t−1)/(2s²), w = P/Q = 1−q+q e^x.  Two directions, one form M(z) = ∫ φ_s(t) w(t)^{A(z)} dt:

    remove   A = 1+z, L = log w                      loss  Y = L       under P
    add      A = −z,  L = log(1 + ρe^x), ρ = q/(1−q)  loss  Y = top − L under Q, top = −log(1−q)

In the add direction everything here is about Y − top, which keeps its digits near the top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from flint import acb, arb, ctx

from bursar.adjacency import Direction
from bursar.exact import Exact
from bursar.numerics.balls import ball


@final
@dataclass(frozen=True, slots=True)
class Step:
    """The functions of one step in one direction, 0 < q < 1."""

    s: Exact
    q: Exact
    direction: Direction
    _known: dict[int, tuple[arb, arb, arb]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # by working precision: s², q, ρ

    @property
    def removes(self) -> bool:
        """Whether this is the remove direction."""
        return self.direction is Direction.REMOVE

    def exponent(self, lam: arb) -> arb:
        """A at a real z = lam."""
        return 1 + lam if self.removes else -lam

    def top(self) -> arb:
        """What was taken off the loss: −log(1−q) in the add direction, 0 in the other."""
        return arb(0) if self.removes else -(-ball(self.q)).log1p()

    def odds(self) -> arb:
        """ρ = q/(1−q)."""
        return self._constants()[2]

    def variation(self) -> arb:
        """The total variation between both laws: q(2Φ(1/2s) − 1)."""
        return ball(self.q) * (1 / (ball(self.s) * arb(8).sqrt())).erf()

    def _constants(self) -> tuple[arb, arb, arb]:
        """s², q and ρ, made once for each precision: they are asked for at every node."""
        if ctx.prec not in self._known:
            odds = ball(Exact(self.q / (1 - self.q)))
            self._known[ctx.prec] = ball(self.s) ** 2, ball(self.q), odds
        return self._known[ctx.prec]

    def exp_x(self, t: acb) -> acb:
        """e^x."""
        return ((t - 0.5) / self._constants()[0]).exp()

    def log_w(self, exp_x: acb) -> acb:
        """L, from e^x; the principal branch is the continuous one for |Im t| < πs²."""
        if self.removes:
            q = self._constants()[1]
            return (1 - q + q * exp_x).log()
        return (self.odds() * exp_x).log1p()

    def share(self, t: arb) -> arb:
        """p = q e^x/w: the slope of L, times s².  It increases with t."""
        return 1 / (1 + 1 / (self.odds() * self.exp_x(acb(t)).real))
