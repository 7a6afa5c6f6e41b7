"""The gate: it runs or refuses; attempts are counted; a purse pays."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

import bursar
from bursar import (
    ApproximateDP,
    BudgetExceeded,
    Gaussian,
    InvalidParameter,
    Laplace,
    NoProof,
    Refused,
    VerifiedClaim,
)
from bursar.accounting.monte_carlo_runs import Manner
from bursar.errors import CorruptBooks, InternalError, NotVerified
from bursar.filters import DpFilter, GdpFilter, Purse, Stage, ZcdpFilter
from bursar.mechanisms.plan import Plan
from bursar.noise import rehearse
from bursar.verification import gate as module
from bursar.verification.again import recheck
from bursar.verification.attempts import Attempt, Attempts, State, coins
from bursar.verification.certificate import sealed
from bursar.verification.claims import Claim, Verifiers
from bursar.verification.gate import Other, Paid, Released, release
from bursar.verification.records import Record
from bursar.verification.sides import Care, Pilot

PLAN = 60 * Gaussian(noise_multiplier="28.914")
QUIET = 60 * Gaussian(noise_multiplier=40)
TRUTH = float(bursar.delta(PLAN, epsilon="1"))
GOOD, BAD = (Claim(epsilon="1", delta=TRUTH * times) for times in (1.3, 0.97))
DRAWS = Verifiers(("draws",))
COARSE = Care(gap="0.2")


def ledger(**more: Any) -> Attempts:
    return Attempts(reserve="1e-7", secret=bytes(32), **more)


def drawn(claim: Claim, attempts: Attempts, plan: Plan = PLAN, **more: Any) -> Released[Any]:
    return release(
        plan, claim, lambda: "ran", attempts=attempts, verifiers=DRAWS, care=COARSE, **more
    )


def test_a_good_claim_runs() -> None:
    books = ledger()
    found = drawn(GOOD, books)
    assert found.answer == "ran"
    assert isinstance(found.claim, VerifiedClaim)
    assert (float(found.claim), found.claim.delta) == (1.0, GOOD.delta.text)
    assert "release-gate" in found.claim.theorem
    assert found.claim.certificate == found.records[-1].digest
    assert found.records[-1].document["meaning"] == "release"
    assert recheck(found.records[-1]).accepted
    assert [one.passed for one in books.state.attempts] == [True]


def test_a_false_claim_does_not_run() -> None:
    ran: list[int] = []
    books = ledger()
    with pytest.raises(NotVerified, match="nothing was run") as error:
        release(PLAN, BAD, lambda: ran.append(1), attempts=books, verifiers=DRAWS, care=COARSE)
    assert not ran
    assert error.value.exit_code == 1
    assert error.value.record.document["accepted"] is False
    assert [one.passed for one in books.state.attempts] == [False]


def test_what_is_settled_is_no_attempt() -> None:
    books = ledger()
    found = release(PLAN, GOOD, lambda: 1, attempts=books)
    assert found.claim.theorem.startswith("exact")
    with pytest.raises(NotVerified):
        release(PLAN, BAD, lambda: 1, attempts=books)
    assert not books.state.attempts


def test_a_claim_that_failed_is_not_tried_again_for_nothing() -> None:
    books = ledger()
    with pytest.raises(NotVerified):
        drawn(BAD, books, tries=2)
    assert len(books.state.attempts) == 2
    with pytest.raises(Refused, match="failed before"):
        drawn(BAD, books, tries=2)
    assert len(books.state.attempts) == 2
    with pytest.raises(NotVerified):
        drawn(BAD, books, tries=3)
    assert [one.of_all for one in books.state.attempts] == [1, 2, 3]


def test_a_nudged_claim_is_another_attempt_and_has_no_other_share() -> None:
    books = ledger()
    near = Claim(epsilon="1.000000001", delta=GOOD.delta)
    other = 60 * Gaussian(noise_multiplier="28.914000001")
    drawn(GOOD, books)
    drawn(near, books)
    drawn(GOOD, books, other)
    first, second, third = books.state.attempts
    assert [one.of_mechanism for one in (first, second, third)] == [1, 2, 1]
    assert [one.of_all for one in (first, second, third)] == [1, 2, 3]
    shares = [one.share(books.reserve) for one in (first, second, third)]
    assert shares == [books.reserve / 2, books.reserve / 6, books.reserve / 12]
    assert len({books.key(one) for one in (first, second, third)}) == 3


def test_later_attempts_need_more() -> None:
    early, late = (Attempt("m", GOOD, 1, r).log_room(ledger().reserve) for r in (1, 1000))
    assert late < early - 13
    books = ledger(
        state=State(tuple(Attempt(f"m{i}", GOOD, 1, i, passed=False) for i in range(1, 1001)))
    )
    side = drawn(GOOD, books).records[-1].document["sides"][0]
    assert float.fromhex(side["log_threshold"]) > 3


def test_a_mechanism_is_the_same_in_any_order_of_its_steps() -> None:
    books = ledger()
    a, b = Gaussian(noise_multiplier=3), Gaussian(noise_multiplier=5)
    first = books.begin(Plan(((a, 1), (b, 2))), GOOD)
    assert books.begin(Plan(((b, 2), (a, 1))), GOOD) == first


def test_coins_do_not_know_the_claim() -> None:
    one = Attempt("m", GOOD, 1, 1)
    books = ledger()
    assert books.key(one) == books.key(Attempt("m", BAD, 1, 7))
    assert books.key(one) != books.key(Attempt("m", GOOD, 2, 2))
    assert books.key(one) != Attempts(reserve="1e-7").key(one)
    ways = [coins(books.key(one), way).key for way in bursar.Direction]
    assert ways[0] != ways[1]


def test_attempts_that_were_kept_go_on() -> None:
    books = ledger()
    drawn(GOOD, books)
    begun = books.begin(PLAN, BAD)
    kept = json.loads(json.dumps(books.state.to_json()))
    again = ledger(state=State.of(kept))
    assert again.state == books.state
    assert again.begin(PLAN, BAD) == begun, "an attempt that was not ended goes on"
    with pytest.raises(CorruptBooks, match="missing"):
        State.of(kept[1:])
    with pytest.raises(CorruptBooks):
        State.of([{}])
    with pytest.raises(InvalidParameter, match="secret"):
        Attempts(reserve="1e-7", state=books.state)


def test_an_attempt_that_was_stopped_goes_on_as_it_was_planned() -> None:
    """Its coins may have been seen: with another plan it would be another test of them."""
    books, drew = ledger(), list[int]()

    def stop(done: int, blocks: int, left: float) -> None:
        drew.append(done)
        raise OSError("killed")

    with pytest.raises(OSError, match="killed"):
        drawn(GOOD, books, manner=Manner(progress=stop))
    (first,) = books.state.attempts
    assert first.passed is None
    release(PLAN, GOOD, lambda: 1, attempts=books, verifiers=DRAWS, care=Care(gap="0.15"))
    assert [(one.of_all, one.passed) for one in books.state.attempts] == [(1, None), (2, True)]
    drawn(GOOD, books)
    assert [one.passed for one in books.state.attempts] == [True, True]


def test_a_verdict_is_given_once() -> None:
    books = ledger()
    one = books.begin(PLAN, GOOD)
    books.end(one, passed=True)
    with pytest.raises(Refused, match="not open"):
        books.end(one, passed=False)


def test_a_record_of_a_release_is_within_its_share() -> None:
    body = json.loads(json.dumps(drawn(GOOD, ledger()).records[-1].document))
    body.pop("digest")
    body["attempt"]["of_all"] = 10**9
    again = recheck(Record.of(sealed(body)))
    assert not again.accepted
    assert "share of the reserve" in str(again.reason)


def test_another_mechanism_runs_where_the_first_fails() -> None:
    books = ledger()
    found = drawn(BAD, books, otherwise=[Other(QUIET, lambda: "quietly")])
    assert (found.answer, found.mechanism) == ("quietly", QUIET)
    assert [one.accepted for one in found.records] == [False, True]
    assert len(books.state.attempts) in {1, 2}


def test_evidence_closes_the_gate_before_an_attempt() -> None:
    books = ledger()
    evidence = bursar.audit.lower_bound(
        [i % 10 < 9 for i in range(4000)], [i % 10 >= 9 for i in range(4000)], delta="1e-4"
    )
    with pytest.raises(NotVerified, match="audit found"):
        drawn(GOOD, books, evidence=[evidence])
    assert not books.state.attempts


def purse(**more: Any) -> Purse:
    return Purse({"census": DpFilter(epsilon=10, delta="1e-3", delta_of_steps="5e-4", **more)})


def test_a_purse_pays_the_claim_and_once_the_reserve() -> None:
    books, money = ledger(), purse()
    paid = Paid(purse=money, request="r1")
    found = drawn(GOOD, books, paid=paid)
    statement = ApproximateDP(epsilon=1, delta=GOOD.delta)
    plans = {one.request: one.plan for one in money.history()}
    assert plans["r1"] == Plan.of(statement)
    assert ApproximateDP(epsilon=0, delta="1e-7") in [p.steps[0][0] for p in plans.values()]
    assert drawn(GOOD, books, paid=paid) is found, "the same request, the same answer"
    assert len(books.state.attempts) == 1
    drawn(GOOD, books, QUIET, paid=Paid(purse=money, request="r2"))
    assert len(money.history()) == 3, "the reserve is charged once"


def test_another_ledger_has_another_reserve() -> None:
    money, other = purse(), Attempts(reserve="1e-7")
    for books in (ledger(), ledger(), other):
        books.pay(money, None)
        books.pay(money, iter(["census"]))
    assert len(money.history()) == 4


def test_what_is_proved_without_a_draw_is_no_attempt() -> None:
    books = ledger()
    found = drawn(Claim(epsilon="1", delta=TRUTH * 10), books)
    assert found.records[-1].document["sides"][0]["draws"] == 0
    assert recheck(found.records[-1]).accepted
    assert not books.state.attempts


def test_scopes_may_be_any_iterable() -> None:
    paid = Paid(purse=purse(), request="r1", scopes=iter(["census"]))
    assert drawn(GOOD, ledger(), paid=paid).answer == "ran"


def test_a_refusal_gives_the_claim_back() -> None:
    books, money = ledger(), purse()
    with pytest.raises(NotVerified):
        drawn(BAD, books, paid=Paid(purse=money, request="r1"))
    assert money.charge("r1").stage is Stage.ABANDONED
    spent = purse()
    books.pay(spent, None)
    assert money.left("census") == spent.left("census")
    with pytest.raises(Refused, match="new id"):
        drawn(BAD, books, paid=Paid(purse=money, request="r1"))


def test_an_error_while_it_runs_is_charged_in_full() -> None:
    money = purse()

    def broken() -> None:
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        release(PLAN, GOOD, broken, attempts=ledger(), paid=Paid(purse=money, request="r1"))
    assert money.charge("r1").stage is Stage.CHARGED_IN_FULL


def test_data_is_read_after_it_is_paid_for() -> None:
    money, stages = purse(), list[Stage]()
    release(
        PLAN,
        GOOD,
        lambda: stages.append(money.charge("r1").stage),
        attempts=ledger(),
        paid=Paid(purse=money, request="r1"),
    )
    assert stages == [Stage.STARTED]


def test_what_cannot_be_paid_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(module, "pilots", never)
    small = Purse({"x": DpFilter(epsilon="0.1", delta="1e-3", delta_of_steps="5e-4")})
    with pytest.raises(BudgetExceeded):
        drawn(GOOD, ledger(), paid=Paid(purse=small, request="r1"))
    with pytest.raises(NoProof, match="gdp"):
        drawn(GOOD, ledger(), paid=Paid(purse=Purse({"x": GdpFilter(mu=1)}), request="r1"))
    other = purse(adjacency="zero-out")
    with pytest.raises(InvalidParameter, match="other neighbours"):
        drawn(GOOD, ledger(), paid=Paid(purse=other, request="r1"))


def test_zcdp_takes_a_claim_too() -> None:
    money = Purse({"x": ZcdpFilter(rho=2, delta="1e-4")})
    assert drawn(GOOD, ledger(), paid=Paid(purse=money, request="r1")).answer == "ran"


def test_a_rehearsal_releases_nothing() -> None:
    with pytest.raises(Refused, match="rehearsal"):
        rehearse(lambda: release(PLAN, GOOD, lambda: 1, attempts=ledger()), seed=1)
    answer = rehearse(lambda: 1, seed=1)
    with pytest.raises(Refused, match="NOT PRIVATE"):
        release(PLAN, GOOD, lambda: answer, attempts=ledger())


def test_a_fork_has_no_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    books = ledger()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(Refused, match="another process"):
        books.begin(PLAN, GOOD)


@pytest.mark.parametrize("reserve", ["0", "-1e-9", "1", "nan"])
def test_a_reserve_is_a_delta(reserve: str) -> None:
    with pytest.raises(InvalidParameter) as error:
        Attempts(reserve=reserve)
    assert error.value.field in {"reserve", "value"}


def test_a_short_secret_is_none() -> None:
    with pytest.raises(InvalidParameter, match="32 random bytes"):
        Attempts(reserve="1e-7", secret=b"short")


def test_what_has_no_sampler_is_refused_and_is_no_attempt() -> None:
    books = ledger()
    with pytest.raises(NoProof):
        drawn(GOOD, books, Plan.of(Laplace(scale=1)))
    with pytest.raises(InvalidParameter, match="tries"):
        drawn(GOOD, books, tries=0)
    assert not books.state.attempts


def test_a_trial_beyond_its_share_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Pilot.side
    monkeypatch.setattr(Pilot, "side", lambda self, care, _: real(self, care, lambda pull: 0.0))
    books = Attempts(reserve="1e-16", secret=bytes(32))
    with pytest.raises(InternalError, match="share"):
        drawn(GOOD, books)
