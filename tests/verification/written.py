"""Certificates by hand, and the checker with one guard less, for the checker's tests.

`line`, `part` and `contour` write a proof with plain choices for one step, so that a test can
spoil one of them; `price` is what that step costs, by its closed form in mpmath.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
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


def document(plan: list[Document], proofs: Document, *, epsilon: str, delta: str) -> Document:
    """A certificate, but for its digest."""
    claim = {"epsilon": epsilon, "delta": delta, "adjacency": "add-or-remove-one"}
    head = {"format": "bursar-certificate", "version": 1}
    return {**head, "claim": claim, "plan": plan, "proofs": proofs}


def step(sigma: str = "1", q: str = "0.1", count: object = 1) -> Document:
    """A subsampled step of a plan."""
    sampling = {"sampling": "poisson", "sampling_probability": q}
    return {"mechanism": "gaussian", "noise_multiplier": sigma, **sampling, "count": count}


def line(
    lam: float, *, way: str = "remove", above: float | None = None, soft: float = 0.1
) -> Document:
    """Nodes for noise multiplier 1, good to some thirty digits."""
    strip, peak = (math.pi, 1 + lam) if way == "remove" else (math.pi / 2, 0.0)
    curve = 1 + (0 if above is None else soft**-2)
    shift = min(0.9 * strip, 4 / math.sqrt(curve))
    eta = math.pi * shift / (70 + shift**2 * curve / 2)
    low = -12 - (0 if way == "remove" else lam)
    high = above + 12 * soft if above is not None and above < peak else peak + 12
    cut = {} if above is None else {"above": hexed(above), "soft": hexed(soft)}
    ends = {"first": math.floor(low / eta), "last": math.ceil(high / eta)}
    return {"eta": hexed(eta), **ends, "shift": hexed(shift), **cut}


def part(
    lam: float, tau: float, n: int, over: Document, *, shift: float = 0.3, **more: Any
) -> Document:
    """A slice."""
    numbers = {"lam": hexed(lam), "tau": hexed(tau), "n": n, "bits": 128, "cells": 96}
    return {**numbers, "lines": [over], "under": [], "shifts": [hexed(shift)], **more}


def contour(*slices: Document, body: Document | None = None) -> Document:
    """A proof of that kind."""
    return {"kind": "contour", "slices": list(slices), "body": body}


def hexed(value: float) -> str:
    """A float as certificates have it."""
    return float(value).hex()


def price(way: str, *, sigma: float = 1, q: float = 0.1, epsilon: float = 1) -> mpmath.mpf:
    """δ(ε) of one step: P(beyond t*) − e^ε Q(beyond t*), with t* where the ratio is e^ε."""
    with mpmath.workdps(60):
        s, p, e = mpmath.mpf(sigma), mpmath.mpf(q), mpmath.mpf(epsilon)
        ratio = mpmath.exp(e if way == "remove" else -e)
        at = mpmath.mpf(1) / 2 + s**2 * mpmath.log((ratio - 1 + p) / p)
        sign = -1 if way == "remove" else 1
        normal, moved = mpmath.ncdf(sign * at / s), mpmath.ncdf(sign * (at - 1) / s)
        mixture = (1 - p) * normal + p * moved
        one, other = (mixture, normal) if way == "remove" else (normal, mixture)
        return one - mpmath.exp(e) * other


@cache
def guards() -> list[tuple[str, Any]]:
    """The checker's refusals by function and reason, and its numbers that must be positive."""
    return list(_guards())


def _guards() -> Iterator[tuple[str, Any]]:
    for function in ast.walk(ast.parse(SOURCE)):
        if not isinstance(function, ast.FunctionDef) or function.name == "_require":
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Expr) and _calls(node.value, "_require"):
                yield f"{function.name}: {_said(node.value, 1)}", node
            elif isinstance(node, ast.Raise) and _calls(node.exc, "_Refused"):
                yield f"{function.name}: {_said(node.exc, 0)}", node
            elif _calls(node, "_positive"):
                yield f"{function.name}: positive {_said(node, 0)}", node


def mutant(guard: str) -> ModuleType:
    """The checker without one of its guards."""
    ((_, place),) = [(name, node) for name, node in guards() if name == guard]
    spot = (type(place), place.lineno, place.col_offset)

    class Drop(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            self.generic_visit(node)
            if (type(node), getattr(node, "lineno", 0), getattr(node, "col_offset", 0)) != spot:
                return node
            return node.args[0] if isinstance(node, ast.Call) else ast.Pass()

    module = ModuleType("mutant")
    sys.modules["mutant"] = module  # a dataclass looks for its module
    for statement, code in statements():
        if statement.lineno <= place.lineno <= (statement.end_lineno or 0):
            spoiled = compiled(Drop().visit(deepcopy(statement)))
            exec(spoiled, module.__dict__)
        else:
            exec(code, module.__dict__)
    return module


@cache
def statements() -> list[tuple[ast.stmt, CodeType]]:
    """The checker's statements, each compiled on its own: a mutant compiles one of them again."""
    return [(statement, compiled(statement)) for statement in ast.parse(SOURCE).body]


def compiled(statement: ast.stmt) -> CodeType:
    """A statement as a program that keeps to the annotations' meaning in its file."""
    later = ast.parse("from __future__ import annotations").body
    tree = ast.fix_missing_locations(ast.Module([*later, statement], []))
    return compile(tree, "mutant", "exec")


def _calls(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _said(call: ast.Call, at: int) -> str:
    return ast.unparse(call.args[at]).strip("f'\"")
