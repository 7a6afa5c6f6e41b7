"""Golden numbers: an ε at a δ, as exact text, in JSON files with their birth certificate.

A file holds {"certificate": {…}, "rows": […]}, a line for each row:
{"steps": […], "direction": …, "delta": …, "epsilon": …, "accuracy": …}.  A step has the keys of a
plan file.  `accuracy` is relative, to ε and also to c − ε where the loss has a largest value c.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
from flint import arb

from tests.roads.laws import Direction, Law, Plan, Sampled, ceiling, rational

FOLDER = Path(__file__).resolve().parent.parent / "reference"


@dataclass(frozen=True)
class Golden:
    """One row; the numbers are decimal text."""

    steps: tuple[dict[str, Any], ...]
    direction: Direction
    delta: str
    epsilon: str
    accuracy: str

    @property
    def plan(self) -> Plan:
        """The steps as the roads take them."""
        return tuple((_law(step), step["count"]) for step in self.steps)

    @property
    def exact_epsilon(self) -> Fraction:
        """The stored ε."""
        return Fraction(self.epsilon)


def step(sigma: str, q: str = "1", count: int = 1) -> dict[str, Any]:
    """A Gaussian step, sampled or not, with the keys of a plan file."""
    plain = {"mechanism": "gaussian", "noise_multiplier": sigma}
    sampling = {} if q == "1" else {"sampling": "poisson", "sampling_probability": q}
    return plain | sampling | {"count": count}


def load(name: str) -> tuple[Golden, ...]:
    """The rows of `tests/reference/<name>.json`."""
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return tuple(Golden(**{**row, "steps": tuple(row["steps"])}) for row in stored["rows"])


def save(name: str, certificate: dict[str, str], rows: Iterable[Golden]) -> None:
    """Write `tests/reference/<name>.json`."""
    versions = {"arithmetic": f"python-flint {flint.__version__}, FLINT {flint.__FLINT_VERSION__}"}
    head = json.dumps(certificate | versions, ensure_ascii=False, indent=2).replace("\n", "\n  ")
    lines = ",\n".join(f"    {json.dumps(vars(row))}" for row in rows)
    text = f'{{\n  "certificate": {head},\n  "rows": [\n{lines}\n  ]\n}}\n'
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


def digits(epsilon: arb, plan: Plan, direction: Direction, *, wanted: int) -> str:
    """ε as decimal text, with `wanted` digits of it and of its distance to the largest loss."""
    top = ceiling(plan, direction)
    close = float((epsilon / (top - epsilon)).log()) / math.log(10) if top.is_finite() else 0.0
    return str(epsilon.mid().str(wanted + max(0, math.ceil(close)), radius=False))


def _law(stored: dict[str, Any]) -> Law:
    sigma, q = stored["noise_multiplier"], stored.get("sampling_probability", "1")
    return Sampled(rational(sigma), rational(q))
