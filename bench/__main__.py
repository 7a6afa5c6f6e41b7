"""How fast and how tight, beside others.

python -m bench                                 what there is
python -m bench filters noise [--small] [--out FOLDER]
python -m bench all                             every suite, and the page
python -m bench page                            docs/benchmarks.md from the kept results
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # every tool on one core; before numpy is loaded

from bench import keeping, page

DIGITS = 17


def main() -> None:
    """Measure, keep, draw, tell."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="suites, or: all, page")
    parser.add_argument("--small", action="store_true", help="seconds each; never committed")
    parser.add_argument("--out", type=Path, help="a folder for results and pictures")
    parser.add_argument("--draw", action="store_true", help="pictures only, from kept results")
    chosen = parser.parse_args()
    if chosen.small and chosen.out is None:
        parser.error("--small needs --out: what is committed is whole")
    known = page.suites()
    names = list(known) if chosen.names == ["all"] else chosen.names
    if names == ["page"]:
        page.write()
        return
    for name in names:
        if name not in known:
            parser.error(f"{name} is none of {', '.join(known)}")
    for name in names:
        started = time.perf_counter()
        path = (chosen.out or page.RESULTS) / f"{name}.json"
        if not chosen.draw:
            keeping.keep(known[name].measure(small=chosen.small), path, digits=DIGITS)
        page.draw(name, known[name], keeping.load(path), chosen.out or page.FIGURES)
        print(f"{name}: {time.perf_counter() - started:.1f} s", flush=True)
    if names and chosen.out is None:
        page.write()
    for name in [] if names else known:
        print(f"{name:12} {known[name].TITLE}")


if __name__ == "__main__":
    main()
