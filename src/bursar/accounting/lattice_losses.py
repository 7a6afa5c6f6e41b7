"""What the lattice accountant knows of one step's privacy loss, in balls.

A law of losses has a continuous part, told by P(Y > y) and Q(Y > y) at any y; atoms; lumps, of
which only an interval of losses is known; and what has no finite loss: P(Y = ∞), Q(Y = −∞).
docs/proofs/lattice.md, section 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from flint import arb

from bursar.numerics.balls import ball

Both = tuple[arb, arb]  # under P and under Q


@final
@dataclass(frozen=True, slots=True)
class Lump:
    """Outputs of losses from low to high, their masses, and the loss of a rational atom."""

    low: arb
    high: arb
    p: arb
    q: arb
    exact: Fraction | None = None

    @classmethod
    def at(cls, loss: Fraction, p: arb, q: arb) -> Lump:
        """An atom at a rational loss."""
        y = ball(loss)
        return cls(y, y, p, q, loss)


@final
@dataclass(frozen=True, slots=True)
class Smooth:
    """The continuous part: what lies above a loss, the whole of it, and its ends, if it has any."""

    above: Callable[[arb], Both]
    whole: Both
    low: arb | None = None
    high: arb | None = None


@final
@dataclass(frozen=True, slots=True)
class Lumps:
    """Lumps, and what has no finite loss."""

    lumps: tuple[Lump, ...] = ()
    infinite: arb = arb(0)  # noqa: RUF009 - a frozen value
    never: arb = arb(0)  # noqa: RUF009


@final
@dataclass(frozen=True, slots=True)
class Losses:
    """A law of losses; `cut` gives its lumps at a fineness, `grid` divides all rational atoms."""

    smooth: Smooth | None
    cut: Callable[[int], Lumps]
    grid: Fraction | None = None

    @classmethod
    def of(
        cls, smooth: Smooth | None = None, lumps: Lumps | None = None, grid: Fraction | None = None
    ) -> Losses:
        """A law whose lumps do not depend on a fineness."""
        fixed = lumps or Lumps()
        return cls(smooth, lambda _: fixed, grid)


def on_sample(base: Losses, q: arb, *, removes: bool) -> Losses:
    """(1−q)Q + qP against Q (remove), or P against (1−q)P + qQ (add): losses move by a rising map.

    An output that only Q has gets the loss log(1−q), one that only P has −log(1−q).
    """
    end = (-q).log1p()

    def forth(y: arb) -> arb:
        return (q * y.expm1()).log1p() if removes else -(q * (-y).expm1()).log1p()

    def mixed(p: arb, absent: arb) -> Both:
        if removes:
            return q * p + (1 - q) * absent, absent
        return p, (1 - q) * p + q * absent

    def cut(count: int) -> Lumps:
        found = base.cut(count)
        moved = [
            Lump.at(x.exact, *mixed(x.p, x.q))
            if x.exact == 0
            else Lump(forth(x.low), forth(x.high), *mixed(x.p, x.q))
            for x in found.lumps
        ]
        if removes and found.never > 0:
            moved.append(Lump(end, end, *mixed(arb(0), found.never)))
        if not removes and found.infinite > 0:
            moved.append(Lump(-end, -end, *mixed(found.infinite, arb(0))))
        infinite = q * found.infinite if removes else arb(0)
        never = arb(0) if removes else q * found.never
        return Lumps(tuple(moved), infinite, never)

    return Losses(_smooth_on_sample(base.smooth, q, mixed, forth, removes=removes), cut)


def _smooth_on_sample(
    base: Smooth | None,
    q: arb,
    mixed: Callable[[arb, arb], Both],
    forth: Callable[[arb], arb],
    *,
    removes: bool,
) -> Smooth | None:
    if base is None:
        return None
    below, end = base, (-q).log1p()
    outside = mixed(*base.whole) if removes else (arb(0), arb(0))

    def above(y: arb) -> Both:
        inside = 1 + (y if removes else -y).expm1() / q
        if inside <= 0:
            return outside
        if inside > 0:
            return beyond(inside)
        found = beyond(inside.upper())  # y is too near the end to tell
        return outside[0].union(found[0]), outside[1].union(found[1])

    def beyond(inside: arb) -> Both:
        back = inside.log() if removes else -inside.log()
        return mixed(*below.above(back))

    low = forth(base.low) if base.low is not None else end if removes else None
    high = forth(base.high) if base.high is not None else None if removes else -end
    return replace(base, above=above, whole=mixed(*base.whole), low=low, high=high)
