"""Sparse vector variants that were published with a proof and are not private, and the right one.

Lyu, Su & Li 2017 (Fig. 1) list them; they are written here from what that list says of their noise,
their stopping and their output, in floats, many runs at once.  Kept for ever: the auditor must
catch each at the ε that it claims.  A run is its tops: where each was (−1: there was none), and the
number, where a variant shows one.  Thresholds are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

Floats = np.ndarray
RNG = np.random.default_rng(20171122)
CLAIM = 2  # the ε that every variant says it has

# The values of all queries on two neighbours: each moves by the sensitivity, 1, at most.
LOW_THEN_TOP = np.repeat([0.0, 1.0], [6, 1]), np.repeat([1.0, 0.0], [6, 1])
HALF_AND_HALF = np.repeat([0.5, -0.5], 30), np.repeat([-0.5, 0.5], 30)
ALL_RISE = np.zeros(40), np.ones(40)
PAIRS = {"low, then a top": LOW_THEN_TOP, "half and half": HALF_AND_HALF, "all rise": ALL_RISE}


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A variant's noise, after how many tops it stops (0: never), and what it shows of a top."""

    source: str
    threshold_scale: float
    query_scale: float
    tops: int
    shows: Literal["place", "noised number", "number"] = "place"

    def __call__(self, queries: Floats, size: int) -> Floats:
        """So many runs on the queries."""
        many = len(queries)
        rho = RNG.laplace(0, self.threshold_scale, (size, 1))
        noised = queries + self.query_scale * RNG.laplace(0, 1, (size, many))
        above = noised >= rho
        if not self.tops:
            return above.astype(float)
        above &= np.cumsum(above, axis=1) <= self.tops
        order = np.argsort(~above, axis=1, kind="stable")[:, : self.tops]
        there = np.take_along_axis(above, order, axis=1)
        places = np.where(there, order, -1).astype(float)
        if self.shows == "place":
            return places
        of = noised if self.shows == "noised number" else np.broadcast_to(queries, noised.shape)
        numbers = np.where(there, np.take_along_axis(of, order, axis=1), 0.0)
        return np.concatenate([places, numbers], axis=1)


def right(tops: int) -> Variant:
    """Half of ε for the threshold, half for the queries, whose noise grows with the tops."""
    return Variant(
        source="Lyu, Su & Li 2017, Alg. 1",
        threshold_scale=2 / CLAIM,
        query_scale=4 * tops / CLAIM,
        tops=tops,
    )


WRONG = {
    "shows the noised number that was compared": Variant(
        source="Alg. 3 (Roth 2011)",
        threshold_scale=2 / CLAIM,
        query_scale=2 / CLAIM,
        tops=1,
        shows="noised number",
    ),
    "noise that does not grow with the tops": Variant(
        source="Alg. 4 (Lee & Clifton 2014)",
        threshold_scale=4 / CLAIM,
        query_scale=4 / (3 * CLAIM),
        tops=5,
    ),
    "queries without noise": Variant(
        source="Alg. 5 (Stoddard et al. 2014)",
        threshold_scale=2 / CLAIM,
        query_scale=0,
        tops=0,
    ),
    "never stops": Variant(
        source="Alg. 6 (Chen et al. 2015)",
        threshold_scale=2 / CLAIM,
        query_scale=2 / CLAIM,
        tops=0,
    ),
    "shows the number without noise": Variant(
        source="NVFlare#343",
        threshold_scale=2 / CLAIM,
        query_scale=4 / CLAIM,
        tops=1,
        shows="number",
    ),
}
