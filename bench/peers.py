"""The other accountants, each behind one function: ε of a subsampled Gaussian at a δ.

`ask(name, sigma, q, k, delta)` gives `(lower, upper, value)`, each a float or None: what that tool
claims as a lower bound, an upper bound, or an estimate.  Settings are the tools' own defaults
unless the name says otherwise.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

Claim = tuple[float | None, float | None, float | None]

warnings.filterwarnings("ignore")


def _event(sigma: float, q: float, k: int) -> object:
    from dp_accounting import dp_event

    gaussian = dp_event.GaussianDpEvent(sigma)
    step = dp_event.PoissonSampledDpEvent(q, gaussian) if q < 1 else gaussian
    return dp_event.SelfComposedDpEvent(step, k)


def google_pld(sigma: float, q: float, k: int, delta: float) -> Claim:
    """dp_accounting's PLD accountant, pessimistic: an upper bound."""
    from dp_accounting.pld import PLDAccountant

    accountant = PLDAccountant()
    accountant.compose(_event(sigma, q, k))
    return None, accountant.get_epsilon(delta), None


def google_pld_fine(sigma: float, q: float, k: int, delta: float) -> Claim:
    """The same with a tenth of its default step."""
    from dp_accounting.pld import PLDAccountant

    accountant = PLDAccountant(value_discretization_interval=1e-5)
    accountant.compose(_event(sigma, q, k))
    return None, accountant.get_epsilon(delta), None


def google_rdp(sigma: float, q: float, k: int, delta: float) -> Claim:
    """dp_accounting's RDP accountant: an upper bound."""
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant()
    accountant.compose(_event(sigma, q, k))
    return None, accountant.get_epsilon(delta), None


def prv(sigma: float, q: float, k: int, delta: float) -> Claim:
    """prv_accountant with an error of 0.1, as its authors' examples: lower and upper bound."""
    from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

    mechanism = PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=q)
    accountant = PRVAccountant(
        prvs=[mechanism], max_self_compositions=[k], eps_error=0.1, delta_error=delta / 1000
    )
    lower, value, upper = accountant.compute_epsilon(delta=delta, num_self_compositions=[k])
    return lower, upper, value


def _opacus(name: str, sigma: float, q: float, k: int, delta: float) -> float:
    from opacus.accountants import create_accountant

    accountant = create_accountant(name)
    accountant.history = [(sigma, q, k)]
    return float(accountant.get_epsilon(delta=delta))


def opacus_rdp(sigma: float, q: float, k: int, delta: float) -> Claim:
    """Opacus's RDP accountant: an upper bound."""
    return None, _opacus("rdp", sigma, q, k, delta), None


def opacus_prv(sigma: float, q: float, k: int, delta: float) -> Claim:
    """Opacus's PRV accountant: an upper bound."""
    return None, _opacus("prv", sigma, q, k, delta), None


def opacus_gdp(sigma: float, q: float, k: int, delta: float) -> Claim:
    """Opacus's GDP accountant: an estimate by the central limit theorem."""
    return None, None, _opacus("gdp", sigma, q, k, delta)


def autodp(sigma: float, q: float, k: int, delta: float) -> Claim:
    """autodp's RDP account of the subsampled Gaussian: an upper bound."""
    from autodp.mechanism_zoo import GaussianMechanism
    from autodp.transformer_zoo import AmplificationBySampling, Composition

    gaussian = GaussianMechanism(sigma=sigma)
    step = AmplificationBySampling(PoissonSampling=True)(gaussian, q, improved_bound_flag=True)
    return None, float(Composition()([step], [k]).get_approxDP(delta)), None


PEERS: dict[str, Callable[[float, float, int, float], Claim]] = {
    "dp_accounting PLD": google_pld,
    "dp_accounting PLD, step 1e-5": google_pld_fine,
    "dp_accounting RDP": google_rdp,
    "prv_accountant": prv,
    "opacus RDP": opacus_rdp,
    "opacus PRV": opacus_prv,
    "opacus GDP": opacus_gdp,
    "autodp RDP": autodp,
}
