"""Makes commands clean up on SIGTERM."""

from __future__ import annotations

import signal
import threading
from typing import NoReturn


def let_terminate_clean_up() -> None:
    """Treat SIGTERM as Ctrl-C, so that a half-written folder is removed."""

    def interrupt(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, interrupt)
