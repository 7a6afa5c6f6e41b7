"""Attempts: how often a gate was tried, and what false verdicts may cost all of them together.

An attempt that fails is free to look at, so it can be tried again with another claim, or with a
mechanism that is a little different; whoever tries often enough is let through by luck.  So all
attempts share a reserve of δ, fixed in advance: number r of all may let through what is false with
an expected excess of δ of at most reserve/(r(r+1)), and these add up to the reserve, whatever was
tried and however it was chosen (docs/proofs/release-gate.md, Thm 4).  Coins are an HMAC of a secret
over the mechanism and how often *it* was tried, so the same attempt has the same coins after a
crash, and no claim can be nudged to get others.

`State` is a value and decisions are pure; `Attempts` holds one, in memory.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from threading import Lock
from typing import Any, Protocol, TypeVar, final

from bursar import require
from bursar.accounting.monte_carlo_coins import Keyed
from bursar.adjacency import Direction
from bursar.errors import CorruptBooks, InvalidParameter, Refused
from bursar.exact import Exact, Number
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import ApproximateDP
from bursar.noise.entropy import refuse_rehearsal
from bursar.numerics.balls import ball, float_down, precision
from bursar.verification.claims import Claim

T = TypeVar("T")
_KEY = 32  # bytes


@final
@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a claim: which of this mechanism, which of all, and what came of it."""

    mechanism: str
    claim: Claim
    of_mechanism: int
    of_all: int
    plan: str = ""  # of its trial: what is decided before its coins are seen
    passed: bool | None = None

    def share(self, reserve: Exact) -> Fraction:
        """Its part of the reserve: 1/(r(r+1)), which add up to 1."""
        return reserve / (self.of_all * (self.of_all + 1))

    def log_room(self, reserve: Exact) -> float:
        """log of share/δ, rounded down: the most that P(passes)·(δ_true − δ)/δ may be."""
        with precision():
            return float_down((ball(self.share(reserve)) / ball(self.claim.delta)).log())

    def to_json(self) -> dict[str, Any]:
        """As saved states and certificates have it."""
        return {
            "mechanism": self.mechanism,
            "claim": self.claim.canonical(),
            "of_mechanism": self.of_mechanism,
            "of_all": self.of_all,
            "plan": self.plan,
            "passed": self.passed,
        }


@final
@dataclass(frozen=True, slots=True)
class State:
    """All attempts there were, in their order."""

    attempts: tuple[Attempt, ...] = ()

    def tries(self, mechanism: str, claim: Claim) -> list[Attempt]:
        """Those of this mechanism under this claim."""
        return [one for one in self.attempts if (one.mechanism, one.claim) == (mechanism, claim)]

    def begin(
        self, mechanism: str, claim: Claim, *, plan: str = "", tries: int = 1
    ) -> tuple[State, Attempt]:
        """The attempt that is still open, or a new one; Refused after so many that failed.

        One that was stopped may have shown its coins, so it goes on with its plan or not at all.

        >>> state, one = State().begin("m", Claim(epsilon=1, delta="1e-5"))
        >>> (one.of_mechanism, one.of_all), state.begin("m", one.claim)[1] == one
        ((1, 1), True)
        """
        own = self.tries(mechanism, claim)
        for one in own:
            if one.passed is None and one.plan == plan:
                return self, one
        failed = sum(one.passed is False for one in own)
        if failed >= tries:
            raise Refused(
                f"the claim {claim} of this mechanism failed before, and was tried {tries}×",
                field="claim",
                hint="Trying again is paid for: tries= says how often a claim may be tried.",
            )
        count = sum(one.mechanism == mechanism for one in self.attempts)
        new = Attempt(mechanism, claim, count + 1, len(self.attempts) + 1, plan)
        return State((*self.attempts, new)), new

    def end(self, attempt: Attempt, *, passed: bool) -> State:
        """After its verdict, which is given once."""
        if attempt not in self.attempts or attempt.passed is not None:
            raise Refused("this attempt is not open")
        place = self.attempts.index(attempt)
        done = replace(attempt, passed=passed)
        return State((*self.attempts[:place], done, *self.attempts[place + 1 :]))

    def to_json(self) -> list[dict[str, Any]]:
        """The attempts, for whoever keeps them."""
        return [one.to_json() for one in self.attempts]

    @classmethod
    def of(cls, document: object) -> State:
        """The state that `to_json` gave; CorruptBooks for what is none."""
        try:
            found = tuple(_attempt(one) for one in document)  # type: ignore[attr-defined]
        except (TypeError, KeyError, InvalidParameter) as error:
            raise CorruptBooks("this is no list of attempts", field="attempts") from error
        counts: dict[str, int] = {}
        for place, one in enumerate(found, 1):
            counts[one.mechanism] = counts.get(one.mechanism, 0) + 1
            if (one.of_all, one.of_mechanism) != (place, counts[one.mechanism]):
                raise CorruptBooks("attempts are missing or out of order", field="attempts")
        return cls(found)


