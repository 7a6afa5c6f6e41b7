"""Run on two neighbours with the noised answers of the first, and compare what went into the noise.

With every noised answer the same on both sides, a private program does the same on both sides: the
same noise calls with the same scales in the same order, and the same answer at the end.  What may
differ is what goes into a call, by no more than the sensitivity that is declared there.  So one
pair of runs shows what millions of samples may miss.  Cebere et al. 2026 (Re:cord-play).

The program takes its noise from a `Tape`, which it is given beside the data; the person in whom the
neighbours differ stands last.  Nothing of this is private, and nothing of it may be released.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bursar import require
from bursar.audit.outcomes import tables
from bursar.exact import Exact, Number
from bursar.noise import GridSum, Release

D = TypeVar("D")

_FAR = Fraction(10**400)  # between infinities, NaN and all floats: further than floats are


@final
@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One use of noise: its kind, what is public of it, what went in, and what came out."""

    kind: str
    public: tuple[object, ...]
    inside: tuple[Fraction, ...]
    declared: tuple[tuple[str, Exact], ...]  # a norm, and the sensitivity declared in it
    answer: Any
    whole: bool = False


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What differs between neighbours although all noised answers are the same."""

    call: int | None
    what: str
    declared: str
    measured: str

    def __str__(self) -> str:
        where = "the answer" if self.call is None else f"noise call {self.call}"
        return f"{where}: {self.what} is {self.measured}, where {self.declared} is declared"

    def to_json(self) -> dict[str, Any]:
        """The object of the command line."""
        names = ("call", "what", "declared", "measured")
        return {name: getattr(self, name) for name in names}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """All differences that a few runs showed; none shows nothing more than that there was none."""

    differences: tuple[Difference, ...]
    runs: int
    calls: int
    error: BaseException | None = None  # that all runs ended with, if they did

    @property
    def found(self) -> bool:
        """Whether something differs that may not."""
        return bool(self.differences)

    def sentence(self) -> str:
        """The finding in words."""
        if self.differences:
            return f"violation found: {self.differences[0]}"
        return f"none found, in {self.runs} runs with {self.calls} noise calls"

    def to_json(self) -> dict[str, Any]:
        """The object of the command line's `--json`."""
        return {
            "violation": self.found,
            "differences": [difference.to_json() for difference in self.differences],
            "runs": self.runs,
            "calls": self.calls,
        }


def replay(
    run: Callable[[D, Tape], object],
    data: D,
    neighbour: D,
    *,
    runs: int = 5,
    seed: int = 0,
    slack: Number = "1e-9",
) -> Replayed:
    """Run on the data with fresh noise, then on the neighbour with the same noised answers.

    All randomness must come from the tape.  `slack` is by how much, relatively, floats may exceed
    a declared sensitivity; whole numbers may not at all.

    >>> def count(people, noise):
    ...     return noise.laplace(2 * len(people), l1=1, scale=1)
    >>> replay(count, ["ann", "bob"], ["ann"]).sentence()
    'violation found: noise call 0: distance in l1 is 2, where 1 is declared'
    """
    spare = 1 + require.nonnegative(slack=slack)
    found: dict[str, Difference] = {}
    errors: list[BaseException] = []
    calls = 0
    for turn in range(require.count(runs=runs)):
        first = Tape(np.random.default_rng([require.count(seed=seed, at_least=0), turn]))
        answer = _answer(run, data, first)
        second = Tape(first.noise, first.calls)
        again = _answer(run, neighbour, second)
        calls = max(calls, len(first.calls), len(second.calls))
        for difference in _compared(first.calls, second.calls, spare) or _answers(answer, again):
            found.setdefault(str(difference), difference)
        errors += [ended for ended in (answer, again) if isinstance(ended, BaseException)]
    last = errors[-1] if len(errors) == 2 * runs else None
    return Replayed(differences=tuple(found.values()), runs=runs, calls=calls, error=last)


