"""The laws, over every mechanism, setting and relation of the registry."""

from __future__ import annotations

import pytest

import bursar
from bursar import Adjacency, Enclosure, LimitReached, NoProof, UpperBound
from bursar.accounting import characteristic, edgeworth, exact, gdp, lattice_profile
from bursar.accounting.accountants import takers
from bursar.mechanisms.base import Mechanism
from tests.laws import laws
from tests.laws.cases import APART, CASES, DELTAS, EVERY, NAMES, SILENT, Case, swept
from tests.sweeps import quick_first

BELOW = [
    (case, relation)
    for case, relation in APART
    if "rdp" in case.views() and case.enclosing(relation)
]
LIMITED = {  # of one step: what has no proof, and knows that it knows nothing
    edgeworth.NAME: [
        "randomized-response",
        "five categories",
        "group of responses",
        "pure-dp",
        "approximate-dp",
    ],
    characteristic.ACCOUNTANT.name: ["poisson", "laplace", "rounded-laplace"],
}


@pytest.fixture(autouse=True)
def _coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """A law holds on every lattice: coarse ones are quick."""
    monkeypatch.setattr(lattice_profile, "LEVELS", lattice_profile.LEVELS[:1])


def kinds(of: type[Mechanism]) -> set[str]:
    """The names of all mechanisms."""
    below = [kinds(kind) for kind in of.__subclasses__()]
    return set().union(*below) if below else {of.name}


def test_every_mechanism_is_in_the_registry() -> None:
    assert kinds(Mechanism) - SILENT <= set(NAMES)


@pytest.mark.parametrize(("case", "relation"), swept(APART, heavy=True))
def test_dearer_plans_cost_more(case: Case, relation: Adjacency) -> None:
    laws.dearer_plans_cost_more(case.dearer(), relation)


@pytest.mark.parametrize(("case", "relation"), swept(APART))
def test_smaller_delta_costs_more(case: Case, relation: Adjacency) -> None:
    laws.smaller_delta_costs_more(case.plan(5), relation)


@pytest.mark.parametrize(("case", "relation"), swept(BELOW))
def test_rdp_is_never_below_the_truth(case: Case, relation: Adjacency) -> None:
    for count in (1, 20):
        laws.rdp_is_never_below(case.plan(count), relation, case.enclosing(relation)[0])


@pytest.mark.parametrize(("case", "relation"), swept(EVERY))
def test_many_are_as_many_singles(case: Case, relation: Adjacency) -> None:
    one = case.plan()
    whole, singles = 3 * one, one + one + one
    assert whole == singles == 2 * one + one == one * 3
    assert hash(whole) == hash(singles)
    first, second = (bursar.epsilon(p, delta="1e-5", adjacency=relation) for p in (whole, singles))
    assert first == second


@pytest.mark.parametrize(("case", "relation"), swept(EVERY))
def test_tight_means_tight(case: Case, relation: Adjacency) -> None:
    """What has a tight pair is answered from both sides, to the last digits; the rest is not."""
    plan, methods = case.plan(10), case.enclosing(relation)
    for delta in DELTAS[1:]:
        found = bursar.epsilon(plan, delta=delta, adjacency=relation)
        assert isinstance(found, Enclosure) == bool(methods)
        if exact.NAME in methods:
            assert found.upper - laws.lower(found) <= 1e-12 * found.upper


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_other_relations_are_refused_with_the_way_out(case: Case) -> None:
    (mechanism, _), *_ = case.plan().steps
    for relation in set(Adjacency) - mechanism.relations:
        with pytest.raises(NoProof) as caught:
            bursar.epsilon(case.plan(), delta="1e-5", adjacency=relation)
        assert all(allowed.value in str(caught.value.hint) for allowed in mechanism.relations)


@pytest.mark.parametrize("case", quick_first(CASES, 4))
def test_a_given_method_is_used_or_refused(case: Case) -> None:
    relation = case.relations[0]
    for taker in takers(case.plan(), adjacency=relation):
        question = {"delta": "1e-5", "adjacency": relation, "method": taker.method}
        if taker.refused is None:
            sharp = case.enclosing(relation)
            loose = taker.kind == Enclosure.kind and taker.method not in sharp
            kinds = {UpperBound.kind if loose else taker.kind}
            if taker.method in (edgeworth.NAME, gdp.NAME):  # which prove what they can
                kinds.add(UpperBound.kind)
            if taker.method == gdp.NAME and sharp:
                kinds.add(Enclosure.kind)
            if case.name in LIMITED.get(taker.method, ()):
                with pytest.raises(LimitReached) as reached:
                    bursar.epsilon(case.plan(), **question)
                assert float(reached.value.partial) > 0
            else:
                assert bursar.epsilon(case.plan(), **question).kind in kinds
        else:
            with pytest.raises(NoProof) as caught:
                bursar.epsilon(case.plan(), **question)
            assert caught.value.need == taker.refused


@pytest.mark.parametrize(
    "law",
    [
        laws.four_of_half_are_one,
        laws.an_enclosure_holds_the_truth,
        laws.each_direction_is_its_own,
        laws.heterogeneous_plans_have_no_order,
        laws.both_directions_count,
    ],
)
def test_a_law_of_the_exact_accountant(law) -> None:  # type: ignore[no-untyped-def]
    law()