class Pays(Protocol):
    """What a gate asks of a purse (`filters.Purse` is one)."""

    def reserve(self, plan: Any, /, *, request: str, body: str, scopes: Any) -> Any:
        """Hold what a plan costs; the same request again gives the charge that there is."""

    def start(self, request: str, /) -> Any:
        """From now on data may be read."""

    def commit(self, request: str, answer: Any, /) -> Any:
        """Keep the answer, which may leave then."""

    def abandon(self, request: str, /) -> Any:
        """Give back what was never started."""

    def fail(self, request: str, /) -> Any:
        """After an error all of it stays charged."""

    def relations(self, scopes: Any, /) -> Any:
        """The neighbouring relations of the scopes' promises."""


@final
class Attempts:
    """The attempts of one installation, and the reserve of δ that they share.

    `reserve` is what all false verdicts together may add to δ, in expectation over coins that
    depend on no data.  Through a purse it is charged once, as (0, reserve).  One ledger serves all
    gates of a data set: with two, there would be two reserves.

    >>> Attempts(reserve="1e-8").reserve
    1e-8
    """

    __slots__ = ("_lock", "_process", "_secret", "_state", "name", "reserve")

    def __init__(
        self,
        *,
        reserve: Number,
        name: str = "gate",
        secret: bytes | None = None,
        state: State | None = None,
    ) -> None:
        """A fresh ledger, or the one of a `secret` and a `state` that were kept."""
        self.reserve = require.positive(reserve=reserve)
        if not self.reserve < 1:
            raise InvalidParameter("it must be below 1", field="reserve", value=self.reserve)
        if secret is not None and (not isinstance(secret, bytes) or len(secret) < _KEY):
            raise InvalidParameter(f"it must be {_KEY} random bytes or more", field="secret")
        if secret is None and state is not None and state.attempts:
            need = "attempts that were kept need the secret that they had"
            raise InvalidParameter(need, field="secret")
        self.name = name
        self._secret = os.urandom(_KEY) if secret is None else secret
        self._state = State() if state is None else state
        self._lock, self._process = Lock(), os.getpid()

    @property
    def state(self) -> State:
        """All attempts there were, to be kept."""
        return self._state

    def begin(self, mechanism: Plan, claim: Claim, *, plan: str = "", tries: int = 1) -> Attempt:
        """An attempt, before its coins are tossed."""
        times = require.count(tries=tries)
        with self._changing():
            self._state, one = self._state.begin(_name(mechanism), claim, plan=plan, tries=times)
        return one

    def end(self, attempt: Attempt, *, passed: bool) -> None:
        """Its verdict."""
        with self._changing():
            self._state = self._state.end(attempt, passed=passed)

    def failed(self, plan: Plan, claim: Claim) -> int:
        """How often this claim of this mechanism failed."""
        return sum(one.passed is False for one in self._state.tries(_name(plan), claim))

    def key(self, attempt: Attempt) -> bytes:
        """The key of its coins: no function of the claim, and none of data."""
        told = json.dumps([attempt.mechanism, attempt.of_mechanism])
        return hmac.new(self._secret, told.encode(), hashlib.sha256).digest()

    def pay(self, purse: Pays, scopes: Any) -> None:
        """Charge the reserve, once to each choice of scopes; another ledger has its own."""
        named = None if scopes is None else sorted(scopes)
        where = "all scopes" if named is None else ", ".join(named)
        mark = hmac.new(self._secret, b"ledger", hashlib.sha256).hexdigest()[:12]
        request = f"{self.name} {mark}: reserve of false verdicts in {where}"
        charged = purse.reserve(
            ApproximateDP(epsilon=0, delta=self.reserve), request=request, body="", scopes=named
        )
        if not charged.answers:
            purse.start(request)
            purse.commit(request, True)

    def _changing(self) -> Lock:
        refuse_rehearsal("a release")
        if self._process != os.getpid():
            raise Refused(
                "these attempts are of another process, before a fork: they would count twice",
                hint="Let one process hold them.",
            )
        return self._lock

    def __repr__(self) -> str:
        return f"<{len(self._state.attempts)} attempts, reserve {self.reserve}>"


def coins(key: bytes, way: Direction) -> Keyed:
    """The coins of one direction."""
    return Keyed(hmac.new(key, way.value.encode(), hashlib.sha256).digest())


def _name(plan: Plan) -> str:
    """A mechanism as attempts know it: its canonical form, in any order of its steps."""
    return json.dumps(Plan.collected(plan.steps).canonical(), sort_keys=True)


def _attempt(told: Mapping[str, Any]) -> Attempt:
    passed = told["passed"]
    texts = told["mechanism"], told["plan"]
    if passed not in (None, True, False) or not all(isinstance(text, str) for text in texts):
        raise CorruptBooks("an attempt is damaged", field="attempts")
    return Attempt(
        told["mechanism"],
        Claim(**told["claim"]),
        require.count(of_mechanism=told["of_mechanism"]),
        require.count(of_all=told["of_all"]),
        told["plan"],
        passed,
    )
