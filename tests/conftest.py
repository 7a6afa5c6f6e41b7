"""What all tests share: hypothesis without a clock, since the cores may be busy.

A person's run draws 30 examples of each property, other ones each time; CI draws 100, always the
same.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("person", deadline=None, max_examples=30)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "person")
