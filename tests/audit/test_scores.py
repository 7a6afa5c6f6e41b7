"""Learned scores: a classifier sees what no number of an outcome shows alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bursar import Gaussian
from bursar.audit import Vectorised, look, scores
from bursar.audit.outcomes import tables

RNG = np.random.default_rng(20261120)
SIGNS = np.array([1, -1] * 4)


def spread(sigma: float) -> Vectorised[float]:
    """A number that moves eight coordinates a little, up and down: their sum stays."""

    def run(data: float, size: int) -> np.ndarray:
        return data * SIGNS / math.sqrt(8) + sigma * RNG.standard_normal((size, 8))

    return Vectorised(run)


def found(sigma: float) -> bool:
    """A false alarm in 1e6 runs."""
    claim = Gaussian(noise_multiplier=1)
    return look(spread(sigma), 0.0, 1.0, claim=claim, samples=20_000, grid=20).found


@pytest.mark.statistical
def test_the_classifier_sees_what_no_coordinate_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each coordinate alone keeps the claim; the mutant looks at those alone."""
    assert not found(1.0)
    assert found(0.7)
    monkeypatch.setattr(scores, "_regression", lambda takes, *_: scores.Column(*takes[0]))
    assert not found(0.7)


def test_the_score_is_the_likelihood_ratio() -> None:
    """Of two Gaussians log(p/q) is linear: the learned score is that, but for its own error."""
    run = spread(1.0).run
    first, second = tables(run(1.0, 8000), run(0.0, 8000), grid=20)
    score = scores.learned(first, second)[-1]
    assert isinstance(score, scores.Regression)
    truth = first.values @ SIGNS / math.sqrt(8)
    assert np.corrcoef(score(first), truth)[0, 1] > 0.75  # one coordinate alone: 0.35
    assert np.mean(score(first)) > np.mean(score(second)) + 0.5


def test_the_classifier_learns_the_width_too() -> None:
    """Squares are among its features: noise of another width has another score."""
    wide, narrow = (RNG.normal(0, width, (8000, 2)) for width in (1.5, 1.0))
    first, second = tables(wide, narrow, grid=20)
    score = scores.learned(first, second)[-1]
    assert np.corrcoef(score(first), (wide**2).sum(axis=1))[0, 1] > 0.8
