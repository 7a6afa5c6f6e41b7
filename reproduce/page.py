"""docs/reproduction.md, made of the kept results: `python -m reproduce page`."""

from __future__ import annotations

from bench.machine import told
from reproduce import keeping

PAGE = keeping.HERE.parent / "docs" / "reproduction.md"
_PAPERS = {
    "wang": "Wang et al. 2023, *A Randomized Approach to Tight Privacy Accounting*",
    "zhu_wang": "Zhu & Wang 2020, *Improving Sparse Vector Technique with Rényi Differential Privacy*",
    "koskela": "Koskela & Kulkarni 2023, *Practical DP Hyperparameter Tuning with Subsampling*",
    "feldman": "Feldman & Zrnic 2021, *Individual Privacy Accounting via a Rényi Filter*",
}
_HEAD = """# What the papers printed, made again

Each part is made of numbers that `python -m reproduce <paper> <name>` measures and keeps; `python -m reproduce page` writes this page ([how](../reproduce/README.md)). Where a paper printed no numbers, the comparison is with values that were computed by another road. Times are of the machine named; read the ratios. Errors in print stand in [errata.md](errata.md).
"""


def text() -> str:
    """The page as the kept results give it."""
    parts = [_HEAD]
    for paper in keeping.papers():
        parts.append(f"## {_PAPERS.get(paper, paper)}\n")
        parts += [
            _part(paper, name, work)
            for name, work in keeping.works(paper).items()
            if (keeping.RESULTS / f"{paper}-{name}.json").exists()
        ]
    return "\n".join(parts)


def _part(paper: str, name: str, work: keeping.Work) -> str:
    found = keeping.load(keeping.RESULTS / f"{paper}-{name}.json")
    drawn = sorted(keeping.FIGURES.glob(f"{paper}-{name}[-.]*svg"))
    pictures = "\n".join(f"![{work.TITLE}](figures/{path.name})" for path in drawn)
    measured = f"<sub>`python -m reproduce {paper} {name}`; {told(found['machine'])}.</sub>"
    blocks = [f"### {work.TITLE}", pictures, work.told(found).strip(), measured]
    return "\n\n".join(block for block in blocks if block) + "\n"


def write() -> None:
    """Write the page."""
    PAGE.write_text(text(), encoding="utf-8")
