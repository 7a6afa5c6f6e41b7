"""Makes the reference numbers of test_filter_budgets: 40 digits of mpmath, and no code of bursar's.

Run as `python tests/reference/filter_budgets.py`.
"""

from __future__ import annotations

import mpmath as mp

PAIRS = [
    ("0.3", "1e-5"),
    ("0.5", "1e-5"),
    ("1", "1e-5"),
    ("1", "1e-6"),
    ("0.1", "1e-6"),
    ("3", "1e-6"),
]


def printed(epsilon: mp.mpf, delta: mp.mpf) -> mp.mpf:
    """The ρ with ρ + 2√(ρ log 1/δ) = ε, found as a root rather than by its closed form."""
    L = mp.log(1 / delta)
    return mp.findroot(
        lambda r: r + 2 * mp.sqrt(r * L) - epsilon, (1e-9, epsilon), solver="anderson", tol=1e-30
    )


def best(epsilon: mp.mpf, delta: mp.mpf) -> mp.mpf:
    """The largest ρ some order proves: a peak over log(α − 1), by ternary search."""

    def rho(t: mp.mpf) -> mp.mpf:
        a = 1 + mp.exp(t)
        return (epsilon - mp.log(1 - 1 / a) + (mp.log(delta) + mp.log(a)) / (a - 1)) / a

    low, high = mp.mpf(0), mp.mpf(12)
    for _ in range(200):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (left, high) if rho(left) < rho(right) else (low, right)
    return rho(low)


def gaussian(epsilon: mp.mpf, delta: mp.mpf) -> mp.mpf:
    """The μ at which the Gaussian's δ(ε) is δ, by integrating (p − e^ε q)_+."""

    def gap(mu: mp.mpf) -> mp.mpf:
        edge = epsilon / mu + mu / 2
        mass = mp.quad(
            lambda x: mp.npdf(x, mu) - mp.exp(epsilon) * mp.npdf(x), [edge, edge + 8, edge + 40]
        )
        return mp.log(mass / delta)

    return mp.findroot(gap, (epsilon / 6, epsilon / 2), solver="anderson", tol=1e-25)


def main() -> None:
    """Print a table to paste."""
    mp.mp.dps = 40
    for texts in PAIRS:
        epsilon, delta = map(mp.mpf, texts)
        values = (f(epsilon, delta) for f in (printed, best, gaussian))
        print(texts, *(mp.nstr(value, 16) for value in values))


if __name__ == "__main__":
    main()
