"""Checks certificates of differential privacy, and shares no code with what writes them.

This file stands alone: it needs Python and python-flint only (`python checker.py proof.json`).
Its format is docs/certificates.md, its lemmas docs/proofs/contour.md.  A certificate only chooses
parameters; numbers are computed here, as balls, and each hypothesis of a lemma is a `_require`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from types import SimpleNamespace as Record
from typing import Any

from flint import acb, acb_mat, arb, ctx, fmpq

LONGEST, DIGITS, WORK = 8_000_000, 4_000, 2**36  # of a document, of a number; products x bits
STEPS, COUNT, SLICES, LENGTH, NODES, CELLS, BITS = 2_000, 2**63, 64, 2**17, 2**12, 2**12, 2**12
_NUMBER = re.compile(r"([0-9]+)(?:\.([0-9]+))?(?:e(-?[0-9]{1,4}))?(?:/([1-9][0-9]*))?")
_FLOAT = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,3}")
KINDS = {"both": "gaussian", "remove": "single contour", "add": "single contour ceiling"}
NORMAL, SAMPLED = "mechanism noise_multiplier count", " sampling sampling_probability"


class NotACertificate(ValueError):
    """What should be checked is no certificate of a known format."""


class _Refused(Exception):
    """The certificate does not prove its claim; the text says why."""


@dataclass(frozen=True)
class Checked:
    """What came out, and what is claimed, where that is well-formed."""

    valid: bool
    reason: str | None = None
    claim: dict[str, str] | None = None
    plan: list[dict[str, Any]] | None = None


def check(text: str | bytes) -> Checked:
    """Check the text of a certificate; raises NotACertificate for what is none."""
    shown: dict[str, Any] = {}
    try:
        _require(len(text) <= LONGEST, "the document is too large")
        document = json.loads(text, object_pairs_hook=_unique)
        known = type(document) is dict and document.get("format") == "bursar-certificate"
        if not known or repr(document.get("version")) != "1":
            raise NotACertificate("it is no bursar-certificate of version 1")
        body = {key: value for key, value in document.items() if key != "digest"}
        seal = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
        _require(document.get("digest") == hashlib.sha256(seal).hexdigest(), "it is damaged")
        said = _fields(document, "format version claim plan proofs digest")
        asked = _fields(said.claim, "epsilon delta adjacency")
        epsilon, delta = _rational(asked.epsilon), _rational(asked.delta)
        plan = _plan(said.plan, asked.adjacency)
        shown = {"claim": said.claim, "plan": said.plan}
        proofs = _fields(said.proofs, "remove add" if plan.steps else "both")
        for way, proof in vars(proofs).items():
            _prove(way, proof, plan, epsilon, delta)
    except _Refused as refusal:
        return Checked(valid=False, reason=str(refusal), **shown)
    except (ValueError, RecursionError) as error:
        raise NotACertificate(str(error)) from error
    return Checked(valid=True, **shown)


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise _Refused(reason)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def _fields(value: Any, keys: str) -> Record:
    _require(type(value) is dict and value.keys() == set(keys.split()), f"not an object of {keys}")
    return Record(**value)


def _list(value: Any, low: int, high: int) -> list[Any]:
    _require(type(value) is list and low <= len(value) <= high, f"not a list of {low} to {high}")
    return list(value)


def _whole(value: Any, low: int, high: int) -> int:
    _require(type(value) is int and low <= value <= high, f"not an integer in [{low}, {high}]")
    return int(value)


def _positive(number: Any) -> Any:
    _require(number > 0, "a number above 0 is expected")
    return number


def _float(value: Any) -> float:
    _require(type(value) is str and bool(_FLOAT.fullmatch(value)), "not a hexadecimal float")
    return float.fromhex(value)


def _rational(value: Any) -> fmpq:
    found = _NUMBER.fullmatch(value) if type(value) is str and len(value) <= DIGITS else None
    if found is None:
        raise _Refused("not an exact decimal or fraction, 0 or above")
    whole, places, e, under = found.groups("")
    return fmpq(int(whole + places), int(under or 1)) * fmpq(10) ** (int(e or 0) - len(places))


def _plan(written: Any, relation: Any) -> Record:
    """The subsampled steps, and μ² with its count of the plain ones."""
    plan = Record(steps=[], plain=[])
    _require(relation in ("add-or-remove-one", "zero-out", "replace-one"), "an unknown adjacency")
    for step in _list(written, 1, STEPS):
        names = step if type(step) is dict else {}
        if "mu" in names:
            said = _fields(step, "mechanism mu count")
            _require(said.mechanism == "gdp", "only a gdp step has a mu")
            plan.plain.append((_rational(said.mu) ** 2, _whole(said.count, 1, COUNT)))
            continue
        said = _fields(step, NORMAL + SAMPLED * ("sampling" in names))
        _require(said.mechanism == "gaussian", "an unknown mechanism")
        _require(names.get("sampling", "poisson") == "poisson", "an unknown sampling")
        sigma, count = _positive(_rational(said.noise_multiplier)), _whole(said.count, 1, COUNT)
        q = _rational(names.get("sampling_probability", "1"))
        _require(q <= 1, "a sampling probability above 1")
        if q < 1:
            _require(relation != "replace-one", "nothing is proved for sampling under replace-one")
            plan.steps.append(Record(sigma=sigma, q=q, count=count))
        else:
            plan.plain.append((((2 if relation == "replace-one" else 1) / sigma) ** 2, count))
    return plan


def _lines(written: Any, plan: Record, *, cut: bool) -> list[Record]:
    lines = []
    for line in _list(written, len(plan.steps), len(plan.steps)):
        said = _fields(line, "eta first last shift" + " above soft" * cut)
        said.eta, said.shift = _positive(_float(said.eta)), _positive(_float(said.shift))
        said.first = _whole(said.first, -NODES, NODES)
        said.last = _whole(said.last, said.first + 1, said.first + NODES - 1)
        said.above = _float(said.above) if cut else math.inf
        said.soft = _positive(_float(said.soft)) if cut else math.inf
        lines.append(said)
    return lines


def _slice(written: Any, plan: Record, *, cut: bool) -> Record:
    said = _fields(written, "lam tau n bits lines under shifts cells")
    said.lam, said.tau = _positive(_float(said.lam)), _positive(_float(said.tau))
    said.n, said.bits = _whole(said.n, 2, LENGTH), _whole(said.bits, 16, BITS)
    said.lines, said.cells = _lines(said.lines, plan, cut=cut), _whole(said.cells, 1, CELLS)
    said.under = _lines(said.under, plan, cut=True) if said.under != [] else []
    said.shifts = [_positive(_float(shift)) for shift in _list(said.shifts, *2 * [len(plan.steps)])]
    return said


def _prove(way: str, proof: Any, plan: Record, epsilon: fmpq, delta: fmpq) -> None:
    kind = proof.get("kind") if type(proof) is dict else None
    _require(kind in KINDS[way].split(), f"not a kind of proof for {way}")
    said = _fields(proof, "kind slices body" if kind == "contour" else "kind")
    if kind == "contour":
        _contour(said, plan, way == "remove", epsilon, delta)
    elif kind == "ceiling":
        _require(not plan.plain, "plain Gaussians have no ceiling")
        with ctx.workprec(512):
            _require(arb(epsilon) >= _sums(plan)[1], "epsilon is below the ceiling")
    else:
        _alone(plan, way == "remove", epsilon, delta)


def _normal(x: Any) -> Any:
    return (-x / arb(2).sqrt()).erfc() / 2


def _sums(plan: Record) -> tuple[arb, arb]:
    """Section 1: c and top."""
    top = sum((-step.count * arb(1 - step.q).log() for step in plan.steps), arb(0))
    return sum((arb(square) * count for square, count in plan.plain), arb(0)), top


def _alone(plan: Record, remove: bool, epsilon: fmpq, delta: fmpq) -> None:
    """Section 7, at the precision that it needs; Gaussians alone are one step with q = 1."""
    one = sum(step.count for step in plan.steps) + len(plan.plain) == 1
    _require(one or not plan.steps, "a single proof is for one step alone")
    for bits in (128, 512, 2048, 8192, 32768):
        with ctx.workprec(bits):
            e, sign, q = arb(epsilon), 1 if remove else -1, plan.steps[0].q if plan.steps else 1
            s = arb(plan.steps[0].sigma) if plan.steps else 1 / _sums(plan)[0].sqrt()
            rest = (sign * e).exp() - 1 + q
            at = arb(0.5) + s * s * (rest / q).log()
            found = sign * (q * _normal(sign * (1 - at) / s) - rest * _normal(-sign * at / s))
            if rest <= 0 or found * (1 if remove else e.exp()) <= arb(delta):
                return  # the rest is 0 or below at the ceiling of add, where delta is 0
    raise _Refused("delta at epsilon is above the claim")


def _contour(proof: Record, plan: Record, remove: bool, epsilon: fmpq, delta: fmpq) -> None:
    """Section 5: T + tail over all slices, and the body by Lemma 3, are at most delta."""
    written, body = _list(proof.slices, 1, SLICES), Record(lines=[], under=[], n=0, cells=0)
    parts = [_slice(part, plan, cut=at > 0) for at, part in enumerate(written)]
    if proof.body is not None:
        said = _fields(proof.body, "lam lines")
        body.lam, body.lines = _float(said.lam), _lines(said.lines, plan, cut=True)
    for part, below in zip(parts, [*parts[1:], body], strict=True):
        left, cut = ([(line.above, line.soft) for line in x] for x in (part.under, below.lines))
        _require(left == cut, "the slices do not telescope")
        for line, under in zip(part.lines, part.under, strict=False):
            _require(under.above <= line.above, "the thresholds do not decrease")
            _require(line.soft in (under.soft, math.inf), "the softness of a step changes")
    _require(remove or not parts[0].under, "in the add direction nothing is cut")
    bits, work = 32 + max(part.bits for part in parts), 0
    for part in [*parts, body]:
        nodes = sum(line.last - line.first + 100 for line in part.lines + part.under)
        work += bits * (nodes * (part.n + 500) + 2_000 * part.cells * len(plan.steps))
    _require(work <= WORK, "the proof is too large")
    with ctx.workprec(bits):
        e = arb(epsilon) - (0 if remove else _sums(plan)[1])
        bounds = [_bound(part, plan, remove, e) for part in parts]
        if body.lines:  # Lemma 3
            a, c = arb(body.lam), _sums(plan)[0]
            least = a * a.log() - (1 + a) * (1 + a).log()
            bounds += [(c * a * (a + 1) / 2 - a * e + least).exp()]
            for step, line in zip(plan.steps, body.lines, strict=True):
                bounds[-1] *= _transform(_Law(step, remove, a, line), line, 0, 1)[1] ** step.count
        _require(sum(bounds, arb(0)) <= arb(delta), "delta at epsilon is not proved to be so small")


class _Law:
    """A step in one direction at a tilt: φ(t) w^(A + iu) with w = base + jump·eˣ, perhaps cut."""

    def __init__(self, step: Record, remove: bool, lam: arb, line: Record) -> None:
        s, q = arb(step.sigma), arb(step.q)
        self.remove, self.var, self.twice = remove, s * s, 2 * s * s
        self.unit = 1 / (arb.pi() * self.twice).sqrt()
        self.base, self.jump = (1 - q, q) if remove else (arb(1), q / (1 - q))
        self.power = 1 + lam if remove else -lam
        self.above, self.soft, self.cut = arb(line.above), arb(line.soft), line.above < math.inf
        self.curve = 1 / self.var + (1 / self.soft**2 if self.cut else 0)
        self.low, self.high = arb(line.eta) * line.first, arb(line.eta) * line.last

    def log_w(self, t: acb) -> acb:
        return (self.base + self.jump * ((2 * t - 1) / self.twice).exp()).log()

    def height(self, t: arb, a: arb) -> arb:
        """φ(t) |w(t + ia)|^A."""
        return self.unit * (self.power * self.log_w(acb(t, a)).real - t * t / self.twice).exp()

    def kept(self, t: acb) -> acb:
        return _normal((self.above - t) / self.soft) if self.cut else acb(1)

    def growth(self, a: arb) -> arb:
        """Lemma 10: by how much the normal densities grow on Im t = a, inside the strip."""
        _require(a * (1 if self.remove else 2) < arb.pi() * self.var, "a line leaves the strip")
        return (a * a * self.curve / 2).exp()

    def slope(self, t: arb, a: arb) -> arb:
        """(log h_a)′ of section 3: Re p is 1 − Re(base/w)."""
        return (self.power * (1 - self.base * (-self.log_w(acb(t, a))).exp().real) - t) / self.var

    def outside(self, a: arb) -> tuple[arb, arb]:
        """Lemmas 5 and 6: the integrals outside and beyond the end nodes (remove: on Im t = 0)."""
        if self.remove:
            a, rise, fall = arb(0), -self.low / self.var, (self.power - self.high) / self.var
            fall -= (self.high - self.above) / self.soft**2 if self.cut else 0
        else:
            rise, fall = self.slope(self.low, a), self.slope(self.high, a)
        _require(rise > 0, "the first node is too near")
        _require(fall < 0, "the last node is too near")
        beyond = self.height(self.high, a) * self.kept(acb(self.high)).real / -fall
        return self.height(self.low, a) / rise + beyond, beyond

    def most(self, cell: tuple[arb, arb, arb, arb], a: arb) -> arb:
        """At least the integral of φ |w(t + ia)|^A, cut, over a cell: by its chord, or Lemma 6."""
        left, middle, right, r = cell
        rise, top = self.slope(middle, a) * r, self.height(middle, a)
        if self.remove:
            first, last = (self.power * self.log_w(acb(t)).real for t in (left, right))
            rise = (last - first) / 2 - r * middle / self.var
            top = self.unit * ((first + last) / 2 - middle * middle / self.twice).exp()
        return 2 * r * top * (rise * rise / 6).exp() * self.kept(acb(left)).real


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


def _transform(law: _Law, line: Record, tau: Any, n: int) -> tuple[list[acb], arb]:
    """M(λ + ijτ), j < n (conjugate for add), and a bound on M(λ): Lemmas 4, 5, 7 and 10."""
    eta, a = arb(line.eta), arb(line.shift)
    nodes = [acb(eta * j, a / 2) for j in range(line.first, line.last + 1)]
    pairs = [(t, law.log_w(t)) for t in nodes]
    terms = [law.kept(t) * (law.power * w - t * t / law.twice).exp() for t, w in pairs]
    width = math.isqrt(n - 1) + 1
    *baby, stride = _powers([(acb(0, tau) * w).exp() for _, w in pairs], width + 1)
    near = acb_mat([[x * y for x, y in zip(terms, row, strict=True)] for row in baby])
    table = (near * acb_mat(_powers(stride, -(-n // width))).transpose()).tolist()
    sums = [eta * law.unit * table[j % width][j // width] for j in range(n)]
    ratio = (1 + law.growth(a)) / ((arb.pi() * a / eta).exp() - 1)
    missing = law.growth(a / 2) * law.outside(a / 2)[0]
    if law.remove:
        _require(ratio < 1, "the nodes are too far apart")
        error = (ratio * abs(sums[0]) + missing) / (1 - ratio)
    else:
        cells = (law.most(cell, a) for cell in _cells(law.low, law.high, 40))
        error = ratio * sum(cells, law.outside(a)[0]) + missing  # M(λ) is below this integral too
    ball = acb(error.union(-error), error.union(-error))
    return [x + ball for x in sums], abs(sums[0]) + error


def _far(law: _Law, mass: arb, a: arb, u: arb, count: int) -> arb:
    """Section 4: a bound on |M(λ + iv)| for all v ≥ u: the mass less what fades, or what stays."""
    stays, beyond = law.outside(a)
    stays -= beyond * (1 - (-u * law.log_w(acb(law.high, a)).imag).exp())
    less = arb(0) if law.remove else stays
    for cell in _cells(law.low, law.high, count):
        left, middle, right, r = cell
        fade = (-u * law.log_w(acb(left, a)).imag).exp()  # arg w increases
        jensen = 2 * r * (-r * r / (6 * law.var)).exp()
        stays += law.most(cell, a) * fade
        if law.remove:
            less -= jensen * law.height(middle, arb(0)) * law.kept(acb(right)).real * (1 - fade)
            continue
        first, last = (law.log_w(acb(t)).real for t in (left, right))
        p, q = 1 - (-first).exp(), 1 - (-last).exp()
        top = q * (1 - q) if q <= 0.5 else p * (1 - p) if p >= 0.5 else arb(0.25)
        change = (1 - 4 * top * (a / law.twice).sin() ** 2) ** (law.power / 2) * fade - 1
        least = jensen * law.unit * (law.power * (first + last) / 2 - middle**2 / law.twice).exp()
        less += change * least if change < 0 else abs(change) * law.most(cell, arb(0))
    return law.growth(a) * min(mass + less, stays)


def _burst(law: _Law, under: _Law, mass: arb, a: arb, u: arb, count: int) -> arb:
    """Lemma 11: a bound on |M_T − M_T′| at λ + iv for all v ≥ u."""
    low, turn = ((under.above + x * under.soft).min(law.high) for x in (-20, 4))
    total: arb = mass * _normal((low - under.above) / under.soft) + law.outside(a)[1]
    for cell in [*_cells(low, turn, 2 * count), *_cells(turn, law.high, 2 * count)]:
        fade = (-u * law.log_w(acb(cell[0], a)).imag).exp()
        total += law.most(cell, arb(0)) * fade * _normal((cell[2] - under.above) / under.soft)
    return under.growth(a) * total


def _times(rows: list[list[acb]]) -> list[acb]:
    """The product of the rows, by halves: balls grow with each product."""
    at = len(rows) // 2
    return [*map(acb.__mul__, _times(rows[:at]), _times(rows[at:]))] if at else rows[0]


def _bound(part: Record, plan: Record, remove: bool, e: arb) -> arb:
    """T + tail of one slice: Lemma 2, sections 4 and 5."""
    lam, tau, n, c = arb(part.lam), arb(part.tau), part.n, _sums(plan)[0]
    whole, rest, reach = [[acb(1)] * n], [[acb(1)] * n], n * tau
    most, least, bursts = arb(1), arb(1), arb(0)
    for at, (step, line) in enumerate(zip(plan.steps, part.lines, strict=True)):
        law, a, k = _Law(step, remove, lam, line), arb(part.shifts[at]), step.count
        values, mass = _transform(law, line, tau, n)
        whole, most = [*whole, [x**k for x in values]], most * mass**k
        if part.under:
            under = _Law(step, remove, lam, part.under[at])
            rest.append([x**k for x in _transform(under, part.under[at], tau, n)[0]])
            bursts += k * min(mass, _burst(law, under, mass, a, reach, part.cells)) / mass
        else:
            least *= min(mass, _far(law, mass, a, reach, part.cells)) ** k
    tail = (c * (lam * (lam + 1) - reach * reach) / 2 - lam * e).exp() / (tau * (n - 1))
    total: arb = tail * (most * bursts if part.under else least)
    for j, (x, y) in enumerate(zip(_times(whole), _times(rest), strict=True)):
        z = acb(lam, j * tau if remove else -j * tau)
        term = (x - y if part.under else x) * (c * z * (z + 1) / 2 - e * z).exp() / (z * (z + 1))
        total += term.real * (tau if j else tau / 2)
    return total / arb.pi()


if __name__ == "__main__":
    try:
        with open(sys.argv[1], "rb") as file:
            checked = check(file.read(LONGEST + 1))
    except (NotACertificate, OSError, IndexError) as error:
        sys.stderr.write(f"not a certificate: {error}\n")
        sys.exit(2)
    sys.stdout.write(json.dumps(asdict(checked)) + "\n")
    sys.exit(0 if checked.valid else 1)
