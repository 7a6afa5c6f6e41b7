"""Which runs are measured, and each as a plan of bursar and as a run of the other tools."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from bench.peers import Run, Step

if TYPE_CHECKING:
    from bursar.mechanisms.plan import Plan


class Setting(NamedTuple):
    """k steps with noise of this size, Poisson-subsampled with q unless q is 1."""

    size: str
    q: str
    k: int
    kind: str = "gaussian"

    @property
    def name(self) -> str:
        """As pages show it."""
        if self.kind == "laplace":
            return f"Laplace {self.size} × {self.k}"
        return (
            f"Gaussian {self.size} × {self.k}"
            if self.q == "1"
            else f"({self.size}, {self.q}, {self.k})"
        )

    def plan(self) -> Plan:
        """For bursar."""
        from bursar import Gaussian, Laplace, PoissonSubsampled

        if self.kind == "laplace":
            return self.k * Laplace(scale=self.size)
        gaussian = Gaussian(noise_multiplier=self.size)
        if self.q == "1":
            return self.k * gaussian
        return self.k * PoissonSubsampled(gaussian, sampling_probability=self.q)

    def run(self) -> Run:
        """For the others."""
        return [(Step(float(self.size), float(Fraction(self.q)), self.kind), self.k)]


GRID = (
    Setting("2", "0.01", 1000),
    Setting("2", "0.01", 10000),
    Setting("0.8", "256/60000", 14000),
    Setting("1", "0.01", 100000),
    Setting("1.3", "0.02", 500),
)
RARE = (
    Setting("0.5", "1e-5", 100),
    Setting("0.5", "1e-3", 1000),
    Setting("0.6", "1e-3", 100),
    Setting("1", "1e-3", 1000),
    Setting("0.8", "1e-4", 5000),
)
PLAIN = (Setting("70", "1", 1200), Setting("10", "1", 100, "laplace"))
ALL = GRID + RARE + PLAIN
