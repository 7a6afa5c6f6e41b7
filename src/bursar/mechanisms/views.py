"""Views: the ways to describe what a mechanism costs, each a tiny protocol.

A view is a valid upper bound.  A mechanism that lacks one lacks the method; the functions here
are the only ones that ask, and their error says which views there are instead.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, runtime_checkable

from bursar.adjacency import Adjacency, Direction
from bursar.errors import NoProof
from bursar.exact import Exact
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.privacy.curves import RdpCurve
from bursar.privacy.pairs import Composition, Pair
from bursar.privacy.samples import Drawn, Samples


@runtime_checkable
class HasPair(Protocol):
    """A dominating pair for each direction."""

    def pair(self, adjacency: Adjacency, direction: Direction) -> Pair:
        """The pair that dominates this mechanism in this direction."""


@runtime_checkable
class HasPure(Protocol):
    """Pure differential privacy."""

    def pure(self, adjacency: Adjacency) -> Exact:
        """The largest privacy loss."""


@runtime_checkable
class HasZcdp(Protocol):
    """Zero-concentrated differential privacy."""

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """ρ."""


@runtime_checkable
class HasGdp(Protocol):
    """Gaussian differential privacy."""

    def gdp(self, adjacency: Adjacency) -> Exact:
        """μ², which adds up."""


@runtime_checkable
class HasRdp(Protocol):
    """Rényi differential privacy."""

    def rdp(self, adjacency: Adjacency) -> RdpCurve:
        """ε as a function of the order."""


@runtime_checkable
class HasSamples(Protocol):
    """Draws from a dominating pair, with their log-ratios."""

    def samples(self, adjacency: Adjacency, direction: Direction) -> Samples:
        """What can be drawn in this direction."""


VIEWS: dict[str, type] = {
    "pair": HasPair,
    "pure": HasPure,
    "zcdp": HasZcdp,
    "gdp": HasGdp,
    "rdp": HasRdp,
    "samples": HasSamples,
}


def views_of(mechanism: Mechanism) -> list[str]:
    """The names of the views that it has.

    >>> from bursar.mechanisms.statements import ZeroConcentratedDP
    >>> views_of(ZeroConcentratedDP(rho=1))
    ['zcdp', 'rdp']
    """
    return [name for name, protocol in VIEWS.items() if isinstance(mechanism, protocol)]


def pairs(plan: Plan, adjacency: Adjacency, direction: Direction) -> Composition:
    """The dominating pairs of a plan in one direction."""

    def view(mechanism: Mechanism) -> Composition:
        if not isinstance(mechanism, HasPair):
            raise _lacking(mechanism, "pair")
        return Composition(((mechanism.pair(adjacency, direction), 1),))

    return plan.total(view)


def pure(plan: Plan, adjacency: Adjacency) -> Fraction:
    """The pure ε of a plan."""

    def view(mechanism: Mechanism) -> Fraction:
        if not isinstance(mechanism, HasPure):
            raise _lacking(mechanism, "pure")
        return mechanism.pure(adjacency)

    return plan.total(view)


def zcdp(plan: Plan, adjacency: Adjacency) -> Fraction:
    """The ρ of a plan."""

    def view(mechanism: Mechanism) -> Fraction:
        if not isinstance(mechanism, HasZcdp):
            raise _lacking(mechanism, "zcdp")
        return mechanism.zcdp(adjacency)

    return plan.total(view)


def gdp(plan: Plan, adjacency: Adjacency) -> Fraction:
    """The μ² of a plan."""

    def view(mechanism: Mechanism) -> Fraction:
        if not isinstance(mechanism, HasGdp):
            raise _lacking(mechanism, "gdp")
        return mechanism.gdp(adjacency)

    return plan.total(view)


def rdp(plan: Plan, adjacency: Adjacency) -> RdpCurve:
    """The RDP curve of a plan."""

    def view(mechanism: Mechanism) -> RdpCurve:
        if not isinstance(mechanism, HasRdp):
            raise _lacking(mechanism, "rdp")
        return mechanism.rdp(adjacency)

    return plan.total(view)


def samples(plan: Plan, adjacency: Adjacency, direction: Direction) -> Drawn:
    """What can be drawn of a plan in one direction."""

    def view(mechanism: Mechanism) -> Drawn:
        if not isinstance(mechanism, HasSamples):
            raise _lacking(mechanism, "samples")
        return Drawn(((mechanism.samples(adjacency, direction), 1),))

    return plan.total(view)


def _lacking(mechanism: Mechanism, view: str) -> NoProof:
    has = ", ".join(views_of(mechanism))
    return NoProof(f"{mechanism.name} has no {view} view", hint=f"It has: {has}.")
