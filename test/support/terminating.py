"""What a command does when it gets SIGTERM in the middle of its work."""

import os
import signal
from contextlib import nullcontext

from autourdf_ros.cli import main as cli


def exit_code_when_terminated(monkeypatch, share, *arguments):
    """Run a command that is sent SIGTERM when it reports `share` of its work or more."""

    def report(stage, fraction):
        if fraction >= share:
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(
        "autourdf_ros.cli.terminal.progress_bar.progress_bar", lambda: nullcontext(report)
    )
    try:
        return cli.main([str(argument) for argument in arguments])
    finally:
        signal.signal(signal.SIGTERM, before)
