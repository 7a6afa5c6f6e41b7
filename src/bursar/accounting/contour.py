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
from bursar.numerics.balls import precision, upper_of
from bursar.numerics.factors import Factor
from bursar.numerics.lines import LineSpec, line_values, slice_values
from bursar.numerics.propose import Outer, Shape
from bursar.numerics.steps import Step
from bursar.numerics.tails import burst, decay

_LOST = 1e-9  # of the sum of moduli: what float64 cannot tell from 0


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

    def most(self) -> arb | None:
        """The largest finite loss less `top`; None where there is none."""
        if self.steps and self.removes:
            return None
        total = arb(0)
        for factor, count in self.factors:
            most = factor.most()
            if most is None:
                return None
            total += count * most
        return total

    def variation(self) -> arb:
        """Above δ(0): what the steps' total variations add up to."""
        steps = sum((count * step.variation() for step, count in self.steps), arb(0))
        return sum((count * factor.variation() for factor, count in self.factors), steps)

    def plain(self, z: acb) -> acb:
        """The moment generating function of the factors."""
        found = acb(1)
        for factor, count in self.factors:
            found *= factor.mgf(z) ** count
        return found

    def times(self, count: int) -> Loss:
        """The composition, so many times."""
        steps = tuple((step, count * n) for step, n in self.steps)
        return Loss(steps, tuple((factor, count * n) for factor, n in self.factors))

    def fall(self, lam: arb, u: arb) -> arb:
        """Above |plain(λ+iv)|/plain(λ) for every v ≥ u."""
        found = arb(1)
        for factor, count in self.factors:
            found *= factor.fall(lam, u).upper() ** count
        return found


@final
@dataclass(slots=True)
class Nodes:
    """What a shape needs of each step, whatever the counts are: computed once, composed often."""

    shape: Shape
    base: list[acb]  # 1/(z(z+1)) at the nodes, the first halved
    values: list[list[acb]]  # M at the nodes, a list for each step
    rests: list[list[acb]]  # what the lower threshold of a slice leaves, as a share of M
    ratios: list[arb]  # how far each step has fallen after the last node (or burst, in a slice)
    outer: dict[float, tuple[list[arb], list[arb]]]  # by tilt: M of each step, and its slice

    @classmethod
    def of(cls, steps: tuple[Step, ...], shape: Shape) -> Nodes:
        """Evaluate the steps; the working precision must be that of the shape."""
        check(steps, shape)
        lam, tau = arb(shape.lam), arb(shape.tau)
        points = [acb(lam, j * tau) for j in range(shape.n)]
        base = [1 / (z * (z + 1)) for z in points]
        base[0] /= 2
        found = cls(shape, base, [], [], [], {})
        end = (shape.n * arb(shape.tau)).lower()
        for j, step in enumerate(steps):
            spec, shift = at_tilt(shape.lines[j], shape.lam), shape.shifts[j]
            if shape.under:
                low = at_tilt(shape.under[j], shape.lam)
                values, gaps = slice_values(step, spec, low, shape.tau, shape.n)
                found.values.append(values)
                pairs = zip(values, gaps, strict=True)
                found.rests.append([1 - gap / value for value, gap in pairs])
                mass = values[0].real
                found.ratios.append(burst(step, spec, low, mass, end, shift) / mass)
            else:
                values = line_values(step, spec, shape.tau, shape.n)
                found.values.append(values)
                mass = values[0].real
                found.ratios.append(decay(step, spec, mass, end, shift).upper())
        return found

    def powers(self, loss: Loss) -> tuple[list[acb], list[acb]]:
        """What these counts make of the steps, node by node: the law, and the share left below."""
        counts = [count for _, count in loss.steps]
        rest = _product(_powers(self.rests, counts)) if self.rests else []
        rows = _powers(self.values, counts)
        if loss.factors or not rows:
            lam, tau = arb(self.shape.lam), arb(self.shape.tau)
            rows.append([loss.plain(acb(lam, j * tau)) for j in range(self.shape.n)])
        return _product(rows), rest

    def masses(self, steps: tuple[Step, ...], outer: Outer) -> tuple[list[arb], list[arb]]:
        """M of each step at another tilt, and of a slice of it, once computed."""
        if outer.lam not in self.outer:
            self.outer[outer.lam] = masses(steps, outer)
        return self.outer[outer.lam]


