"""The choice of an accountant: the tightest that can, with what was passed over and why."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import bursar
from bursar import (
    ApproximateDP,
    Enclosure,
    Estimate,
    Gaussian,
    InternalError,
    Laplace,
    LimitReached,
    NoProof,
    NotCharged,
    Plan,
    PoissonSubsampled,
    RandomizedResponse,
    UpperBound,
    ZeroConcentratedDP,
)
from bursar.accounting import choose, rdp
from bursar.accounting.accountants import ACCOUNTANTS, PROVED, Accountant, takers
from bursar.errors import BursarError
from bursar.truth import Proved, Refusal

G = Gaussian(noise_multiplier=2)
STEP = PoissonSubsampled(G, sampling_probability="0.01")
TOO_MANY = 10**400 * STEP


def accountant(name: str, answer: Proved | BursarError) -> Accountant:
    """One that always gives this."""

    def ask(*_: object, **__: object) -> Proved:
        if isinstance(answer, BursarError):
            raise answer
        return answer

    return Accountant(name, "enclosure", lambda plan, adjacency: None, ask, ask)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Proved]:
    """The choice among accountants that always give these."""

    def choice(*answers: Proved | BursarError) -> Proved:
        made = tuple(accountant(f"a{n}", answer) for n, answer in enumerate(answers))
        monkeypatch.setattr(choose, "PROVED", made)
        first, second = bursar.epsilon(G, delta="1e-5"), bursar.delta(G, epsilon=1)
        assert first == second
        return first

    return choice


def test_the_tightest_answers() -> None:
    for plan in (
        10 * G,
        100 * STEP,
        3 * Laplace(scale=2) + G,
        5 * ApproximateDP(epsilon=1, delta=0),
    ):
        found = bursar.epsilon(plan, delta="1e-5")
        assert isinstance(found, Enclosure)
        assert found.about.method in {"exact", "closed-form"}
        assert found.about.passed_over == ()


def test_who_has_no_proof_is_passed_over_with_the_reason() -> None:
    found = bursar.epsilon(G + ZeroConcentratedDP(rho="0.1"), delta="1e-5")
    assert isinstance(found, UpperBound)
    assert found.about.method == "rdp"
    why = "zcdp has no pair view"
    assert found.about.passed_over == (Refusal("exact", why), Refusal("lattice", why))
    told = found.to_json()
    assert told["passed_over"][0] == {"method": "exact", "refused": why}
    assert told["reason"] is None
    assert "not exact" in found._repr_html_()


def test_who_reaches_a_limit_is_passed_over(chosen: Callable[..., Proved]) -> None:
    found = chosen(LimitReached("it is long"), UpperBound(upper=3.0))
    assert found == UpperBound(upper=3.0)
    assert found.about.passed_over == (Refusal("a0", "it is long"),)


def test_the_first_sharp_answer_ends_the_search(chosen: Callable[..., Proved]) -> None:
    bug = InternalError("it must not be asked")
    for sharp in (Enclosure(lower=1.0, upper=1.0005), Enclosure(lower=0.0, upper=0.0)):
        assert chosen(sharp, bug) == sharp
    infinite = Enclosure(lower=math.inf, upper=math.inf)
    assert chosen(infinite, bug) == infinite


def test_the_least_of_what_is_not_sharp(chosen: Callable[..., Proved]) -> None:
    assert chosen(UpperBound(upper=4.0), UpperBound(upper=3.0)) == UpperBound(upper=3.0)
    assert chosen(UpperBound(upper=3.0), UpperBound(upper=4.0)) == UpperBound(upper=3.0)
    blunt = Enclosure(lower=2.0, upper=4.0)
    assert chosen(blunt, UpperBound(upper=3.0)) == Enclosure(lower=2.0, upper=3.0)
    assert chosen(blunt, UpperBound(upper=5.0)) == blunt
    assert chosen(blunt, NoProof("none")) == blunt
    wide = Enclosure(lower=0.0, upper=1.0)
    assert chosen(UpperBound(upper=math.inf), wide) == wide


def test_our_own_bug_is_not_passed_over(chosen: Callable[..., Proved]) -> None:
    with pytest.raises(InternalError):
        chosen(InternalError("a bug"), UpperBound(upper=3.0))


def test_when_nobody_answers(chosen: Callable[..., Proved]) -> None:
    with pytest.raises(NoProof) as refused:
        chosen(NoProof("one reason"), NoProof("another"))
    assert "a0: one reason; a1: another" in str(refused.value)
    with pytest.raises(NoProof, match=r"^only one\. Ask\.$"):
        chosen(NoProof("only one", hint="Ask."), NoProof("only one"))
    with pytest.raises(LimitReached, match="long"):
        chosen(NoProof("none"), LimitReached("too long"))


def test_estimates_answer_only_by_name() -> None:
    assert not {Estimate.kind} & {one.kind for one in PROVED}
    for name in ("saddlepoint", "edgeworth", "gdp"):
        guess = bursar.epsilon(100 * STEP, delta="1e-5", method=name)
        assert isinstance(guess, Estimate)
        with pytest.raises(NotCharged):
            float(guess)
        assert isinstance(bursar.delta(100 * STEP, epsilon=1, method=name), Estimate)


def test_a_method_is_obeyed() -> None:
    found = bursar.epsilon(10 * G, delta="1e-5", method="rdp")
    assert found == rdp.epsilon(10 * G, delta="1e-5")
    assert float(found) > float(bursar.epsilon(10 * G, delta="1e-5", method="exact"))
    with pytest.raises(NoProof, match="no pair view"):
        bursar.epsilon(ZeroConcentratedDP(rho=1), delta="1e-5", method="exact")


def test_a_forced_limit_has_the_safe_answer_so_far() -> None:
    with pytest.raises(LimitReached) as reached:
        bursar.epsilon(TOO_MANY, delta="1e-5", method="exact")
    safe = bursar.epsilon(TOO_MANY, delta="1e-5", method="rdp")
    assert reached.value.partial == safe
    assert reached.value.exit_code == 4
    assert reached.value.to_json()["error"]["partial"]["epsilon"] == safe.to_json()["epsilon"]
    with pytest.raises(LimitReached) as alone:
        bursar.epsilon(10**14 * ApproximateDP(epsilon=1, delta="1e-9"), delta="0.9", method="exact")
    assert alone.value.partial is None


def test_who_takes_a_plan() -> None:
    assert [one.method for one in takers(100 * STEP)] == [one.name for one in ACCOUNTANTS]
    assert [one.refused for one in takers(100 * STEP)] == [None] * len(ACCOUNTANTS)
    refused = {one.method: one.refused for one in takers(ZeroConcentratedDP(rho=1))}
    assert refused["rdp"] is None
    assert refused["exact"] == refused["gdp"] == "zcdp has no pair view"
    response = takers(RandomizedResponse(epsilon=1), adjacency="replace-one")
    assert [one.method for one in response if one.refused is None] == [
        "exact",
        "lattice",
        "rdp",
        "edgeworth",
        "gdp",
    ]
    assert all(one.refused for one in takers(RandomizedResponse(epsilon=1)))


def test_a_plan_is_the_same_as_its_only_step() -> None:
    assert bursar.epsilon(G, delta="1e-5") == bursar.epsilon(Plan.of(G), delta="1e-5")
