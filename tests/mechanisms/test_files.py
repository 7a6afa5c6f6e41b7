"""Plan files: what is written is what is run, and everything else is refused with its place."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bursar.adjacency import Adjacency
from bursar.errors import BursarError, InvalidParameter
from bursar.mechanisms.batch import WithoutReplacement
from bursar.mechanisms.discrete_gaussian import DiscreteGaussian
from bursar.mechanisms.discrete_laplace import DiscreteLaplace
from bursar.mechanisms.files import MOST_BYTES, MOST_STEPS, PlanFile, plan_of
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.group import Group
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.mixture import GaussianMixture
from bursar.mechanisms.own import ClaimedRenyiDP
from bursar.mechanisms.parallel import Parallel
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.randomized_response import RandomizedResponse
from bursar.mechanisms.registry import AROUND, MECHANISMS
from bursar.mechanisms.rounded import RoundedGaussian, RoundedLaplace
from bursar.mechanisms.selection import BoundedRange, ExponentialMechanism, ReportNoisyMax
from bursar.mechanisms.sparse_vector import LaplaceSparseVector, SparseVector
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from bursar.mechanisms.table import Table
from bursar.mechanisms.words import nearest

TOML = """
adjacency = "zero-out"
[[step]]
mechanism = "gaussian"            # a comment
noise_multiplier = 1.1
sampling = "poisson"
sampling_probability = "256/60000"
count = 10_000
[[step]]
mechanism = "laplace"
scale = 10.0
count = 50
"""

ONE_OF_EACH = (
    Gaussian(noise_multiplier="1/3")
    + 7 * PoissonSubsampled(Gaussian(noise_multiplier=1.1), sampling_probability="256/60000")
    + Laplace(scale=1e-7)
    + 3 * RandomizedResponse(epsilon=1, categories=5)
    + PureDP(epsilon=0)
    + ApproximateDP(epsilon="0.5", delta="1e-300")
    + ZeroConcentratedDP(rho="0.01")
    + GaussianDP(mu=2)
    + 2 * RenyiDP(orders=["1.5", 8], values=["1/7", 2])
    + RoundedGaussian(noise_multiplier=3)
    + RoundedLaplace(scale="1/3")
    + 5 * DiscreteGaussian(sigma="2.5", most=3)
    + DiscreteLaplace(scale=7)
    + GaussianMixture(noise_multiplier=1, shifts=[0, "1/3"], weights=["0.9", "0.1"])
    + 4 * ExponentialMechanism(epsilon="0.1")
    + ReportNoisyMax(epsilon="0.1", noise="gumbel")
    + BoundedRange(epsilon=2)
    + 6 * Parallel(3 * Gaussian(noise_multiplier=2) + PureDP(epsilon=1), Laplace(scale=3))
    + Table(present=["1/3", "2/3"], absent=["2/3", "1/3"])
    + WithoutReplacement(Gaussian(noise_multiplier=1), sampling_probability="1/3")
    + 3 * Group(Laplace(scale=2), people=4)
    + Group(PoissonSubsampled(Laplace(scale=2), sampling_probability="0.5"), people=2)
    + SparseVector(threshold_noise=10, query_noise="20.5", length=7, cutoff=2, monotone=True)
    + LaplaceSparseVector(threshold_noise=10, query_noise="1/3")
)


def step(**keys: Any) -> dict[str, Any]:
    return {"mechanism": "gaussian", "noise_multiplier": 1, **keys}


def test_a_toml_file_says_a_plan(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(TOML, encoding="utf-8")
    found = PlanFile.read(path)
    sampled = PoissonSubsampled(Gaussian(noise_multiplier="1.1"), sampling_probability="8/1875")
    assert found.plan == 10_000 * sampled + 50 * Laplace(scale=10)
    assert found.adjacency is Adjacency.ZERO_OUT


def test_json_has_the_same_keys() -> None:
    base = {"mechanism": "gaussian", "noise_multiplier": 1.1, "count": 10_000}
    sampled = {**base, "sampling": "poisson", "sampling_probability": "256/60000"}
    laplace = {"mechanism": "laplace", "scale": "10.0", "count": 50}
    text = json.dumps({"adjacency": "zero-out", "step": [sampled, laplace]})
    assert PlanFile.parse("\n " + text) == PlanFile.parse(TOML)


def test_decimals_are_exact_as_written() -> None:
    digits = "0.1000000000000000000000000000000000000000001"
    for text in (
        f'[[step]]\nmechanism = "laplace"\nscale = {digits}',
        f'{{"step": [{{"mechanism": "laplace", "scale": {digits}}}]}}',
    ):
        [(found, _)] = PlanFile.parse(text).plan.steps
        assert found == Laplace(scale=digits)
        assert found != Laplace(scale=float(digits))


def test_every_name_of_the_table_comes_back() -> None:
    names = {mechanism.name for mechanism, _ in ONE_OF_EACH.steps}
    assert names - {kind.name for kind in AROUND} == set(MECHANISMS)
    assert {kind.name for kind in AROUND} < names
    assert plan_of(ONE_OF_EACH.canonical()) == ONE_OF_EACH


@pytest.mark.parametrize("adjacency", [None, *Adjacency])
def test_a_file_that_is_written_says_the_same_plan(adjacency: Adjacency | None) -> None:
    file = PlanFile(plan=ONE_OF_EACH, adjacency=adjacency)
    assert PlanFile.parse(file.toml()) == PlanFile.parse(file.json()) == file


@given(
    st.lists(
        st.tuples(st.fractions(min_value="1/1000", max_value=1000), st.integers(1, 10**12)),
        min_size=1,
        max_size=5,
    )
)
def test_any_plan_comes_back(steps: list[tuple[Fraction, int]]) -> None:
    plan = Plan.collected((Gaussian(noise_multiplier=sigma), n) for sigma, n in steps)
    assert sum(n for _, n in plan.steps) == sum(n for _, n in steps)
    assert PlanFile.parse(PlanFile(plan=plan).toml()).plan == plan_of(plan.canonical()) == plan


def test_equal_steps_are_counted_together() -> None:
    assert plan_of([step(count=2), step(noise_multiplier="1.0")]) == 3 * Gaussian(
        noise_multiplier=1
    )


@pytest.mark.parametrize(
    ("steps", "field", "told"),
    [
        ([step(mechanism="gausian")], "mechanism", "Did you mean gaussian?"),
        ([step(mechanism="Gaussian")], "mechanism", "Did you mean gaussian?"),
        ([step(mechanism="builtins.eval")], "mechanism", "one of gaussian, rounded-gaussian"),
        ([step(mechanism=["gaussian"])], "mechanism", "one of gaussian, rounded-gaussian"),
        ([{}], "mechanism", "one of gaussian, rounded-gaussian"),
        ([step(noise_multiplyer=1)], "noise_multiplyer", "Did you mean noise_multiplier?"),
        ([step(sigma=1)], "sigma", "Did you mean noise_multiplier?"),
        ([step(steps=9)], "steps", "Did you mean count?"),
        ([step(zzz=1)], "zzz", "It has mechanism, noise_multiplier, sampling"),
        ([step(scale=1)], "scale", "no such key"),
        ([{"mechanism": "gaussian"}], "noise_multiplier", "needs it"),
        ([step(noise_multiplier="nan")], "noise_multiplier", "exact finite number"),
        ([step(noise_multiplier="Infinity")], "noise_multiplier", "exact finite number"),
        ([step(noise_multiplier=-1)], "noise_multiplier", "above 0"),
        ([step(noise_multiplier=0)], "noise_multiplier", "above 0"),
        ([step(noise_multiplier=True)], "noise_multiplier", "not a bool"),
        ([step(noise_multiplier=None)], "noise_multiplier", "must be a number"),
        ([step(noise_multiplier=[1])], "noise_multiplier", "must be a number"),
        ([step(count=0)], "count", "whole number"),
        ([step(count=2.0)], "count", "whole number"),
        ([step(count="2")], "count", "whole number"),
        ([step(count=True)], "count", "whole number"),
        ([step(sampling_probability="0.1")], "sampling", 'sampling = "poisson"'),
        ([step(sampling="poisson")], "sampling_probability", "needs it"),
        (
            [step(sampling="shuffle", sampling_probability=1)],
            "sampling",
            "one of poisson, without-replacement",
        ),
        ([step(sampling="poisson", sampling_probability=1.5)], "sampling_probability", "(0, 1]"),
        ([step(sampling="poisson", sampling_probability=0)], "sampling_probability", "(0, 1]"),
        ([{"mechanism": "rdp", "orders": "28", "values": [1, 2]}], "orders", "a list"),
        ([{"mechanism": "rdp", "orders": [2, 8], "values": 1}], "values", "a list"),
        ([{"mechanism": "rdp", "orders": [1], "values": [1]}], "orders", "above 1"),
        ([step(people=0)], "people", "whole number"),
        ([step(people=1001)], "people", "at most 1000"),
        ([{"mechanism": "parallel", "branches": 3}], "branches", "lists of steps"),
        ([{"mechanism": "parallel", "branches": [[step()]]}], "branches", "different"),
        ([{"mechanism": "parallel", "branches": [[step(count=0)], []]}], "count", "whole number"),
        ([{"mechanism": "parallel", "branches": [[{"mechanism": "parallel"}]]}], "branches", "own"),
        ([{"mechanism": "table", "present": [1], "absent": ["0.5"]}], "absent", "add up to 1"),
        ([step(sampling="poisson", sampling_probability=1, people=2.0)], "people", "whole number"),
        ([7], "step", "a table"),
    ],
)
def test_a_bad_step_is_refused_with_its_place(steps: list[object], field: str, told: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        plan_of([step(), *steps])
    assert caught.value.field == field
    assert told in str(caught.value)
    assert "See step 2." in str(caught.value)


def test_a_step_that_holds_a_function_is_not_written() -> None:
    mine = ClaimedRenyiDP(label="mine", curve=lambda order: order)
    for plan in (1 * mine, 2 * Group(mine, people=2), 1 * Parallel(mine, Laplace(scale=1))):
        for form in ("toml", "json"):
            with pytest.raises(InvalidParameter, match="holds a function"):
                getattr(PlanFile(plan=plan), form)()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "at least one step"),
        ("step = []", "at least one step"),
        ("step = 3", "at least one step"),
        ("[[steps]]\n", "Did you mean step?"),
        ("adjacency = 'zero'\n[[step]]", "one of add-or-remove-one"),
        ("x =", "TOML that can be read"),
        ("a = 1\na = 2", "TOML that can be read"),
        ('{"step": [}', "JSON that can be read"),
        ('{"step": [], "step": []}', "stands twice"),
        ('{"step":' + "[" * 100_000, "nested too deeply"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a" + ".a" * 1_000_000 + " = 1", "dotted keys"),
        ('"a b"' + " . 'c d'" * 100_000 + " = 1", "dotted keys"),
        ("a = " + "1" * 5_000, "too many digits"),
        ('{"a": ' + "1" * 5_000 + "}", "too many digits"),
        ("#" * (MOST_BYTES + 1), "at most"),
        ("[[step]]\n" * (MOST_STEPS + 1), "at most"),
    ],
    ids=lambda text: text[:24],
)
def test_a_bad_text_is_refused_soon(text: str, told: str) -> None:
    started = time.perf_counter()
    with pytest.raises(InvalidParameter, match=told):
        PlanFile.parse(text)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("name", "body", "told"),
    [
        ("absent.toml", None, "No such file"),
        (".", None, "directory"),
        ("a\0b", None, "null"),
        ("latin.toml", b"# caf\xe9", "UTF-8"),
        ("long.toml", b"#" * (MOST_BYTES + 1), "at most"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, name: str, body: bytes | None, told: str) -> None:
    path = tmp_path / name
    if body is not None:
        path.write_bytes(body)
    with pytest.raises(BursarError, match=told) as caught:
        PlanFile.read(path)
    assert caught.value.exit_code == 2


def test_a_mark_of_byte_order_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(TOML, encoding="utf-8-sig")
    assert PlanFile.read(path) == PlanFile.parse(TOML)


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        ("--sigma", ["noise_multiplier", "steps"], "noise_multiplier"),
        ("--sample-rate", ["sampling_probability"], "sampling_probability"),
        ("--nois-multiplier", ["noise_multiplier"], "noise_multiplier"),
        ("sigma", ["epsilon"], None),
        ("", ["epsilon"], None),
    ],
)
def test_the_nearest_word(word: str, known: list[str], found: str | None) -> None:
    assert nearest(word, known) == found
