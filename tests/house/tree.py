"""The files of the house, as its own tests see them."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "bursar"


def files() -> list[Path]:
    """Every file that is, or would be, in version control."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for line in listed.splitlines() if (path := ROOT / line).is_file()]


def modules() -> list[Path]:
    """The modules of the package."""
    return sorted(SOURCE.rglob("*.py"))


def pages() -> list[Path]:
    """The pages that people read."""
    return sorted(path for path in files() if path.suffix == ".md")


def name(path: Path) -> str:
    """A path as a test's name shows it."""
    return str(path.relative_to(ROOT))
