"""A witness against a claim that is too good: an event that shows (ε, δ) to be false.

The event S is "the privacy loss of all outputs together exceeds ε"; it attains
P(S) − e^ε Q(S) = δ(ε), the most that any event does, in the direction that it is told for.  Where
the lower end of that enclosure is above the claimed δ, the claim is false.  δ as a function of
x = e^ε is convex with slope −Q(S), so enclosures of it on both sides of ε enclose Q(S) and P(S)
too: docs/proofs/risk.md.  δ is enclosed by contours, or by lattices where those do not reach.

A witness that is missing proves nothing: only a certificate proves a claim.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any, final

from flint import arb

from bursar import require
from bursar.accounting import enclosing
from bursar.accounting.lattice_sum import relative
from bursar.accounting.profiles import Profile
from bursar.accounting.question import Question
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_down, float_up, precision
from bursar.privacy.pairs import (
    AtomsPair,
    Composition,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    Pair,
    SampledPair,
    SubsampledGaussianPair,
    TablePair,
)
from bursar.truth import Enclosure, rounded

_BITS = 192
_LEAST = 2.0**-20  # of log x, between the points that enclose a slope
_MOST = 0.1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """An event with P(S) − e^ε Q(S) > δ: the claim (ε, δ) is false.

    `gain` is P(S) − e^ε Q(S); `with_person` and `without` are P(S) and Q(S), for the direction
    "remove"; in the direction "add" the two worlds change places.
    """

    epsilon: Exact
    delta: str
    adjacency: Adjacency
    direction: Direction
    event: str
    gain: Enclosure
    with_person: Enclosure
    without: Enclosure

    def sentence(self, digits: int = 4) -> str:
        """The witness in words, every number rounded against it."""
        gain = rounded(self.gain.lower, digits, up=False)
        p = rounded(self.with_person.lower, digits, up=False)
        q = rounded(self.without.upper, digits, up=True)
        return (
            f"({self.epsilon}, {self.delta})-DP is false: an event of probability at least {p} "
            f"in one world and at most {q} in the other has P(S) − e^ε Q(S) ≥ {gain} > {self.delta}"
        )

    def to_json(self) -> dict[str, Any]:
        """The witness with every digit."""
        return {
            "refuted": True,
            "epsilon": self.epsilon.text,
            "delta": self.delta,
            "adjacency": self.adjacency.value,
            "direction": "remove" if self.direction is Direction.REMOVE else "add",
            "event": self.event,
            "gain": self.gain.values(),
            "p": self.with_person.values(),
            "q": self.without.values(),
        }

    def _repr_html_(self) -> str:
        event = html.escape(self.event)
        return f"<p>{html.escape(self.sentence())}</p><p>S: {event}</p>"


def refute(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> Witness | None:
    """An event that shows the claim (ε, δ) of a plan to be false, or None.

    None says nothing of the claim's truth: `certify` proves.  Raises NoProof where the plan has no
    tight pairs, since an event of a pair that is not attained refutes nothing.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> refute(Gaussian(noise_multiplier=1), epsilon="0.5", delta="1e-5").gain.lower
    0.2384...
    >>> refute(Gaussian(noise_multiplier=1), epsilon=5, delta="1e-5") is None
    True
    """
    at = require.nonnegative(epsilon=epsilon)
    question, relation = Question.of_delta(delta, log_delta), Adjacency.of(adjacency)
    found = [_event(Plan.of(run), at, question, relation, way) for way in Direction]
    best = max(found, key=lambda one: one.gain.lower)
    with precision(_BITS):
        return best if arb(best.gain.lower) > question.delta_ball() else None


def _event(
    plan: Plan, at: Exact, question: Question, relation: Adjacency, way: Direction
) -> Witness:
    pairs = views.pairs(plan, relation, way)
    if not pairs.tight:
        raise NoProof(
            "a pair of this plan is an upper bound that the mechanism may not attain",
            hint="Only a tight pair has events that refute a claim.",
        )
    profile = enclosing.profile(pairs)
    with precision(_BITS):
        epsilon = ball(at)
        here = _delta(profile, epsilon)
        q = _slope(profile, epsilon, here)
        p = here + epsilon.exp() * q
    return Witness(
        epsilon=at,
        delta=question.text if question.delta is not None else f"e^{question.text}",
        adjacency=relation,
        direction=way,
        event=_told(pairs, at, way),
        gain=_enclosed(here),
        with_person=_enclosed(p),
        without=_enclosed(q),
    )


def _delta(profile: Profile, epsilon: arb) -> arb:
    """δ falls, so that its values at both ends of ε enclose it."""
    if epsilon.is_exact():
        return profile.delta_at(epsilon)
    return profile.delta_at(epsilon.lower()).union(profile.delta_at(epsilon.upper()))


def _slope(profile: Profile, epsilon: arb, here: arb) -> arb:
    """Q(loss > ε): between the slopes of δ in x = e^ε to points on both sides.

    The points are as far as the root of δ's relative width: nearer, that width blurs the slope.
    """
    x = epsilon.exp()
    blur = relative(here.upper() - here.lower(), here.upper())
    step = arb(min(max(math.sqrt(blur), _LEAST), _MOST))
    above = epsilon + step
    right = (here - _delta(profile, above)) / (above.exp() - x)
    low, high = arb(0).max(right.lower()), arb(1)
    if epsilon > step:
        below = epsilon - step
        left = (_delta(profile, below) - here) / (x - below.exp())
        high = high.min(left.upper())
    return low.union(high.max(low))


def _enclosed(value: arb) -> Enclosure:
    low = max(0.0, float_down(value))
    return Enclosure(lower=low, upper=max(low, min(1.0, float_up(value))))


def _told(pairs: Composition, at: Exact, way: Direction) -> str:
    """The event in words and a formula."""
    parts = ", ".join(f"{n} with ℓ = {_loss(pair, way)}" for pair, n in pairs.parts)
    return f"the sum of the losses ℓ of all outputs exceeds {at} ({parts})"


def _loss(pair: Pair, way: Direction) -> str:
    """The privacy loss of one output t, in units of one person's contribution."""
    removes = way is Direction.REMOVE
    match pair:
        case GaussianPair(noise_multiplier=s):
            told = f"({'2t − 1' if removes else '1 − 2t'})/(2·{s}²)"
        case SubsampledGaussianPair(noise_multiplier=s, sampling_probability=q):
            sign = "" if removes else "−"
            told = f"{sign}log(1 − {q} + {q}·exp((2t − 1)/(2·{s}²)))"
        case LaplacePair(scale=b):
            told = f"({'|t| − |t − 1|' if removes else '|t − 1| − |t|'})/{b}"
        case AtomsPair(epsilon=e, categories=m):
            told = f"±{e} or 0 by the answer" if m > 2 else f"±{e} by the answer"
        case DiscreteGaussianPair(sigma=s, shift=d):
            told = f"({f'2·{d}·t − {d}²' if removes else f'{d}² − 2·{d}·t'})/(2·{s}²)"
        case DiscreteLaplacePair(scale=b, shift=d):
            told = f"({f'|t| − |t − {d}|' if removes else f'|t − {d}| − |t|'})/{b}"
        case TablePair():
            told = "log p/q of its row"
        case SampledPair(base=base, sampling_probability=q):
            sign = "" if removes else "−"
            told = f"{sign}log(1 − {q} + {q}·exp({sign}ℓ′)), ℓ′ = {_loss(base, way)}"
        case _:
            told = "log dP/dQ of its pair"
    return told
