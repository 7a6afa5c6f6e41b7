"""The sampler: heights above the density, exact tables, and a law that its mutants do not have."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from bursar.errors import InternalError
from bursar.exact import Exact
from bursar.numerics.envelope import CELLS, Envelope
from bursar.numerics.tilts import Coordinate

LAWS = [
    (Coordinate(Exact(1), Exact.of("1e-3"), True), 12.9, -13.4, 3.1),
    (Coordinate(Exact(4), Exact.of("0.2"), True), 0.0, -13.4, 15.4),
    (Coordinate(Exact.of("0.25"), Exact.of("0.01"), False), 25.0, -13.5, 13.4),
    (Coordinate(Exact.of("0.5"), Exact(1), True), 3.0, -12.0, 16.0),
]


def source(seed: int):
    return np.random.SFC64(seed).random_raw


def log_density(law: Coordinate, lam: float, t: np.ndarray) -> np.ndarray:
    return law.power(lam) * law.log_w(t) - 0.5 * t * t


@pytest.mark.parametrize(("law", "lam", "low", "high"), LAWS)
def test_the_density_is_below_the_heights_and_above_what_is_sure(law, lam, low, high) -> None:
    found = Envelope.of(law, lam, low, high)
    place = np.random.default_rng(1).random((8, CELLS))
    place[0], place[1] = 0.0, 1.0
    t = low + found.width * (np.arange(CELLS) + place)
    with np.errstate(under="ignore"):
        ratio = np.exp(log_density(law, lam, t) + found.scale) / found.weights
    assert (ratio < 1).all()
    assert (found.sure / 256 <= ratio.min(axis=0)).all()
    assert found.share > 0.99


@pytest.mark.parametrize(("law", "lam", "low", "high"), LAWS)
def test_the_alias_table_has_the_weights_exactly(law, lam, low, high) -> None:
    found = Envelope.of(law, lam, low, high)
    depth = 1 << 20
    have: Counter[int] = Counter()
    for column in range(CELLS):
        have[column] += int(found.cuts[column])
        have[int(found.other[column])] += depth - int(found.cuts[column])
    assert [have[c] for c in range(CELLS)] == found.weights.tolist()
    assert sum(have.values()) == CELLS * depth


def distance(envelope: Envelope, places: np.ndarray) -> tuple[float, float]:
    """χ² on 50 bins that are equally likely, and its bound: wrong alarms 1e-9."""
    law, lam = envelope.law, envelope.lam
    edges = np.linspace(envelope.low, envelope.low + CELLS * envelope.width, 200_001)
    weights = np.exp(log_density(law, lam, 0.5 * (edges[1:] + edges[:-1])))
    share = np.concatenate([[0.0], np.cumsum(weights) / weights.sum()])
    cuts = np.interp(np.linspace(0, 1, 51), share, edges)
    counts, _ = np.histogram(places, cuts)
    return ((counts - len(places) / 50) ** 2 / (len(places) / 50)).sum(), chi2.isf(1e-9, 49)


@pytest.mark.statistical
@pytest.mark.parametrize(("law", "lam", "low", "high"), LAWS)
def test_the_law_is_right_and_others_are_seen(law, lam, low, high) -> None:
    """Power: places that are 2 % wider, and cells without their weights, are rejected."""
    fine = Envelope.of(law, lam, low, high)
    places = fine.draw(1_000_000, source(1))
    found, bound = distance(fine, places[~np.isnan(places)])
    assert found < bound
    assert np.isnan(places).sum() <= 1
    found, bound = distance(fine, 1.02 * places)
    assert found > bound
    words = source(3)(1_000_000)
    cells = words & np.uint64(CELLS - 1)  # columns without thresholds: a law without weights
    found, bound = distance(fine, low + fine.width * (cells.astype(float) + 0.5))
    assert found > bound


def test_a_coin_that_is_not_clear_is_told() -> None:
    """A coin in the middle of the ratio's doubt: neither accepted nor rejected, and flagged."""
    law, lam, low, high = LAWS[0]
    found = Envelope.of(law, lam, low, high)
    cell = int(found.weights.argmax())
    t = low + found.width * (cell + 0.5)
    ratio = float(np.exp(log_density(law, lam, np.array([t]))[0] + found.scale))
    ratio /= float(found.weights[cell])
    coin, rest = divmod(int(ratio * 2**40), 2**32)
    middle = np.uint64(1 << 63 | rest)

    def decide(coins: int, words: np.uint64) -> tuple[bool, bool]:
        accepted, undecided = found._decide(
            np.array([cell]),
            np.array([2.0**23 - 0.5]),
            np.array([coins], np.uint8),
            np.array([words]),
        )
        return bool(accepted[0]), bool(undecided[0])

    assert decide(coin, middle) == (False, True)
    assert decide(coin - 1, middle) == (True, False)
    if coin < 255:
        assert decide(coin + 1, middle) == (False, False)


def test_an_undecided_coin_is_no_number_and_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands in its draw's place; the others stay as they were."""
    law, lam, low, high = LAWS[0]
    found = Envelope.of(law, lam, low, high)
    assert 1e-13 < found.open_chance < 1e-10
    before = found.draw(20_000, source(2))
    decide = Envelope._decide

    def first_is_open(self, *given):
        accepted, undecided = decide(self, *given)
        first = int(np.flatnonzero(accepted)[0])
        accepted[first], undecided[first] = False, True
        return accepted, undecided

    monkeypatch.setattr(Envelope, "_decide", first_is_open)
    after = found.draw(20_000, source(2))
    assert np.isnan(after).sum() == 1
    assert (after[~np.isnan(after)] == before[~np.isnan(after)]).all()


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(InternalError):
        Envelope.of(LAWS[0][0], 1.0, 2.0, 2.0)
