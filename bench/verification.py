"""What a verdict costs: draws of a gate, which pays no ln(1/δ), and of a static answer at β = 1e-10.

Claims of δ/0.99, which are to pass but for one in 10,000; the gate's is a first attempt with a
reserve of δ/100.  Beside them: how far the bound that needs no draw is above δ, how the draws
scatter, and core seconds.
"""

from __future__ import annotations

import math

from bench.drawing import LONGEST, seconds
from bench.keeping import Found, table
from bursar.accounting import exact
from bursar.adjacency import Direction
from bursar.exact import Exact
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.numerics.wealth import Threshold
from bursar.verification.attempts import Attempt
from bursar.verification.claims import Claim
from bursar.verification.sides import Care, pilots

TITLE = "Verification by draws"
STEPS = 1000
ROWS = (
    *(("1", "1e-3", epsilon) for epsilon in ("0.415", "1.292", "3.078", "8.438")),
    *(("2", "0.01", epsilon) for epsilon in ("0.625", "1.044", "1.658", "3.612")),
    *(("0.5", "1e-3", epsilon) for epsilon in ("3.3", "7.769", "16.47", "41.56")),
)
SURE = Care(power="proved")
LOG_BETA = math.log(1e-10)


def row(sigma: str, q: str, epsilon: str, longest: float) -> Found:
    """One claim, in the remove direction, which is the larger one everywhere here."""
    step = PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)
    plan = Plan.of(step, count=STEPS)
    truth = exact.delta(plan, epsilon=epsilon, direction=Direction.REMOVE).upper
    claim = Claim(epsilon=epsilon, delta=Exact.of(truth) / Exact("0.99"))
    one = pilots(plan, claim, Care())[0]
    room = Attempt("", claim, 1, 1).log_room(Exact(claim.delta / 100))
    found: Found = {"sigma": sigma, "q": q, "epsilon": epsilon, "delta": truth}
    found["bound over delta"] = math.exp(one.bounded.log_ceiling) / truth
    found["relative variance"] = one.variance / one.average**2 if one.draws else 0.0
    thresholds: dict[str, Threshold] = {
        "gate": lambda pull: max(0.0, 1e-8 - room - 1 - math.log(pull)),
        "static": lambda pull: -LOG_BETA,
    }
    for name, threshold in thresholds.items():
        trial = one.side(Care(), threshold).trial
        found[name] = trial.draws if trial else 0
        found[f"{name} seconds"] = list(seconds(one.bounded, found[name], longest=longest))
        found[f"{name} proved"] = 0
        if trial:
            sure = pilots(plan, claim, SURE)[0].side(SURE, threshold).trial
            found[f"{name} proved"] = sure.draws if sure else 0
    return found


def measure(*, small: bool) -> Found:
    """Twelve claims, from 1e-5 to 1e-52."""
    rows, longest = (ROWS[:1], 0.1) if small else (ROWS, LONGEST)
    return {"steps": STEPS, "rows": [row(*one, longest) for one in rows]}


def told(found: Found) -> str:
    """One table."""
    rows = [
        [
            f"{one['sigma']}, {one['q']}",
            one["epsilon"],
            f"{one['delta']:.1e}",
            one["bound over delta"],
            one["relative variance"],
            *(f"{one[key]:,}" for key in ("gate", "static")),
            *(f"{one[f'{key} proved']:,}" for key in ("gate", "static")),
            *(_taken(*one[f"{key} seconds"]) for key in ("gate", "static")),
        ]
        for one in found["rows"]
    ]
    head = [
        "σ, q",
        "ε",
        "δ",
        "bound/δ",
        "variance/δ²",
        "gate",
        "static",
        "gate, proved",
        "static, proved",
    ]
    head += ["gate, s", "static, s"]
    return f"""Draws that verify a claim of δ/0.99 of {found["steps"]} steps, but for one good claim in 10,000: behind a release gate, and for a static answer that a false claim gets with probability 1e-10. "Proved" are the draws with which that one in 10,000 is a theorem. Seconds are those of one core, of the draws of "gate" and "static": where they stand without ≈, those were drawn.

{table(head, rows)}

Where no draw is needed, the bound is within 1 % of δ. A draw costs {found["steps"]} coordinates in every row, however small δ is; how many are needed depends on how they scatter alone."""


def _taken(spent: float, real: bool) -> str:
    return f"{'' if real else '≈ '}{spent:.1f}"
