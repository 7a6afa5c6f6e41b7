"""Every guard of the checker is needed: without it, something false, or malformed, would pass.

For a hypothesis of a lemma the counter-example is a *lie*: a direction's proof of a δ below what
one step costs by its closed form, which the checker refuses and the mutant believes.  For a rule
of the format it is a document that breaks the rule.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import mpmath
import pytest

from bursar.verification import checker
from tests.verification.written import (
    Document,
    contour,
    document,
    guards,
    hexed,
    line,
    mutant,
    part,
    price,
    sealed,
    step,
)

EDGE = math.pi * 0.09  # of the strip at noise multiplier 0.3


@dataclass(frozen=True)
class Lie:
    """A proof of `share` of what one step costs in one direction."""

    proof: Document
    way: str = "remove"
    epsilon: str = "1"
    share: float = 0.9
    sigma: str = "1"
    count: int = 1
    plain: list[Document] = field(default_factory=list)
    claim: str | None = None

    def believed(self, module: ModuleType) -> bool:
        numbers = {"sigma": float(self.sigma), "epsilon": float(self.epsilon)}
        claim = self.claim or mpmath.nstr(price(self.way, **numbers) * self.share, 17)
        plan = [step(self.sigma, count=self.count), *self.plain]
        return proved(module, self.way, self.proof, plan, epsilon=self.epsilon, delta=claim)


def proved(
    module: Any, way: str, proof: Document, plan: list[Document], *, epsilon: str, delta: str
) -> bool:
    read = module._plan(plan, "add-or-remove-one")
    try:
        module._prove(way, proof, read, module._rational(epsilon), module._rational(delta))
    except module._Refused:
        return False
    return True


def nodes(lam: float, **changes: Any) -> Document:
    return line(lam) | {k: hexed(v) if isinstance(v, float) else v for k, v in changes.items()}


def once(lam: float = 3.0, tau: float = 1.0, n: int = 400, **changes: Any) -> Document:
    return contour(part(lam, tau, n, nodes(lam, **changes), shift=0.5))


def sliced(*cuts: tuple[float, float, float, float, int], way: str = "remove") -> Document:
    """Slices (T, softness, λ, τ, n), each between the threshold before its own and its own."""
    slices, over = [], {}
    for above, soft, lam, tau, n in cuts:
        cut = {"above": above, "soft": soft}
        under = [] if above == -math.inf else [line(lam, way=way, **cut)]
        slices.append(part(lam, tau, n, line(lam, way=way, **over), under=under))
        over = cut
    return contour(*slices)


def upside_down() -> Document:
    """A threshold of negative softness keeps what is above it; its line ends early."""
    grid = line(3, above=2.0)
    eta = float.fromhex(grid["eta"])
    grid |= {"soft": hexed(-0.1), "first": math.floor(-12 / eta), "last": math.ceil(16 / eta)}
    over = part(3, 1, 100, line(3), under=[grid])
    return contour(over, part(3, 1, 100, grid | {"last": math.ceil(3 / eta)}))


def backwards() -> Document:
    """Nodes that run downwards weigh negatively, and the claimed error is small."""
    cut = {"above": -1.2, "soft": 0.52}
    down = nodes(0.001, eta=-0.1, first=3, last=6, shift=0.001, above=-1.2, soft=0.52)
    over = part(3, 1, 400, line(3), under=[line(3, **cut)], shift=0.5)
    return contour(over, part(0.001, 1, 20, down))


ETA = float.fromhex(line(3)["eta"])
WIDE = {"eta": hexed(16.0), "first": -1, "last": 1}
LIES: dict[str, Lie] = {
    "_transform: the nodes are too far apart": Lie(once(8.0, **WIDE, shift=0.1)),
    "_lines: positive _float(said.shift)": Lie(once(8.0, **WIDE, shift=-0.1)),
    "_lines: positive _float(said.eta)": Lie(backwards()),
    "_lines: positive _float(said.soft)": Lie(upside_down()),
    "_slice: positive _float(said.lam)": Lie(
        contour(part(-0.5, 1, 400, line(3), shift=0.5)), share=0.01
    ),
    "_slice: positive _float(said.tau)": Lie(once(tau=-0.05, n=20)),
    "_positive: a number above 0 is expected": Lie(once(tau=-0.05, n=20)),
    "outside: the first node is too near": Lie(once(first=int(9 / ETA))),
    "outside: the last node is too near": Lie(once(last=int(-8 / ETA))),
    "growth: a line leaves the strip": Lie(
        contour(
            part(
                0.25,
                0.2,
                300,
                nodes(0.25, eta=0.05, first=-73, last=98, shift=4 * EDGE),
                shift=EDGE / 2,
            )
        ),
        sigma="0.3",
        epsilon="3",
    ),
    "_contour: the slices do not telescope": Lie(
        contour(part(3, 1, 60, line(3), under=[line(3, above=9.0)]))
    ),
    "_contour: the thresholds do not decrease": Lie(
        sliced((2, 0.1, 3, 1, 100), (4, 0.1, 3, 20, 20), (-math.inf, 0, 3, 1, 100))
    ),
    "_contour: the softness of a step changes": Lie(
        sliced((4, 0.1, 3, 1, 100), (4, 1, 7, 10, 40), (-math.inf, 0, 3, 1, 100))
    ),
    "_contour: in the add direction nothing is cut": Lie(
        sliced((0, 0.2, 20, 10, 100), (-math.inf, 0, 20, 10, 100), way="add"),
        way="add",
        epsilon="0.05",
        share=0.99,
    ),
    "_contour: delta at epsilon is not proved to be so small": Lie(once()),
    "_alone: delta at epsilon is above the claim": Lie({"kind": "single"}),
    "_alone: a single proof is for one step alone": Lie({"kind": "single"}, count=5, share=1.01),
    "_prove: not a kind of proof for {way}": Lie({"kind": "ceiling"}),
    "_prove: epsilon is below the ceiling": Lie({"kind": "ceiling"}, way="add", epsilon="0.01"),
    "_prove: plain Gaussians have no ceiling": Lie(
        {"kind": "ceiling"},
        way="add",
        epsilon="0.2",
        plain=[{"mechanism": "gdp", "mu": "1", "count": 1}],
        claim="1e-9",
    ),
}


def honest() -> Document:
    """A valid certificate of one step, one direction by a contour."""
    proofs = {"remove": once(), "add": {"kind": "single"}}
    claim = mpmath.nstr(price("remove") * 1.01, 17)
    return document([step()], proofs, epsilon="1", delta=claim)


def spoiled(change: Callable[[Document], object]) -> str:
    found = json.loads(json.dumps(honest()))
    change(found)
    return sealed(found)


def slice_of(found: Document) -> Document:
    return found["proofs"]["remove"]["slices"][0]  # type: ignore[no-any-return]


PLAIN = {"both": {"kind": "gaussian"}}
NORMAL = {"mechanism": "gaussian", "noise_multiplier": "1", "count": 1}
RULES: dict[str, str] = {
    "check: it is damaged": sealed(honest()).replace('"epsilon": "1"', '"epsilon": "1.1"'),
    "_unique: a key stands twice": sealed(honest()).replace('"plan"', '"plan": [], "plan"', 1),
    # that only one direction is proved matters: this one alone costs less
    "_fields: not an object of {keys}": sealed(
        document([step()], {"add": {"kind": "single"}}, epsilon="0.2", delta="1e-9")
    ),
    "_list: not a list of {low} to {high}": spoiled(
        lambda found: slice_of(found)["shifts"].append("0x1.0p+0")
    ),
    "_whole: not an integer in [{low}, {high}]": spoiled(
        lambda found: found["plan"][0].update(count=True)
    ),
    # any sign is sound here: the bound of a line that is moved down is never below that of none
    "_slice: positive _float(shift)": spoiled(
        lambda found: (
            slice_of(found).update(shifts=["-0x1.0p-30"]) or found["claim"].update(delta="0.001")
        )
    ),
    "_float: not a hexadecimal float": spoiled(lambda found: slice_of(found).update(lam=" 3 ")),
    "_plan: an unknown adjacency": spoiled(lambda found: found["claim"].update(adjacency="any")),
    "_plan: only a gdp step has a mu": sealed(
        document(
            [{"mechanism": "laplace", "mu": "0.1", "count": 1}], PLAIN, epsilon="1", delta="0.5"
        )
    ),
    "_plan: an unknown mechanism": spoiled(
        lambda found: found["plan"][0].update(mechanism="laplace")
    ),
    "_plan: an unknown sampling": spoiled(
        lambda found: found["plan"][0].update(sampling="shuffle")
    ),
    "_plan: a sampling probability above 1": sealed(
        document([step(q="1.5")], PLAIN, epsilon="5", delta="0.5")
    ),
    "_plan: nothing is proved for sampling under replace-one": spoiled(
        lambda found: found["claim"].update(adjacency="replace-one")
    ),
}
CRASHES = {  # where the mutant falls over
    "_rational: not an exact decimal or fraction, 0 or above": spoiled(
        lambda found: found["claim"].update(epsilon="-1")
    ),
    "_plan: positive _rational(said.noise_multiplier)": sealed(
        document([NORMAL | {"noise_multiplier": "0"}], PLAIN, epsilon="1", delta="0.5")
    ),
}
LIMITS = {"check: the document is too large": "LONGEST", "_contour: the proof is too large": "WORK"}


def test_every_guard_has_its_counter_example() -> None:
    assert sorted([*LIES, *RULES, *CRASHES, *LIMITS]) == sorted(name for name, _ in guards())


@pytest.mark.parametrize("guard", LIES)
def test_without_a_hypothesis_a_lie_is_believed(guard: str) -> None:
    assert not LIES[guard].believed(checker)
    assert LIES[guard].believed(mutant(guard))


@pytest.mark.parametrize("guard", RULES)
def test_without_a_rule_a_malformed_document_passes(guard: str) -> None:
    assert not checker.check(RULES[guard]).valid
    assert mutant(guard).check(RULES[guard]).valid


@pytest.mark.parametrize("guard", CRASHES)
def test_without_a_rule_the_checker_falls_over(guard: str) -> None:
    assert not checker.check(CRASHES[guard]).valid
    with pytest.raises((AttributeError, ZeroDivisionError)):
        mutant(guard).check(CRASHES[guard])


@pytest.mark.parametrize("guard", LIMITS)
def test_without_a_limit_a_large_document_passes(
    guard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = mutant(guard)
    for module in (checker, free):
        monkeypatch.setattr(module, LIMITS[guard], 100)
    assert "too large" in str(checker.check(sealed(honest())).reason)
    assert free.check(sealed(honest())).valid


def test_the_honest_document_is_valid() -> None:
    assert checker.check(sealed(honest())).valid
    add = contour(part(20, 10, 100, line(20, way="add")))
    claim = mpmath.nstr(price("add", epsilon=0.05) * 1.01, 17)
    assert proved(checker, "add", add, [step()], epsilon="0.05", delta=claim)
    cut = part(3, 1, 400, line(3), shift=0.5, under=[line(3, above=2.0)])
    body = {"lam": hexed(20), "lines": [line(20, above=2.0)]}
    claim = mpmath.nstr(price("remove") * 1.01, 17)
    assert proved(checker, "remove", contour(cut, body=body), [step()], epsilon="1", delta=claim)
