"""What people read: true when rounded, at every width, with and without colours and Greek."""

from __future__ import annotations

import re
import sys
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from bursar.accounting import choose, compare
from bursar.cli.answer import words
from bursar.cli.main import main
from bursar.truth import About, Enclosure, Estimate, Refusal, UpperBound
from tests.cli.page import same
from tests.cli.program import AT, ONE, RUN, bursar, on_terminal

ANSI = re.compile(r"\x1b\[[\d;]*[mK]")
FIXED = Enclosure(
    lower=0.12345678,
    upper=0.12345679,
    about=About(given="1e-5", method="exact", direction="remove", seconds=0.0612),
)


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An accountant that always says the same."""
    monkeypatch.setattr(choose, "epsilon", lambda *_, **__: FIXED)
    entries = [FIXED, UpperBound(upper=0.25), Refusal("third", "it has no view of this plan")]
    monkeypatch.setattr(compare, "entries", lambda *_, **__: entries)


@pytest.mark.usefixtures("fixed")
def test_a_page_in_a_pipe() -> None:
    assert bursar("epsilon", *RUN, *AT).out == (
        "0.123456 ≤ ε ≤ 0.123457\n"
        "\n"
        "at           δ = 1e-5\n"
        "neighbours   add-or-remove-one; removing is worse\n"
        "run          1000 × gaussian (noise multiplier 1, sampling probability 0.001)\n"
        "method       exact: proved on both sides, within a relative 9e-8\n"
        "time         0.06 s\n"
    )


@pytest.mark.usefixtures("fixed")
def test_a_page_on_a_narrow_terminal() -> None:
    ended = on_terminal(48, "epsilon", *RUN, *AT, NO_COLOR="1")
    assert ANSI.sub("", ended.out) == (
        "0.123456 ≤ ε ≤ 0.123457\n"
        "\n"
        "at           δ = 1e-5\n"
        "neighbours   add-or-remove-one; removing is\n"
        "             worse\n"
        "run          1000 × gaussian (noise multiplier\n"
        "             1, sampling probability 0.001)\n"
        "method       exact: proved on both sides, within\n"
        "             a relative 9e-8\n"
        "time         0.06 s\n"
    )


@pytest.mark.usefixtures("fixed")
def test_accountants_stand_side_by_side() -> None:
    assert bursar("compare", *ONE, *AT).out == (
        "What each accountant says\n"
        "\n"
        "exact         enclosure     0.123456 ≤ ε ≤ 0.123457       0.06 s\n"
        "closed-form   upper-bound   ε ≤ 0.25                      0.00 s\n"
        "third         refused       it has no view of this plan\n"
        "\n"
        "at           δ = 1e-5\n"
        "neighbours   add-or-remove-one\n"
        "run          1 × gaussian (noise multiplier 2)\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 20, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    for arguments in (
        ("epsilon", *RUN, *AT),
        ("compare", *RUN, *AT),
        ("certify", *ONE, *AT, "--out", str(path)),
        ("epsilon", *ONE, "--delta", "0"),
        ("epsilon", "--noise-multiplier", "nan", *AT),
    ):
        ended = on_terminal(width, *arguments)
        lines = ANSI.sub("", ended.out + ended.err).splitlines()
        assert lines
        assert max(map(len, lines)) <= width


def test_colours_are_for_terminals_that_want_them() -> None:
    assert ANSI.search(on_terminal(80, "epsilon", *ONE, *AT).out)
    assert ANSI.search(on_terminal(80, "epsilon", *AT).err)
    assert "\x1b[3" not in on_terminal(80, "epsilon", *ONE, *AT, NO_COLOR="1").out
    assert not ANSI.search(on_terminal(80, "epsilon", *AT, NO_COLOR="1").err)
    assert not ANSI.search(on_terminal(80, "epsilon", *ONE, *AT, TERM="dumb").out)
    assert not ANSI.search(bursar("epsilon", *ONE, *AT).out)


def test_what_a_file_says_does_not_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('"\\u001b[2J" = 1')
    ended = on_terminal(80, "epsilon", "--plan", str(path), *AT)
    assert ended.code == 2
    assert "\x1b[2J" not in ended.err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_where_there_is_no_greek_there_are_words(encoding: str) -> None:
    body = BytesIO()
    with redirect_stdout(TextIOWrapper(body, encoding=encoding)):
        assert main(["epsilon", *ONE, *AT]) == 0
        sys.stdout.flush()
        said = body.getvalue().decode(encoding)
    assert said.startswith(
        "1.99309 ≤ ε ≤ 1.9931\n" if encoding == "utf-8" else "1.99309 <= epsilon <= 1.9931\n"
    )


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (Enclosure(lower=0.0, upper=0.0), "ε = 0"),
        (Enclosure(lower=1.0, upper=1.0), "ε = 1"),
        (Enclosure(lower=float("inf"), upper=float("inf")), "ε is infinite"),
        (Enclosure(lower=0.1, upper=float("inf")), "0.1 ≤ ε ≤ inf"),
        (Enclosure(lower=0.9999999999, upper=1.0), "0.999999 ≤ ε ≤ 1"),
        (UpperBound(upper=1.00000001), "ε ≤ 1.00001"),
        (UpperBound(upper=float("inf")), "no finite bound on ε"),
        (UpperBound(upper=2.0, about=About(quantity="delta")), "δ ≤ 2"),
        (Estimate(value=1.0, method="gdp"), "ε ≈ 1 (no proof)"),
    ],
    ids=repr,
)
def test_rounded_numbers_stay_true(result: Enclosure | UpperBound | Estimate, said: str) -> None:
    assert words(result) == said


def test_a_long_plan_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    step = '[[step]]\nmechanism = "gaussian"\nnoise_multiplier = {}\n'
    for count, said in ((7, 7), (8, 7), (300, 7)):
        path.write_text("".join(step.format(sigma + 9) for sigma in range(count)))
        page = bursar("epsilon", "--plan", str(path), *AT).out
        assert page.count("gaussian (") == (7 if count == 7 else 6)
        assert (f"and {count - 6} more steps" in page) == (count > said)


def test_pages_are_compared_without_their_times() -> None:
    page = bursar("epsilon", *ONE, *AT).out
    assert same(page, re.sub(r"\d\.\d\d s", "9.99 s", page))
    assert not same(page, page.replace("1.9931", "1.9932"))
