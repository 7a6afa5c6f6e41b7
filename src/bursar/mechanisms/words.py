"""The nearest word: for whoever writes `sigma` or `--nois-multiplier`, and means one of ours."""

from __future__ import annotations

import difflib
from collections.abc import Collection

_ELSEWHERE = {  # words of other tools and of papers
    "noise_multiplier": ("sigma", "noise", "noise_std", "std", "noise_scale"),
    "sampling_probability": ("q", "sample_rate", "sampling_rate", "rate", "prob", "probability"),
    "count": ("n", "k", "t", "steps", "iterations", "repeat", "times", "num_steps"),
    "steps": ("n", "k", "t", "count", "iterations", "num_steps", "compositions"),
    "epsilon": ("eps", "e", "target_epsilon", "epsilon0"),
    "delta": ("d", "target_delta"),
    "examples": ("n", "dataset_size", "num_examples", "train_size", "people", "records"),
    "batch_size": ("batch", "b", "lot_size"),
    "adjacency": ("neighbours", "neighbors", "relation", "neighboring_relation"),
    "scale": ("b", "noise", "laplace_scale"),
    "step": ("steps", "mechanisms", "events", "plan"),
    "mechanism": ("name", "type", "kind"),
    "orders": ("alphas", "order", "alpha"),
    "values": ("epsilons", "value", "rdp"),
    "most": ("sensitivity", "shift", "bound", "max_contribution"),
    "people": ("group", "group_size", "k"),
    "branches": ("shards", "parts", "plans"),
    "weights": ("probabilities", "probs", "sampling_probs"),
    "shifts": ("sensitivities", "means", "sensitivity"),
}


def nearest(word: str, known: Collection[str]) -> str | None:
    """The known word that was probably meant, if any.

    >>> nearest("sigma", ["noise_multiplier", "count"]), nearest("cuont", ["count"])
    ('noise_multiplier', 'count')
    """
    plain = word.strip("-").replace("-", "_").lower()
    for ours, others in _ELSEWHERE.items():
        if ours in known and plain in others:
            return ours
    close = difflib.get_close_matches(plain, list(known), n=1)
    return close[0] if close else None
