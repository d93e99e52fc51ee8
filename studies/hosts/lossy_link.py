"""Two network namespaces with a link between them that loses, delays and can be cut.

It needs root, `ip` (Debian's iproute2) and /dev/net/tun. The link is a program that moves Ethernet
frames between two TAP devices: a kernel without netem is enough.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time
from types import TracebackType

_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000  # linux/if_tun.h
_FRAME = 65536


class LossyLink(threading.Thread):
    """The link, and the two hosts that it joins.

    Attributes:
        hosts: Names of the namespaces.
        moved: Frames that have passed.
        lost: Frames that were lost by chance.
        cut: Frames that were lost while the link was cut.
    """

    def __init__(self, loss: float, delay: float, seed: int) -> None:
        """Make hosts and link.

        Args:
            loss: Share of frames that is lost.
            delay: Of each frame, in each direction (s).
            seed: Of the loss.
        """
        super().__init__(daemon=True)
        tag = f"{os.getpid():x}"
        self.hosts = (f"robot-{tag}", f"server-{tag}")
        self.moved = self.lost = self.cut = 0
        self._loss, self._delay, self._draw = loss, delay, random.Random(seed)
        self._cut_until = 0.0
        self._ended = threading.Event()
        self._ends = [_tap(f"at{number}-{tag}") for number in range(2)]
        for number, host in enumerate(self.hosts):
            device = f"at{number}-{tag}"
            _ip("netns", "add", host)
            _ip("link", "set", device, "netns", host)
            for command in (
                ("addr", "add", f"10.77.34.{number + 1}/24", "dev", device),
                ("link", "set", "lo", "up"),
                ("link", "set", device, "up"),
                ("route", "add", "224.0.0.0/4", "dev", device),
            ):
                _ip("-n", host, *command)

    def __enter__(self) -> LossyLink:
        """Begin to move frames."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove hosts and link."""
        self._ended.set()
        self.join()
        for end in self._ends:
            os.close(end)
        for host in self.hosts:
            _ip("netns", "del", host)

    def cut_for(self, seconds: float) -> None:
        """Lose every frame from now on, for so long."""
        self._cut_until = time.monotonic() + seconds

    def run(self) -> None:
        """Move frames until the context ends."""
        waiting: list[tuple[float, int, int, bytes]] = []
        number = 0
        while not self._ended.is_set():
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, end, frame = heapq.heappop(waiting)
                os.write(self._ends[end], frame)
                self.moved += 1
            pause = min(waiting[0][0] - now, 0.1) if waiting else 0.1
            for ready in select.select(self._ends, [], [], pause)[0]:
                frame = os.read(ready, _FRAME)
                number += 1
                if self._is_lost():
                    continue
                other = 1 - self._ends.index(ready)
                heapq.heappush(waiting, (time.monotonic() + self._delay, number, other, frame))

    def _is_lost(self) -> bool:
        if time.monotonic() < self._cut_until:
            self.cut += 1
            return True
        chance = self._draw.random() < self._loss
        self.lost += chance
        return chance


def _tap(name: str) -> int:
    end = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(end, _TUNSETIFF, struct.pack("16sH", name.encode(), _IFF_TAP | _IFF_NO_PI))
    return end


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
