"""Runs checks in separate processes: a library that crashes or hangs is a finding too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

PATIENCE = 5.0  # s from terminating a process until it is killed


class CheckError(Exception):
    """A check failed; the message is the last line that it printed, or why there is none."""


def run_python(
    arguments: list[str], timeout: float, environment: Mapping[str, str] | None = None
) -> str:
    """Run this Python with `arguments`. Return its standard output, stripped.

    Args:
        timeout: seconds.
        environment: variables added to this process's.

    Raises:
        CheckError: it crashed, hung or failed.
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
    """Run this Python with `arguments`, without output, while the context lasts.

    Args:
        environment: variables added to this process's.
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
    """Terminate a process; kill it when it does not end within `patience` seconds.

    A process that has just loaded rclpy may lose the signal, or hang while it shuts down.
    """
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
