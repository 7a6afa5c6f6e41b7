"""One step's law of the loss in float64, tilted by e^{λY}, as points with weights.

Gauss-Legendre nodes in the step's output, on cells that are cut where the loss crosses the grid
losses jh, so that each point's cell between two grid losses is certain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.roads.laws import Direction, Laplace, Law, Sampled

Floats = NDArray[np.float64]
_DROPPED = 45.0  # nats under the largest tilted density: not integrated
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)


class Points(NamedTuple):
    """A step's tilted law as points: loss, log of the tilted weight, and the middle of its cell."""

    loss: Floats
    log_weight: Floats
    cell: Floats


def tilted_points(law: Law, direction: Direction, tilt: float, step: float = math.inf) -> Points:
    """The tilted law by Gauss-Legendre in the output, on cells cut at the grid losses."""
    if isinstance(law, Laplace):
        return _laplace_points(float(law.scale), tilt, step)
    return _normal_points(law, direction, tilt, step)


def _normal_points(law: Sampled, direction: Direction, tilt: float, step: float) -> Points:
    s, q, sign = float(law.sigma), float(law.q), 1 if direction == "remove" else -1
    log_in, log_out = math.log(q), math.log1p(-q) if q < 1 else -math.inf
    power = 1 + tilt if sign == 1 else -tilt

    def log_ratio(t: Floats) -> Floats:
        return np.logaddexp(log_out, log_in + (2 * t - 1) / (2 * s * s))

    def log_density(t: Floats) -> Floats:
        return power * log_ratio(t) - t * t / (2 * s * s) - math.log(s * math.sqrt(2 * math.pi))

    low, high = (0.0, power) if sign == 1 else (_add_peak(s, log_in - log_out, tilt), 0.0)
    pace = s * min(0.125, s / max(power, 1.0))
    t = np.arange(low - 10 * s, high + 10 * s + pace, pace)
    kept = np.flatnonzero(log_density(t) > log_density(t).max() - _DROPPED)
    edges = t[max(kept[0] - 1, 0) : kept[-1] + 2]
    if step < math.inf:
        first, last = log_ratio(edges[[0, -1]])
        losses = np.arange(math.ceil(first / step), math.floor(last / step) + 1) * step
        cuts = 0.5 + s * s * (losses + np.log(-np.expm1(log_out - losses)) - log_in)
        edges = np.union1d(edges, cuts[(cuts > edges[0]) & (cuts < edges[-1])])
    nodes, log_widths, middles = _gauss(edges)
    log_weight = log_density(nodes) + log_widths
    return Points(sign * log_ratio(nodes), log_weight, sign * log_ratio(middles))


def _add_peak(s: float, log_odds: float, tilt: float) -> float:
    """Where −t²/2σ² − λ log w(t) is largest: t = −λp(t)."""
    low, high = -tilt, 0.0
    for _ in range(60):
        t = (low + high) / 2
        p = math.exp(-float(np.logaddexp(0.0, -log_odds - (t - 0.5) / (s * s))))
        low, high = (low, t) if t > -tilt * p else (t, high)
    return low


def _laplace_points(b: float, tilt: float, step: float) -> Points:
    low, high = max(-1 / b, 1 / b - _DROPPED / (tilt + 0.5)), 1 / b
    edges = np.linspace(low, high, 129)
    if step < math.inf:
        losses = np.arange(math.ceil(low / step), math.floor(high / step) + 1) * step
        edges = np.union1d(edges, losses[(losses > low) & (losses < high)])
    nodes, log_widths, middles = _gauss(edges)
    ends, log_half = np.array([-1 / b, 1 / b]), math.log(0.5)
    inner = log_half + log_widths + (nodes - 1 / b) / 2 - math.log(2) + tilt * nodes
    outer = log_half + np.minimum(ends, 0.0) + tilt * ends
    together = [np.concatenate(pair) for pair in ((nodes, ends), (inner, outer), (middles, ends))]
    return Points(*together)


def _gauss(edges: Floats) -> tuple[Floats, Floats, Floats]:
    """Nodes in the cells between edges, the logs of their weights, the middles of their cells."""
    middles, halves = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    nodes = middles[:, None] + halves[:, None] * _NODES
    weights = halves[:, None] * _WEIGHTS
    with np.errstate(divide="ignore"):
        return nodes.ravel(), np.log(weights).ravel(), np.repeat(middles, len(_NODES))
