"""The law of a screen's answers on given data, summed and integrated: nothing here is a bound.

A gap is a threshold less its query: an answer is "below" with probability P(ν < gap + ρ).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, logsumexp

Logs = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
WIDE = 40  # of the noise's scales to both sides


def normal(scale: float) -> Logs:
    return lambda x: (log_ndtr(x / scale), log_ndtr(-x / scale))


def laplace(scale: float) -> Logs:
    def logs(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        t = x / scale
        small = -np.abs(t) - np.log(2)
        large = np.log1p(-0.5 * np.exp(-np.abs(t)))
        return np.where(t < 0, small, large), np.where(t < 0, large, small)

    return logs


def lattice(weights: Callable[[np.ndarray], np.ndarray], reach: int) -> Logs:
    """P(ν < n) and P(ν ≥ n) of a law on whole numbers that is symmetric."""
    support = np.arange(-reach, reach + 1)
    logs = weights(support)
    above = np.logaddexp.accumulate((logs - logsumexp(logs))[::-1])[::-1]  # P(ν ≥ support)

    def found(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        at = np.clip(np.rint(x).astype(int) + reach, 0, 2 * reach)
        mirrored = np.clip(reach + 1 - np.rint(x).astype(int), 0, 2 * reach)
        return above[mirrored], above[at]

    return found


def nodes_normal(scale: float) -> tuple[np.ndarray, np.ndarray]:
    z = np.linspace(-WIDE * scale, WIDE * scale, 2401)
    return z, -0.5 * (z / scale) ** 2 - np.log(scale * np.sqrt(2 * np.pi)) + np.log(z[1] - z[0])


def nodes_laplace(scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Panels that end at the kinks of whole and half gaps."""
    edges = np.arange(-240, 241) * 0.5
    x, w = np.polynomial.legendre.leggauss(5)
    z = (edges[:-1, None] + 0.25 * (x + 1)).ravel()
    weights = np.tile(0.25 * w, len(edges) - 1)
    return z, np.log(weights) - np.abs(z) / scale - np.log(2 * scale)


@lru_cache(maxsize=64)
def stops(length: int, cutoff: int) -> tuple[tuple[bool, ...], ...]:
    """Every list of answers that a screen can end with."""
    ended, running = [], [()]
    while running:
        answers = running.pop()
        if len(answers) == length or sum(answers) == cutoff:
            ended.append(answers)
        else:
            running += [(*answers, False), (*answers, True)]
    return tuple(ended)


def law(
    gaps: Sequence[float], nodes: tuple[np.ndarray, np.ndarray], query: Logs, cutoff: int
) -> np.ndarray:
    """Logarithms of the probabilities of all lists of answers, in the order of `stops`."""
    z, weights = nodes
    logs = [query(gap + z) for gap in gaps]
    if cutoff == 1:
        found, lasted = [], weights
        for below, above in logs:
            found.append(logsumexp(lasted + above))
            lasted = lasted + below
        return np.array([*found, logsumexp(lasted)])
    return np.array(
        [
            logsumexp(weights + sum(logs[i][int(top)] for i, top in enumerate(answers)))
            for answers in stops(len(gaps), cutoff)
        ]
    )


def renyi(p: np.ndarray, q: np.ndarray, order: float) -> float:
    return float(logsumexp(order * p - (order - 1) * q)) / (order - 1)


def worst(
    divergence: Callable[[np.ndarray, np.ndarray], float],
    start: tuple[np.ndarray, np.ndarray],
    rng: np.random.Generator,
    *,
    steps: int,
    whole: bool = False,
    moves: Sequence[float] = (-1.0, 1.0),
) -> float:
    """Climb from gaps and moves of gaps to the largest divergence that so many steps find."""
    gaps, moved = start
    best = divergence(gaps, gaps + moved)
    for _ in range(steps):
        at = int(rng.integers(len(gaps)))
        other, turned = gaps.copy(), moved.copy()
        if rng.random() < 0.3:
            turned[at] = rng.choice(moves)
        else:
            step = rng.normal() * rng.choice([1.0, 6.0])
            other[at] += np.rint(step) if whole else np.rint(2 * step) / 2
        found = divergence(other, other + turned)
        if found > best:
            best, gaps, moved = found, other, turned
    return best
