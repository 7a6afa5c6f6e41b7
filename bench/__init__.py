"""Measurements: bursar beside other accountants, and against its own aims."""
