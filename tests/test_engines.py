"""A missing engine is a listed skip on a person's machine, and a failure in CI."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from tests import engines

ABSENT = [lambda: engines.package("no_such_package"), lambda: engines.program("no-such-program")]


@pytest.mark.parametrize("need", ABSENT)
def test_a_person_is_told(need: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BURSAR_REQUIRE_ENGINES", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"no.such.* is missing"):
        need()


@pytest.mark.parametrize("need", ABSENT)
def test_ci_fails(need: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BURSAR_REQUIRE_ENGINES", "1")
    with pytest.raises(pytest.fail.Exception, match=r"no.such.* is missing"):
        need()


def test_what_is_there_is_given() -> None:
    assert engines.package("json").loads("1") == 1
    assert engines.program(sys.executable) == sys.executable
