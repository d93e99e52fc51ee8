"""Folders that many tests begin with: made once in a test run, whatever the number of processes."""

import fcntl
import os
import shutil
from pathlib import Path

PLACE = "AUTOURDF_TEST_PLACE"
"""Variable of the environment: folder that all processes of a test run share."""


def copy_of(name, make, folder):
    """Let `folder` hold what `make(folder)` writes, and return its path.

    The first test of a run makes it, the others wait for that; all of them get copies. Two makers
    of one name must write the same.
    """
    folder = Path(folder).absolute()
    if PLACE not in os.environ:
        make(folder)
        return folder
    place = Path(os.environ[PLACE])
    place.mkdir(exist_ok=True)
    made, done = place / name, place / f"{name}.done"
    with (place / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(made, ignore_errors=True)
            make(made)
            done.touch()
    return shutil.copytree(made, folder, dirs_exist_ok=True)