@final
@dataclass(slots=True)
class Contour:
    """The nodes of one contour, with which δ is enclosed at any location near its own."""

    shape: Shape
    nodes: acb_mat  # the integrand without e^{−ze}, the first halved; n of them, then zeros
    tail: arb  # times e^{−λe}
    loss: Loss
    parts: Nodes
    bend: arb | None = None  # above Σ (jτ)² |node|, where it is known
    outer: tuple[arb, arb, arb] | None = None  # of the aliases, made when first asked for
    sketch: tuple[NDArray[np.complex128], float] | None = None  # nodes over the first, and its log

    @classmethod
    def of(cls, loss: Loss, shape: Shape) -> Contour:
        """Evaluate the nodes; the working precision must be that of the shape."""
        return cls.composed(loss, Nodes.of(tuple(step for step, _ in loss.steps), shape))

    @classmethod
    def composed(cls, loss: Loss, parts: Nodes) -> Contour:
        """The contour of these counts, from nodes that do not depend on them."""
        whole, rest = parts.powers(loss)
        each = zip(parts.base, whole, strict=True)
        return cls.summed(loss, parts, [x * y for x, y in each], rest)

    @classmethod
    def summed(cls, loss: Loss, parts: Nodes, whole: list[acb], rest: list[acb]) -> Contour:
        """The contour whose integrand is `whole`, less the shares `rest` of it in a slice."""
        shape, counts = parts.shape, [count for _, count in loss.steps]
        lam, tau = arb(shape.lam), arb(shape.tau)
        terms = [x * (1 - y) for x, y in zip(whole, rest, strict=True)] if rest else list(whole)
        fall = loss.fall(lam, (shape.n * tau).lower())
        if parts.rests:
            pairs = zip(counts, parts.ratios, strict=True)
            fall *= sum((count * ratio for count, ratio in pairs), arb(0))
        else:
            fall *= _power([ratio.upper() for ratio in parts.ratios], counts)
        peak = loss.plain(acb(lam)).real * _power([value[0].real for value in parts.values], counts)
        tail = peak * fall / (arb.pi() * tau * (shape.n - 1))
        width = math.isqrt(shape.n - 1) + 1
        terms += [acb(0)] * (-shape.n % width)
        return cls(shape, acb_mat(len(terms) // width, width, terms), tail, loss, parts)

    def trapezoid(self, location: arb) -> arb:
        """T at a location."""
        near, far = self._turns(location)
        rows = self.nodes * acb_mat(len(near), 1, near)
        return self._scale(location) * (acb_mat(1, len(far), far) * rows)[0, 0].real

    def around(self, location: arb) -> tuple[arb, arb]:
        """T at a location, and e^{−λe} times the derivative of T e^{λe} there."""
        near, far = self._turns(location)
        baby, giant, tau = len(near), len(far), arb(self.shape.tau)
        both = [part for j, turn in enumerate(near) for part in (turn, j * turn)]
        rows = self.nodes * acb_mat(baby, 2, both)
        shift = [baby * j * turn for j, turn in enumerate(far)]
        found = acb_mat(2, giant, far + shift) * rows
        scale = self._scale(location)
        return scale * found[0, 0].real, scale * tau * (found[0, 1] + found[1, 0]).imag

    def beside(self, around: tuple[arb, arb], location: arb, off: arb) -> arb:
        """T at a location + `off`, from what is around the location."""
        if self.bend is None:
            return self.trapezoid(location + off)
        value, slope = around
        rest = self.rest(location, off)
        rest = arb(0, rest.upper())
        return (-arb(self.shape.lam) * off).exp() * (value + slope * off + rest)

    def rest(self, location: arb, off: arb) -> arb:
        """Above the second order of `beside`, where the bend is known; else 0."""
        if self.bend is None:
            return arb(0)
        return self._scale(location) * self.bend * off**2 / 2

    def _turns(self, location: arb) -> tuple[list[acb], list[acb]]:
        """e^{−ijτe} for the columns of `nodes`, and for its rows."""
        angle, baby = -arb(self.shape.tau) * location, self.nodes.ncols()
        near = [acb(0, j * angle).exp() for j in range(baby)]
        return near, [acb(0, j * baby * angle).exp() for j in range(self.nodes.nrows())]

    def _scale(self, location: arb) -> arb:
        return (arb(self.shape.tau) / arb.pi()) * (-arb(self.shape.lam) * location).exp()

    def tail_at(self, location: arb) -> arb:
        """Above what the nodes beyond the last would have added to T."""
        return self.tail * (-arb(self.shape.lam) * location).exp()

    def aliases_at(self, location: arb) -> arb:
        """Above T − δ: the profile one, two, … windows away, tilted."""
        shape = self.shape
        if self.outer is None:
            self.outer = _aliases(self.loss, self.parts)
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
        """In float64, log T at a location and its slope; in balls where float64 has lost T."""
        if self.sketch is None:
            terms = self.nodes.entries()[: self.shape.n]
            relative = np.array([complex(term / terms[0]) for term in terms])
            self.sketch = relative, float(terms[0].real.log())
        turns = 1j * self.shape.tau * np.arange(self.shape.n)
        weighted = self.sketch[0] * np.exp(-turns * location)
        value = float(weighted.sum().real)
        if not value > _LOST * float(np.abs(weighted).sum()):
            return self._log_value(arb(location))
        log = self.sketch[1] + math.log(value * self.shape.tau / math.pi)
        return log - self.shape.lam * location, -self.shape.lam - float(
            (weighted * turns).sum().real
        ) / value

    def _log_value(self, location: arb) -> tuple[float, float]:
        with precision(self.shape.bits):
            gap = arb(2.0**-12 / self.shape.lam)
            here, there = self.trapezoid(location), self.trapezoid(location + gap)
            if not (here > 0 and there > 0):
                return -math.inf, -self.shape.lam
            slope = float(((there / here).log() / gap).mid())
            return float(here.log()), slope if slope < 0 else -self.shape.lam


def check(steps: tuple[Step, ...], shape: Shape) -> None:
    """The hypotheses of the contour's lemmas that are about its own parameters."""
    sizes = {len(steps), len(shape.lines), len(shape.shifts), len(shape.under or shape.lines)}
    if not (0 < shape.lam < math.inf and 0 < shape.tau < math.inf and shape.n >= 2):
        raise InternalError(f"a contour's parameters are outside its lemma: {shape}")
    if len(sizes) != 1:
        raise InternalError("a contour's lines are not one for each step")


def _aliases(loss: Loss, parts: Nodes) -> tuple[arb, arb, arb]:
    """Above Σ e^{λmW} δ(e+mW) over m ≥ 1 and over m ≤ −1, by Chernoff at the two outer tilts."""
    shape, steps = parts.shape, tuple(step for step, _ in loss.steps)
    lam, window = arb(shape.lam), 2 * arb.pi() / arb(shape.tau)
    gap = arb(shape.right.lam) - lam
    if not gap > 0 or not (shape.left is None or 0 <= shape.left.lam < shape.lam):
        raise InternalError("the outer tilts of a contour are out of order")
    right = (
        chernoff(loss, shape.right.lam, *parts.masses(steps, shape.right)) / (gap * window).expm1()
    )
    if shape.left is None:
        return right, arb(0), 1 / (lam * window).expm1()
    left = chernoff(loss, shape.left.lam, *parts.masses(steps, shape.left))
    return right, left / ((lam - arb(shape.left.lam)) * window).expm1(), arb(0)


def chernoff(loss: Loss, at: float, whole: list[arb], gaps: list[arb]) -> arb:
    """Above δ(x) e^{ax} for every x, of a law or a slice: mass(a) a^a/(1+a)^{1+a}."""
    a, counts = arb(at), [count for _, count in loss.steps]
    peak = (a * a.log() - (1 + a) * (1 + a).log()).exp() if at > 0 else arb(1)
    mass = _power(whole, counts)
    if gaps:
        rests = [(1 - gap / m).max(arb(0)) for m, gap in zip(whole, gaps, strict=True)]
        mass *= 1 - _power(rests, counts)
    return peak * loss.plain(acb(a)).real * upper_of(mass).max(arb(0))


def masses(steps: tuple[Step, ...], outer: Outer) -> tuple[list[arb], list[arb]]:
    """M of each step at a tilt, and what lies above the lower threshold of a slice."""
    over = [at_tilt(spec, outer.lam) for spec in outer.lines]
    if not outer.under:
        each = zip(steps, over, strict=True)
        return [line_values(step, spec, 1.0, 1)[0].real for step, spec in each], []
    triples = zip(steps, over, outer.under, strict=True)
    found = [
        slice_values(step, spec, at_tilt(low, outer.lam), 1.0, 1) for step, spec, low in triples
    ]
    return [whole[0].real for whole, _ in found], [gaps[0].real for _, gaps in found]


def at_tilt(spec: LineSpec, lam: float) -> LineSpec:
    """The line itself, which must be at this tilt."""
    if spec.lam != lam:
        raise InternalError("a line belongs to another tilt")
    return spec


def _powers(values: list[list[acb]], counts: list[int]) -> list[list[acb]]:
    return [[x**count for x in each] for each, count in zip(values, counts, strict=True)]


def _product(rows: list[list[acb]]) -> list[acb]:
    """Node by node the product of all rows, by halves, since balls grow with each product."""
    while len(rows) > 1:
        paired = [
            [x * y for x, y in zip(*two, strict=True)]
            for two in zip(rows[::2], rows[1::2], strict=False)
        ]
        rows = paired + rows[len(rows) - len(rows) % 2 :]
    return rows[0]


def _power(values: list[arb], counts: list[int]) -> arb:
    return math.prod((value**n for value, n in zip(values, counts, strict=True)), start=arb(1))
