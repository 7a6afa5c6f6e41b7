"""How long a screen lasts: answers on average, and false alarms, by quadrature and not by chance.

A gap is a threshold less its query, in sensitivities: below the threshold it is positive.  These
numbers say what a screen is good for, not what it costs; they are float64, in logarithms of
survival functions throughout, so that nothing underflows to "never" or "always".

Legend: t = gap + ρ, F(t) = P(ν < t), Q = 1 − F, c the cutoff, k the length, n answers, of which
B_n ~ Binomial(n, Q) would be tops.  The run is open after n answers where B_n < c, so that
E[answers] = Σ_{n<k} P(B_n < c) = E[min(B_k, c)]/Q, given ρ (Wald's identity).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bursar import require
from bursar.errors import InvalidParameter, LimitReached
from bursar.exact import Number
from bursar.mechanisms.sparse_vector import Screen, SparseVector
from bursar.numerics import screen_sketch
from bursar.screening.run import laws

Floats = NDArray[np.float64]

_DEPTH = 40.0  # what is e^-40 of the whole is left out
_NODES = 400_000
_POINTS = 8  # of each panel
_ENDED = 60.0  # scales of the queries' noise beyond which a top is no matter


def expected_answers(mechanism: Screen, *, gap: Number) -> float:
    """How many answers it gives on average, tops included, to queries that are all so far below.

    Infinite where the mean is: without a length, for noise of the queries that is no larger than
    the threshold's, or falls faster.  Zhu & Wang 2020, App. G.1.

    >>> screen = SparseVector(threshold_noise=10, query_noise=20, length=1000)
    >>> round(expected_answers(screen, gap=60), 2)
    533.5
    """
    below = float(require.real(gap=gap))
    length, cutoff = _scales(mechanism)[2], mechanism.cutoff
    if length is None:
        return cutoff * _mean_wait(mechanism, below)
    return _mean(mechanism, below, lambda below, above: _answers(below, above, cutoff, length))


def false_alarm_rate(mechanism: Screen, *, gap: Number) -> float:
    """The probability that one query, so far below its threshold, is answered "above".

    >>> false_alarm_rate(SparseVector(threshold_noise=3, query_noise=4, length=9), gap=5)
    0.158655...
    """
    below = float(require.real(gap=gap))
    s1, s2, _ = _scales(mechanism)
    if laws(mechanism) == ("gaussian", "gaussian"):
        from scipy.special import ndtr

        return float(ndtr(-below / math.hypot(s1, s2)))
    return _mean(mechanism, below, lambda _, above: above)


def open_after(mechanism: Screen, *, gaps: Sequence[float] | Floats) -> Floats:
    """The probabilities that it is still open after 0, 1, 2, … answers, one gap a query.

    >>> screen = SparseVector(threshold_noise=10, query_noise=20, length=1000)
    >>> open_after(screen, gaps=[30, 30, 60]).round(3)
    array([1.   , 0.91 , 0.835, 0.832])
    """
    far = np.asarray(gaps, np.float64)
    if far.ndim != 1 or not np.all(np.isfinite(far)):
        raise InvalidParameter("they must be finite numbers in one dimension", field="gaps")
    _, _, length = _scales(mechanism)
    z, weights = _nodes(mechanism, 0.0, kinks=False)
    states = np.zeros((mechanism.cutoff, len(z)))
    states[0] = np.exp(weights - np.logaddexp.reduce(weights))
    found = [1.0]
    for number, gap in enumerate(far, 1):
        below, above = np.exp(_query(mechanism)(gap + z))
        moved = states * above
        states *= below
        states[1:] += moved[:-1]
        found.append(0.0 if number == length else float(states.sum()))
        if number == length:
            break
    return np.array(found)


def never_stops(mechanism: Screen, *, first_gap: Number, growth: Number) -> float:
    """The probability that a screen without a length never stops, where gaps grow by a factor.

    Zhu & Wang 2020, Prop. 26, with the threshold's noise: ∏(1 − Q(T θ^i + ρ)) is above 0 whatever ρ
    is, as Q falls fast enough; so such a screen gives infinitely many answers on average.

    >>> screen = SparseVector(threshold_noise=10, query_noise=20, query_law="laplace")
    >>> round(never_stops(screen, first_gap=60, growth=2), 4)
    0.9704
    """
    first, factor = (
        float(require.positive(first_gap=first_gap)),
        float(require.positive(growth=growth)),
    )
    if factor <= 1:
        raise InvalidParameter("thresholds must grow", field="growth", value=growth)
    _, s2, length = _scales(mechanism)
    if length is not None:
        return 0.0
    if mechanism.cutoff != 1:
        raise InvalidParameter("it must be 1 here", field="cutoff", value=mechanism.cutoff)
    z, weights = _nodes(mechanism, 0.0, kinks=False)
    end = _ENDED * s2 - float(z[0])
    many = max(math.ceil(math.log(max(end / first, 1)) / math.log(factor)), 0) + 1
    if many > _NODES:
        raise LimitReached(f"thresholds grow too slowly: {many} of them count")
    lasted = weights
    for number in range(many):
        lasted = lasted + _query(mechanism)(first * factor**number + z)[0]
    return float(np.exp(np.logaddexp.reduce(lasted) - np.logaddexp.reduce(weights)))


def _scales(mechanism: Screen) -> tuple[float, float, int | None]:
    for law in laws(mechanism):
        if law not in _LOGS:
            raise InvalidParameter(
                "how long a screen lasts is told for continuous noise",
                field="law",
                value=law,
                hint=f"{law.partition('-')[2]} noise of the same scale is near it.",
            )
    length = mechanism.length if isinstance(mechanism, SparseVector) else None
    return float(mechanism.threshold_noise), float(mechanism.query_noise), length


def _mean_wait(mechanism: Screen, gap: float) -> float:
    """E[1/Q(t)]: the answers until a top, without an end."""
    s1, s2, _ = _scales(mechanism)
    match laws(mechanism):
        case "gaussian", "gaussian":
            at = np.zeros(1)
            return float(np.exp(screen_sketch.log_moments(s1, s2, gap, at)[0]))
        case "laplace", "laplace" if s2 <= s1:
            return math.inf
        case "laplace", "gaussian":
            return math.inf
    return _mean(mechanism, gap, lambda _, above: -above, 1 / s2)  # 1/Q = 2e^{t/s₂} on the right


def _answers(below: Floats, above: Floats, cutoff: int, length: int) -> Floats:
    """log E[min(B_k, c)]/Q = log (cP(B_k ≥ c)/Q + kP(B_{k−1} ≤ c−2)), of log F and log Q."""
    from scipy.special import betainc

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if cutoff == 1:
            ends: Floats = np.log(-np.expm1(length * below)) - above
            return np.where(above < -690, math.log(length), ends)
        q = np.exp(above)
        ended = cutoff * betainc(cutoff, length - cutoff + 1, q) / q
        rest = length * betainc(length - cutoff + 1, cutoff - 1, np.exp(below))
        found: Floats = np.log(np.where(q > 0, ended, 0.0) + rest)
    return found


def _mean(
    mechanism: Screen, gap: float, logs: Callable[[Floats, Floats], Floats], tilt: float = 0.0
) -> float:
    """E of what has these logarithms, of log F and log Q at gap + ρ."""
    z, weights = _nodes(mechanism, gap, tilt=tilt)
    return float(np.exp(np.logaddexp.reduce(weights + logs(*_query(mechanism)(gap + z)))))


def _nodes(
    mechanism: Screen, gap: float, *, kinks: bool = True, tilt: float = 0.0
) -> tuple[Floats, Floats]:
    """Nodes for ρ, and logarithms of their weights with its density: panels between kinks."""
    s1, s2, length = _scales(mechanism)
    depth = _DEPTH + math.log(length or 1)
    if laws(mechanism)[0] == "gaussian":
        low, high = -s1 * math.sqrt(2 * depth), s1 * math.sqrt(2 * depth) + s1**2 * tilt
    else:
        low, high = -s1 * depth, depth / (1 / s1 - tilt)
    width = min(s1, s2 / math.sqrt(4 + 2 * math.log(length or 1))) / 2
    if (high - low) / width * _POINTS > _NODES:
        raise LimitReached(f"the noises differ so much that more than {_NODES} nodes count")
    breaks = sorted({low, *(x for x in (0.0, -gap if kinks else 0.0) if low < x < high), high})
    x, w = np.polynomial.legendre.leggauss(_POINTS)
    nodes, weights = [], []
    for a, b in pairwise(breaks):
        edges = np.linspace(a, b, math.ceil((b - a) / width) + 1)
        half = np.diff(edges)[:, None] / 2
        nodes.append((edges[:-1, None] + half * (1 + x)).ravel())
        weights.append((half * w).ravel())
    z, share = np.concatenate(nodes), np.concatenate(weights)
    return z, np.log(share) + _density(laws(mechanism)[0], s1, z)


def _density(law: str, scale: float, z: Floats) -> Floats:
    """The logarithm of ρ's density."""
    if law == "gaussian":
        found: Floats = -0.5 * (z / scale) ** 2 - math.log(scale * math.sqrt(2 * math.pi))
        return found
    return -np.abs(z) / scale - math.log(2 * scale)


def _query(mechanism: Screen) -> Callable[[Floats], tuple[Floats, Floats]]:
    """log F and log Q of the queries' noise."""
    logs, scale = _LOGS[laws(mechanism)[1]], float(mechanism.query_noise)
    return lambda t: logs(t / scale)


def _normal(t: Floats) -> tuple[Floats, Floats]:
    from scipy.special import log_ndtr

    return log_ndtr(t), log_ndtr(-t)


def _laplace(t: Floats) -> tuple[Floats, Floats]:
    far, near = -np.abs(t) - math.log(2), np.log1p(-0.5 * np.exp(-np.abs(t)))
    return np.where(t < 0, far, near), np.where(t < 0, near, far)


_LOGS = {"gaussian": _normal, "laplace": _laplace}
