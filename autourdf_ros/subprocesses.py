"""Checks run in processes of their own: a library that crashes or hangs is a finding too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

PATIENCE = 5.0  # s from asking a process to end until it is killed


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


@contextmanager
def python_beside(
    arguments: list[str], environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run this Python with `arguments`, unheard, for as long as the context lasts.

    environment: variables set on top of this process's.
    """
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes], patience: float = PATIENCE) -> None:
    """End a process; it is killed when it does not obey within `patience` seconds.

    One that has just loaded rclpy may lose the signal, or hang while it shuts down.
    """
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
