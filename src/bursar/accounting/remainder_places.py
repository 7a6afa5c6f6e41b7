"""Where the parts of an expansion's remainder meet, as float64 proposes it: U, and panels beyond.

Nothing here is a bound.  U is where the sum of both errors is least; panels go on as long as they
are better than what is known of all that lies beyond.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.numerics.balls import ball
from bursar.numerics.factors import AtomsFactor, Factor
from bursar.numerics.propose import Slants
from bursar.numerics.sketch import Array, StepSketch
from bursar.numerics.steps import Step
from bursar.numerics.tilted import Tilted

_RATIO = 1.08  # of the ends of a panel
_FIRST = 0.4  # where panels start
_LONGEST, _FARTHEST = 1000.0, 1e9  # where they end: in reaches of the fourth moments, and at all
_HALF = 0.9  # |φ − 1| of one step, at most, where its logarithm is expanded


@final
@dataclass(frozen=True, slots=True)
class Part:
    """One step with its count and its tilted law; a sketch where the step is subsampled."""

    step: Step | Factor
    count: int
    tilted: Tilted
    sketch: StepSketch | None


def half_period(atoms: AtomsFactor) -> arb:
    """Half the period of |φ|: the losses are ±ε, and 0 where there are more than two categories."""
    return arb.pi() / (ball(atoms.epsilon) * (2 if atoms.categories == 2 else 1))


@final
class Places:
    """U and the ends of the panels, as float64 proposes them; all in deviations of the loss."""

    def __init__(
        self,
        parts: list[Part],
        spread: arb,
        derivatives: list[arb],
        lam: float,
    ) -> None:
        variance, third, fourth, fifth = derivatives
        self.width = float(variance.sqrt())
        self.lam, self.spread = lam * self.width, float(spread / variance)
        self.third, self.fourth = abs(float(third / variance**1.5)), float(fourth / variance**2)
        self.fifth = abs(float(fifth / variance**2.5))
        self.counts = np.array([float(part.count) for part in parts])
        laws = [part.tilted for part in parts]
        self.second = np.array([float(law.second / variance) for law in laws])
        self.fourths = np.array([float(law.fourth / variance**2) for law in laws])
        self.sixths = np.array([float(law.sixth / variance**3) for law in laws])
        self.lasting = [_lasting(part, lam) for part in parts]
        self.lattices = [
            (float(half_period(part.step)) * self.width, part.count * float(second))
            for part, second in zip(parts, self.second, strict=True)
            if isinstance(part.step, AtomsFactor)
        ]

    @np.errstate(all="ignore")
    def panels(self) -> list[float]:
        """U, then the ends of panels; none where no U makes a bound."""
        trusted = np.sqrt(6 * self.second / (self.fourths + 3 * self.second**2))
        longest = min(_LONGEST * float(trusted.max()), _FARTHEST)
        count = math.ceil(math.log(longest / _FIRST, _RATIO)) if longest > _FIRST else 0
        u: Array = _FIRST * np.asarray(_RATIO ** np.arange(count + 1.0))
        weight = 1 / np.sqrt((self.lam**2 + u**2) * ((self.lam + self.width) ** 2 + u**2))
        near, held = self._near(u)
        far, log_here, lasting = self._far(u)
        gaps = np.diff(u, prepend=0.0)
        inside = np.cumsum(near * weight * gaps)
        outside = np.cumsum((far * weight * gaps)[::-1])[::-1] + far[-1] / u[-1]
        total = inside + outside
        total = np.where(held & np.isfinite(total), total, np.inf)
        first = int(np.argmin(total))
        if not math.isfinite(total[first]):
            return []
        panels = np.cumsum((np.exp(log_here) * weight * gaps)[first:])
        stop = int(np.argmin(panels + (lasting * self._room(u, log_here))[first:]))
        return [float(one) / self.width for one in u[first : first + stop + 1]]

    def _room(self, u: Array, log_here: Array) -> Array:
        """About ∫ of 1/|z(z+1)| over all that lies beyond u; of a lattice, of its peaks there."""
        room = np.minimum(1 / u, 1 / self.lam)
        for half, variance in self.lattices:
            peaks = 0.5 / half**2 * math.sqrt(2 * math.pi / variance)
            room = np.where(u < half, np.minimum(room, peaks + np.exp(log_here) / u), room)
        return room

    def _near(self, u: Array) -> tuple[Array, NDArray[np.bool_]]:
        """The error inside at each u if U is there, and whether its lemma holds."""
        most = self.second[:, None] * u**2 / 2
        held: NDArray[np.bool_] = np.all(most < _HALF, axis=0)
        series = self.sixths / 720 + 5 * self.second * self.fourths / 144
        cubes = (self.second**3)[:, None] / (24 * (1 - np.minimum(most, _HALF)))
        rest = self.fifth * u**5 / 120 + (self.counts @ (series[:, None] + cubes)) * u**6
        odd, even = self.third * u**3 / 6, abs(self.fourth) * u**4 / 24
        swell = np.exp(max(self.fourth, 0.0) * u**4 / 24)
        off = swell * np.expm1(rest) + even**2 * swell / 2 + even * odd + odd**3 / 6
        return off * np.exp(-(u**2) / 2), held

    def _far(self, u: Array) -> tuple[Array, Array, Array]:
        """How large φ and its expansion may be at each u, log of φ, and φ from there on."""
        squares = u**2
        moments = (
            1
            - self.second[:, None] * squares
            + squares**2 * ((self.fourths + 3 * self.second**2)[:, None] / 12)
        )
        by_moments = 0.5 * np.log(np.clip(moments, 1e-300, 1.0))
        lasting = np.array([[fall(float(one) / self.width) for one in u] for fall in self.lasting])
        smooth = self.spread * squares / 2
        grown = 1 + self.third * u**3 / 6 + abs(self.fourth) * u**4 / 24
        here = self.counts @ np.minimum(by_moments, lasting) - smooth
        expanded = grown * np.exp(-squares / 2)
        return np.exp(here) + expanded, here, np.exp(self.counts @ lasting - smooth)


def _lasting(part: Part, lam: float) -> Callable[[float], float]:
    """log of how large |φ| of one step may be from u on, in float64."""
    if part.sketch is not None:
        slants = Slants(part.sketch, lam)
        return lambda u: slants.best(u)[0]
    factor: Factor = part.step  # type: ignore[assignment]
    return lambda u: factor.log_fall(lam, u)
