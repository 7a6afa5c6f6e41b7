"""Checks certificates of differential privacy, and shares no code with what writes them.

This file stands alone: Python and python-flint are all it needs (`python checker.py proof.json`).
The format is docs/certificates.md; lemmas and sections are those of docs/proofs/contour.md.  A
certificate only chooses parameters; every number is computed here, in balls, so a comparison
holds only where it is certain.  Each hypothesis of a lemma is a `_require`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace as Record
from typing import Any

from flint import acb, acb_mat, arb, ctx, fmpq

LONGEST, DIGITS = 8_000_000, 4_000  # bytes of a document; digits of a number, and its exponent
STEPS, COUNT, SLICES, NODES, BITS, CELLS = 2_000, 2**63, 64, 2**18, 4_096, 4_096
WORK = 2**38  # multiplications of nodes, times bits: some minutes
STRIP = 40  # cells of Lemma 6
_NUMBER = re.compile(r"([0-9]+)(?:\.([0-9]+))?(?:e(-?[0-9]{1,4}))?(?:/([0-9]+))?")


class NotACertificate(ValueError):
    """What should be checked is no certificate of a known format."""


class _Refused(Exception):
    """The certificate does not prove its claim; the text says why."""


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise _Refused(reason)


@dataclass(frozen=True)
class Checked:
    """What came out, and the claim, where the document has a well-formed one."""

    valid: bool
    reason: str | None
    epsilon: str | None = None
    delta: str | None = None
    adjacency: str | None = None
    plan: tuple[dict[str, Any], ...] | None = None


def check_document(document: object) -> Checked:
    """Check a certificate as Python has it; raises NotACertificate for what is none."""
    try:
        return check_text(json.dumps(document))
    except (TypeError, ValueError, RecursionError) as error:
        raise NotACertificate(f"it is not JSON: {error}") from error


def check_text(text: str | bytes) -> Checked:
    """Check a certificate as it stands in a file; raises NotACertificate for what is none."""
    claim: dict[str, Any] = {}
    try:
        _require(len(text) <= LONGEST, "the document is too large")
        document = json.loads(text, object_pairs_hook=_unique)
        if type(document) is not dict or document.get("format") != "bursar-certificate":
            raise NotACertificate("it does not say that it is a bursar-certificate")
        if type(document.get("version")) is not int or document["version"] != 1:
            raise NotACertificate("its version is not known")
        _keys(document, {"format", "version", "claim", "plan", "proofs", "digest"})
        body = {key: value for key, value in document.items() if key != "digest"}
        seal = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
        _require(document["digest"] == hashlib.sha256(seal).hexdigest(), "it is damaged")
        said = _read(document["claim"], epsilon=_rational, delta=_rational, adjacency=_relation)
        _require(0 < said.delta < 1, "delta must be inside (0, 1)")
        plan = _plan(document["plan"], said.adjacency)
        claim = {**document["claim"], "plan": tuple(document["plan"])}
        _prove(document["proofs"], plan, said.epsilon, said.delta)
    except _Refused as refusal:
        return Checked(valid=False, reason=str(refusal), **claim)
    except (ValueError, RecursionError) as error:
        raise NotACertificate(str(error)) from error
    return Checked(valid=True, reason=None, **claim)


# What is written -----------------------------------------------------------------------------


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def _keys(value: Any, names: set[str]) -> None:
    _require(type(value) is dict, "an object is expected")
    _require(value.keys() == names, f"the keys must be {', '.join(sorted(names))}")


def _read(value: Any, **readers: Callable[[Any], Any]) -> Record:
    _keys(value, set(readers))
    return Record(**{name: read(value[name]) for name, read in readers.items()})


def _list(value: Any, shortest: int, longest: int) -> list[Any]:
    _require(type(value) is list, "a list is expected")
    _require(shortest <= len(value) <= longest, "a list has a wrong length")
    return list(value)


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        _require(type(value) is int, "an integer is expected")
        _require(low <= value <= high, f"an integer must be in [{low}, {high}]")
        return int(value)

    return read


def _real(value: Any) -> float:
    _require(type(value) is str and len(value) < 32, "a hexadecimal float is expected")
    try:
        number = float.fromhex(value)
    except (ValueError, OverflowError) as error:
        raise _Refused("a hexadecimal float is expected") from error
    _require(math.isfinite(number), "a hexadecimal float must be finite")
    return number


def _positive(value: Any) -> float:
    number = _real(value)
    _require(number > 0, "a parameter must be above 0")
    return number


def _rational(value: Any) -> fmpq:
    _require(type(value) is str and len(value) <= DIGITS, "a number must be text, and not too long")
    found = _NUMBER.fullmatch(value)
    if found is None:
        raise _Refused("an exact decimal or fraction, not negative, is expected")
    whole, places, exponent, denominator = found.groups("")
    _require(abs(int(exponent or 0)) <= DIGITS, "an exponent is too large")
    _require(int(denominator or 1) > 0, "a denominator is 0")
    scale = Fraction(10) ** (int(exponent or 0) - len(places)) / int(denominator or 1)
    exact = int(whole + places) * scale
    return fmpq(exact.numerator, exact.denominator)


def _relation(value: Any) -> str:
    _require(value in ("add-or-remove-one", "zero-out", "replace-one"), "an unknown adjacency")
    return str(value)


def _plan(written: Any, relation: str) -> Record:
    """The subsampled steps, and μ² with its count of the plain ones."""
    steps, plain = [], []
    for step in _list(written, 1, STEPS):
        readers = {"mechanism": str, "count": _whole(1, COUNT)}
        _require(type(step) is dict, "a step must be an object")
        if step.get("mechanism") == "gdp":
            said = _read(step, **readers, mu=_rational)
            _require(said.mu > 0, "mu must be above 0")
            plain.append((said.mu**2, said.count))
            continue
        _require(step.get("mechanism") == "gaussian", "an unknown mechanism")
        readers["noise_multiplier"] = _rational
        if "sampling" in step:
            readers |= {"sampling": str, "sampling_probability": _rational}
        said = _read(step, **readers)
        _require(said.noise_multiplier > 0, "a noise multiplier must be above 0")
        q = getattr(said, "sampling_probability", fmpq(1))
        _require(0 < q <= 1, "a sampling probability must be in (0, 1]")
        _require(step.get("sampling", "poisson") == "poisson", "an unknown sampling")
        if q < 1:
            _require(relation != "replace-one", "replace-one has no proof for sampling")
            steps.append(Record(sigma=said.noise_multiplier, q=q, count=said.count))
        else:
            size = 2 if relation == "replace-one" else 1
            plain.append(((size / said.noise_multiplier) ** 2, said.count))
    return Record(steps=steps, plain=plain)


def _lines(written: Any, plan: Record, *, cut: bool) -> list[Record]:
    readers = {"eta": _positive, "shift": _positive}
    readers |= {"above": _real, "soft": _positive} if cut else {}
    readers |= {"first": _whole(-NODES, NODES), "last": _whole(-NODES, NODES)}
    lines = [_read(line, **readers) for line in _list(written, len(plan.steps), len(plan.steps))]
    for line in lines:
        _require(line.first < line.last, "a line has no nodes")
        line.above, line.soft = (line.above, line.soft) if cut else (math.inf, math.inf)
    return lines


def _slices(written: Any, plan: Record) -> list[Record]:
    return [
        _read(
            part,
            lam=_positive,
            tau=_positive,
            n=_whole(2, NODES),
            bits=_whole(16, BITS),
            lines=lambda lines, cut=at > 0: _lines(lines, plan, cut=cut),
            under=lambda lines: _lines(lines, plan, cut=True) if lines != [] else [],
            shifts=lambda a: list(map(_positive, _list(a, len(plan.steps), len(plan.steps)))),
            cells=_whole(1, CELLS),
        )
        for at, part in enumerate(_list(written, 1, SLICES))
    ]


def _work(part: Record) -> int:
    nodes = sum(line.last - line.first + 1 for line in part.lines + part.under)
    return (nodes * (part.n + 500) + 2_000 * part.cells * len(part.lines)) * (part.bits + 32)


# What is proved ------------------------------------------------------------------------------


def _prove(proofs: Any, plan: Record, epsilon: fmpq, delta: fmpq) -> None:
    _keys(proofs, {"remove", "add"} if plan.steps else {"both"})
    for way, proof in proofs.items():
        _require(type(proof) is dict, "a proof must be an object")
        kind = proof.get("kind")
        _keys(proof, {"kind", "slices", "body"} if kind == "contour" else {"kind"})
        _require(
            (kind == "gaussian") == (way == "both"), "this kind of proof does not fit the plan"
        )
        if kind == "gaussian":
            _closed(lambda: _gaussian(plan, arb(epsilon)), delta)
        elif kind == "single":
            alone = not plan.plain and [step.count for step in plan.steps] == [1]
            _require(alone, "a single proof is for one step alone")
            _closed(lambda way=way: _single(plan.steps[0], way == "remove", arb(epsilon)), delta)
        elif kind == "ceiling":
            _require(way == "add", "the remove direction has no ceiling")
            _require(not plan.plain, "plain Gaussians have no ceiling")
            with ctx.workprec(512):
                _require(arb(epsilon) >= _top(plan), "epsilon is below the ceiling")
        else:
            _require(kind == "contour", "an unknown kind of proof")
            _contour(proof, plan, way == "remove", epsilon, delta)


def _closed(formula: Callable[[], arb], delta: fmpq) -> None:
    """Raise the precision until the formula's ball lies on one side of delta."""
    for doubled in range(9):
        with ctx.workprec(128 << doubled):
            value, target = formula(), arb(delta)
        if value <= target:
            return
        _require(not value > target, "delta at epsilon is above the claim")
    raise _Refused("delta at epsilon cannot be told from the claim")


