"""The rows of docs/special-values.md about the fields of further mechanisms."""

from __future__ import annotations

import math

import pytest

import bursar
from bursar import ApproximateDP, Gaussian, PureDP
from tests.laws.cases import REPLACE, poisson
from tests.laws.rows import CHECKS, refused, row

__all__ = ["CHECKS"]

G = Gaussian(noise_multiplier=2)
STEP = poisson(1, "0.2")


@row("`most` = 0, or not whole")
def _() -> None:
    for most in (0, 1.0, "2", True):
        refused(lambda most=most: bursar.DiscreteGaussian(sigma=1, most=most), "most")
        refused(lambda most=most: bursar.DiscreteLaplace(scale=1, most=most), "most")


@row("`weights`, `present`, `absent` that do not add up to 1")
def _() -> None:
    thirds = ["1/3", "1/3", "1/3"]
    assert bursar.Table(present=thirds, absent=["0.333", "0.333", "0.334"])
    for bad in (["0.333"] * 3, ["1/2"], [], ["0.5", "0.6"], ["2", "-1"], "1"):
        refused(lambda bad=bad: bursar.Table(present=bad, absent=thirds), "present")
        refused(lambda bad=bad: bursar.Table(present=thirds, absent=bad), "absent")
        mixture = lambda bad=bad: bursar.GaussianMixture(  # noqa: E731
            noise_multiplier=1, shifts=[0, 1, 2], weights=bad
        )
        refused(mixture, "weights")


@row("a `weights` of 0, `shifts` that do not increase")
def _() -> None:
    def mixture(shifts: object, weights: object) -> object:
        return bursar.GaussianMixture(noise_multiplier=1, shifts=shifts, weights=weights)  # type: ignore[arg-type]

    refused(lambda: mixture([0, 1], [0, 1]), "weights")
    for shifts in ([1, 0], [0, 0], [-1, 1], [0], "01", 3, ["x", 1]):
        refused(lambda shifts=shifts: mixture(shifts, ["0.5", "0.5"]), "shifts")
    refused(lambda: mixture([0], [1]), "shifts")


@row("an output of a table with probability 0 in one column")
def _() -> None:
    open_door = bursar.Table(present=["0.9", "0.1", 0], absent=["0.9", 0, "0.1"])
    with pytest.raises(bursar.NoProof):
        open_door.pure(REPLACE)
    assert bursar.epsilon(open_door, delta="1e-5", method="rdp").upper == math.inf
    shut = bursar.Table(present=["0.9", "0.1", 0], absent=["0.8", "0.2", 0])
    assert float(shut.pure(REPLACE)) == math.nextafter(math.log(2), 1)


@row("two equal columns of a table")
def _() -> None:
    free = bursar.Table(present=["1/3", "2/3"], absent=["1/3", "2/3"])
    assert free.pure(REPLACE) == 0
    assert bursar.epsilon(9 * free, delta="1e-5", method="rdp").upper == 0


@row("`people` = 1")
def _() -> None:
    for step in (G, STEP, PureDP(epsilon=1), ApproximateDP(epsilon=1, delta="1e-9")):
        alone = bursar.Group(step, people=1)
        assert bursar.epsilon(3 * alone, delta="1e-5") == bursar.epsilon(3 * step, delta="1e-5")


@row("`people` = 0, or above 1000")
def _() -> None:
    for people in (0, -1, 1001, 2.0, True, "3"):
        refused(lambda people=people: bursar.Group(G, people=people), "people")


@row("equal branches of `parallel`")
def _() -> None:
    assert bursar.parallel(3 * G, 3 * G, 3 * G) == 3 * G
    assert bursar.parallel(G, STEP) == bursar.parallel(STEP, 1 * G, G)
    refused(lambda: bursar.Parallel(G, 1 * G), "branches")
    refused(bursar.parallel, "branches")
    refused(lambda: bursar.parallel(G, bursar.parallel(STEP, 2 * G)), "branches")
