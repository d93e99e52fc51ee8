"""Feeds a parser with spoilt files, in a process of its own, and counts what must not happen."""

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

HANG = 60.0  # seconds that a case may take, of which a busy machine may take most
_ROOM = 3 * 2**30  # bytes of addresses beyond those at the start


@dataclass
class Outcome:
    """slowest: seconds. growth: of the memory held at most (MiB). faults: what was found amiss."""

    cases: int = 0
    refused: int = 0
    slowest: float = 0.0
    growth: float = 0.0
    faults: list[str] = field(default_factory=list)


class _Hang(BaseException):
    pass


def fuzz(sample, cases, seed, first=0):
    """Outcome of `cases` spoilt versions of a sample (samples.Sample); a crash ends only its own.

    Case n of a seed is always the same.
    """
    sample.read()  # whole, it is accepted; and what is loaded on first use is no growth
    whole = Outcome()
    while first < cases:
        part, first = _in_child(sample, first, cases, seed)
        whole.cases += part.cases
        whole.refused += part.refused
        whole.slowest = max(whole.slowest, part.slowest)
        whole.growth = max(whole.growth, part.growth)
        whole.faults += part.faults
    return whole


def run_case(sample, case, seed):
    """Let the parser read one spoilt file. Returns whether it was refused, as it should be."""
    rng = np.random.default_rng([seed, case])
    file, content = sample.files[int(rng.integers(len(sample.files)))]
    file.write_bytes(mutated(content, rng))
    try:
        sample.read()
    except AutourdfError as error:
        told = str(error)
        if not any(name in told for name in (file.name, *sample.names)):
            raise AssertionError(f"an error that does not name {file.name}: {told}") from error
        return True
    finally:
        file.write_bytes(content)
    return False


def _in_child(sample, first, cases, seed):
    """Cases from `first` on, up to a crash. Returns their outcome, and the next case."""
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
    # What libraries print about what they read is no matter here.
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
                outcome.faults.append(f"case {case}: {_told()}")
            signal.setitimer(signal.ITIMER_REAL, 0)
            outcome.cases += 1
            outcome.slowest = max(outcome.slowest, time.monotonic() - start)
            outcome.growth = (_held() - before) / 1024
            os.write(pipe, json.dumps(asdict(outcome)).encode() + b"\n")
    finally:
        os._exit(0)


def _told():
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
