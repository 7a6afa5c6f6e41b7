"""What all tests share: hypothesis without a clock, since the cores may be busy."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("person", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "person")
