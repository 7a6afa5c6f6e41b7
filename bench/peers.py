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
    """Opacus's GDP accountant: an estimate by the central limit theorem, for one kind of step."""
    if len(run) > 1:
        raise Unknown("one kind of step only")
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


def _watched_by(accountant: Any) -> Callable[[Step, int, float], list[float]]:
    """dp_accounting's way: compose one more, ask."""

    def epsilons(step: Step, steps: int, delta: float) -> list[float]:
        made, one, found = accountant(), event([(step, 1)]), []
        for _ in range(steps):
            made.compose(one)
            found.append(made.get_epsilon(delta))
        return found

    return epsilons


def _google(kind: str) -> Any:
    """A fresh accountant of dp_accounting."""
    if kind == "pld":
        from dp_accounting.pld import PLDAccountant

        return PLDAccountant()
    from dp_accounting.rdp import RdpAccountant

    return RdpAccountant()


def _prv_watched(step: Step, steps: int, delta: float) -> list[float]:
    accountant = prv_made([(step, steps)], eps_error=0.1, delta_error=delta / 1000)
    asked = (accountant.compute_epsilon(delta, [k]) for k in range(1, steps + 1))
    return [float(upper) for _, _, upper in asked]


def _opacus_watched(name: str, step: Step, steps: int, delta: float) -> list[float]:
    from opacus.accountants import create_accountant

    accountant, found = create_accountant(name), []
    for _ in range(steps):
        accountant.step(noise_multiplier=step.size, sample_rate=step.q)
        found.append(float(accountant.get_epsilon(delta=delta)))
    return found


def _autodp_watched(step: Step, steps: int, delta: float) -> list[float]:
    claims = (autodp([(step, k)], delta) for k in range(1, steps + 1))
    return [float(upper) for _, upper, _ in claims if upper is not None]


def _google_calibrated(kind: str, q: float, k: int, epsilon: float, delta: float) -> float:
    from dp_accounting import mechanism_calibration as search

    return float(
        search.calibrate_dp_mechanism(
            lambda: _google(kind),
            lambda sigma: event([(Step(sigma, q), k)]),
            epsilon,
            delta,
            search.ExplicitBracketInterval(1.0, 10.0),
        )
    )


def _prv_calibrated(q: float, k: int, epsilon: float, delta: float) -> float:
    from prv_accountant.dpsgd import find_noise_multiplier

    return float(find_noise_multiplier(q, k, epsilon, delta, eps_error=0.1))


def _opacus_calibrated(name: str, q: float, k: int, epsilon: float, delta: float) -> float:
    from opacus.accountants.utils import get_noise_multiplier

    asked = {"target_epsilon": epsilon, "target_delta": delta, "sample_rate": q, "steps": k}
    return float(get_noise_multiplier(**asked, accountant=name))


def _autodp_calibrated(q: float, k: int, epsilon: float, delta: float) -> float:
    from autodp.calibrator_zoo import eps_delta_calibrator

    class Run:
        """What its calibrator asks: a class of one parameter with `get_approxDP`."""

        def __init__(self, sigma: float, name: str = "") -> None:
            self.sigma = float(sigma)

        def get_approxDP(self, delta: float) -> float:  # noqa: N802 - its name
            return float(autodp([(Step(self.sigma, q), k)], delta)[1] or 0.0)

    return float(eps_delta_calibrator()(Run, epsilon, delta, [0.5, 20]).sigma)


WATCHED: dict[str, Callable[[Step, int, float], list[float]]] = {  # ε after each step
    "dp_accounting PLD": _watched_by(partial(_google, "pld")),
    "dp_accounting RDP": _watched_by(partial(_google, "rdp")),
    "prv_accountant": _prv_watched,
    "Opacus RDP": partial(_opacus_watched, "rdp"),
    "Opacus PRV": partial(_opacus_watched, "prv"),
    "autodp RDP": _autodp_watched,
}
CALIBRATED: dict[str, Callable[[float, int, float, float], float]] = {  # σ for (ε, δ)
    "dp_accounting PLD": partial(_google_calibrated, "pld"),
    "dp_accounting RDP": partial(_google_calibrated, "rdp"),
    "prv_accountant": _prv_calibrated,
    "Opacus RDP": partial(_opacus_calibrated, "rdp"),
    "Opacus PRV": partial(_opacus_calibrated, "prv"),
    "autodp RDP": _autodp_calibrated,
}

warnings.filterwarnings("ignore", module=r"(prv_accountant|opacus|autodp|dp_accounting)")
