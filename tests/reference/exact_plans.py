"""Makes `exact.json`: ε at δ of sampled Gaussians in each direction, by independent roads.

One step by its closed form, two by nested quadrature, more along a contour of adaptive
panels (`tests/roads`), all in Arb.  A contour has to agree with one of another order on another
path, else nothing is written.  Run as `python -m tests.reference.exact_plans`: about ten minutes.
"""

from __future__ import annotations

from typing import Any

from flint import arb, ctx

from tests.roads import quadrature, tilted_fft
from tests.roads.contour_slow import Contour
from tests.roads.golden import Golden, digits, save, step
from tests.roads.laws import Direction, Plan, ceiling
from tests.roads.solving import epsilon_of

Steps = tuple[dict[str, Any], ...]
BOTH: tuple[Direction, ...] = ("remove", "add")
ACCURACY = "1e-20"
AGREED = 1e-19  # relative: the two roads, where both can go

FEW: tuple[tuple[Steps, tuple[str, ...]], ...] = (
    ((step("1", "0.01"),), ("1e-5", "1e-9", "1e-100")),
    ((step("2", "0.1"),), ("1e-5", "1e-15")),
    ((step("0.6", "0.3"),), ("1e-5", "1e-30")),
    ((step("0.5", "0.001"),), ("1e-5",)),
    ((step("3", "0.999"),), ("0.01", "1e-30")),
    ((step("1", "0.01", 2),), ("1e-5", "1e-15")),
    ((step("2", "0.1", 2),), ("1e-5", "1e-15")),
    ((step("0.6", "0.3", 2),), ("1e-5", "1e-30")),
    ((step("3", "0.999", 2),), ("1e-5",)),
    ((step("0.7", "0.001", 2),), ("1e-5",)),
    ((step("1", "0.1"), step("2", "0.3")), ("1e-5", "1e-15")),
    ((step("0.8", "0.2"), step("3"),), ("1e-5", "1e-15")),
    ((step("0.8", "0.01"), step("1.5", "0.5")), ("1e-5",)),
)  # fmt: skip
MANY: tuple[tuple[Steps, tuple[str, ...]], ...] = (
    ((step("0.8", "0.01"), step("1.5", "0.5"), step("4")), ("1e-5",)),
    ((step("2", "0.01", 1000),), ("1e-5", "1e-9")),
    ((step("2", "0.01", 10000),), ("1e-5",)),
    ((step("0.8", "256/60000", 14000),), ("1e-5",)),
    ((step("1", "0.01", 100000),), ("1e-5",)),
    ((step("1.3", "0.02", 500),), ("1e-5",)),
    ((step("5", "0.5", 30),), ("0.1", "1e-5")),
    ((step("4", "0.9", 12),), ("1e-5",)),
    ((step("2", "0.01", 300), step("1.1", "0.02", 200)), ("1e-5",)),
    ((step("2", "0.01", 100), step("0.9", "0.005", 300), step("8", count=4)), ("1e-5",)),
    (
        (*(step(f"1.{i}", f"0.0{i + 1}", 20 + 10 * i) for i in range(9)), step("20")),
        ("1e-5",),
    ),
    ((step("1", "0.1", 5), step("2", "0.3", 7)), ("1e-5",)),
)  # fmt: skip


def main() -> None:
    """Every row, and the certificate of birth."""
    rows = []
    for table, road in ((FEW, by_quadrature), (MANY, by_contour)):
        for steps, deltas in table:
            for direction in BOTH:
                rows += [row(steps, direction, delta, road) for delta in deltas]
                print(rows[-1], flush=True)
    certificate = {
        "made by": "tests.reference.exact_plans.py",
        "roads": "closed forms and nested quadrature up to two steps, else a contour of panels",
    }
    save("exact", certificate, rows)


def row(steps: Steps, direction: Direction, delta: str, road: Any) -> Golden:
    """One number."""
    bare = Golden(steps, direction, delta, "", ACCURACY)
    with ctx.workprec(200):
        epsilon = road(bare.plan, direction, arb(delta))
        text = digits(epsilon, bare.plan, direction, wanted=24)
    return Golden(steps, direction, delta, text, ACCURACY)


def guess(plan: Plan, direction: Direction, delta: arb) -> arb:
    """ε in float64."""
    found = arb(tilted_fft.epsilon(plan, direction, float(delta)).estimate)
    top = ceiling(plan, direction)
    return found if not top.is_finite() else found.min(top * arb("0.999999999"))


def by_quadrature(plan: Plan, direction: Direction, delta: arb) -> arb:
    """Closed forms and nested quadrature."""
    if sum(count for _, count in plan) > 1:
        near = guess(plan, direction, delta)
    else:
        near = arb("0.99") * ceiling(plan, direction) if direction == "add" else arb(1)

    def at(epsilon: arb) -> arb:
        return quadrature.delta(plan, direction, epsilon, tolerance=delta * arb("1e-26"))

    return epsilon_of(at, plan, direction, delta, guess=near)


def by_contour(plan: Plan, direction: Direction, delta: arb) -> arb:
    """A contour of panels, and a second one of another order on another path."""
    near = guess(plan, direction, delta)
    found = []
    for order, bend in ((24, 0.0), (20, 0.02)):
        contour = Contour(plan, direction, near, bend=bend, order=order)
        at = contour.delta
        found.append(epsilon_of(at, plan, direction, delta, guess=found[0] if found else near))
    first, second = found
    if not abs(first - second) < AGREED * abs(first):
        raise ArithmeticError(f"two contours disagree: {first} and {second}")
    return first


if __name__ == "__main__":
    main()
