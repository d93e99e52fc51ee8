"""How much longer everything takes on a machine that has more to do than its cores can."""

from __future__ import annotations

import os


def machine_load() -> tuple[float, int]:
    """Return how many processes want a core (mean of the latest minute), and the number of cores.

    Linux counts processes that wait for a disk, too.
    """
    return os.getloadavg()[0], os.cpu_count() or 1


def busyness() -> float:
    """Return how many processes share a core; 1 where none has to share."""
    load, cores = machine_load()
    return max(1.0, load / cores)