@final
class Tape:
    """Noise that remembers what it was given, and on the neighbour repeats its answers.

    Its calls are those of `bursar.noise`, and `gaussian` and `laplace` for floats.
    """

    private: ClassVar[bool] = False

    def __init__(self, noise: np.random.Generator, recorded: Sequence[Call] | None = None) -> None:
        self.noise = noise
        self.calls: list[Call] = []
        self._recorded = recorded

    def gaussian(self, value: ArrayLike, *, l2: Number, noise_std: Number) -> Any:
        """Value plus normal noise; `l2` is the declared sensitivity."""
        std = require.positive(noise_std=noise_std)
        return self._float("gaussian", value, std, "l2", require.positive(l2=l2))

    def laplace(self, value: ArrayLike, *, l1: Number, scale: Number) -> Any:
        """Value plus Laplace noise; `l1` is the declared sensitivity."""
        return self._float(
            "laplace", value, require.positive(scale=scale), "l1", require.positive(l1=l1)
        )

    def release_gaussian(self, total: GridSum, *, noise_multiplier: Number) -> Release:
        """As `bursar.noise.release_gaussian`."""
        return self._release("gaussian", total, require.positive(noise_multiplier=noise_multiplier))

    def release_laplace(self, total: GridSum, *, scale: Number) -> Release:
        """As `bursar.noise.release_laplace`."""
        return self._release("laplace", total, require.positive(scale=scale))

    def exponential_mechanism(
        self, scores: NDArray[np.int64], *, epsilon: Number, sensitivity: Number
    ) -> int:
        """As `bursar.noise.exponential_mechanism`."""
        rate = require.positive(epsilon=epsilon)
        bound = require.positive(sensitivity=sensitivity)
        inside = _exact(scores)

        def draw() -> int:
            loss = np.array([float(score * rate / 2 / bound) for score in inside])
            return int(np.argmax(loss + self.noise.gumbel(size=len(loss))))

        public = (rate, len(inside))
        return int(self._call("selection", public, inside, (("linf", bound),), draw, whole=True))

    def bernoullis(self, *, probability: Number, size: int) -> NDArray[np.bool_]:
        """As `bursar.noise.bernoullis`, one coin a person; the last person is always in."""
        chance = require.unit_interval(probability=probability)
        count = require.count(size=size, at_least=0)

        def draw() -> NDArray[np.bool_]:
            coins = self.noise.random(count) < float(chance)
            coins[-1:] = True
            return coins

        coins = np.asarray(self._call("sample", (chance,), (), (), draw))[:count]
        return np.concatenate([coins, np.ones(count - len(coins), dtype=np.bool_)])

    def rounded_gaussian(self, *, noise_std: Number, size: int) -> NDArray[np.int64]:
        """As `bursar.noise.rounded_gaussian`: only its scale and size can be compared."""
        std = require.positive(noise_std=noise_std)
        return self._noise("rounded gaussian", std, size, self.noise.standard_normal)

    def discrete_laplace(self, *, scale: Number, size: int) -> NDArray[np.int64]:
        """As `bursar.noise.discrete_laplace`: only its scale and size can be compared."""
        b = require.positive(scale=scale)
        return self._noise("discrete laplace", b, size, lambda n: self.noise.laplace(size=n))

    def _float(self, kind: str, value: ArrayLike, scale: Exact, norm: str, bound: Exact) -> Any:
        numbers = np.asarray(value, dtype=np.float64)

        def draw() -> Any:
            noised = numbers + float(scale) * _standard(self.noise, kind, numbers.shape)
            return noised if numbers.ndim else float(noised)

        public = (scale, numbers.shape)
        return self._call(kind, public, _exact(numbers), ((norm, bound),), draw)

    def _release(self, kind: str, total: GridSum, ratio: Exact) -> Release:
        shape = total.units.shape
        bound = total.l2 if kind == "gaussian" else total.l1

        def draw() -> Release:
            noise = np.rint(float(ratio * bound) * _standard(self.noise, kind, shape))
            return Release(total.units + noise.astype(np.int64), total.grid, private=False)

        declared = (("l1", total.l1), ("l2", total.l2))
        public = (ratio * bound, total.grid, shape)
        inside = _exact(total.units)
        found: Release = self._call(kind, public, inside, declared, draw, whole=True)
        return found

    def _noise(
        self, kind: str, scale: Exact, size: int, standard: Callable[[int], Any]
    ) -> NDArray[np.int64]:
        count = require.count(size=size, at_least=0)

        def draw() -> NDArray[np.int64]:
            drawn: NDArray[np.int64] = np.rint(float(scale) * standard(count)).astype(np.int64)
            return drawn

        return np.asarray(self._call(kind, (scale, count), (), (), draw))

    def _call(
        self,
        kind: str,
        public: tuple[object, ...],
        inside: tuple[Fraction, ...],
        declared: tuple[tuple[str, Exact], ...],
        draw: Callable[[], Any],
        *,
        whole: bool = False,
    ) -> Any:
        """The recorded answer of the same call, where there is one; else a fresh one."""
        place = len(self.calls)
        before = self._recorded[place] if self._recorded and place < len(self._recorded) else None
        same = before is not None and (before.kind, before.public) == (kind, public)
        answer = before.answer if before is not None and same else draw()
        self.calls.append(Call(kind, public, inside, declared, answer, whole))
        return answer


