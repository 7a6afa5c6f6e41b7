"""δ(ε) of a composition as a contour integral whose every error is a ball.

δ = (1/2πi) ∫ e^{K(z) − ez}/(z(z+1)) dz along Re z = λ; the trapezoid sum T of step τ exceeds δ
by aliases that are all positive.  So  T − aliases − tail ≤ δ ≤ T + tail.
Proofs: docs/proofs/contour.md.  Not here: the proposal of the sizes (numerics/propose.py), one
step's M(z) (numerics/lines.py) and its decay (numerics/tails.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from flint import acb, acb_mat, arb
from numpy.typing import NDArray

from bursar.errors import InternalError
from bursar.numerics.balls import ball, upper_of
from bursar.numerics.factors import Factor
from bursar.numerics.lines import LineSpec, line_values
from bursar.numerics.propose import Outer, Shape
from bursar.numerics.steps import Step
from bursar.numerics.tails import burst, decay


@final
@dataclass(frozen=True, slots=True)
class Loss:
    """A composition in one direction, ready for contours: subsampled steps, and closed factors."""

    steps: tuple[tuple[Step, int], ...]
    factors: tuple[tuple[Factor, int], ...] = ()

    @property
    def removes(self) -> bool:
        """Whether the subsampled steps, if any, are in the remove direction."""
        return all(step.removes for step, _ in self.steps)

    def top(self) -> arb:
        """What ε exceeds the location by."""
        return sum((count * step.top() for step, count in self.steps), arb(0))

    def plain(self, z: acb) -> acb:
        """The moment generating function of the factors."""
        found = acb(1)
        for factor, count in self.factors:
            found *= factor.mgf(z) ** count
        return found

    def fall(self, lam: arb, u: arb) -> arb:
        """Above |plain(λ+iv)|/plain(λ) for every v ≥ u."""
        found = arb(1)
        for factor, count in self.factors:
            found *= factor.fall(lam, u).upper() ** count
        return found


@final
@dataclass(slots=True)
class Contour:
    """The nodes of one contour, with which δ is enclosed at any location near its own."""

    shape: Shape
    nodes: acb_mat  # the integrand without e^{−ze}, the first halved; n of them, then zeros
    sketch: NDArray[np.complex128]  # the nodes over the first
    log_first: float  # log of the first
    tail: arb  # times e^{−λe}
    loss: Loss
    outer: tuple[arb, arb, arb] | None = None  # of the aliases, made when first asked for

    @classmethod
    def of(cls, loss: Loss, shape: Shape) -> Contour:
        """Evaluate the nodes; the working precision must be that of the shape."""
        lam, tau = arb(shape.lam), arb(shape.tau)
        points = [acb(lam, j * tau) for j in range(shape.n)]
        whole = [loss.plain(z) / (z * (z + 1)) for z in points]
        cut = whole if shape.under else []
        end = (shape.n * tau).lower()
        fall, peak, bursts = loss.fall(lam, end), loss.plain(acb(lam)).real, arb(0)
        for j, (step, count) in enumerate(loss.steps):
            spec, shift = shape.lines[j], shape.shifts[j]
            values = line_values(step, at_tilt(spec, shape.lam), shape.tau, shape.n)
            whole = [term * value**count for term, value in zip(whole, values, strict=True)]
            mass = values[0].real
            peak *= mass**count
            if shape.under:
                low = at_tilt(shape.under[j], shape.lam)
                values = line_values(step, low, shape.tau, shape.n)
                cut = [term * value**count for term, value in zip(cut, values, strict=True)]
                bursts += count * burst(step, spec, low, mass, end, shift) / mass
            else:
                fall *= decay(step, spec, mass, end, shift).upper() ** count
        terms = [x - y for x, y in zip(whole, cut, strict=True)] if cut else whole
        tail = peak * fall * (bursts if cut else 1) / (arb.pi() * tau * (shape.n - 1))
        terms[0] /= 2
        relative = np.array([complex(term / terms[0]) for term in terms])
        log_first = float(terms[0].real.log())
        width = math.isqrt(shape.n - 1) + 1
        terms += [acb(0)] * (-shape.n % width)
        nodes = acb_mat(len(terms) // width, width, terms)
        return cls(shape, nodes, relative, log_first, tail, loss)

    def trapezoid(self, location: arb) -> arb:
        """T at a location."""
        tau = arb(self.shape.tau)
        giant, baby = self.nodes.nrows(), self.nodes.ncols()
        near = acb_mat(baby, 1, [acb(0, -j * tau * location).exp() for j in range(baby)])
        far = acb_mat(1, giant, [acb(0, -j * baby * tau * location).exp() for j in range(giant)])
        total = (far * (self.nodes * near))[0, 0].real
        return (tau / arb.pi()) * (-arb(self.shape.lam) * location).exp() * total

    def tail_at(self, location: arb) -> arb:
        """Above what the nodes beyond the last would have added to T."""
        return self.tail * (-arb(self.shape.lam) * location).exp()

    def aliases_at(self, location: arb) -> arb:
        """Above T − δ: the profile one, two, … windows away, tilted."""
        shape = self.shape
        if self.outer is None:
            self.outer = _aliases(self.loss, shape)
        right, left, none = self.outer
        return (
            right * (-arb(shape.right.lam) * location).exp()
            + left * (-arb(shape.left.lam if shape.left else 0) * location).exp()
            + none
        )

    def upper(self, location: arb) -> arb:
        """Above δ at a location."""
        return self.trapezoid(location) + self.tail_at(location)

    def lower(self, location: arb) -> arb:
        """Below δ at a location."""
        return self.trapezoid(location) - self.tail_at(location) - self.aliases_at(location)

    def log_value(self, location: float) -> tuple[float, float]:
        """In float64: log T at a location, and its slope."""
        turns = 1j * self.shape.tau * np.arange(self.shape.n)
        weighted = self.sketch * np.exp(-turns * location)
        value = float(weighted.sum().real)
        if not value > 0:
            return -math.inf, -self.shape.lam
        log = self.log_first + math.log(value * self.shape.tau / math.pi) - self.shape.lam * location
        return log, -self.shape.lam - float((weighted * turns).sum().real) / value


def _aliases(loss: Loss, shape: Shape) -> tuple[arb, arb, arb]:
    """Above Σ e^{λmW} δ(e+mW) over m ≥ 1 and over m ≤ −1, by Chernoff at the two outer tilts."""
    lam, window = arb(shape.lam), 2 * arb.pi() / arb(shape.tau)
    gap = arb(shape.right.lam) - lam
    if not gap > 0 or not (shape.left is None or 0 <= shape.left.lam < shape.lam):
        raise InternalError("the outer tilts of a contour are out of order")
    right = chernoff(loss, shape.right) / (gap * window).expm1()
    if shape.left is None:
        return right, arb(0), 1 / (lam * window).expm1()
    left = chernoff(loss, shape.left) / ((lam - arb(shape.left.lam)) * window).expm1()
    return right, left, arb(0)


def chernoff(loss: Loss, outer: Outer) -> arb:
    """Above δ(x) e^{ax} for every x, of the whole law or of a slice: mass(a) a^a/(1+a)^{1+a}."""
    a = arb(outer.lam)
    peak = (a * a.log() - (1 + a) * (1 + a).log()).exp() if outer.lam > 0 else arb(1)
    whole, cut = mass(loss, outer.lam, outer.lines), arb(0)
    if outer.under:
        cut = mass(loss, outer.lam, outer.under)
    return peak * loss.plain(acb(a)).real * upper_of(whole - cut).max(arb(0))


def mass(loss: Loss, lam: float, lines: tuple[LineSpec, ...]) -> arb:
    """Π M(λ)^k of the steps below their lines' thresholds."""
    found = arb(1)
    for (step, count), spec in zip(loss.steps, lines, strict=True):
        found *= line_values(step, at_tilt(spec, lam), 1.0, 1)[0].real ** count
    return found


def at_tilt(spec: LineSpec, lam: float) -> LineSpec:
    """The line itself, which must be at this tilt."""
    if spec.lam != lam:
        raise InternalError("a line belongs to another tilt")
    return spec
