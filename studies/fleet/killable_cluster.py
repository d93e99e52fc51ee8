"""A Dask cluster of real processes on this machine, whose workers and scheduler can be killed.

Unlike `LocalCluster`, it has a scheduler of its own, as a cluster of several hosts has.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

STUDIES = Path(__file__).resolve().parents[1]


class KillableCluster:
    """A scheduler and workers with nannies; who ends is started again, as a supervisor does.

    Attributes:
        address: Of the scheduler.
        log: Where the processes write.
    """

    def __init__(self, workers: int, port: int, folder: Path, nanny: bool = True) -> None:
        """Start it.

        Args:
            workers: How many.
            port: Of the scheduler, on loopback.
            folder: For logs and scratch files.
            nanny: Whether each worker has a process that starts it again.
        """
        self._nanny = nanny
        self.address = f"tcp://127.0.0.1:{port}"
        self.log = folder / "cluster.log"
        self._folder, self._port = folder, port
        self._file = self.log.open("ab")
        self._scheduler = self._start_scheduler()
        self._workers = [self._start_worker() for _ in range(workers)]

    def supervise(self) -> None:
        """Start again what has ended. Call it often."""
        self._workers = [
            self._start_worker() if one.poll() is not None else one for one in self._workers
        ]

    def worker_processes(self) -> list[psutil.Process]:
        """Return the processes that compute: those that nannies watch."""
        found = []
        for nanny in self._workers:
            try:
                children = psutil.Process(nanny.pid).children()
                found += [one for one in children if "spawn_main" in " ".join(one.cmdline())]
            except psutil.Error:
                continue
        return found

    def restart_scheduler(self, pause: float) -> None:
        """Kill the scheduler and start another one after `pause` seconds."""
        self._scheduler.kill()
        self._scheduler.wait()
        time.sleep(pause)
        self._scheduler = self._start_scheduler()

    def scheduler_memory(self) -> float:
        """Return what the scheduler holds (MiB)."""
        return float(psutil.Process(self._scheduler.pid).memory_info().rss) / (1 << 20)

    def scheduler_seconds(self) -> float:
        """Return the CPU time of the scheduler (s)."""
        used = psutil.Process(self._scheduler.pid).cpu_times()
        return float(used.user + used.system)

    def close(self) -> None:
        """End all of it."""
        for one in (*self._workers, self._scheduler):
            children = psutil.Process(one.pid).children(recursive=True) if not one.poll() else []
            one.send_signal(signal.SIGKILL)
            one.wait()
            for child in children:
                child.kill()
        self._file.close()

    def _start_scheduler(self) -> subprocess.Popen[bytes]:
        arguments = ["--host", "127.0.0.1", "--port", str(self._port), "--no-dashboard"]
        return self._start("scheduler", *arguments)

    def _start_worker(self) -> subprocess.Popen[bytes]:
        arguments = ["--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard"]
        arguments += [] if self._nanny else ["--no-nanny"]
        scratch = ["--local-directory", str(self._folder / "scratch")]
        return self._start("worker", self.address, *arguments, *scratch)

    def _start(self, role: str, *arguments: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join((str(STUDIES), str(STUDIES.parent)))
        return subprocess.Popen(
            [sys.executable, "-m", "dask", role, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._file,
            stderr=self._file,
            env=os.environ | {"PYTHONPATH": path, "AUTOURDF_THREADS": "1"},
        )
