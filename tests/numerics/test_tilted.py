"""Moments of tilted losses: in balls beside their definition, by a road that shares no code."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from bursar import Direction
from bursar.exact import Exact
from bursar.numerics import tilted
from bursar.numerics.balls import float_down, float_up, precision
from bursar.numerics.factors import AtomsFactor, LaplaceFactor
from bursar.numerics.sketch import StepSketch
from bursar.numerics.steps import Step
from bursar.numerics.tilted import Tilted, of_factor, of_step

Floats = NDArray[np.float64]


def sketch(sigma: str, q: str, way: Direction, count: int = 1000) -> StepSketch:
    return StepSketch(Step(Exact(Fraction(sigma)), Exact(Fraction(q)), way), count)


def by_definition(s: float, q: float, way: Direction, lam: float) -> list[float]:
    """M, the mean and the central moments, from the two densities alone."""
    removes = way is Direction.REMOVE
    t = np.linspace(-16 * s, 1 + lam + 16 * s, 4001)
    ratio = 1 - q + q * np.exp((2 * t - 1) / (2 * s * s))
    loss = np.log(ratio) if removes else -np.log(ratio / (1 - q))
    density = norm.pdf(t, 0, s) * (ratio if removes else 1) * (t[1] - t[0])
    return tilted_points(density, loss, lam)


def tilted_points(mass: Floats, loss: Floats, lam: float) -> list[float]:
    """The same of finitely many losses."""
    weights = mass * np.exp(lam * loss)
    total = weights.sum()
    weights /= total
    mean = weights @ loss
    return [total, mean, *(weights @ (loss - mean) ** r for r in (2, 3, 4, 5, 6))]


def ends(law: Tilted) -> list[tuple[float, float]]:
    balls = law.mass, law.mean, law.second, law.third, law.fourth, law.fifth, law.sixth
    with precision(256):
        return [(float_down(ball), float_up(ball)) for ball in balls]


def agree(law: Tilted, truth: list[float], close: float = 1e-11) -> None:
    for (low, high), value in zip(ends(law), truth, strict=True):
        assert high - low <= 1e-14 * abs(high)
        assert low == pytest.approx(value, rel=close)


STEPS = [
    ("2", "1/100", Direction.REMOVE, 8.0),
    ("1/2", "1/5", Direction.ADD, 3.0),
    ("4/5", "1/1000", Direction.REMOVE, 2.0),
    ("10", "1/2", Direction.ADD, 40.0),
]


@pytest.mark.parametrize(("sigma", "q", "way", "lam"), STEPS)
def test_sampled_steps_by_their_definition(sigma: str, q: str, way: Direction, lam: float) -> None:
    truth = by_definition(float(Fraction(sigma)), float(Fraction(q)), way, lam)
    agree(of_step(sketch(sigma, q, way), lam), truth)


def test_what_lies_beyond_the_ends_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quadrature with narrow ends has wide balls, which hold the truth."""
    whole = of_step(sketch("2", "1/100", Direction.REMOVE), 8.0)
    monkeypatch.setattr(tilted, "_ends", lambda *_: (-12.0, 24.0))
    cut = of_step(sketch("2", "1/100", Direction.REMOVE), 8.0)
    for (low, high), (least, most) in zip(ends(cut)[:6], ends(whole)[:6], strict=True):
        assert low < least < most < high
    monkeypatch.setattr(tilted, "_left_out", lambda *_: 0)
    assert ends(of_step(sketch("2", "1/100", Direction.REMOVE), 8.0))[0][1] < ends(whole)[0][0]


@pytest.mark.parametrize("categories", [2, 5])
def test_atoms_by_their_definition(categories: int) -> None:
    e, lam = 0.5, 3.0
    mass = np.array([math.exp(e), categories - 2, 1]) * 0.9 / (math.exp(e) + categories - 1)
    truth = tilted_points(mass, np.array([e, 0, -e]), lam)
    factor = AtomsFactor(Exact(Fraction(1, 2)), Exact(Fraction(1, 10)), categories)
    agree(of_factor(factor, lam, truth[1]), truth)


def test_laplace_noise_by_its_definition() -> None:
    r, lam, n = 0.5, 3.0, 200_000
    losses = -r + (np.arange(n) + 0.5) * 2 * r / n
    mass = 0.25 * np.exp((losses - r) / 2) * 2 * r / n
    ends = np.array([0.5, 0.5 * math.exp(-r)])
    truth = tilted_points(np.append(ends, mass), np.append([r, -r], losses), lam)
    agree(of_factor(LaplaceFactor(Exact(2)), lam, truth[1]), truth, 1e-8)


def test_a_sixth_moment_about_another_point_is_above() -> None:
    factor = LaplaceFactor(Exact(2))
    mean = ends(of_factor(factor, 3.0, 0.0))[1][0]
    exact, off = of_factor(factor, 3.0, mean), of_factor(factor, 3.0, mean + 0.1)
    assert ends(off)[:6] == pytest.approx(np.array(ends(exact)[:6]))
    assert ends(off)[6][0] > ends(exact)[6][1]
