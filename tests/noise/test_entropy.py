"""No two processes, threads or tasks ever see the same randomness."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from bursar.errors import Refused
from bursar.noise import (
    bernoulli,
    discrete_gaussian,
    entropy,
    lazy_gaussian,
    rehearse,
    rehearsing,
    rounded_gaussian,
)
from bursar.noise.entropy import drawn_from
from tests.noise import broken


def of_forks(draw: Callable[[], int], children: int) -> list[int]:
    """One draw of each of many children, after one in the parent."""
    found = [draw()]
    for _ in range(children):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, struct.pack("<Q", draw()))
            os._exit(0)
        found.append(struct.unpack("<Q", os.read(read, 8))[0])
        os.close(read)
        os.close(write)
        os.waitpid(child, 0)
    return found


def large() -> int:
    """64 bits of what a sampler gives."""
    return int(rounded_gaussian(noise_std=2**40, size=2)[0]) % 2**64


def task(_: int) -> int:
    return large()


def all_differ(found: list[int]) -> bool:
    return len(set(found)) == len(found)


def test_forks_do_not_repeat() -> None:
    """40-bit noise: two of 21 are equal by chance in 1 of 1e10 runs."""
    assert all_differ(of_forks(large, 20))
    assert all_differ(of_forks(entropy.word, 20))


@pytest.mark.slow
def test_a_thousand_forks_do_not_repeat() -> None:
    assert all_differ(of_forks(entropy.word, 1000))


def test_a_pool_that_a_fork_copies_is_caught() -> None:
    assert not all_differ(of_forks(broken.pooled_word, 5))
    assert not all_differ(of_forks(broken.seeded_word, 5))


def test_threads_do_not_repeat() -> None:
    with ThreadPoolExecutor(16) as pool:
        words = list(pool.map(lambda _: entropy.words(50).tolist(), range(64)))
    assert all_differ([word for some in words for word in some])


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_workers_do_not_repeat(method: str) -> None:
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert all_differ(list(pool.map(task, range(20))))


def test_interpreters_do_not_repeat() -> None:
    run = [sys.executable, "-c", "from bursar.noise import entropy; print(entropy.word())"]
    said = [subprocess.run(run, capture_output=True, check=True).stdout for _ in range(2)]
    assert said[0] != said[1]


def test_draws_are_refused_after_a_fork() -> None:
    """ρ of a screen that was forked: the child may not compare with it."""
    rho = lazy_gaussian(noise_std=1)

    def child() -> int:
        try:
            return int(bool(rho >= 0))
        except Refused:
            return 2**40

    here, *there = of_forks(child, 2)
    assert here in {0, 1}
    assert there == [2**40, 2**40]


def test_there_is_no_state_to_store() -> None:
    """Nothing in the module keeps a byte that was drawn, and functions pickle as their names."""
    before = {
        name: repr(value) for name, value in vars(entropy).items() if not name.startswith("__")
    }
    entropy.words(1000)
    entropy.word()
    after = {
        name: repr(value) for name, value in vars(entropy).items() if not name.startswith("__")
    }
    assert before == after
    assert len(pickle.dumps(rounded_gaussian)) < 100


def test_bytes_are_asked_for_as_they_are_used() -> None:
    asked: list[int] = []

    def source(size: int) -> bytes:
        asked.append(size)
        return os.urandom(size)

    drawn_from(source, lambda: rounded_gaussian(noise_std=100, size=1))
    drawn_from(source, lambda: bernoulli(probability="0.3"))
    assert asked == [8, 4, 8]


def test_a_rehearsal_is_of_its_thread_and_ends() -> None:
    inside: list[bool] = []

    def run() -> int:
        inside.append(rehearsing())
        other = threading.Thread(target=lambda: inside.append(rehearsing()))
        other.start()
        other.join()
        return int(discrete_gaussian(sigma=10**6, size=1)[0])

    first, second = rehearse(run, seed=5).value, rehearse(run, seed=5).value
    assert first == second
    assert inside == [True, False, True, False]
    assert not rehearsing()
    with pytest.raises(ZeroDivisionError):
        rehearse(lambda: 1 // 0, seed=5)
    assert not rehearsing()


def test_rehearsals_say_what_they_are() -> None:
    marked = rehearse(lambda: np.zeros(2), seed=1)
    assert "NotPrivate" in repr(marked)
    assert not hasattr(marked, "__float__")
    with pytest.raises(TypeError):
        _ = marked + 1


def test_words_are_words() -> None:
    assert entropy.words(3).dtype == np.uint64
    assert entropy.halves(3).dtype == np.uint32
    assert 0 <= entropy.word() < 2**64
