"""May it still run?  Budgets for analyses that are chosen as one goes.

Filters of whole data sets and of each person, odometers, the purse that many requests share, and
rules that say when to stop.  Which filter to take: docs/filters.md; why they hold:
docs/proofs/filters.md.
"""

from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.charges import Charge, Stage
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.individual import Costs, IndividualFilter, Inside, Standing
from bursar.filters.local import Device, LocalFilter
from bursar.filters.machine import Filter, Granted, Refused, State
from bursar.filters.odometer import IndividualOdometer, LossOdometer, StepOdometer
from bursar.filters.purse import Purse
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.filters.scope import IndividualScope
from bursar.filters.sealed import Sealed
from bursar.filters.stopping import AccuracyChecks, ActiveCount, Attendance, StillActive
from bursar.filters.units import Account

__all__ = [
    "Account",
    "AccuracyChecks",
    "ActiveCount",
    "AnyOrderFilter",
    "Attendance",
    "Charge",
    "Costs",
    "Device",
    "DpFilter",
    "Filter",
    "GdpFilter",
    "Granted",
    "IndividualFilter",
    "IndividualOdometer",
    "IndividualScope",
    "Inside",
    "LocalFilter",
    "LossOdometer",
    "Purse",
    "Refused",
    "RenyiFilter",
    "RogersFilter",
    "Sealed",
    "Stage",
    "Standing",
    "State",
    "StepOdometer",
    "StillActive",
    "ZcdpFilter",
]
