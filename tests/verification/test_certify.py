"""Certificates as they are written: valid, sharp, and false when the claim is a little less."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import bursar
from bursar import (
    Certificate,
    Gaussian,
    GaussianDP,
    Group,
    InvalidParameter,
    Laplace,
    LimitReached,
    NoProof,
    NotACertificate,
    Plan,
    PureDP,
    RoundedGaussian,
)
from bursar.verification import checker
from tests.laws.cases import poisson
from tests.sweeps import quick_first
from tests.verification.written import Document, sealed

PLANS: dict[str, tuple[Plan, str, str]] = {
    "gaussians": (100 * Gaussian(noise_multiplier=20), "1e-5", "replace-one"),
    "a statement": (3 * Gaussian(noise_multiplier=4) + GaussianDP(mu="0.2"), "1e-9", "zero-out"),
    "one step": (1 * poisson(2, "0.1"), "1e-5", "add-or-remove-one"),
    "many": (1000 * poisson(2, "0.01"), "1e-5", "add-or-remove-one"),
    "few and plain": (
        20 * poisson(1, "0.1") + 5 * Gaussian(noise_multiplier=6), "1e-6", "zero-out"),
    "ceiling": (6 * poisson("0.8", "0.3"), "1e-5", "add-or-remove-one"),
    "far": (1000 * poisson(2, "0.01"), "1e-100", "add-or-remove-one"),
    "trained": (14000 * poisson("0.8", "256/60000"), "1e-5", "add-or-remove-one"),
    "rare jumps": (1000 * poisson("0.6", "1e-3"), "1e-5", "add-or-remove-one"),
    "different": (
        sum((10 * poisson(1 + n, f"0.0{n}") for n in range(2, 6)), 5 * poisson(1, "0.01")),
        "1e-7", "add-or-remove-one"),
}  # fmt: skip


@cache
def written(name: str) -> Certificate:
    plan, delta, adjacency = PLANS[name]
    return bursar.certify(plan, delta=delta, adjacency=adjacency)


def claiming(document: Document, **changed: str) -> str:
    """The document with another claim, and its digest made again."""
    return sealed(document | {"claim": document["claim"] | changed})


def moved(text: str, relative: str) -> str:
    """An exact number, times 1 − relative."""
    found = Fraction(text) * (1 - Fraction(relative))
    return f"{found.numerator}/{found.denominator}"


@pytest.mark.parametrize("name", quick_first(PLANS, 5))
def test_it_is_valid_sharp_and_false_a_little_below(name: str) -> None:
    proof = written(name)
    verdict = bursar.check(proof)
    assert verdict.valid, verdict.reason
    assert verdict.epsilon is not None
    assert proof.result.upper <= verdict.epsilon.upper <= proof.result.upper * (1 + 1e-15)
    plan, delta, adjacency = PLANS[name]
    assert (verdict.delta, str(verdict.adjacency)) == (delta, adjacency)
    assert list(verdict.plan or ()) == plan.canonical()
    for less in ("1e-13", "1e-9", "1e-3", "0.5"):
        body = claiming(proof.document, epsilon=moved(proof.epsilon, less))
        assert not checker.check(body).valid, less
    for less in ("1e-9", "0.5"):
        assert not checker.check(claiming(proof.document, delta=moved(delta, less))).valid, less
    assert checker.check(claiming(proof.document, epsilon=moved(proof.epsilon, "-1e-9"))).valid


def test_files_and_documents_are_read_alike(tmp_path: Path) -> None:
    proof, path = written("one step"), tmp_path / "proof.json"
    proof.save(path)
    assert bursar.check(path) == bursar.check(str(path)) == bursar.check(proof.document)
    assert bursar.check(path) == bursar.check(proof)


def test_the_checker_stands_alone(tmp_path: Path) -> None:
    """As a file of its own, in an interpreter that finds no bursar."""
    path, alone = tmp_path / "proof.json", tmp_path / "alone.py"
    written("few and plain").save(path)
    alone.write_text(Path(checker.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    look = (
        "import runpy, sys\n"
        "try: runpy.run_path(sys.argv[1], run_name='__main__')\n"
        "except SystemExit as end: print(end.code, any('bursar' in m for m in sys.modules))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-c", look.replace("sys.argv[1]", repr(str(alone))), str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    found, last = ended.stdout.splitlines()
    assert json.loads(found)["valid"] is True
    assert last == "0 False"


def test_a_false_one_and_none(tmp_path: Path) -> None:
    document = written("one step").document
    damaged = document | {"claim": document["claim"] | {"epsilon": "0.01"}}
    verdict = bursar.check(damaged)
    assert (verdict.valid, verdict.epsilon, verdict.reason) == (False, None, "it is damaged")
    for nothing in ({}, {"format": "bursar-certificate"}, document | {"version": 2}):
        with pytest.raises(NotACertificate):
            bursar.check(nothing)
    with pytest.raises(NotACertificate):
        bursar.check(tmp_path / "missing.json")


NONE = [
    3 * Laplace(scale=1),
    3 * Laplace(scale=1) + 5 * poisson(1, "0.1"),
    2 * RoundedGaussian(noise_multiplier=3),
    2 * Group(Gaussian(noise_multiplier=3), people=2),
    2 * PureDP(epsilon=1),
]


@pytest.mark.parametrize("plan", NONE, ids=repr)
def test_what_has_no_certificate(plan: Plan) -> None:
    with pytest.raises(NoProof, match="plain and subsampled Gaussians only"):
        bursar.certify(plan, delta="1e-5")


def test_what_the_checker_refuses_does_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "WORK", 1000)
    with pytest.raises(LimitReached, match="the proof is too large"):
        bursar.certify(6 * poisson("0.8", "0.3"), delta="1e-5")


@pytest.mark.parametrize("delta", [0, 1])
def test_a_delta_that_proves_nothing(delta: int) -> None:
    with pytest.raises(InvalidParameter, match="inside"):
        bursar.certify(Gaussian(noise_multiplier=1), delta=delta)
