"""Checks run in processes of their own: a library that crashes or hangs is a finding too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping


class CheckError(Exception):
    """A check did not end well; the message is the last line it printed, or why it has none."""


def run_python(
    arguments: list[str], timeout: float, environment: Mapping[str, str] | None = None
) -> str:
    """Standard output of this Python with `arguments`, stripped.

    environment: variables set on top of this process's. Raises CheckError.
    """
    try:
        result = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=os.environ | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CheckError(f"no answer within {timeout:g} s") from None
    if result.returncode < 0:
        raise CheckError(f"crashed ({signal.Signals(-result.returncode).name})")
    if result.returncode > 0:
        lines = (result.stderr.strip() or result.stdout.strip()).splitlines()
        raise CheckError(lines[-1] if lines else f"exit code {result.returncode}")
    return result.stdout.strip()
