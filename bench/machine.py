"""On what something was measured: the machine and the versions, and no more than that."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

OURS = ("bursar", "numpy", "scipy", "python-flint")


def stamp(*packages: str) -> dict[str, str]:
    """The processor, its cores, Python, and the versions of these packages that are there."""
    found = {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "python": platform.python_version(),
    }
    for name in (*OURS, *packages):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def told(found: dict[str, str]) -> str:
    """A stamp as a sentence."""
    first = f"{found['processor']}, {found['cores']} cores, Python {found['python']}"
    rest = [
        f"{name} {version}"
        for name, version in found.items()
        if name not in ("processor", "cores", "python")
    ]
    return "; ".join([first, ", ".join(rest)])


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
