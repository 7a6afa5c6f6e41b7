"""The lattice accountant: δ(ε) of any plan that has pairs, between two laws on a lattice.

Each step's losses are moved to the multiples of a step h, once so that δ can only rise and once so
that it can only fall; both are composed by one tilted Fourier transform whose every error is
bounded, and the lattice becomes finer until both ends agree.  It takes all pairs: atoms, infinite
losses, tables, densities, anything on a Poisson sample, and any mixture of these.  It shares no
integral with the contours, which it checks.  Proof: docs/proofs/lattice.md.
"""

from __future__ import annotations

from bursar.accounting.asking import Road
from bursar.accounting.floats import check_floats
from bursar.accounting.lattice_profile import NAME, LatticeProfile
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.exact import Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.privacy.pairs import Composition
from bursar.truth import Proved

__all__ = ["NAME", "delta", "epsilon", "pairs_of", "profile"]


def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    direction: Direction | None = None,
) -> Proved:
    """The least ε at this δ, enclosed; the worse direction unless one is asked for.

    >>> from bursar.mechanisms.discrete_gaussian import DiscreteGaussian
    >>> epsilon(10 * DiscreteGaussian(sigma=4), delta="1e-6").sentence(digits=5)
    'ε ≥ 3.7459, ε ≤ 3.746'
    """
    return ROAD.epsilon(run, delta, log_delta, adjacency, direction)


def delta(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    adjacency: Adjacency | str = DEFAULT,
    direction: Direction | None = None,
) -> Proved:
    """The least δ at this ε, enclosed.

    >>> from bursar.mechanisms.discrete_gaussian import DiscreteGaussian
    >>> delta(10 * DiscreteGaussian(sigma=4), epsilon=2).sentence(digits=4)
    'δ ≥ 0.00366, δ ≤ 0.003661'
    """
    return ROAD.delta(run, epsilon, adjacency, direction)


def pairs_of(plan: Plan, relation: Adjacency, direction: Direction) -> Composition:
    """The dominating pairs of a plan, of any kind."""
    return ROAD.pairs_of(plan, relation, direction)


def profile(composition: Composition) -> LatticeProfile:
    """The profile of these pairs on lattices."""
    check_floats(composition)
    return LatticeProfile(composition)


ROAD = Road(lambda composition: composition, profile)
