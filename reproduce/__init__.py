"""Figures and tables of the papers that bursar builds on, made again: see README.md here."""
