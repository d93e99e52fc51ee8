"""The most memory that this process held."""

from __future__ import annotations

from pathlib import Path


def peak_memory() -> float:
    """Return the peak resident memory of this process (MiB).

    Not `getrusage`: its peak is inherited from the parent process, through fork and exec.
    """
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024
