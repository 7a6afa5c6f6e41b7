"""Estimate, verify, release as published: Wang et al. 2023, Algorithm 1 and Remark 29.

Each wrapper takes a verdict that depends on no data, and says which δ its output has.  With p the
probability of a pass and δ that of the mechanism, the wrapped release is (ε, pδ), so what counts is
pδ ≤ δ_est/τ (Thm 9).  A verdict is drawn once: repeating a release repeats it.  Kept here as
baselines: the gate with certificates, attempts and a purse is in `bursar.verification`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from bursar import require
from bursar.exact import Exact, Number

_T = TypeVar("_T")


def estimate_verify_release(*, accepted: bool, execute: Callable[[], _T]) -> _T | None:
    """Algorithm 1: the mechanism runs where the claim passed; nothing (⊥) else.

    >>> estimate_verify_release(accepted=False, execute=lambda: "an answer") is None
    True
    """
    return execute() if accepted else None


def either_of_two(*, first: bool, second: bool, execute: Callable[[], _T]) -> _T | None:
    """Remark 29: two verdicts with independent coins; runs once where any of them passed."""
    return execute() if first or second else None


def with_fallback(*, accepted: bool, execute: Callable[[], _T], other: Callable[[], _T]) -> _T:
    """Remark 29: where the claim failed, a mechanism that is (ε, δ_est/τ) for sure runs instead."""
    return execute() if accepted else other()


def proved_by_two(proved: Number) -> Exact:
    """δ of `either_of_two`: 1 − (1−p)² ≤ 2p, so twice what one verdict proves."""
    return Exact(2 * require.unit_interval(proved=proved))


def proved_with_fallback(
    *, proved: Number, failure: Number, upper: Number, fallback: Number
) -> Exact:
    """δ of `with_fallback`, with p at most `failure` where the claim is false.

    A good claim, or the fallback: at most the larger of their δ.  A false claim, with the proved
    bound `upper` on the mechanism's δ: pδ + (1−p)δ′ ≤ δ′ + p(upper − δ′).  (In the first display of
    Remark 29, p_FN and 1 − p_FN have changed places.)

    >>> proved_with_fallback(proved="1e-5", failure="1e-5", upper="1e-3", fallback="1e-5")
    1.00099e-5
    """
    good, p = require.unit_interval(proved=proved), require.unit_interval(failure=failure)
    most, other = require.unit_interval(upper=upper), require.unit_interval(fallback=fallback)
    excess = max(Fraction(most - other), Fraction(0))
    return Exact(max(good, other, other + p * excess))
