"""Writing certificates for plans of plain and Poisson-subsampled Gaussians.

The exact accountant finds ε; its contours, stripped of what only a lower bound needs, are the
proof.  A direction that costs less is proved with a coarser contour.  What the checker would
refuse does not leave.
"""

from __future__ import annotations

import json
from typing import Any

from flint import arb, fmpq

from bursar import require
from bursar.accounting import exact
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.profiles import SingleProfile
from bursar.accounting.stack import Stack
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import InvalidParameter, LimitReached, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, precision
from bursar.numerics.lines import LineSpec
from bursar.numerics.propose import Outer, Shape
from bursar.privacy.pairs import symmetric
from bursar.truth import rounded
from bursar.verification import checker
from bursar.verification.certificate import FORMAT, VERSION, Certificate, sealed

_SAMPLED = {"sampling", "sampling_probability"}
_KEYS = {"gaussian": {"noise_multiplier"}, "gdp": {"mu"}}


def certify(
    run: Plan | Mechanism, *, delta: Number, adjacency: Adjacency | str = DEFAULT
) -> Certificate:
    """A certificate for the least ε at this δ, for every direction that it needs.

    For plans of Gaussians, plain and Poisson-subsampled; raises NoProof for others, LimitReached
    where the proof is beyond what the checker takes.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> certify(100 * Gaussian(noise_multiplier=20), delta="1e-5").epsilon
    '1.9930...'
    """
    at = require.unit_interval(delta=delta)
    if not 0 < at < 1:
        raise InvalidParameter("a certificate needs a δ inside (0, 1)", field="delta", value=at)
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    if not all(_in_format(step) for step, _ in plan.steps):
        raise NoProof(
            "certificates are written for plans of plain and subsampled Gaussians only",
            hint="bursar.epsilon() gives the proved number without one.",
        )
    result = exact.epsilon(plan, delta=at, adjacency=relation)
    claim = Exact.of(rounded(result.upper, 17, up=True))
    with precision(512):
        target, epsilon = ball(at), arb(fmpq(claim.numerator, claim.denominator))
        proofs = _proofs(plan, relation, epsilon, target)
    body = {
        "format": FORMAT,
        "version": VERSION,
        "claim": {"epsilon": claim.text, "delta": at.text, "adjacency": relation.value},
        "plan": plan.canonical(),
        "proofs": proofs,
    }
    document = sealed(body)
    verdict = checker.check(json.dumps(document))
    if not verdict.valid:
        raise LimitReached(f"the checker does not take the proof of this plan: {verdict.reason}")
    return Certificate(document, result)


def _in_format(step: Mechanism) -> bool:
    """Whether the checker knows the mechanism: docs/certificates.md."""
    said = step.canonical()
    keys, known = said.keys() - {"mechanism"}, _KEYS.get(said["mechanism"])
    return keys == known or (said["mechanism"] == "gaussian" and keys - _SAMPLED == known)


def _proofs(plan: Plan, relation: Adjacency, epsilon: arb, target: arb) -> dict[str, Any]:
    pairs = {way: views.pairs(plan, relation, way) for way in Direction}
    if all(symmetric(pair) for pair, _ in pairs[Direction.REMOVE].parts):
        return {"both": {"kind": "gaussian"}}
    return {
        way.value: _proof(exact.profile(composition), epsilon, target)
        for way, composition in pairs.items()
    }


def _proof(profile: object, epsilon: arb, target: arb) -> dict[str, Any]:
    if isinstance(profile, SingleProfile):
        return {"kind": "single"}
    if not isinstance(profile, ContourProfile):
        raise LimitReached("no certificate can be written for this plan")
    if profile.bounded() and epsilon >= profile.top:
        return {"kind": "ceiling"}
    return {"kind": "contour", **_written(profile.prove(epsilon, target))}


def _written(stack: Stack) -> dict[str, Any]:
    slices = [_slice(contour.shape) for contour in stack.contours]
    return {"slices": slices, "body": _outer(stack.body) if stack.body else None}


def _slice(shape: Shape) -> dict[str, Any]:
    return {
        "lam": shape.lam.hex(),
        "tau": shape.tau.hex(),
        "n": shape.n,
        "bits": shape.bits,
        "lines": [_line(spec) for spec in shape.lines],
        "under": [_line(spec) for spec in shape.under],
        "shifts": [shift.hex() for shift in shape.shifts],
        "cells": max(spec.cells for spec in shape.lines),
    }


def _outer(outer: Outer) -> dict[str, Any]:
    return {"lam": outer.lam.hex(), "lines": [_line(spec) for spec in outer.lines]}


def _line(spec: LineSpec) -> dict[str, Any]:
    line = {
        "eta": spec.eta.hex(),
        "first": spec.first,
        "last": spec.last,
        "shift": spec.shift.hex(),
    }
    return line | ({"above": spec.above.hex(), "soft": spec.soft.hex()} if spec.cut else {})
