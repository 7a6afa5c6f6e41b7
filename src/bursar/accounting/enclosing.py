"""The profile of any composition: closed forms and contours where they reach, else lattices.

Both ends of δ are proved where the pairs are tight, whichever answers.  Not here: the choice among
all accountants, of which some have bounds without pairs (`choose.py`).
"""

from __future__ import annotations

from bursar.accounting import exact, lattice
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.lattice_profile import LatticeProfile
from bursar.accounting.profiles import Either, Profile
from bursar.errors import LimitReached, NoProof
from bursar.privacy.pairs import Composition


def profile(composition: Composition) -> Profile:
    """The profile of these pairs, with both ends of δ where they are tight.

    >>> from bursar.adjacency import Adjacency, Direction
    >>> from bursar.mechanisms import views
    >>> from bursar.mechanisms.discrete_gaussian import DiscreteGaussian
    >>> from bursar.mechanisms.plan import Plan
    >>> run = Plan.of(DiscreteGaussian(sigma=4))
    >>> profile(views.pairs(run, Adjacency.ADD_OR_REMOVE_ONE, Direction.REMOVE)).method
    'lattice'
    """
    try:
        found = exact.profile(composition)
    except (NoProof, LimitReached):
        return lattice.profile(composition)
    if not isinstance(found, ContourProfile | Either):
        return found
    return Either(found, LatticeProfile(composition))
