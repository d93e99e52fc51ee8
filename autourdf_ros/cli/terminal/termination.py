"""Makes Ctrl-C and SIGTERM cancel a command, and lets it clean up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from autourdf_ros.errors import CancelledError

_asked = threading.Event()
"""Set once a signal has asked this process to cancel. The KeyboardInterrupt alone is not enough:
Python drops one that is raised in a weak reference's callback, and a compiled library may turn one
that is raised in its callback into an error of its own."""


@contextmanager
def interrupts_remembered() -> Iterator[None]:
    """Remember Ctrl-C while the block runs, for `cancellation_asked`, and raise it as ever.

    A SIGINT that the parent process set to be ignored stays ignored.
    """
    _asked.clear()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or (
        before is not signal.default_int_handler
    ):
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def cancellation_asked() -> bool:
    """Return whether a signal asked to cancel, even if its KeyboardInterrupt was lost."""
    return _asked.is_set()


def raise_if_cancelled() -> None:
    """Called by progress reports, so that a lost KeyboardInterrupt cancels at the next of them.

    Raises:
        CancelledError: a signal asked to cancel.
    """
    if _asked.is_set():
        raise CancelledError("cancelled")


def let_terminate_clean_up() -> None:
    """Treat SIGTERM as Ctrl-C, so that a half-written folder is removed.

    Only the first one counts: a second would cut short what the first began.
    """

    def interrupt(number: int, frame: object) -> NoReturn:
        ignore_termination()
        _interrupt(number, frame)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, interrupt)


def ignore_termination() -> None:
    """Ignore SIGTERM from now on: the work is being cancelled already."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _interrupt(number: int, frame: object) -> NoReturn:
    _asked.set()
    raise KeyboardInterrupt
