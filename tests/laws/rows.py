"""Checks of the rows of docs/special-values.md, by the cell that a row starts with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bursar import InvalidParameter

CHECKS: dict[str, Callable[[], None]] = {}
Check = Callable[[], None]


def row(cell: str) -> Callable[[Check], Check]:
    """The function checks the row that starts with this cell."""

    def keep(check: Check) -> Check:
        CHECKS[cell] = check
        return check

    return keep


def refused(make: Callable[[], object], field: str, hint: str = "") -> None:
    """Refused with an error that names the field, shows the value if any, and says the need."""
    with pytest.raises(InvalidParameter) as caught:
        make()
    error = caught.value
    assert error.field == field
    assert error.need
    assert str(error).startswith(f"{field}: " if error.value is None else f"{field} = ")
    assert hint in (error.hint or "")
