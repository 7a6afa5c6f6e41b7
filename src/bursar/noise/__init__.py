"""Exact noise: what is released is what was accounted, to the last bit.

Sums go from `to_grid` by `total` to `release_gaussian` or `release_laplace`; comparisons that are
never rounded are `lazy_gaussian` and `lazy_laplace`; choices are exact ones.  `rehearse` runs any
of it on a seed and marks it NOT PRIVATE.
"""

from bursar.noise.choices import (
    bernoulli,
    bernoulli_exp,
    bernoullis,
    by_inversion,
    geometric,
    uniform_below,
)
from bursar.noise.entropy import NotPrivate, refuse_rehearsal, rehearse, rehearsing
from bursar.noise.grid import Contributions, GridSum, clip_to_grid, histogram, to_grid
from bursar.noise.lazy import LazyReals, lazy_gaussian, lazy_laplace
from bursar.noise.release import Release, release_gaussian, release_laplace
from bursar.noise.rounded import (
    discrete_gaussian,
    discrete_laplace,
    rounded_gaussian,
    rounded_laplace,
)
from bursar.noise.selection import exponential_mechanism, permute_and_flip

__all__ = [
    "Contributions",
    "GridSum",
    "LazyReals",
    "NotPrivate",
    "Release",
    "bernoulli",
    "bernoulli_exp",
    "bernoullis",
    "by_inversion",
    "clip_to_grid",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential_mechanism",
    "geometric",
    "histogram",
    "lazy_gaussian",
    "lazy_laplace",
    "permute_and_flip",
    "refuse_rehearsal",
    "rehearse",
    "rehearsing",
    "release_gaussian",
    "release_laplace",
    "rounded_gaussian",
    "rounded_laplace",
    "to_grid",
    "uniform_below",
]
