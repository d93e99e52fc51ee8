"""PyTorch for the tests of AutoURDF's networks, where pip has a build of it without CUDA."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

TORCH = "torch==2.13.0"
# What brings several GB.
HEAVY = ("cuda", "nvidia", "triton")


def offer_torch(python: Path, run: Callable[[list[str]], None]) -> None:
    """Install it, or say that the networks are not tested.

    python: of the environment. run: runs a command, its output going to the log. No lock pins it:
    a build for the CPU has another digest at every source.
    """
    install = [str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    plan = ["--dry-run", "--report", "-", TORCH]
    answer = subprocess.run([*install, *plan], capture_output=True, text=True)
    if answer.returncode == 0 and is_light(answer.stdout):
        try:
            run([*install, TORCH])
        except subprocess.CalledProcessError:
            pass  # the log says why; reported below
        else:
            return
    print(
        f"setup: AutoURDF's networks are not tested: pip offers no {TORCH} without CUDA; to have "
        "them tested: .venv/bin/python -m pip install torch",
        flush=True,
    )


def is_light(report: str) -> bool:
    """Whether nothing in a report of `pip install --dry-run` is of CUDA."""
    names = [entry["metadata"]["name"].lower() for entry in json.loads(report)["install"]]
    return not any(name.startswith(HEAVY) for name in names)
