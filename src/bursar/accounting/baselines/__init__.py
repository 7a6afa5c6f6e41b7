"""Wang et al. 2023 as published and corrected: baselines, to compare with and to learn from.

What bursar relies on is beside this room: designs that tilt every coordinate (`monte_carlo_*.py`),
and the exact accountant.  What was corrected stands in docs/errata.md.
"""
