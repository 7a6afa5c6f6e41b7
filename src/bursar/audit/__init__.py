"""Is a claim violated?  The auditor looks, and answers "violation found" or "none found".

`look` runs a mechanism on two neighbours, `search` on many, `lower_bound` takes outcomes that are
there already, `replay` measures sensitivities under recorded noise, `lattice` looks at low bits.

The room is called as its command is, `bursar audit`; a room cannot be called as a function
without a trick, so its first function is `bursar.audit.look`.
"""

from bursar.audit.findings import LowerBound, NoneFound, Violation
from bursar.audit.lattice import Lattice, lattice
from bursar.audit.look import Vectorised, look, lower_bound, search
from bursar.audit.neighbours import neighbours
from bursar.audit.replay import Replayed, Tape, replay

__all__ = [
    "Lattice",
    "LowerBound",
    "NoneFound",
    "Replayed",
    "Tape",
    "Vectorised",
    "Violation",
    "lattice",
    "look",
    "lower_bound",
    "neighbours",
    "replay",
    "search",
]
