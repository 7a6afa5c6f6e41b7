"""What papers printed, made again.

python -m reproduce                            what there is
python -m reproduce wang [fig5 …] [--small] [--out FOLDER]
python -m reproduce page                       docs/reproduction.md from the kept results
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from reproduce import keeping, page


def main() -> None:
    """Measure, keep, draw."""
    parser = argparse.ArgumentParser(
        prog="python -m reproduce",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paper", nargs="?", choices=[*keeping.papers(), "page"])
    parser.add_argument("names", nargs="*", help="figures and tables; none means all")
    parser.add_argument("--small", action="store_true", help="few points, seconds; never committed")
    parser.add_argument("--out", type=Path, help="a folder for results and pictures")
    parser.add_argument("--draw", action="store_true", help="pictures only, from kept results")
    chosen = parser.parse_args()
    if chosen.small and chosen.out is None:
        parser.error("--small needs --out: what is committed is whole")
    if chosen.paper is None:
        for paper in keeping.papers():
            for name, module in keeping.works(paper).items():
                print(f"{paper} {name:8} {module.TITLE}")
    elif chosen.paper == "page":
        page.write()
    else:
        works = keeping.works(chosen.paper)
        for name in chosen.names:
            if name not in works:
                parser.error(f"{name} is none of {', '.join(works)}")
        for name in chosen.names or works:
            started = time.perf_counter()
            keeping.make(chosen.paper, name, chosen.out, small=chosen.small, draw_only=chosen.draw)
            print(f"{chosen.paper} {name}: {time.perf_counter() - started:.1f} s", flush=True)
        if chosen.out is None:
            page.write()


if __name__ == "__main__":
    main()
