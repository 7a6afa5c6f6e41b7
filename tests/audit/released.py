"""Everything in bursar from which something leaves, each as a mechanism with its claim.

`RELEASED` is what the auditor runs; `QUIET` are the public names of the same rooms from which
nothing leaves, with the reason.  A public name that stands in neither fails a test: say here how it
is audited, or why it need not be.
"""

from __future__ import annotations

from tests.audit.released_noise import NOISE, Released
from tests.audit.released_rooms import ROOMS

RELEASED: dict[str, Released] = NOISE | ROOMS

_DATA = "data on its way in: it is private until noise is added"
_SEED = "rehearsals are marked NOT PRIVATE, and refused by what charges"
_VALUE = "a value that another name of this list gives"
_BUDGET = "decides by public numbers, and touches no data"
_SEALED = "sealed: nobody reads it but the code that adds noise"
_PLAN = "a number about a plan, from public parameters"

QUIET: dict[str, str] = {
    **dict.fromkeys(
        ["noise.to_grid", "noise.clip_to_grid", "noise.histogram", "noise.GridSum"], _DATA
    ),
    "noise.Contributions": _DATA,
    **dict.fromkeys(
        ["noise.NotPrivate", "noise.rehearse", "noise.rehearsing", "noise.refuse_rehearsal"], _SEED
    ),
    "noise.Release": _VALUE,
    "noise.LazyReals": "secret: only comparisons of it leave, which lazy_laplace stands for",
    **dict.fromkeys(
        [
            *(
                "filters.Account",
                "filters.AnyOrderFilter",
                "filters.Charge",
                "filters.DpFilter",
                "filters.Filter",
            ),
            *("filters.GdpFilter", "filters.Granted", "filters.LossOdometer", "filters.Refused"),
            *("filters.RenyiFilter", "filters.RogersFilter", "filters.Stage", "filters.State"),
            *("filters.StepOdometer", "filters.ZcdpFilter"),
        ],
        _BUDGET,
    ),
    **dict.fromkeys(
        [
            *("filters.Attendance", "filters.Costs", "filters.Device", "filters.Inside"),
            *("filters.Sealed", "filters.Standing", "filters.IndividualOdometer"),
            *("screening.PrivateCost", "screening.private_cost", "screening.Proposal"),
        ],
        _SEALED,
    ),
    **dict.fromkeys(
        [
            *("screening.Staging", "screening.best_staging", "screening.printed_cutoff"),
            *("screening.stagewise_epsilon", "screening.expected_answers"),
            *("screening.false_alarm_rate", "screening.longest", "screening.never_stops"),
            *("screening.open_after", "screening.query_share", "screening.screen_for"),
            *("screening.screen_for_rate", "privacy.screen_curve.released"),
            *("screening.Neighbours", "screening.epsilon_enclosed"),
            *("screening.worst_neighbours", "screening.worst_profile"),
        ],
        _PLAN,
    ),
}
