"""What the tests of noise share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bursar.numerics.balls import precision


@pytest.fixture
def precise() -> Iterator[None]:
    """Balls of 300 bits in the test itself; the package sets its own."""
    with precision(300):
        yield
