"""Zhu & Wang 2020, *Improving Sparse Vector Technique with Rényi Differential Privacy*."""
