"""Where release noise is made, no other source of randomness may be named: a lint rule."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "bursar"

# The rooms that make release noise, or the secret samples that amplify it.
ROOMS = ("noise", "filters", "ledger", "screening", "queries", "learning", "tuning")

MODULES = {
    "random",
    "secrets",
    "scipy.stats",
    "numpy.random",
    "torch.random",
    "torch.distributions",
}
NAMES = {  # of any object, so that aliases do not help
    *("random", "default_rng", "RandomState", "SeedSequence", "Generator", "PCG64", "Philox"),
    *("normal", "standard_normal", "laplace", "exponential", "normalvariate", "gauss"),
    *("normal_", "uniform_", "exponential_", "log_normal_", "cauchy_", "geometric_", "bernoulli_"),
    *("rand", "randn", "rand_like", "randn_like", "randint", "randperm", "rvs", "manual_seed"),
}


def forbidden(text: str) -> list[str]:
    """What a module names that it may not."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if _foreign(alias.name)]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            whole = [f"{module}.{alias.name}" for alias in node.names]
            ours = module.split(".")[0] == "bursar"
            found += [] if ours else [name for name in whole if _foreign(name)]
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            found.append(node.attr)
        elif isinstance(node, ast.Constant) and node.value in MODULES:
            found.append(str(node.value))  # importlib.import_module("random")
    return found


def _foreign(name: str) -> bool:
    parents = {name.rsplit(".", n)[0] for n in range(name.count(".") + 1)}
    return bool(parents & MODULES) or name.rsplit(".", 1)[-1] in NAMES


def modules() -> list[Path]:
    return [path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py"))]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_release_noise_comes_from_one_place(path: Path) -> None:
    assert forbidden(path.read_text(encoding="utf-8")) == []


def test_there_is_something_to_look_at() -> None:
    assert len(modules()) >= 10


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "import numpy.random as npr",
        "from numpy import random",
        "from numpy.random import default_rng",
        "import numpy as np; np.random.normal(0, 1)",
        "from scipy import stats",
        "from scipy.stats import norm",
        "import torch; torch.normal(0.0, 1.0, (3,))",
        "import torch as t; t.randn(3)",
        "from torch import randn_like as r",
        "import torch; x = torch.empty(3).normal_()",
        "from torch.distributions import Normal",
        "import importlib; importlib.import_module('numpy.random')",
        "def late():\n    from random import gauss",
        "generator.standard_normal(3)",
    ],
)
def test_each_way_around_is_seen(text: str) -> None:
    assert forbidden(text)


@pytest.mark.parametrize(
    "text",
    [
        "import os; os.urandom(8)",
        "from bursar.noise import entropy",
        "import numpy as np; np.rint(1.5)",
    ],
)
def test_what_is_allowed_is_not(text: str) -> None:
    assert not forbidden(text)
