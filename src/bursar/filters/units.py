"""Integer units: the one place where privacy is turned into whole numbers and back.

A charge is rounded up and a budget is rounded down, to a unit that is fixed at the filter's birth.
Sums are then exact, do not depend on order, and can be stored.  The unit is the power of ten that
makes the budget about 10^15 units: a charge loses at most 2·10^-15 of the budget, and amounts
that people write as decimals lose nothing, so that ten times 0.3 is 3.

No budget is above LARGEST, so no sum of a budget and a charge overflows 64 signed bits.  A charge
that cannot be counted is NEVER: it fits no budget, and what it is added to stays NEVER.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from bursar.errors import InvalidParameter
from bursar.exact import Exact

LARGEST = 2**62 - 1
NEVER = 2**63 - 1
_DIGITS = 15


@final
@dataclass(frozen=True, slots=True)
class Account:
    """One sum that a filter keeps: its name, what one unit is, and how many units it may hold.

    >>> account = Account.of("rho", Exact("0.1"))
    >>> account.cap, account.up(Exact("0.01")), account.up(Exact("1/3"))
    (1000000000000000, 100000000000000, 3333333333333334)
    """

    name: str
    unit: Exact
    cap: int

    @classmethod
    def small(cls, name: str, budget: Fraction, unit: Fraction | None = None) -> Account:
        """The account of a budget that is kept for each of many people: 32 bits hold its sums.

        About 10^9 units: a charge loses at most 3·10^-9 of the budget.
        """
        one = _unit(budget, digits=9) if unit is None else unit
        while unit is None and not budget / one < 2**32 - 1:
            one *= 10
        return cls.of(name, budget, one)

    @classmethod
    def of(cls, name: str, budget: Fraction, unit: Fraction | None = None) -> Account:
        """The account of a budget, which is rounded down."""
        one = Exact(_unit(budget) if unit is None else unit)
        if not one > 0:
            raise InvalidParameter("it must be above 0", field="unit", value=one)
        cap = math.floor(budget / one)
        if not 0 <= cap <= LARGEST:
            need = f"it must be from 0 to {LARGEST} units of {one}"
            raise InvalidParameter(need, field=name, value=budget)
        return cls(name, one, cap)

    def up(self, charge: Fraction | float) -> int:
        """A charge in units, rounded up; a float is a proved upper bound, taken bit for bit."""
        if charge == math.inf:
            return NEVER
        if not 0 <= charge < math.inf:
            raise InvalidParameter("a charge must be 0 or above", field=self.name, value=charge)
        units = math.ceil(Fraction(charge) / self.unit)
        return units if units <= LARGEST else NEVER

    def value(self, units: int) -> Exact:
        """What so many units stand for."""
        return Exact(units * self.unit)

    @property
    def budget(self) -> Exact:
        """The budget as it was rounded down."""
        return self.value(self.cap)


def plus(a: int, b: int) -> int:
    """A sum that stays NEVER where it cannot be counted."""
    return a + b if a + b <= LARGEST else NEVER


def _unit(budget: Fraction, digits: int = _DIGITS) -> Fraction:
    """The power of ten that makes the budget about 10^digits units: half of it to twenty times."""
    if not budget > 0:
        return Fraction(10) ** -digits
    twos = budget.numerator.bit_length() - budget.denominator.bit_length()
    return Fraction(10) ** (math.floor(twos * math.log10(2)) - digits)
