"""The other accountants, each behind one function: ε of a run at a δ.

A run is a list of steps with counts.  Each answers `(lower, upper, value)`, each a float or None:
what that tool claims as a lower bound, an upper bound, or an estimate.  Settings are the tools' own
defaults unless the name says otherwise.  A tool that does not know a mechanism raises Unknown.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

Claim = tuple[float | None, float | None, float | None]


class Step(NamedTuple):
    """Gaussian noise of multiplier `size`, Poisson-subsampled with q; or Laplace noise."""

    size: float
    q: float = 1.0
    kind: str = "gaussian"


Run = Sequence[tuple[Step, int]]
Peer = Callable[[Run, float], Claim]


class Unknown(Exception):
    """The tool does not know this mechanism."""


def event(run: Run) -> Any:
    """A run as dp_accounting's event."""
    from dp_accounting import dp_event

    found = []
    for step, k in run:
        kind = {"gaussian": dp_event.GaussianDpEvent, "laplace": dp_event.LaplaceDpEvent}
        one = kind[step.kind](step.size)
        if step.q < 1:
            one = dp_event.PoissonSampledDpEvent(step.q, one)
        found.append(dp_event.SelfComposedDpEvent(one, k))
    return dp_event.ComposedDpEvent(found)


def google_pld(run: Run, delta: float, *, interval: float = 1e-4) -> Claim:
    """dp_accounting's PLD accountant, pessimistic: an upper bound."""
    from dp_accounting.pld import PLDAccountant

    accountant = PLDAccountant(value_discretization_interval=interval)
    accountant.compose(event(run))
    return None, accountant.get_epsilon(delta), None


def google_rdp(run: Run, delta: float) -> Claim:
    """dp_accounting's RDP accountant: an upper bound."""
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant()
    accountant.compose(event(run))
    return None, accountant.get_epsilon(delta), None


def prv_made(run: Run, *, eps_error: float, delta_error: float) -> Any:
    """A PRVAccountant for this run."""
    import prv_accountant as prv

    laws = []
    for step, _ in run:
        if step.kind == "laplace":
            laws.append(prv.LaplaceMechanism(mu=1 / step.size))
        elif step.q == 1:
            laws.append(prv.GaussianMechanism(noise_multiplier=step.size))
        else:
            laws.append(
                prv.PoissonSubsampledGaussianMechanism(
                    noise_multiplier=step.size, sampling_probability=step.q
                )
            )
    return prv.PRVAccountant(
        prvs=laws,
        max_self_compositions=[k for _, k in run],
        eps_error=eps_error,
        delta_error=delta_error,
    )


def prv(run: Run, delta: float, *, eps_error: float = 0.1) -> Claim:
    """prv_accountant, with an error of 0.1 as in its authors' examples: both bounds."""
    accountant = prv_made(run, eps_error=eps_error, delta_error=delta / 1000)
    counts = [k for _, k in run]
    lower, value, upper = accountant.compute_epsilon(delta=delta, num_self_compositions=counts)
    return float(lower), float(upper), float(value)


def _opacus(name: str, run: Run, delta: float, **given: float) -> float:
    from opacus.accountants import create_accountant

    if any(step.kind != "gaussian" for step, _ in run):
        raise Unknown("Gaussian noise only")
    accountant = create_accountant(name)
    accountant.history = [(step.size, step.q, k) for step, k in run]
    return float(accountant.get_epsilon(delta=delta, **given))


def opacus_rdp(run: Run, delta: float) -> Claim:
    """Opacus's RDP accountant: an upper bound."""
    return None, _opacus("rdp", run, delta), None


def opacus_prv(run: Run, delta: float, *, eps_error: float = 0.01) -> Claim:
    """Opacus's PRV accountant: an upper bound."""
    return None, _opacus("prv", run, delta, eps_error=eps_error), None


def opacus_gdp(run: Run, delta: float) -> Claim:
    """Opacus's GDP accountant: an estimate by the central limit theorem."""
    return None, None, _opacus("gdp", run, delta)


def autodp(run: Run, delta: float) -> Claim:
    """autodp's RDP account: an upper bound."""
    from autodp.mechanism_zoo import GaussianMechanism, LaplaceMechanism
    from autodp.transformer_zoo import AmplificationBySampling, Composition

    parts = []
    for step, _ in run:
        one = (
            LaplaceMechanism(b=step.size)
            if step.kind == "laplace"
            else GaussianMechanism(sigma=step.size)
        )
        if step.q < 1:
            sampling = AmplificationBySampling(PoissonSampling=True)
            one = sampling(one, step.q, improved_bound_flag=True)
        parts.append(one)
    composed = Composition()(parts, [k for _, k in run])
    return None, float(composed.get_approxDP(delta)), None


PEERS: dict[str, Peer] = {
    "dp_accounting PLD": google_pld,
    "dp_accounting RDP": google_rdp,
    "prv_accountant": prv,
    "Opacus RDP": opacus_rdp,
    "Opacus PRV": opacus_prv,
    "Opacus GDP": opacus_gdp,
    "autodp RDP": autodp,
}
FINER: dict[str, Peer] = {  # more work for less width
    "dp_accounting PLD, step 1e-3": partial(google_pld, interval=1e-3),
    "dp_accounting PLD, step 1e-5": partial(google_pld, interval=1e-5),
    "prv_accountant, error 0.01": partial(prv, eps_error=0.01),
    "prv_accountant, error 0.001": partial(prv, eps_error=0.001),
    "Opacus PRV, error 0.1": partial(opacus_prv, eps_error=0.1),
    "Opacus PRV, error 0.001": partial(opacus_prv, eps_error=0.001),
}

warnings.filterwarnings("ignore", module=r"(prv_accountant|opacus|autodp|dp_accounting)")
