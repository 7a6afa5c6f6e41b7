"""Time and memory end: exit code 4, and the safe answer so far."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bursar.accounting import exact, rdp
from bursar.cli.limits import within
from bursar.errors import InvalidParameter, LimitReached, NoProof
from bursar.truth import UpperBound
from tests.cli.program import AT, RUN, Ended, bursar

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no clock of this kind")


def endless(*_: object, **__: object) -> None:
    while True:
        time.sleep(0.001)


def hungry(*_: object, **__: object) -> None:
    raise MemoryError


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Ended]]:
    """The program, with an exact accountant that never ends."""

    def run(*arguments: str) -> Ended:
        return bursar(*arguments, "--timeout", "0.05", "--json")

    with monkeypatch.context() as patched:
        patch(patched, endless)
        yield run


def patch(patched: pytest.MonkeyPatch, stand_in: Callable[..., None]) -> None:
    from bursar.accounting import accountants, choose, compare
    from bursar.accounting.accountants import Accountant

    first, *others = accountants.ACCOUNTANTS
    fake = Accountant(first.name, first.kind, first.view, stand_in, stand_in)  # type: ignore[arg-type]
    patched.setattr(choose, "ACCOUNTANTS", (fake, *others))
    patched.setattr(choose, "PROVED", (fake, *(one for one in others if one.kind != "estimate")))
    patched.setattr(compare, "ACCOUNTANTS", (fake, *others))
    patched.setattr(exact, "epsilon", stand_in)


def rdp_bound() -> float:
    from bursar.mechanisms.gaussian import Gaussian
    from bursar.mechanisms.poisson import PoissonSubsampled

    step = PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.001")
    return rdp.epsilon(1000 * step, delta="1e-5").upper


@pytest.mark.parametrize("command", ["epsilon", "compare", "certify"])
def test_when_time_is_up_there_is_a_safe_answer(
    slow: Callable[..., Ended], command: str, tmp_path: Path
) -> None:
    out = ("--out", str(tmp_path / "proof.json")) if command == "certify" else ()
    started = time.perf_counter()
    ended = slow(command, *RUN, *AT, *out)
    assert time.perf_counter() - started < 5
    assert (ended.code, ended.error["kind"]) == (4, "LimitReached")
    assert "time is up" in ended.error["need"]
    assert ended.error["partial"]["kind"] == "upper-bound"
    assert ended.error["partial"]["epsilon"] == {"upper": rdp_bound()}
    assert not (tmp_path / "proof.json").exists()


def test_a_safe_delta_and_a_safe_noise(slow: Callable[..., Ended]) -> None:
    ended = slow("delta", *RUN, "--epsilon", "2")
    assert (ended.code, ended.error["partial"]["method"]) == (4, "rdp")
    assert 0 < ended.error["partial"]["delta"]["upper"] < 1
    ended = slow("calibrate", "--epsilon", "1", *AT, "--steps", "9")
    assert (ended.code, ended.error["partial"]["method"]) == (4, "rdp")
    assert ended.error["partial"]["epsilon"]["upper"] <= 1
    assert ended.error["partial"]["noise_multiplier"] > 0


def test_what_nobody_else_takes_has_no_safe_answer(
    slow: Callable[..., Ended], tmp_path: Path
) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[step]]\nmechanism = "approximate-dp"\nepsilon = 1\ndelta = 1e-9')
    ended = slow("epsilon", "--plan", str(path), *AT)
    assert (ended.code, ended.error["partial"]) == (4, None)


def test_when_memory_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    patch(monkeypatch, hungry)
    ended = bursar("epsilon", *RUN, *AT, "--json")
    assert (ended.code, ended.error["need"]) == (4, "memory is used up")
    assert ended.error["partial"]["epsilon"] == {"upper": rdp_bound()}


def test_a_person_reads_the_safe_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    patch(monkeypatch, endless)
    ended = bursar("epsilon", *RUN, *AT, "--timeout", "0.05")
    assert ended.code == 4
    assert ended.err.startswith("bursar: time is up after 0.05 s.\n")
    assert "Proved all the same: ε ≤ 0.659" in ended.err


def test_an_accountants_own_limit_keeps_what_it_has() -> None:
    def reached() -> None:
        raise LimitReached("too many nodes", partial=UpperBound(upper=2.0))

    with pytest.raises(LimitReached) as caught:
        within("5", reached, lambda: UpperBound(upper=9.0))
    assert caught.value.partial == UpperBound(upper=2.0)


def test_a_safe_answer_that_fails_is_none() -> None:
    def refused() -> None:
        raise NoProof("no")

    with pytest.raises(LimitReached) as caught:
        within("0.01", endless, refused)
    assert caught.value.partial is None


def test_the_clock_is_put_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert within("5", lambda: 7) == 7
    with pytest.raises(LimitReached):
        within("0.01", endless)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_loop_that_catches_every_exception_ends_too() -> None:
    def stubborn() -> None:
        while True:
            try:
                time.sleep(0.001)
            except Exception:  # noqa: BLE001
                continue

    with pytest.raises(LimitReached):
        within("0.01", stubborn)


@pytest.mark.parametrize("seconds", ["nan", "0", "-1", "inf", "soon"])
def test_a_limit_is_a_positive_number(seconds: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        within(seconds, lambda: 7)
    assert caught.value.field == "timeout"


@pytest.mark.parametrize("seconds", ["1e300", "1e-300"])
def test_a_limit_that_no_clock_has_is_the_nearest(seconds: str) -> None:
    if seconds == "1e300":
        assert within(seconds, lambda: 7) == 7
    else:
        with pytest.raises(LimitReached):
            within(seconds, endless)


def test_another_thread_has_no_limit() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(within("0.001", os.getpid)))
    thread.start()
    thread.join()
    assert found == [os.getpid()]
