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
from bursar.numerics.lines import LineSpec, line_values
from bursar.numerics.propose import Shape
from bursar.numerics.steps import Step
from bursar.numerics.tails import decay


@final
@dataclass(frozen=True, slots=True)
class Loss:
    """A composition in one direction, ready for contours: steps, and c = Σ 1/σ² of Gaussians."""

    steps: tuple[tuple[Step, int], ...]
    gaussian: arb

    def top(self) -> arb:
        """What ε exceeds the location by."""
        return sum((count * step.top() for step, count in self.steps), arb(0))

    def plain(self, z: acb) -> acb:
        """The moment generating function of the Gaussian steps."""
        return (self.gaussian * z * (z + 1) / 2).exp()


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
        terms = [loss.plain(z) / (z * (z + 1)) for z in points]
        fall = (-loss.gaussian * (shape.n * tau) ** 2 / 2).exp()
        peak = loss.plain(acb(lam)).real
        for (step, count), spec, shift in zip(loss.steps, shape.lines, shape.shifts, strict=True):
            if spec.lam != shape.lam:
                raise InternalError("a line belongs to another tilt")
            values = line_values(step, spec, shape.tau, shape.n)
            terms = [term * value**count for term, value in zip(terms, values, strict=True)]
            mass = values[0].real
            fall *= decay(step, spec, mass, (shape.n * tau).lower(), shift).upper() ** count
            peak *= mass**count
        tail = peak * fall / (arb.pi() * tau * (shape.n - 1))
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
            right * (-arb(shape.lam_right) * location).exp()
            + left * (-arb(shape.lam_left) * location).exp()
            + none
        )

    def upper(self, location: arb) -> arb:
        """Above δ at a location."""
        return self.trapezoid(location) + self.tail_at(location)

    def lower(self, location: arb) -> arb:
        """Below δ at a location."""
        return self.trapezoid(location) - self.tail_at(location) - self.aliases_at(location)

    def newton(self, location: float, log_delta: float) -> tuple[float, float]:
        """In float64: where T reaches δ, and d log T/d location there."""
        turns = 1j * self.shape.tau * np.arange(self.shape.n)
        slope = -self.shape.lam
        for _ in range(40):
            weighted = self.sketch * np.exp(-turns * location)
            value = float(weighted.sum().real)
            if not value > 0:
                break
            slope = -self.shape.lam - float((weighted * turns).sum().real) / value
            log_value = self.log_first + math.log(value * self.shape.tau / math.pi) - self.shape.lam * location
            step = (log_delta - log_value) / slope
            location += step
            if abs(step) <= 1e-15 * abs(location):
                break
        return location, slope


def _aliases(loss: Loss, shape: Shape) -> tuple[arb, arb, arb]:
    """Above Σ e^{λmW} δ(e+mW) over m ≥ 1 and over m ≤ −1, by Chernoff at the two outer tilts."""
    lam, window = arb(shape.lam), 2 * arb.pi() / arb(shape.tau)
    if not (arb(shape.lam_right) > lam and 0 <= shape.lam_left < shape.lam):
        raise InternalError("the outer tilts of a contour are out of order")
    right = _chernoff(loss, shape.lam_right, shape.right) / ((arb(shape.lam_right) - lam) * window).expm1()
    if shape.lam_left == 0:
        return right, arb(0), 1 / (lam * window).expm1()
    left = _chernoff(loss, shape.lam_left, shape.left) / ((lam - arb(shape.lam_left)) * window).expm1()
    return right, left, arb(0)


def _chernoff(loss: Loss, at: float, lines: tuple[LineSpec, ...]) -> arb:
    """Above δ(x) e^{ax} for every x: e^{K(a)} a^a/(1+a)^{1+a}."""
    a = arb(at)
    bound = loss.plain(acb(a)).real * (a * a.log() - (1 + a) * (1 + a).log()).exp()
    for (step, count), spec in zip(loss.steps, lines, strict=True):
        if spec.lam != at:
            raise InternalError("a line belongs to another tilt")
        bound *= upper_of(line_values(step, spec, 1.0, 1)[0].real) ** count
    return bound
