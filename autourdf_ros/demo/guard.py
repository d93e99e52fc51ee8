"""Stops process groups when the process that started them has ended in any way.

Run as a program. It reads lines `+PGID` and `-PGID` from its standard input, which only the parent
holds open, so that the input ends when the parent ends, also by SIGKILL. It uses only the standard
library, so that it starts at once.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Collection


def stop_groups(groups: Collection[int], grace: float) -> None:
    """End all processes of the groups: by SIGINT, and after `grace` (s) by SIGKILL."""
    signal_groups(groups, signal.SIGINT)
    deadline = time.monotonic() + grace
    while any(group_lives(group) for group in groups) and time.monotonic() < deadline:
        time.sleep(0.05)
    signal_groups(groups, signal.SIGKILL)


def signal_groups(groups: Collection[int], number: signal.Signals) -> None:
    """Send a signal to every process of the groups that exist."""
    for group in groups:
        try:
            os.killpg(group, number)
        except (ProcessLookupError, PermissionError):
            continue


def group_lives(group: int) -> bool:
    """Return whether any process of the group exists."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def main() -> None:
    """Keep the list of groups until the input ends, then stop them; argument: grace (s)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        change, group = line[0], int(line[1:])
        if change == "+":
            groups.add(group)
        else:
            groups.discard(group)
    stop_groups(groups, float(sys.argv[1]))


if __name__ == "__main__":
    main()
