"""Static answers: who settles, who draws, what is refused, and records that are looked at again."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bursar
from bursar import (
    ApproximateDP,
    Exact,
    FromSamples,
    Gaussian,
    HighProbabilityBound,
    InvalidParameter,
    Laplace,
    NoProof,
    NotACertificate,
    NotCharged,
    Plan,
    PoissonSubsampled,
    UpperBound,
    ZeroConcentratedDP,
)
from bursar.accounting.monte_carlo_runs import Manner
from bursar.audit import lower_bound
from bursar.errors import CorruptBooks, LimitReached
from bursar.verification import static as module
from bursar.verification.again import recheck
from bursar.verification.certificate import sealed
from bursar.verification.claims import Claim, Verifiers
from bursar.verification.records import Record
from bursar.verification.sides import Care
from bursar.verification.static import Verified, verify

PLAN = 60 * Gaussian(noise_multiplier="28.914")
SAMPLED = 40 * PoissonSubsampled(Gaussian(noise_multiplier=4), sampling_probability="0.3")
DRAWS = Verifiers(("draws",))
COARSE = Care(gap="0.2")


def true_delta(plan: Any, epsilon: str) -> float:
    return float(bursar.delta(plan, epsilon=epsilon))


def drawn(times: float, plan: Any = PLAN, epsilon: str = "1", **more: Any) -> Verified:
    claim = Claim(epsilon=epsilon, delta=true_delta(plan, epsilon) * times)
    return verify(plan, claim, verifiers=DRAWS, care=COARSE, key=bytes(32), **more)


def test_the_exact_accountant_settles_at_once() -> None:
    truth = true_delta(PLAN, "1")
    yes = verify(PLAN, Claim(epsilon="1", delta=truth * 1.0001))
    no = verify(PLAN, Claim(epsilon="1", delta=truth * 0.9999))
    assert (yes.accepted, yes.method, yes.failure_probability) == (True, "exact", 0)
    assert (no.accepted, no.method) == (False, "exact")
    assert isinstance(yes.bound, UpperBound)
    assert float(yes.bound) == 1
    assert no.bound is None


def test_between_the_ends_of_an_enclosure_nobody_knows() -> None:
    found = bursar.epsilon(PLAN, delta="1e-5")
    middle = (Exact(found.lower) + Exact(found.upper)) / 2  # type: ignore[union-attr]
    assert found.lower < middle < found.upper  # type: ignore[union-attr]
    claim = Claim(epsilon=middle, delta="1e-5")
    assert Verifiers(("exact",)).settle(Plan.of(PLAN), claim) is None


def test_an_accountant_with_an_upper_bound_says_yes_or_nothing() -> None:
    rdp = Verifiers(("rdp",))
    assert verify(PLAN, Claim(epsilon=2, delta="1e-5"), verifiers=rdp).method == "rdp"
    with pytest.raises(NoProof, match="neither confirm nor refute"):
        verify(PLAN, Claim(epsilon="0.5", delta="1e-5"), verifiers=rdp)


def test_who_has_no_proof_verifies_nothing() -> None:
    with pytest.raises(NoProof, match="has no proof") as error:
        Verifiers(("gdp",))
    assert "draws" in str(error.value.hint)
    with pytest.raises(InvalidParameter):
        Verifiers(("guesswork",))


@pytest.mark.parametrize(
    ("plan", "epsilon"), [(PLAN, "1"), pytest.param(SAMPLED, "1", marks=pytest.mark.slow)]
)
def test_draws_tell_a_good_claim_from_a_false_one(plan: Any, epsilon: str) -> None:
    good = drawn(1.3, plan, epsilon, beta="1e-6")
    assert good.accepted
    assert good.failure_probability == 1e-6
    assert isinstance(good.bound, HighProbabilityBound)
    with pytest.raises(NotCharged):
        float(good.bound)
    assert not drawn(0.97, plan, epsilon, beta="1e-6").accepted


def test_a_bound_without_a_draw_is_proved() -> None:
    found = drawn(10.0)
    assert found.accepted
    assert found.failure_probability == 0
    assert "without a draw" in found.reason
    assert isinstance(found.bound, UpperBound)


def test_a_pilot_gives_up_what_is_hopeless() -> None:
    found = drawn(0.3)
    assert (found.accepted, found.method) == (False, "pilot")
    assert "δ ≈" in found.reason


def test_an_audit_refutes_before_anything_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(module, "pilots", never)
    monkeypatch.setattr(Verifiers, "settle", never)
    coin = [i % 10 < 9 for i in range(4000)]
    found = lower_bound(coin, [not one for one in coin], delta="1e-5")
    claim = Claim(epsilon=1, delta="1e-5")
    refused = verify(PLAN, claim, evidence=[found])
    assert (refused.accepted, refused.method) == (False, "audit")
    assert not recheck(refused.record).replayed


def test_an_audit_at_a_smaller_delta_refutes_nothing() -> None:
    coin = [i % 10 < 9 for i in range(4000)]
    found = lower_bound(coin, [not one for one in coin], delta="1e-9")
    assert verify(PLAN, Claim(epsilon=1, delta="1e-5"), evidence=[found]).method == "exact"
    with pytest.raises(InvalidParameter, match="lower bound"):
        verify(PLAN, Claim(epsilon=1, delta="1e-5"), evidence=[0.5])


@pytest.mark.parametrize("delta", ["0", "1", "-1", "2"])
def test_a_claim_of_no_delta_is_refused(delta: str) -> None:
    with pytest.raises(InvalidParameter) as error:
        Claim(epsilon=1, delta=delta)
    assert error.value.field == "delta"


@pytest.mark.parametrize("value", ["0", "1", "-0.1", "nan"])
def test_beta_gap_and_miss_are_probabilities(value: str) -> None:
    claim = Claim(epsilon=1, delta="1e-5")
    for field, ask in {
        "beta": lambda: verify(PLAN, claim, beta=value),
        "gap": lambda: Care(gap=value),
        "miss": lambda: Care(miss=value),
    }.items():
        with pytest.raises(InvalidParameter) as error:
            ask()
        assert error.value.field == field


def test_what_has_no_sampler_says_what_would_do() -> None:
    claim = Claim(epsilon=1, delta="1e-5")
    with pytest.raises(NoProof, match="log_ratio"):
        verify(3 * Laplace(scale=1), claim, verifiers=DRAWS)
    with pytest.raises(NoProof, match="zcdp has no pair view"):
        verify(ZeroConcentratedDP(rho="0.1"), claim, verifiers=DRAWS)
    assert not verify(ApproximateDP(epsilon=2, delta="1e-6"), claim).accepted


class Shifted:
    """N(±1/σ, 1) against N(0, 1), of which only draws and log-ratios are told."""

    def __init__(self, shift: float) -> None:
        self.shift = shift

    def sample(self, size: int, random: np.random.Generator) -> np.ndarray:
        return random.standard_normal(size) + self.shift

    def log_ratio(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(self.shift * points - self.shift**2 / 2)


def test_what_one_brings_oneself_is_verified_by_draws() -> None:
    mine = FromSamples(label="mine", remove=Shifted(0.5), add=Shifted(-0.5))
    truth = true_delta(Gaussian(noise_multiplier=2), "0.5")
    good = Claim(epsilon="0.5", delta=truth * 1.3)
    found = verify(mine, good, care=Care(gap="0.2"), beta="1e-6")
    assert (found.accepted, found.method) == (True, "draws")
    assert recheck(found.record, run=mine).accepted
    with pytest.raises(NotACertificate, match="cannot be replayed"):
        recheck(found.record)
    with pytest.raises(NotACertificate, match="not what was verified"):
        recheck(found.record, run=PLAN)
    assert not verify(mine, Claim(epsilon="0.5", delta=truth * 0.8), care=COARSE).accepted


def test_too_many_draws_are_refused() -> None:
    claim = Claim(epsilon="1", delta=true_delta(PLAN, "1") * 1.02)
    with pytest.raises(LimitReached, match="draws would be needed"):
        verify(PLAN, claim, verifiers=DRAWS, care=Care(gap="1e-3", most=10_000))


def test_a_tiny_delta_is_no_harder() -> None:
    claim = Claim(epsilon="16", delta="1e-330")
    assert verify(10 * Gaussian(noise_multiplier=9), claim, verifiers=DRAWS).accepted


def test_records_are_replayed(tmp_path: Path) -> None:
    found = drawn(1.3)
    found.record.save(tmp_path / "record.json")
    again = recheck(Record.read(tmp_path / "record.json"))
    assert again.replayed
    assert again.accepted
    assert again.fresh is None
    document = found.record.document
    assert (document["meaning"], document["failure_probability"]) == ("static", 1e-10)


def test_a_fresh_run_has_other_coins() -> None:
    again = recheck(drawn(1.3).record, fresh=True, beta="1e-4")
    assert again.fresh is not None
    assert again.fresh.accepted
    assert again.fresh.record.document["key"] != bytes(32).hex()
    assert again.fresh.failure_probability == 1e-4


def changed(record: Record, **changes: Any) -> Record:
    body = json.loads(json.dumps(record.document))
    body.pop("digest")
    for name, value in changes.items():
        if name in body:
            body[name] = value
        else:
            body["sides"][0][name] = value
    return Record.of(sealed(body))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"key": "11" * 32}, "another wealth"),
        ({"accepted": False}, "not what was drawn"),
        ({"design": "0" * 64}, "another design"),
        ({"share": (0.9).hex()}, "too large"),
        ({"log_threshold": (0.0).hex()}, "more often than"),
        ({"failure_probability": 1e-30}, "more often than"),
        ({"sides": []}, "missing"),
    ],
)
def test_a_record_that_says_more_than_its_coins_is_found_out(
    changes: dict[str, Any], why: str
) -> None:
    again = recheck(changed(drawn(1.3).record, **changes))
    assert not again.accepted
    assert why in str(again.reason)


@pytest.mark.parametrize(
    "document", [None, [], {}, {"format": "bursar-verification", "version": 2}]
)
def test_what_is_no_record_is_refused(document: object) -> None:
    with pytest.raises(NotACertificate):
        Record.of(document)


def test_a_damaged_record_is_refused(tmp_path: Path) -> None:
    document = drawn(1.3).record.document | {"accepted": False}
    with pytest.raises(NotACertificate, match="damaged"):
        Record.of(document)
    for text in ("", "[1]", "{"):
        (tmp_path / "x").write_text(text)
        with pytest.raises(NotACertificate):
            Record.read(tmp_path / "x")


class Stopped(Exception):
    """A run that is killed."""


def test_an_interrupted_run_goes_on_with_its_coins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bursar.accounting.monte_carlo_draws._BLOCK", 300)
    seen: list[int] = []

    def stop(done: int, blocks: int, left: float) -> None:
        seen.append(done)
        if done == 3 and len(seen) == 3:
            raise Stopped

    claim = Claim(epsilon="1", delta=true_delta(PLAN, "1") * 1.3)
    ask = {"verifiers": DRAWS, "care": COARSE, "keep": tmp_path / "kept"}
    with pytest.raises(Stopped):
        verify(PLAN, claim, manner=Manner(progress=stop), **ask)  # type: ignore[arg-type]
    with (tmp_path / "kept" / "remove.sums").open("a") as file:
        file.write('["killed while it wro')
    found = verify(PLAN, claim, manner=Manner(progress=stop), **ask)  # type: ignore[arg-type]
    assert verify(PLAN, claim, **ask).record == found.record  # type: ignore[arg-type]
    key = json.loads((tmp_path / "kept" / "coins.json").read_text())["key"]
    assert seen[3] == 4, "the blocks that were done are not drawn again"
    assert found.record.document["key"] == key
    assert (tmp_path / "kept" / "coins.json").stat().st_mode & 0o077 == 0
    whole = verify(PLAN, claim, key=bytes.fromhex(key), verifiers=DRAWS, care=COARSE)
    assert whole.record == found.record
    with pytest.raises(InvalidParameter, match="another claim"):
        verify(PLAN, Claim(epsilon="1", delta="1e-4"), **ask)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="another way"):
        verify(PLAN, claim, beta="1e-3", **ask)  # type: ignore[arg-type]
    (tmp_path / "kept" / "coins.json").write_text("{")
    with pytest.raises(CorruptBooks):
        verify(PLAN, claim, **ask)  # type: ignore[arg-type]


@pytest.mark.slow
def test_two_cores_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bursar.accounting.monte_carlo_draws._BLOCK", 300)
    one, two = drawn(1.3), drawn(1.3, manner=Manner(cores=2))
    assert one.record == two.record


def test_an_epsilon_between_floats_is_rounded_against_the_claim() -> None:
    claim = Claim(
        epsilon="0.1000000000000000055511151231257827021181583404541015625001", delta=".5"
    )
    assert claim.epsilon_below <= claim.epsilon
    assert claim.log_delta <= math.log(0.5)
    bound = verify(PLAN, Claim(epsilon="1/3", delta="0.5")).bound
    assert bound is not None
    assert bound.upper >= 1 / 3
