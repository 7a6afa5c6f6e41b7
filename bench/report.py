"""docs/benchmarks.md, made from the results of accountants.py.

python bench/report.py
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
    parts = [_head(found), _speed(rows), _claims(rows), _deep(rows), _certificates(rows)]
    (HERE.parent / "docs/benchmarks.md").write_text("\n".join(parts))


def _head(found: dict[str, Any]) -> str:
    machine = found["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return f"""# Benchmarks

Made by `python bench/accountants.py && python bench/report.py`, all tools in one run, each in a process of its own, best of three. Machine: {machine["processor"]}, {machine["cores"]} cores, Python {machine["python"]}. {versions}. Machines are noisy: read the ratios. ε of k Poisson-subsampled Gaussian steps under add-or-remove-one, both directions.
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
            if name in ("bursar check", "opacus GDP"):
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


def _certificates(rows: dict[tuple[Any, ...], dict[str, Row]]) -> str:
    lines = [
        "## Checking a certificate",
        "",
        "Both directions together, in a warm process.",
        "",
        "| (σ, q, k) | δ | ms |",
        "|---|---|---|",
    ]
    for key, tools in rows.items():
        row = tools.get("bursar check", {})
        if row:
            told = row["error"] if "error" in row else f"{row['seconds'] * 1e3:.1f}"
            lines.append(f"| {_setting(key)} | {key[3]} | {told} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
