"""Pictures: what is proved is solid, what is not is dashed, and nothing is cut off unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from bursar.accounting.curve import profile
from bursar.accounting.online import walk
from bursar.accounting.risk import trade_off
from bursar.errors import InvalidParameter
from bursar.mechanisms.gaussian import Gaussian
from bursar.reports import plots, tables
from tests.engines import package

RUN = Gaussian(noise_multiplier=1)


@pytest.fixture(autouse=True)
def _drawable() -> None:
    package("matplotlib")


def test_a_profile_is_one_line_where_both_directions_agree() -> None:
    (axes,) = plots.profile_figure(profile(RUN, epsilons=[0, 1, 2])).axes
    (line,) = axes.lines
    assert list(line.get_xdata()) == [0.0, 1.0, 2.0]
    assert line.get_linestyle() == "-"
    assert axes.get_yscale() == "log"


def test_an_estimate_is_dashed() -> None:
    (axes,) = plots.profile_figure(profile(RUN, epsilons=[0, 1], method="saddlepoint")).axes
    assert axes.lines[0].get_linestyle() != "-"


def test_a_profile_by_delta_has_the_same_axes() -> None:
    (axes,) = plots.profile_figure(profile(RUN, deltas=["1e-9", "1e-5"])).axes
    (line,) = axes.lines
    assert sorted(line.get_ydata()) == [1e-9, 1e-5]
    assert axes.get_xlabel() == "ε"


def test_small_rates_are_in_powers_of_ten() -> None:
    (axes,) = plots.trade_off_figure(trade_off(RUN)).axes
    assert axes.get_xscale() == "log"
    (axes,) = plots.trade_off_figure(trade_off(RUN, points=3)).axes
    assert axes.get_xscale() == "linear"


def test_a_file_has_a_known_ending(tmp_path: Path) -> None:
    rows = list(walk(RUN, steps=2, delta="1e-5"))
    figure = plots.steps_figure(rows)
    plots.save(figure, tmp_path / "steps.svg")
    first = (tmp_path / "steps.svg").read_bytes()
    plots.save(plots.steps_figure(rows), tmp_path / "again.svg")
    assert first == (tmp_path / "again.svg").read_bytes()  # nothing in it but the picture
    with pytest.raises(InvalidParameter):
        plots.save(figure, tmp_path / "steps.doc")


def test_a_cell_is_empty_where_nothing_is_known() -> None:
    curve = profile(RUN, epsilons=[1], method="rdp")
    head, row = tables.profile_csv(curve).splitlines()
    cells = dict(zip(head.split(","), row.split(","), strict=True))
    assert cells["delta_lower"] == cells["remove_upper"] == ""
    assert (cells["kind"], cells["method"]) == ("upper-bound", "rdp")
