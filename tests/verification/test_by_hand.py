"""A certificate written by hand, from docs/certificates.md alone: no accountant had a part in it.

The parameters are round numbers; ε is that of a tilted FFT of the tests' own, and a little more.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import bursar
from tests.roads import tilted_fft
from tests.roads.laws import Plan, sampled
from tests.verification.written import Document, hexed, line, sealed

STEPS = [("0.1", 3), ("0.02", 5)]  # sampling probability and count, at noise multiplier 1
PLAN: Plan = (*sampled("1", *STEPS[0]), *sampled("1", *STEPS[1]), *sampled("5"))
DELTA = "1e-6"


def written(epsilon: str, **tilts: float) -> Document:
    """The document, but for its digest."""
    sampling = [
        {"sampling": "poisson", "sampling_probability": q, "count": count} for q, count in STEPS
    ]
    plan: list[dict[str, Any]] = [
        {"mechanism": "gaussian", "noise_multiplier": "1", **each} for each in sampling
    ]
    plan.append({"mechanism": "gaussian", "noise_multiplier": "5", "count": 1})
    return {
        "format": "bursar-certificate",
        "version": 1,
        "claim": {"epsilon": epsilon, "delta": DELTA, "adjacency": "add-or-remove-one"},
        "plan": plan,
        "proofs": {way: proof(way, lam) for way, lam in tilts.items()},
    }


def proof(way: str, lam: float) -> Document:
    """One slice, not cut, at a tilt."""
    piece = {
        "lam": hexed(lam),
        "tau": hexed(0.25),
        "n": 300,
        "bits": 192,
        "lines": [line(lam, way=way) for _ in STEPS],
        "under": [],
        "shifts": [hexed(0.2) for _ in STEPS],
        "cells": 100,
    }
    return {"kind": "contour", "slices": [piece], "body": None}


def epsilon() -> float:
    """What the plan costs, by another road."""
    return max(tilted_fft.epsilon(PLAN, way, float(DELTA)).upper for way in ("remove", "add"))


def test_it_is_believed_a_little_above_the_cost_and_not_below() -> None:
    cost = epsilon()
    above = bursar.check(json.loads(sealed(written(repr(cost * 1.001), remove=6, add=20))))
    assert above.valid, above.reason
    assert above.epsilon is not None
    assert above.epsilon.upper == cost * 1.001
    below = bursar.check(json.loads(sealed(written(repr(cost * 0.999), remove=6, add=20))))
    assert not below.valid
    assert below.reason == "delta at epsilon is not proved to be so small"


@pytest.mark.parametrize("missing", ["remove", "add"])
def test_both_directions_are_needed(missing: str) -> None:
    tilts = {"remove": 6.0, "add": 20.0}
    tilts.pop(missing)
    verdict = bursar.check(json.loads(sealed(written("9", **tilts))))
    assert (verdict.valid, verdict.reason) == (False, "not an object of remove add")
