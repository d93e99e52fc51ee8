"""A page that follows a folder: first what is recorded, then the model, and each newer one."""

from __future__ import annotations

import threading
from pathlib import Path

import viser

from autourdf_ros.data.frame import Recording
from autourdf_ros.errors import InputError
from autourdf_ros.viewer.live.early_model import EarlyModel
from autourdf_ros.viewer.live.followed_folder import FollowedFolder
from autourdf_ros.viewer.live.recording_page import RecordingPage
from autourdf_ros.viewer.page import PERIOD, Page
from autourdf_ros.viewer.recorded_frames import find_recording, moments
from autourdf_ros.viewer.viewed_result import ViewedResult, load_result

_POLL = 2.0
"""Seconds until the folder is read again: a recording is read as a whole each time."""


class LivePage:
    """What changed last in a folder, on a server's page."""

    def __init__(
        self,
        server: viser.ViserServer,
        folder: FollowedFolder,
        early: EarlyModel | None = None,
    ) -> None:
        """Show what the folder holds already.

        Args:
            server: The page's server.
            folder: What is followed.
            early: Reconstructs what a recording holds already, if anything does.
        """
        self._server, self._folder, self._early = server, folder, early
        self._early_of: Path | None = None
        self._page: Page | None = None
        self._recording = RecordingPage(server)
        self.update()

    def update(self) -> str:
        """Show what changed last; return a line on it, empty where nothing did."""
        try:
            news = self._folder.news()
        except InputError as error:
            return f"! {error}"
        if isinstance(news, Recording):
            self._show_recording(news)
        elif news is not None:
            if self._early is not None:
                self._early.stop()
            self._early_of = None
            self._show_result(news)
            return f"{_title(news)} is shown"
        return self._show_early_model()

    def play(self, end: threading.Event) -> None:
        """Follow the folder until `end` is set, and print a line on each model."""
        waited, before = 0.0, ""
        while not end.wait(PERIOD):
            if self._page is not None:
                self._page.advance()
            waited += PERIOD
            if waited >= _POLL:
                waited = 0.0
                line = self.update() or before
                if line != before:  # the checks of a model are added to its result
                    print(line, flush=True)
                before = line

    def _show_recording(self, recording: Recording) -> None:
        if self._early is not None:
            self._early.follow(recording)
        if self._page is not None and recording.source == self._early_of is not None:
            return  # its early model stays until there is a newer one
        if self._page is not None:
            self._clear()
            self._page, self._recording = None, RecordingPage(self._server)
        self._recording.show(recording)

    def _show_early_model(self) -> str:
        written = None if self._early is None else self._early.news()
        if written is None:
            return ""
        self._early_of, folder = written
        result = load_result(folder)
        self._show_result(result)
        frames = sum(len(sequence["stamps"]) for sequence in result.document["sequences"])
        return f"{_title(result)} is shown as its first {frames} frames have it"

    def _show_result(self, result: ViewedResult) -> None:
        recording, problem = find_recording(result.document, None)
        self._clear()
        problems = [problem] if problem else []
        self._page = Page(self._server, result, moments(result.document, recording), problems)

    def _clear(self) -> None:
        self._server.scene.reset()
        self._server.gui.reset()


def _title(result: ViewedResult) -> str:
    return f"{result.document['name']} ({result.document['verdict']})"