def _standard(noise: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Any:
    return noise.standard_normal(shape) if kind == "gaussian" else noise.laplace(size=shape)


def _exact(values: ArrayLike) -> tuple[Fraction, ...]:
    """The numbers, exactly; infinities and NaN as numbers that are far from all others."""
    flat = np.asarray(values).ravel().tolist()
    odd = {"inf": _FAR, "-inf": -_FAR, "nan": 3 * _FAR}
    return tuple(Fraction(v) if np.isfinite(v) else odd[str(v)] for v in flat)


def _answer(run: Callable[[D, Tape], object], data: D, tape: Tape) -> object:
    try:
        return run(data, tape)
    except Exception as error:  # noqa: BLE001 - an error is an answer, and may tell
        return error


def _compared(first: Sequence[Call], second: Sequence[Call], spare: Fraction) -> list[Difference]:
    """The calls side by side, up to the first that is another call."""
    found: list[Difference] = []
    for place, (one, two) in enumerate(zip(first, second, strict=False)):
        if one.kind != two.kind:
            return [*found, _differs(place, "the kind", one.kind, two.kind)]
        if one.public != two.public:
            return [*found, _differs(place, "scale or shape", one.public, two.public)]
        if one.declared != two.declared:
            return [*found, _differs(place, "the sensitivity", one.declared, two.declared)]
        allowed = Fraction(1) if one.whole else spare
        for norm, bound in one.declared:
            measured = _distance(norm, one.inside, two.inside, whole=one.whole)
            limit = bound * allowed
            if measured > (limit**2 if norm == "l2" else limit):
                size = _size(measured, norm)
                found.append(_differs(place, f"distance in {norm}", bound, size))
    if len(first) != len(second):
        place = min(len(first), len(second))
        found.append(_differs(place, "the number of calls", len(first), len(second)))
    return found


def _distance(
    norm: str, one: Sequence[Fraction], two: Sequence[Fraction], *, whole: bool
) -> Fraction:
    """Of whole numbers as they are, though sums are taken modulo 2^64; squared in l2."""
    apart = [abs(a - b) for a, b in zip(one, two, strict=True)]
    if whole:
        apart = [min(gap, abs(2**64 - gap)) for gap in apart]
    if norm == "l2":
        return sum((gap**2 for gap in apart), Fraction(0))
    return max(apart, default=Fraction(0)) if norm == "linf" else sum(apart, Fraction(0))


def _size(measured: Fraction, norm: str) -> str:
    if measured > _FAR / 2:
        return "no number"
    return f"{float(measured) ** (0.5 if norm == 'l2' else 1.0):g}"


def _answers(one: object, two: object) -> list[Difference]:
    first, second = tables([one], [two])
    if first.codes[0] == second.codes[0]:
        return []
    return [_differs(None, "what comes of the same noised values", _short(one), _short(two))]


def _differs(call: int | None, what: str, declared: object, measured: object) -> Difference:
    return Difference(call=call, what=what, declared=str(declared), measured=str(measured))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
