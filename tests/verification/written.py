"""Certificates by hand: documents, single proofs and mutants of the checker, for its tests.

`contour` writes a proof with plain choices for one step, so that a test can spoil one of them;
`price` is what that step costs, by its closed form in mpmath.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import mpmath

from bursar.verification import checker

Document = dict[str, Any]
SOURCE = Path(checker.__file__).read_text(encoding="utf-8")


def sealed(document: Document) -> str:
    """The document's text, with its digest made again."""
    body = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return json.dumps(body | {"digest": hashlib.sha256(text.encode()).hexdigest()})


def document(plan: list[Document], proofs: Document, epsilon: str, delta: str) -> Document:
    """A certificate without its digest."""
    claim = {"epsilon": epsilon, "delta": delta, "adjacency": "add-or-remove-one"}
    return {
        "format": "bursar-certificate",
        "version": 1,
        "claim": claim,
        "plan": plan,
        "proofs": proofs,
    }


def step(sigma: str, q: str, count: int = 1) -> Document:
    """A subsampled step of a plan."""
    return {
        "mechanism": "gaussian",
        "noise_multiplier": sigma,
        "sampling": "poisson",
        "sampling_probability": q,
        "count": count,
    }


def line(
    sigma: float, lam: float, way: str = "remove", above: float | None = None, soft: float = 0.1
) -> Document:
    """Nodes for one law, good to some thirty digits."""
    remove, var = way == "remove", sigma**2
    curve = 1 / var + (0 if above is None else 1 / soft**2)
    peak = 1 + lam if remove else 0.0
    near = above is not None and above < peak
    high = above + 12 * soft if near else peak + 12 * sigma
    shift = min(0.9 * math.pi * var / (1 if remove else 2), 4 / math.sqrt(curve))
    eta = math.pi * shift / (70 + shift**2 * curve / 2)
    low = -12 * sigma - (0 if remove else lam)
    nodes = {"eta": eta.hex(), "first": math.floor(low / eta), "last": math.ceil(high / eta)}
    cut = {} if above is None else {"above": float(above).hex(), "soft": float(soft).hex()}
    return nodes | {"shift": shift.hex()} | cut


def part(
    lam: float, tau: float, n: int, lines: list[Document], shift: float, **more: Any
) -> Document:
    """A slice."""
    numbers = {"lam": float(lam).hex(), "tau": float(tau).hex(), "n": n, "bits": 160, "cells": 96}
    return {**numbers, "lines": lines, "under": [], "shifts": [float(shift).hex()], **more}


def contour(slices: list[Document], body: Document | None = None) -> Document:
    """A proof of that kind."""
    return {"kind": "contour", "slices": slices, "body": body}


def price(way: str, sigma: float, q: float, epsilon: float) -> mpmath.mpf:
    """δ(ε) of one step: P(beyond t*) − e^ε Q(beyond t*), with t* where the ratio is e^ε."""
    with mpmath.workdps(60):
        s, p, e = mpmath.mpf(sigma), mpmath.mpf(q), mpmath.mpf(epsilon)
        ratio = mpmath.exp(e if way == "remove" else -e)
        if ratio <= 1 - p:
            return mpmath.mpf(0)
        at = mpmath.mpf(1) / 2 + s**2 * mpmath.log((ratio - 1 + p) / p)
        if way == "remove":
            normal, moved = mpmath.ncdf(-at / s), mpmath.ncdf((1 - at) / s)
            return (1 - p) * normal + p * moved - mpmath.exp(e) * normal
        normal, moved = mpmath.ncdf(at / s), mpmath.ncdf((at - 1) / s)
        return normal - mpmath.exp(e) * ((1 - p) * normal + p * moved)


def guards() -> Iterator[tuple[str, ast.stmt | ast.Call]]:
    """Every refusal of the checker by function and reason, and every number that must be positive."""
    for function in ast.walk(ast.parse(SOURCE)):
        if not isinstance(function, ast.FunctionDef) or function.name == "_require":
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Expr) and _calls(node.value, "_require"):
                yield f"{function.name}: {_said(node.value.args[1])}", node
            elif isinstance(node, ast.Raise) and _calls(node.exc, "_Refused"):
                yield f"{function.name}: {_said(node.exc.args[0])}", node
            elif _calls(node, "_positive"):
                yield f"{function.name}: positive {ast.unparse(node.args[0])}", node


def mutant(guard: str) -> ModuleType:
    """The checker without one of its guards."""
    ((_, place),) = [(name, node) for name, node in guards() if name == guard]
    spot = (place.lineno, place.col_offset)

    class Drop(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            self.generic_visit(node)
            if (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)) != spot:
                return node
            if isinstance(node, type(place)):
                return node.args[0] if isinstance(node, ast.Call) else ast.Pass()
            return node

    module = ModuleType("mutant")
    sys.modules["mutant"] = module  # dataclasses look themselves up
    tree = ast.fix_missing_locations(Drop().visit(ast.parse(SOURCE)))
    exec(compile(tree, "mutant", "exec"), module.__dict__)
    return module


def _calls(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _said(reason: ast.expr) -> str:
    return ast.unparse(reason).strip("f'\"")
