"""Parallel composition: each person is in one branch, and the branch is not chosen by the data.

Which branch a person belongs to may depend on that person's own record, and on nothing else: not
on who else is there (equal sizes are not proved), not on an answer.  A person then pays for one
branch, and nobody says which.  Under replace-one a record may move from one branch to another, so
it is refused there: run one after another, which costs the sum.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter, NoProof
from bursar.exact import Exact
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.plan import Plan
from bursar.privacy.curve import RdpCurve
from bursar.privacy.derived_curves import LargerCurve
from bursar.privacy.pairs import GaussianPair, LaplacePair, LargerPair, Pair

_MOST = 1000


@final
@dataclass(frozen=True, slots=True, init=False)
class Parallel(Mechanism):
    """Plans on disjoint parts of the people, at least two of which differ.

    >>> from bursar.mechanisms.laplace import Laplace
    >>> Parallel(Laplace(scale=10), Laplace(scale=20))
    Parallel(branches=(1 * Laplace(scale=10), 1 * Laplace(scale=20)))
    """

    name: ClassVar[str] = "parallel"
    relations: ClassVar[frozenset[Adjacency]] = frozenset(
        {Adjacency.ADD_OR_REMOVE_ONE, Adjacency.ZERO_OUT}
    )
    wraps: ClassVar[bool] = True
    branches: tuple[Plan, ...]

    def __init__(self, *branches: Mechanism | Plan) -> None:
        plans = different(branches)
        if not 2 <= len(plans) <= _MOST:
            need = f"there must be 2 to {_MOST} different branches"
            hint = "bursar.parallel gives the one plan that equal branches are."
            raise InvalidParameter(need, field="branches", value=len(plans), hint=hint)
        fix(self, {"branches": plans})

    def canonical(self) -> dict[str, Any]:
        """The branches, each as a plan."""
        return {"mechanism": self.name, "branches": [plan.canonical() for plan in self.branches]}

    def pair(self, adjacency: Adjacency, direction: Direction) -> Pair:
        """The pair whose profile is the largest of the branches', each of one step.

        A branch of several steps has no pair of its own: docs/proofs/parallel.md.
        """
        self.proved_under(adjacency)
        found = []
        for plan in self.branches:
            ((pair, count), *more) = views.pairs(plan, adjacency, direction).parts
            if more or count != 1:
                raise NoProof(
                    "a branch of several steps has no dominating pair",
                    hint="Say how the branches meet step by step: 100 * bursar.parallel(a, b).",
                )
            found.append(pair)
        kept = _dearest(found)
        return kept[0] if len(kept) == 1 else LargerPair(kept)

    def pure(self, adjacency: Adjacency) -> Exact:
        """The largest ε of a branch."""
        return self._largest(views.pure, adjacency)

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """The largest ρ of a branch."""
        return self._largest(views.zcdp, adjacency)

    def gdp(self, adjacency: Adjacency) -> Exact:
        """The largest μ² of a branch."""
        return self._largest(views.gdp, adjacency)

    def rdp(self, adjacency: Adjacency) -> RdpCurve:
        """The largest of the branches' curves at each order.  Koskela & Kulkarni 2023, Cor. 13."""
        self.proved_under(adjacency)
        curves = tuple(dict.fromkeys(views.rdp(plan, adjacency) for plan in self.branches))
        return curves[0] if len(curves) == 1 else LargerCurve(curves)

    def _largest(self, view: Callable[[Plan, Adjacency], Any], adjacency: Adjacency) -> Exact:
        self.proved_under(adjacency)
        return Exact(max(view(plan, adjacency) for plan in self.branches))


def _dearest(pairs: list[Pair]) -> tuple[Pair, ...]:
    """The pairs, without those of a Gaussian or Laplace law with more noise than another's."""
    normal = [pair for pair in pairs if isinstance(pair, GaussianPair)]
    laplace = [pair for pair in pairs if isinstance(pair, LaplacePair)]
    least = {
        GaussianPair: min(normal, key=lambda pair: pair.noise_multiplier, default=None),
        LaplacePair: min(laplace, key=lambda pair: pair.scale, default=None),
    }
    return tuple(dict.fromkeys(least.get(type(pair), pair) or pair for pair in pairs))


def different(branches: tuple[Mechanism | Plan, ...]) -> tuple[Plan, ...]:
    """The branches that differ, in one order, none of them made of branches."""
    plans = {Plan.of(branch) for branch in branches}
    if any(isinstance(step, Parallel) for plan in plans for step, _ in plan.steps):
        need = "a branch must not have branches of its own"
        raise InvalidParameter(need, field="branches", hint="Name all of them side by side.")
    return tuple(sorted(plans, key=lambda plan: json.dumps(plan.canonical(), sort_keys=True)))


def parallel(*branches: Mechanism | Plan) -> Plan:
    """The plan that runs each of these on its own part of the people.

    Equal branches are one: a person pays for it once.  A person's part may depend on their own
    record only.

    >>> from bursar.mechanisms.laplace import Laplace
    >>> parallel(3 * Laplace(scale=10), 3 * Laplace(scale=10))
    3 * Laplace(scale=10)
    """
    if not branches:
        raise InvalidParameter("there must be a branch", field="branches")
    plans = different(branches)
    return plans[0] if len(plans) == 1 else 1 * Parallel(*plans)
