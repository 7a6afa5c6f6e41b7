"""docs/benchmarks.md, made from the results of accountants.py.

python -m bench.report
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Row = dict[str, Any]


def main() -> None:
    """Write the page."""
    found = json.loads((HERE / "results/accountants.json").read_text())
    rows = defaultdict(dict)
    for row in found["rows"]:
        rows[(row["sigma"], row["q"], row["k"], row["delta"])][row["tool"]] = row
    numbers = json.loads((HERE / "results/numbers.json").read_text())
    parts = [_head(found), _numbers(numbers), _speed(rows), _claims(rows), _deep(rows)]
    (HERE.parent / "docs/benchmarks.md").write_text("\n".join(parts))


def _head(found: dict[str, Any]) -> str:
    machine = found["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return f"""# Benchmarks

Made by `python -m bench.accountants && python -m bench.report`, all tools in one run, each in a process of its own, best of three. Machine: {machine["processor"]}, {machine["cores"]} cores, Python {machine["python"]}. {versions}. Machines are noisy: read the ratios. ε of k Poisson-subsampled Gaussian steps under add-or-remove-one, both directions.
"""


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)


def _setting(key: tuple[Any, ...]) -> str:
    return f"({key[0]}, {key[1]}, {key[2]})"


def _speed(rows: dict[tuple[Any, ...], dict[str, Row]]) -> str:
    lines = [
        "## Time and width at δ = 1e-5",
        "",
        "Relative width is (upper − lower)/truth for us and for prv_accountant, (upper − truth)/truth "
        "for tools with one bound. The last column is how many times faster bursar is.",
        "",
        "| (σ, q, k) | tool | ms | relative width | peak MiB | bursar faster by |",
        "|---|---|---|---|---|---|",
    ]
    for key, tools in rows.items():
        ours = tools.get("bursar exact", {})
        if key[3] != "1e-5" or "seconds" not in ours:
            continue
        for name, row in tools.items():
            if name in ("bursar check", "Opacus GDP"):
                continue
            lines.append(_speed_line(key, name, row, ours))
    return "\n".join([*lines, ""])


def _speed_line(key: tuple[Any, ...], name: str, row: Row, ours: Row) -> str:
    if "error" in row:
        return f"| {_setting(key)} | {name} | | {row['error']} | | |"
    truth = ours["upper"]
    low = _float(row["lower"]) if row["lower"] is not None else truth
    width = (_float(row["upper"]) - low) / truth
    ratio = row["seconds"] / ours["seconds"]
    faster = "" if name == "bursar exact" else f"{ratio:.2g}"
    told = f"{width:.1e}" if math.isfinite(width) else "inf"
    return f"| {_setting(key)} | {name} | {row['seconds'] * 1e3:.1f} | {told} | {row['peak_mib']} | {faster} |"


def _claims(rows: dict[tuple[Any, ...], dict[str, Row]]) -> str:
    lines = [
        "## Who claims too little",
        "",
        "A bound or an estimate below the proved lower end of the truth (unsafe), or a lower bound "
        "above the proved upper end.",
        "",
        "| (σ, q, k) | δ | tool | claim | truth | off by |",
        "|---|---|---|---|---|---|",
    ]
    for key, tools in rows.items():
        ours = tools.get("bursar exact", {})
        if "lower" not in ours:
            continue
        low, high = float(ours["lower"]), float(ours["upper"])
        for name, row in tools.items():
            if name.startswith("bursar") or "error" in row:
                continue
            upper, value, lower = (_float(row[part]) for part in ("upper", "value", "lower"))
            claim = upper if not math.isnan(upper) else value
            for told, wrong in ((claim, claim < low), (lower, lower > high)):
                if wrong:
                    off = (told - low) / low if low else math.nan
                    lines.append(
                        f"| {_setting(key)} | {key[3]} | {name} | {told:.6g} | {low:.6g} | {off:+.1e} |"
                    )
    return "\n".join([*lines, ""])


def _deep(rows: dict[tuple[Any, ...], dict[str, Row]]) -> str:
    lines = [
        "## Small δ",
        "",
        "| (σ, q, k) | δ | bursar's ε | relative width | ms | RDP above by | dp_accounting PLD | prv_accountant |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key, tools in rows.items():
        ours = tools.get("bursar exact", {})
        if key[3] == "1e-5" or not ours:
            continue
        if "error" in ours:
            lines.append(f"| {_setting(key)} | {key[3]} | {ours['error']} | | | | | |")
            continue
        truth, rdp = float(ours["upper"]), tools.get("bursar rdp", {})
        above = (_float(rdp.get("upper")) - truth) / truth if "upper" in rdp else math.nan
        peers = [_told(tools.get(name)) for name in ("dp_accounting PLD", "prv_accountant")]
        width = (truth - float(ours["lower"])) / truth
        lines.append(
            f"| {_setting(key)} | {key[3]} | {truth:.12g} | {width:.1e} | {ours['seconds'] * 1e3:.0f} "
            f"| {above:+.0%} | {peers[0]} | {peers[1]} |"
        )
    return "\n".join([*lines, ""])


def _told(row: Row | None) -> str:
    if row is None:
        return ""
    if "error" in row:
        return row["error"].split(":")[0]
    return f"{_float(row['upper']):.6g}"


def _numbers(found: dict[str, Any]) -> str:
    """Each number that bursar holds itself to, with what was measured."""
    lines = ["## The numbers that matter", "", "| what | to reach | measured |", "|---|---|---|"]

    def worst(rows: list[Row], key: str) -> float:
        return max((row[key] for row in rows if key in row), default=math.nan)

    plain = [row for row in found["grid"] if not row["rare"]]
    rare = [row for row in found["grid"] if row["rare"]]
    near = [row for row in plain if float(row["delta"]) >= 1e-30]
    shown = {
        "relative width of ε on the grid, per direction": (
            "≤ 1e-12",
            f"{worst(plain, 'width'):.1e}",
        ),
        "time there, δ ≥ 1e-30": ("≤ 100 ms", f"{worst(near, 'ms'):.0f} ms"),
        "time there, δ ≥ 1e-300": ("≤ 300 ms", f"{worst(plain, 'ms'):.0f} ms"),
        "relative width with rare jumps": ("≤ 1e-9", f"{worst(rare, 'width'):.1e}"),
        "time there, δ from 1e-5 to 1e-100": ("≤ 500 ms", f"{worst(rare, 'ms'):.0f} ms"),
        "checking a certificate on the grid, all its directions": (
            "≤ 200 ms a direction",
            f"{worst(found['certificates'], 'ms'):.0f} ms",
        ),
    }
    aims = ["≤ 3 s", "≤ 1 s", "≤ 1 s", "≤ 0.3 s", "≤ 0.6 s"]
    for (name, seconds), aim in zip(found["single"].items(), aims, strict=True):
        shown[name] = (aim, f"{seconds:.2f} s")
    for row in found["grid"]:
        if "limit" in row:
            what = f"{_setting(row['setting'])}, δ = {row['delta']}, {row['direction']}"
            shown[what] = ("an enclosure", f"a limit: {row['limit']}")
    lines += [f"| {what} | {aim} | {told} |" for what, (aim, told) in shown.items()]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
