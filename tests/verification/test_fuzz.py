"""False claims with proofs that are changed at random, several fields at once: none is believed.

A claim is made false by moving ε down, by as little as 1e-13 of it; then the parameters of its
proof are changed, its parts dropped, copied and exchanged, and its digest is made again.  The same
changes around the counter-examples of `test_guards.py`, one for each guard of the checker: the
checker without that guard believes some, the checker none.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import bursar
from bursar import Enclosure, Gaussian, Plan
from bursar.verification import checker
from tests.laws.cases import poisson
from tests.sweeps import quick_first
from tests.verification.test_guards import LIES
from tests.verification.written import Document, mutant, sealed

PLANS: list[tuple[Plan, str]] = [
    (20 * poisson(1, "0.1") + 5 * Gaussian(noise_multiplier=6), "1e-6"),
    (6 * poisson("0.8", "0.3"), "1e-5"),
    (100 * poisson("0.6", "1e-3"), "1e-5"),
    (9 * poisson(2, "0.2") + 4 * poisson(1, "0.05"), "1e-9"),
]
LESS = ("1e-13", "1e-9", "1e-4", "0.1", "0.9")
FACTORS = (-1.0, 0.0, 0.5, 0.9, 0.999, 1.001, 1.1, 2.0, 4.0, 1e-3, 1e3, 1e-300, 1e300)
MOVES = (-1000, -7, -1, 1, 7, 1000)

Place = tuple[Any, Any]  # a list or an object, and where in it


@cache
def honest(number: int) -> tuple[Document, Fraction]:
    """A valid certificate, and an ε that is proved to be too small."""
    plan, delta = PLANS[number]
    proof = bursar.certify(plan, delta=delta)
    assert isinstance(proof.result, Enclosure)
    return proof.document, Fraction(proof.result.lower)


def places(inside: Any) -> Iterator[Place]:
    """Every number, list and object below."""
    items = inside.items() if isinstance(inside, dict) else enumerate(inside)
    for key, value in items:
        yield inside, key
        if isinstance(value, dict | list):
            yield from places(value)


def changed(proofs: Document, dice: random.Random) -> Document:
    """The proofs with one to four places changed."""
    found = copy.deepcopy(proofs)
    for _ in range(dice.randint(1, 4)):
        spots = list(places(found))
        inside, key = dice.choice(spots)
        value = inside[key]
        if isinstance(value, int) and not isinstance(value, bool):
            inside[key] = value + dice.choice(MOVES)
        elif isinstance(value, str) and value.startswith(("0x", "-0x")):
            inside[key] = (float.fromhex(value) * dice.choice(FACTORS)).hex()
        elif isinstance(value, list) and value:
            structure(value, dice)
        elif key == "body":
            inside[key] = None
        elif isinstance(inside, list):
            structure(inside, dice)
    return found


def structure(items: list[Any], dice: random.Random) -> None:
    """Drop, copy or exchange."""
    at, other = dice.randrange(len(items)), dice.randrange(len(items))
    kind = dice.choice(("drop", "copy", "exchange", "empty"))
    if kind == "drop":
        del items[at]
    elif kind == "copy":
        items.insert(at, copy.deepcopy(items[other]))
    elif kind == "exchange":
        items[at], items[other] = items[other], items[at]
    else:
        items.clear()


def believed(module: Any, text: str) -> bool:
    try:
        return bool(module.check(text).valid)
    except module.NotACertificate:
        return False


def attacks(number: int, trials: int, seed: int) -> Iterator[str]:
    """False certificates."""
    document, lower = honest(number)
    dice = random.Random(f"{seed} {number}")
    for _ in range(trials):
        epsilon = lower * (1 - Fraction(dice.choice(LESS)))
        claim = document["claim"] | {"epsilon": f"{epsilon.numerator}/{epsilon.denominator}"}
        proofs = changed(document["proofs"], dice)
        if dice.random() < 0.1:  # one direction's proof for the other
            proofs = {"remove": proofs["add"], "add": proofs["remove"]}
        yield sealed(document | {"claim": claim, "proofs": proofs})


@pytest.mark.parametrize(("number", "trials"), quick_first([(0, 8), (3, 8), (1, 2), (2, 1)], 2))
def test_no_changed_proof_of_a_false_claim_is_believed(number: int, trials: int) -> None:
    for text in attacks(number, trials, seed=1):
        assert not believed(checker, text), text


@pytest.mark.slow
@pytest.mark.parametrize(("number", "trials"), [(0, 60), (3, 40), (1, 5), (2, 2)])
def test_nor_are_many(number: int, trials: int) -> None:
    for text in attacks(number, trials, seed=2):
        assert not believed(checker, text), text


@pytest.mark.slow
def test_changes_are_changes_and_some_are_harmless() -> None:
    """The honest claim with the same changes: most are refused, some are believed."""
    document, _ = honest(0)
    dice, results = random.Random(3), []
    for _ in range(15):
        proofs = changed(document["proofs"], dice)
        results.append(believed(checker, sealed(document | {"proofs": proofs})))
    assert 0 < sum(results) < len(results)


@pytest.mark.slow
def test_the_plan_and_the_claim_are_guarded_too() -> None:
    """A claim about another plan, adjacency or δ than was proved."""
    document, _ = honest(3)
    rest, step = document["plan"]
    for plan in (
        [rest, step | {"count": step["count"] + 1}],
        [rest, step | {"noise_multiplier": "1.99"}],
        [rest, step | {"sampling_probability": "0.21"}],
        [rest, step | {"sampling_probability": "1"}],
        [rest, step, step],
        [rest, step, {"mechanism": "gdp", "mu": "0.01", "count": 1}],
    ):
        assert not believed(checker, sealed(document | {"plan": plan})), plan
    for claim in ({"delta": "0.99e-9"}, {"adjacency": "replace-one"}, {"delta": "0"}):
        body = document | {"claim": document["claim"] | claim}
        assert not believed(checker, sealed(body)), claim


def near(proof: Document, dice: random.Random) -> Document:
    """A proof whose tilts and steps are moved by a thousandth or less, and its lengths by one."""
    found = json.loads(json.dumps(proof))
    for piece in found.get("slices", []):
        for key in ("lam", "tau"):
            moved = float.fromhex(piece[key]) * (1 + dice.uniform(-1e-3, 1e-3))
            piece[key] = moved.hex()
        piece["n"] += dice.randint(-1, 1)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("guard", LIES)
def test_around_each_counter_example_only_the_mutant_believes(guard: str) -> None:
    lie, free, caught = LIES[guard], mutant(guard), 0
    dice = random.Random(guard)
    for _ in range(2):
        other = replace(lie, proof=near(lie.proof, dice))
        assert not other.believed(checker)
        caught += other.believed(free)
    assert caught
