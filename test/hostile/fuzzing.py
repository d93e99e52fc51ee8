"""Feeds a parser with corrupted files in a separate process, and counts faults."""

import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field

import numpy as np
from mutations import mutated

from autourdf_ros.errors import AutourdfError

HANG = 60.0  # limit of a case (s), generous for a busy machine
_ROOM = 3 * 2**30  # bytes of addresses beyond those at the start


@dataclass
class Outcome:
    """Result of a run.

    Attributes:
        cases: number of cases run.
        refused: number of cases that the parser refused.
        slowest: longest case (s).
        memory: increase of the peak memory (MiB).
        faults: descriptions of crashes, hangs and wrong errors.
    """

    cases: int = 0
    refused: int = 0
    slowest: float = 0.0
    memory: float = 0.0
    faults: list[str] = field(default_factory=list)


class _Hang(BaseException):
    pass


def fuzz(sample, cases, seed, first=0):
    """Run `cases` corrupted versions of a sample (samples.Sample); a crash ends its own case only.

    Case n of a seed is always the same.
    """
    sample.read()  # the whole file is accepted; libraries loaded on first use do not count
    whole = Outcome()
    while first < cases:
        part, first = _in_child(sample, first, cases, seed)
        whole.cases += part.cases
        whole.refused += part.refused
        whole.slowest = max(whole.slowest, part.slowest)
        whole.memory = max(whole.memory, part.memory)
        whole.faults += part.faults
    return whole


def run_case(sample, case, seed):
    """Let the parser read one corrupted file. Return whether it was refused by name."""
    rng = np.random.default_rng([seed, case])
    file, content = sample.files[int(rng.integers(len(sample.files)))]
    file.write_bytes(mutated(content, rng))
    try:
        sample.read()
    except AutourdfError as error:
        message = str(error)
        if not any(name in message for name in (file.name, *sample.names)):
            raise AssertionError(f"an error that does not name {file.name}: {message}") from error
        return True
    finally:
        file.write_bytes(content)
    return False


def _in_child(sample, first, cases, seed):
    """Run cases from `first` on, up to a crash. Return their outcome, and the next case."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _work(sample, first, cases, seed, theirs)
    os.close(theirs)
    outcome, buffer, alive = Outcome(), b"", time.monotonic()
    with os.fdopen(ours, "rb", buffering=0) as pipe:
        while True:
            if select.select([pipe], [], [], 1.0)[0]:
                read = pipe.read(65536)
                if not read:
                    break
                buffer, alive = buffer + read, time.monotonic()
                *lines, buffer = buffer.split(b"\n")
                if lines:
                    outcome = Outcome(**json.loads(lines[-1]))
            elif time.monotonic() > alive + 2 * HANG:
                os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    done = first + outcome.cases
    if status:
        outcome.faults.append(f"case {done}: the process ended with {status}")
        outcome.cases += 1
        done += 1
    return outcome, done


def _work(sample, first, cases, seed, pipe):
    # Ignore what libraries print about the files.
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    signal.signal(signal.SIGALRM, _hang)
    addresses = _addresses() + _ROOM
    resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))
    outcome, before = Outcome(), _held()
    try:
        for case in range(first, cases):
            signal.setitimer(signal.ITIMER_REAL, HANG)
            start = time.monotonic()
            try:
                outcome.refused += run_case(sample, case, seed)
            except (Exception, _Hang, RecursionError):
                outcome.faults.append(f"case {case}: {_described()}")
            signal.setitimer(signal.ITIMER_REAL, 0)
            outcome.cases += 1
            outcome.slowest = max(outcome.slowest, time.monotonic() - start)
            outcome.memory = (_held() - before) / 1024
            os.write(pipe, json.dumps(asdict(outcome)).encode() + b"\n")
    finally:
        os._exit(0)


def _described():
    kind, error, trace = sys.exc_info()
    frames = traceback.extract_tb(trace)[-3:]
    places = " < ".join(f"{frame.filename[-40:]}:{frame.lineno}" for frame in reversed(frames))
    return f"{kind.__name__}: {str(error)[:200]} ({places})"


def _hang(*_):
    raise _Hang


def _held():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _addresses():
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[0]) * resource.getpagesize()
