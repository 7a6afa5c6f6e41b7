"""What a test needs beside Python: a package of an extra, or a program such as a database.

`package("pyspark")` and `program("chromium")` give it, or skip the test and say what is missing.
Where BURSAR_REQUIRE_ENGINES=1 (as `.ci/run` has it) a missing engine is a failure.
"""

from __future__ import annotations

import importlib
import os
import shutil
from types import ModuleType
from typing import NoReturn

import pytest


def package(name: str) -> ModuleType:
    """The package of that name."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing(f"the package {name} ({error})")


def program(name: str) -> str:
    """The path of the program of that name."""
    return shutil.which(name) or missing(f"the program {name}")


def missing(what: str) -> NoReturn:
    """Skip, or fail where nothing may be missing."""
    if os.environ.get("BURSAR_REQUIRE_ENGINES") == "1":
        pytest.fail(f"{what} is missing, and BURSAR_REQUIRE_ENGINES=1", pytrace=False)
    pytest.skip(f"{what} is missing", allow_module_level=True)
