"""Makes commands clean up on SIGTERM."""

from __future__ import annotations

import signal
import threading
from typing import NoReturn


def let_terminate_clean_up() -> None:
    """Treat SIGTERM as Ctrl-C, so that a half-written folder is removed.

    Only the first one counts: a second would cut short what the first began.
    """

    def interrupt(number: int, frame: object) -> NoReturn:
        ignore_termination()
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, interrupt)


def ignore_termination() -> None:
    """Ignore SIGTERM from now on: the work is being cancelled already."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