def _normal(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2


def _curvature(plan: Record) -> arb:
    return sum((arb(square) * count for square, count in plan.plain), arb(0))


def _top(plan: Record) -> arb:
    return sum((-step.count * arb(1 - step.q).log() for step in plan.steps), arb(0))


def _gaussian(plan: Record, epsilon: arb) -> arb:
    mu = _curvature(plan).sqrt()
    return _normal(mu / 2 - epsilon / mu) - epsilon.exp() * _normal(-mu / 2 - epsilon / mu)


def _single(step: Record, remove: bool, epsilon: arb) -> arb:
    """Section 7, with the terms of each direction gathered by the normals that they share."""
    s, q, sign = arb(step.sigma), arb(step.q), 1 if remove else -1
    rest = (sign * epsilon).exp() - 1 + q
    if rest <= 0:
        return arb(0)
    at = arb(0.5) + s * s * (rest / q).log()
    delta = q * _normal(sign * (1 - at) / s) - rest * _normal(-sign * at / s)
    return delta if remove else -delta * epsilon.exp()


def _contour(proof: Any, plan: Record, remove: bool, epsilon: fmpq, delta: fmpq) -> None:
    """Section 5: T + tail over all slices, and the body by Lemma 3, are at most delta."""
    parts, body = _slices(proof["slices"], plan), Record(lines=[])
    if proof["body"] is not None:
        body = _read(proof["body"], lam=_positive, lines=lambda x: _lines(x, plan, cut=True))
    for part, below in zip(parts, [*parts[1:], body], strict=True):
        left, cut = ([(line.above, line.soft) for line in x] for x in (part.under, below.lines))
        _require(left == cut, "the slices do not telescope")
        for line, under in zip(part.lines, part.under, strict=False):
            _require(under.above <= line.above, "the thresholds do not decrease")
            _require(line.soft in (under.soft, math.inf), "the softness of a step changes")
    _require(remove or not parts[0].under, "in the add direction nothing is cut")
    _require(sum(map(_work, parts)) <= WORK, "the proof is too large")
    bounds = []
    for part in parts:
        with ctx.workprec(part.bits + 32):
            bounds.append(_bound(part, plan, remove, arb(epsilon) - (0 if remove else _top(plan))))
    if body.lines:
        with ctx.workprec(parts[-1].bits + 32):
            bounds.append(_chernoff(body, plan, arb(epsilon)))
    with ctx.workprec(BITS):
        _require(sum(bounds, arb(0)) <= arb(delta), "delta at epsilon is not proved to be so small")


class Law:
    """A step in one direction at a tilt: φ(t) w^(A + iu) with w = base + jump·eˣ, perhaps cut."""

    def __init__(self, step: Record, remove: bool, lam: arb, line: Record) -> None:
        s, q = arb(step.sigma), arb(step.q)
        self.remove, self.var, self.unit = remove, s * s, 1 / (s * (2 * arb.pi()).sqrt())
        self.base, self.jump = (1 - q, q) if remove else (arb(1), q / (1 - q))
        self.power = 1 + lam if remove else -lam
        self.above, self.soft, self.cut = arb(line.above), arb(line.soft), line.above < math.inf
        self.curve = 1 / self.var + (1 / self.soft**2 if self.cut else 0)
        self.low, self.high = arb(line.eta) * line.first, arb(line.eta) * line.last

    def log_w(self, t: acb) -> acb:
        return (self.base + self.jump * ((2 * t - 1) / (2 * self.var)).exp()).log()

    def height(self, t: arb, a: arb) -> arb:
        """φ(t) |w(t + ia)|^A."""
        return self.unit * (self.power * self.log_w(acb(t, a)).real - t * t / (2 * self.var)).exp()

    def kept(self, t: acb) -> acb:
        """1 − χ: the weight that a threshold leaves."""
        return _normal((self.above - t) / self.soft) if self.cut else acb(1)

    def growth(self, a: arb) -> arb:
        """Lemma 10: by how much the normal densities grow on Im t = a, inside the strip."""
        edge = arb.pi() * self.var / (1 if self.remove else 2)
        _require(a < edge, "a line leaves the strip")
        return (a * a * self.curve / 2).exp()

    def slope(self, t: arb, a: arb) -> arb:
        """(log h_a)′ of section 3: Re p is 1 − Re(base/w)."""
        return (self.power * (1 - self.base * (-self.log_w(acb(t, a))).exp().real) - t) / self.var

    def outside(self, a: arb) -> tuple[arb, arb]:
        """Lemmas 5 and 6: the integrals before and beyond the end nodes (remove: on Im t = 0)."""
        if self.remove:
            a, rise, fall = arb(0), -self.low / self.var, (self.power - self.high) / self.var
            fall -= (self.high - self.above) / self.soft**2 if self.cut else 0
        else:
            rise, fall = self.slope(self.low, a), self.slope(self.high, a)
        _require(rise > 0, "the first node is too near")
        _require(fall < 0, "the last node is too near")
        ends = self.height(self.low, a) / rise, self.height(self.high, a) / -fall
        return ends[0], ends[1] * self.kept(acb(self.high)).real

    def strip(self, a: arb) -> arb:
        """Lemma 6 (add): the integral of h_a, without its growth."""
        total = sum(self.outside(a), arb(0))
        for _, middle, _, r in _cells(self.low, self.high, STRIP):
            rise = self.slope(middle, a) * r
            total += 2 * r * self.height(middle, a) * (rise * rise / 6).exp()
        return total


def _cells(low: arb, high: arb, count: int) -> Iterator[tuple[arb, arb, arb, arb]]:
    """Left end, middle, right end and half-width of equal cells."""
    r = (high - low) / (2 * count)
    for middle in (low + r * (2 * at + 1) for at in range(count)):
        yield middle - r, middle, middle + r, r


def _powers(base: list[acb], count: int) -> list[list[acb]]:
    """The powers 0 … count − 1; products of two halves, since balls grow with each product."""
    rows = [[acb(1)] * len(base), base]
    for at in range(2, count):
        rows.append([x * y for x, y in zip(rows[at // 2], rows[at - at // 2], strict=True)])
    return rows[:count]


def _transform(law: Law, line: Record, tau: arb, n: int) -> tuple[list[acb], arb]:
    """M(λ + ijτ), j < n (conjugate for add), and a bound on M(λ): Lemmas 4, 5, 7 and 10."""
    eta, a = arb(line.eta), arb(line.shift)
    nodes = [acb(eta * j, a / 2) for j in range(line.first, line.last + 1)]
    logs = [law.log_w(t) for t in nodes]
    peaks = [law.power * w - t * t / (2 * law.var) for t, w in zip(nodes, logs, strict=True)]
    terms = [law.kept(t) * peak.exp() for t, peak in zip(nodes, peaks, strict=True)]
    width = math.isqrt(n - 1) + 1
    *baby, stride = _powers([(acb(0, tau) * w).exp() for w in logs], width + 1)
    near = acb_mat([[x * y for x, y in zip(terms, row, strict=True)] for row in baby])
    table = (near * acb_mat(_powers(stride, -(-n // width))).transpose()).tolist()
    sums = [eta * law.unit * table[j % width][j // width] for j in range(n)]
    ratio = (1 + law.growth(a)) / ((arb.pi() * a / eta).exp() - 1)
    missing = law.growth(a / 2) * sum(law.outside(a / 2), arb(0))
    if law.remove:
        _require(ratio < 1, "the nodes are too far apart")
        error = (ratio * abs(sums[0]) + missing) / (1 - ratio)
    else:
        error = ratio * law.strip(a) + missing
    around = error.union(-error)
    return [x + acb(around, around) for x in sums], abs(sums[0]) + error


def _far(law: Law, mass: arb, a: arb, u: arb, cells: int) -> arb:
    """Section 4: a bound on |M(λ + iv)| for all v ≥ u."""
    total = arb(0) if law.remove else sum(law.outside(a), arb(0))
    for left, middle, right, r in _cells(law.low, law.high, cells):
        fade = (-u * law.log_w(acb(left, a)).imag).exp()
        jensen = 2 * r * (-r * r / (6 * law.var)).exp()
        if law.remove:
            total -= jensen * law.height(middle, arb(0)) * law.kept(acb(right)).real * (1 - fade)
            continue
        first, last = (law.log_w(acb(t)).real for t in (left, right))
        p, q = 1 - (-first).exp(), 1 - (-last).exp()
        top = q * (1 - q) if q <= 0.5 else p * (1 - p) if p >= 0.5 else arb(0.25)
        square = 1 - 4 * top * (a / (2 * law.var)).sin() ** 2
        change = square ** (law.power / 2) * fade - 1
        if change < 0:
            chord = law.power * (first + last) / 2 - middle * middle / (2 * law.var)
            total += change * jensen * law.unit * chord.exp()
        else:
            rise = law.slope(middle, arb(0)) * r
            total += abs(change) * 2 * r * law.height(middle, arb(0)) * (rise * rise / 6).exp()
    found = law.growth(a) * (mass + total)
    return found if found < mass else mass


def _burst(law: Law, under: Law, mass: arb, a: arb, u: arb, cells: int) -> arb:
    """Lemma 11: a bound on |M_T − M_T′| at λ + iv for all v ≥ u; each cell under its chord."""
    ends = [under.above - 20 * under.soft, under.above + 4 * under.soft, law.high]
    ends = [end.min(law.high) for end in ends]
    total = mass * _normal((ends[0] - under.above) / under.soft) + law.outside(a)[1]
    for left, middle, right, r in (
        cell for low, high in pairwise(ends) for cell in _cells(low, high, 2 * cells)
    ):
        first, last = (law.log_w(acb(t)).real for t in (left, right))
        rise = law.power * (last - first) / 2 - r * middle / law.var
        chord = law.power * (first + last) / 2 - middle * middle / (2 * law.var)
        fade = (-u * law.log_w(acb(left, a)).imag).exp()
        weight = _normal((right - under.above) / under.soft) * law.kept(acb(left)).real
        total += 2 * r * law.unit * (chord + rise * rise / 6).exp() * weight * fade
    found = under.growth(a) * total
    return found if found < mass else mass


def _bound(part: Record, plan: Record, remove: bool, e: arb) -> arb:
    """T + tail of one slice: Lemma 2, sections 4 and 5."""
    lam, tau, n, c = arb(part.lam), arb(part.tau), part.n, _curvature(plan)
    whole, rest, reach = [acb(1)] * n, [acb(1)] * n, n * tau
    most, least, bursts = arb(1), arb(1), arb(0)
    for at, (step, line) in enumerate(zip(plan.steps, part.lines, strict=True)):
        law, a, k = Law(step, remove, lam, line), arb(part.shifts[at]), step.count
        values, mass = _transform(law, line, tau, n)
        whole, most = [x * y**k for x, y in zip(whole, values, strict=True)], most * mass**k
        if part.under:
            under = Law(step, remove, lam, part.under[at])
            values = _transform(under, part.under[at], tau, n)[0]
            rest = [x * y**k for x, y in zip(rest, values, strict=True)]
            bursts += k * _burst(law, under, mass, a, reach, part.cells) / mass
        else:
            least *= _far(law, mass, a, reach, part.cells) ** k
    total = arb(0)
    for j, (x, y) in enumerate(zip(whole, rest, strict=True)):
        z = acb(lam, j * tau if remove else -j * tau)
        term = (x - y if part.under else x) * (c * z * (z + 1) / 2 - e * z).exp() / (z * (z + 1))
        total += term.real * (tau if j else tau / 2)
    tail = (c * (lam * (lam + 1) - reach * reach) / 2 - lam * e).exp() / (tau * (n - 1))
    return (total + tail * (most * bursts if part.under else least)) / arb.pi()


def _chernoff(body: Record, plan: Record, e: arb) -> arb:
    """Lemma 3 for the law that is left under the last slice."""
    a = arb(body.lam)
    value = (
        _curvature(plan) * a * (a + 1) / 2 - a * e + a * a.log() - (1 + a) * (1 + a).log()
    ).exp()
    for step, line in zip(plan.steps, body.lines, strict=True):
        value *= _transform(Law(step, True, a, line), line, arb(0), 1)[1] ** step.count
    return value


def main(arguments: list[str]) -> int:
    """Check the file that is named: 0 valid, 1 false, 2 not a certificate."""
    try:
        with open(arguments[0], "rb") as file:
            checked = check_text(file.read(LONGEST + 1))
    except (NotACertificate, OSError, IndexError) as error:
        sys.stderr.write(f"not a certificate: {error}\n")
        return 2
    sys.stdout.write(json.dumps(asdict(checked)) + "\n")
    return 0 if checked.valid else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
