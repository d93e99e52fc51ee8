"""Progress bar for long work, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from autourdf_ros.cli.terminal.termination import raise_if_cancelled
from autourdf_ros.progress import Progress


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Yield a `Progress` that draws a bar on standard error where that is a terminal.

    It raises CancelledError once Ctrl-C or SIGTERM asked to cancel.
    """
    form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
    with tqdm(total=1.0, bar_format=form, disable=not sys.stderr.isatty(), leave=False) as bar:

        def report(stage: str, fraction: float) -> None:
            raise_if_cancelled()
            bar.set_description(stage, refresh=False)
            bar.update(fraction - bar.n)

        yield report
