"""A softmax regression on MNIST by noisy gradients of length at most 1, and its error on the way.

It stands for the last layer of a large network on CIFAR-100: as many training and test images, the
paper's noise, clipping norm, rate, momentum and batches.  The first 50,000 digits are trained on.
The noise is numpy's, of a named seed: the digits are public.  Not here: what it costs (`_tradeoff`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
PEOPLE, CLASSES, CLIP = 50_000, 10, 1.0


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train; `q` = "1" takes all images in every iteration, else each with probability q."""

    sigma: str
    q: str
    rate: float
    momentum: float = 0.0


@cache
def digits() -> tuple[Floats, NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Images with a 1 behind their 784 places, and labels: to train on, and to test on."""
    from bench.datasets import mnist

    found = mnist()

    def rows(name: str, most: int) -> tuple[Floats, NDArray[np.int64]]:
        images = found[name][:most].reshape(-1, 784).astype(np.float32)
        with_one = np.hstack([images, np.ones((len(images), 1), np.float32)])
        return with_one, found[f"{name}_labels"][:most].astype(np.int64)

    return *rows("train", PEOPLE), *rows("test", 10_000)


def clipped_sum(images: Floats, labels: NDArray[np.int64], weights: Floats) -> Floats:
    """The sum of everybody's gradient, each shortened to length 1.

    A gradient is x (p − y)ᵀ, so its length is |x| |p − y|.
    """
    scores = images @ weights
    scores -= scores.max(axis=1, keepdims=True)
    off = np.exp(scores)
    off /= off.sum(axis=1, keepdims=True)
    off[np.arange(len(labels)), labels] -= 1
    lengths = np.linalg.norm(images, axis=1) * np.linalg.norm(off, axis=1)
    off *= np.minimum(1, CLIP / np.maximum(lengths, 1e-12))[:, None]
    return np.asarray(images.T @ off)


def wrong(recipe: Recipe, seed: int, marks: list[int]) -> list[int]:
    """How many of the 10,000 test digits are missed after each of these numbers of iterations."""
    images, labels, others, truth = digits()
    random = np.random.Generator(np.random.SFC64(seed))
    share, sigma = float(recipe.q), float(recipe.sigma)
    weights = np.zeros((images.shape[1], CLASSES), np.float32)
    pace, found = np.zeros_like(weights), []
    for k in range(1, max(marks) + 1):
        chosen = slice(None) if share == 1 else np.flatnonzero(random.random(len(labels)) < share)
        total = clipped_sum(images[chosen], labels[chosen], weights)
        total += sigma * CLIP * random.standard_normal(weights.shape, np.float32)
        pace = recipe.momentum * pace + total / np.float32(share * len(labels))
        weights = weights - np.float32(recipe.rate) * pace
        if k in marks:
            found.append(int(((others @ weights).argmax(axis=1) != truth).sum()))
    return found
