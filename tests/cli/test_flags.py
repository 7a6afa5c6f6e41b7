"""What the flags say: exact numbers, a trainer's words, plan files; and what they may not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import AT, ONE, RUN, bursar

TRAINER = ("--examples", "60000", "--batch-size", "256", "--epochs", "60", "--noise-multiplier")
PLAN = """
adjacency = "zero-out"
[[step]]
mechanism = "gaussian"
noise_multiplier = 1.0
sampling = "poisson"
sampling_probability = "1/1000"
count = 1000
"""


@pytest.fixture
def plan(tmp_path: Path) -> str:
    """A plan file."""
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return str(path)


def epsilon(*arguments: str) -> object:
    """The ε of some flags."""
    return bursar("epsilon", *arguments, *AT, "--json").json["epsilon"]


# What is run -----------------------------------------------------------------------------------


def test_numbers_mean_what_is_written() -> None:
    assert epsilon(*RUN) == epsilon(
        "--noise-multiplier", "1.000", "--sampling-probability", "3/3000", "--steps", "1000"
    )


def test_a_step_runs_once_on_everybody_unless_it_is_said() -> None:
    said = epsilon(*ONE, "--steps", "1", "--sampling-probability", "1")
    assert epsilon(*ONE) == said


def test_a_file_says_the_same_as_flags(plan: str) -> None:
    found = bursar("epsilon", "--plan", plan, *AT, "--json").json
    assert found["adjacency"] == "zero-out"
    assert found["epsilon"] == epsilon(*RUN, "--adjacency", "zero-out")
    same = bursar("epsilon", "--plan", plan, *AT, "--adjacency", "zero-out", "--json").json
    assert same["epsilon"] == found["epsilon"]


def test_a_poisson_trainer_has_its_step_and_its_count() -> None:
    found = bursar("epsilon", *TRAINER, "1.1", "--sampler", "poisson", *AT, "--json").json
    assert found["sampling_probability"] == "8/1875"  # 256/60000
    assert found["steps"] == 235 * 60
    flags = ("--noise-multiplier", "1.1", "--sampling-probability", "256/60000", "--steps", "14100")
    assert found["epsilon"] == epsilon(*flags)


def test_a_whole_batch_is_everybody() -> None:
    words = ("--examples", "10", "--batch-size", "10", "--epochs", "4", "--sampler", "poisson")
    assert epsilon(*words, *ONE, "--adjacency", "replace-one") == epsilon(
        *ONE, "--steps", "4", "--adjacency", "replace-one"
    )


def test_a_shuffled_trainer_is_one_gaussian_an_epoch() -> None:
    shuffled = (*TRAINER, "1.1", "--sampler", "shuffle", "--adjacency", "zero-out")
    found = bursar("epsilon", *shuffled, *AT, "--json").json
    gaussian = bursar("epsilon", "--noise-multiplier", "1.1", "--steps", "60", *AT, "--json").json
    assert found["epsilon"] == {"upper": gaussian["epsilon"]["upper"]}
    assert found["kind"] == "upper-bound"  # the run may cost less than 60 Gaussian steps
    assert found["adjacency"] == "zero-out"
    assert found["sampler"] == "shuffle"
    assert (found["sampling_probability"], found["steps"]) == ("1", 60)
    assert "60 Gaussian steps under zero-out" in found["note"]
    assert "60 Gaussian steps under zero-out" in bursar("epsilon", *shuffled, *AT).out


def test_a_shuffled_trainer_has_no_account_when_people_come_and_go() -> None:
    ended = bursar("epsilon", *TRAINER, "1.1", "--sampler", "shuffle", *AT, "--json")
    assert (ended.code, ended.error["kind"], ended.error["field"]) == (2, "NoProof", "sampler")
    assert "--adjacency zero-out" in ended.error["hint"]
    assert "60 Gaussian steps" in ended.error["hint"]


@pytest.mark.parametrize("command", ["delta", "compare", "calibrate"])
def test_other_commands_take_a_shuffled_trainer_without_a_lower_end(command: str) -> None:
    words = [*TRAINER[:-1], "--sampler", "shuffle", "--adjacency", "zero-out", "--json"]
    asked = {
        "delta": ("--noise-multiplier", "9", "--epsilon", "1"),
        "compare": ("--noise-multiplier", "9", *AT),
        "calibrate": ("--epsilon", "1", *AT),
    }
    found = bursar(command, *words, *asked[command]).json
    assert found["steps"] == 60
    kinds = {entry.get("kind") for entry in found.get("accountants", [found])}
    assert "enclosure" not in kinds
    if command == "calibrate":
        assert found["witness"]["proved"] is False


def test_a_trainer_asks_which_noise(tmp_path: Path) -> None:
    words = (*TRAINER[:-1], "--sampler", "poisson", "--epsilon", "1", *AT)
    found = bursar("calibrate", *words, "--json").json
    assert found["steps"] == 14100
    assert found["epsilon"]["upper"] <= 1


# What they may not say -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "field", "told"),
    [
        (("epsilon", *AT), "noise_multiplier", "must be given"),
        (("epsilon", *ONE), "delta", "must be given"),
        (("delta", *ONE), "epsilon", "must be given"),
        (("calibrate", *AT), "epsilon", "must be given"),
        (("calibrate", "--epsilon", "1"), "delta", "must be given"),
        (("certify", *ONE, *AT), "out", "must be given"),
        (("check",), "certificate", "must be given"),
        (("epsilon", *ONE, *AT, "--log-delta", "-9"), "log_delta", "beside --delta"),
        (("epsilon", *ONE, *AT, *AT), "delta", "once only"),
        (("epsilon", *ONE, "--delta=1e-5", "--delta=1e-5"), "delta", "once only"),
        (("epsilon", *ONE, *AT, "--examples", "9"), "batch_size", "must be given"),
        (("epsilon", *ONE, *AT, "--sampler", "poisson"), "examples", "must be given"),
        (("epsilon", *TRAINER, "1", *AT), "sampler", "must be given"),
        (
            ("epsilon", *TRAINER, "1", *AT, "--sampler", "poisson", "--steps", "9"),
            "steps",
            "beside a trainer's words",
        ),
        (
            ("epsilon", *TRAINER, "1", *AT, "--sampler", "shuffle", "--sampling-probability", "1"),
            "sampling_probability",
            "beside a trainer's words",
        ),
        (("epsilon", *TRAINER, "1", *AT, "--sampler", "random"), "sampler", "one of poisson"),
        (("calibrate", "--epsilon", "1", *AT, *ONE), "noise_multiplier", "looked for"),
        (("calibrate", "--epsilon", "1", *AT, "--solve", "steps"), "noise_multiplier", "be given"),
        (("calibrate", "--epsilon", "1", *AT, "--solve", "sigma"), "solve", "one of noise"),
        (
            ("calibrate", "--epsilon", "1", *AT, *ONE, "--solve", "steps", "--steps", "9"),
            "steps",
            "looked for",
        ),
        (("epsilon", *ONE, *AT, "--adjacency", "swap"), "adjacency", "one of add-or-remove-one"),
        (("epsilon", *ONE, *AT, "--method", "magic"), "method", "one of exact"),
        (("calibrate", "--epsilon", "1", *AT, "--method", "saddlepoint"), "method", "proves"),
        (("epsilon", *RUN, *AT, "--adjacency", "replace-one"), None, "no proved"),
        (("epsilon", "--plan", "/nowhere/plan.toml", *AT), "plan", "No such file"),
        (("certify", *ONE, *AT, "--out", "/nowhere/proof.json"), "out", "directory"),
        (("certify", *ONE, *AT, "--out", "."), "out", "a file"),
        (("certify", *ONE, "--delta", "0", "--out", "x.json"), "delta", "inside"),
    ],
)
def test_flags_that_contradict_or_lack(
    arguments: tuple[str, ...], field: str | None, told: str
) -> None:
    ended = bursar(*arguments, "--json")
    assert ended.code == 2
    assert ended.error["kind"] in {"InvalidParameter", "NoProof"}
    assert ended.error["field"] == field
    assert told in f"{ended.error['need']} {ended.error['hint']}"


NUMBERS = {
    "noise_multiplier": ("epsilon", *AT, "--noise-multiplier"),
    "sampling_probability": ("epsilon", *ONE, *AT, "--sampling-probability"),
    "steps": ("epsilon", *ONE, *AT, "--steps"),
    "delta": ("epsilon", *ONE, "--delta"),
    "log_delta": ("epsilon", *ONE, "--log-delta"),
    "epsilon": ("delta", *ONE, "--epsilon"),
    "timeout": ("epsilon", *ONE, *AT, "--timeout"),
    "examples": ("epsilon", *TRAINER[2:], "1", *AT, "--sampler", "poisson", "--examples"),
    "batch_size": (
        *("epsilon", "--examples", "9", "--epochs", "1", *ONE, *AT),
        *("--sampler", "poisson", "--batch-size"),
    ),
    "epochs": (
        *("epsilon", "--examples", "9", "--batch-size", "3", *ONE, *AT),
        *("--sampler", "poisson", "--epochs"),
    ),
}
BAD = ["nan", "inf", "-inf", "1e999999", "", "one", "0x10", "1_000", "1,5", "1/0", "१", "[1]"]
OUTSIDE = {
    "noise_multiplier": ["0", "-1"],
    "sampling_probability": ["0", "-0.5", "1.5"],
    "steps": ["0", "-1", "1.0", "1e3", "1000.5", "+5"],
    "delta": ["-1e-5", "1.1"],
    "log_delta": ["0.5", "1e-3"],
    "epsilon": ["-1"],
    "timeout": ["0", "-3"],
    "examples": ["0", "9.5"],
    "batch_size": ["0", "10", "2.5"],
    "epochs": ["0", "1.5"],
}


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field in NUMBERS for value in [*BAD, *OUTSIDE[field]]],
)
def test_a_bad_number_is_refused_by_name(field: str, value: str) -> None:
    ended = bursar(*NUMBERS[field], value, "--json")
    assert (ended.code, ended.error["kind"]) == (2, "InvalidParameter")
    assert ended.error["field"] == field
    assert ended.error["value"] == value
    assert ended.error["need"]


@pytest.mark.parametrize(
    ("extra", "field"),
    [
        (("--noise-multiplier", "1"), "noise_multiplier"),
        (("--steps", "5"), "steps"),
        (("--sampling-probability", "0.1"), "sampling_probability"),
        (("--epochs", "5"), "epochs"),
        (("--sampler", "poisson"), "sampler"),
        (("--adjacency", "add-or-remove-one"), "adjacency"),
    ],
)
def test_no_flag_of_a_step_stands_beside_a_file(
    plan: str, extra: tuple[str, ...], field: str
) -> None:
    ended = bursar("epsilon", "--plan", plan, *AT, *extra, "--json")
    assert (ended.code, ended.error["field"]) == (2, field)


def test_a_step_of_a_file_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[step]]\nmechanism = "gaussian"\nnoise_multiplier = nan')
    ended = bursar("epsilon", "--plan", str(path), *AT)
    assert ended.code == 2
    assert "noise_multiplier = 'nan', but it must be" in ended.err  # its key, not a flag
    assert "See step 1." in ended.err


# What the parser refuses -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "field", "told"),
    [
        (("epsilon", "--sigma", "1"), "sigma", "Did you mean --noise-multiplier?"),
        (("epsilon", "--sample-rate", "1"), "sample_rate", "Did you mean --sampling-probability?"),
        (("epsilon", "--nois-multiplier", "1"), "nois_multiplier", "--noise-multiplier?"),
        (("epsilon", "--zzz"), "zzz", "no such option"),
        (("compare", "--method", "rdp"), "method", "no such option"),
        (("certify", "--log-delta", "-3"), "log_delta", "Did you mean --delta?"),
        (("epsilon", "--json", "--delta"), "delta", "requires an argument"),
        (("certify", *ONE, *AT, "--out", "--json"), "out", "needs a value"),
        (("epsilon", "extra"), None, "unexpected extra argument"),
        (("epsilo",), None, "Did you mean 'epsilon'?"),
        (("--zzz",), "zzz", "no such option"),
    ],
)
def test_the_parsers_own_errors_have_the_same_shape(
    arguments: tuple[str, ...], field: str | None, told: str
) -> None:
    ended = bursar(*arguments, *(() if "--json" in arguments else ("--json",)))
    assert set(ended.error) == {"kind", "field", "value", "need", "hint"}
    assert (ended.code, ended.error["kind"]) == (2, "InvalidParameter")
    assert ended.error["field"] == field
    assert told in f"{ended.error['need']} {ended.error['hint']}"


def test_a_person_reads_the_flag_as_it_is_typed() -> None:
    assert bursar("epsilon", "--sigma", "1").err == (
        "bursar: --sigma: there is no such option.\nDid you mean --noise-multiplier?\n"
    )
    told = bursar("epsilon", "--noise-multiplier", "-1", *AT).err
    assert told.startswith("bursar: --noise-multiplier = -1, but it must be a finite number")
