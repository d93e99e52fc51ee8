"""Begin with a recording while it is still being made.

Its frames are prepared, and the reference is tracked through them, as `reconstruct` does first;
what comes next needs all frames. The result is the same as without a head start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import (
    ALIGNED_FRAMES,
    Prepared,
    aligning_count,
    extended,
    prepare,
)
from autourdf_ros.estimation.motion.registration.registration import FRAMES, early_sequences
from autourdf_ros.estimation.motion.sequence_tracks import SequenceTracks
from autourdf_ros.estimation.motion.structure.problem import relative_readings
from autourdf_ros.parallel import calm_blas

AGAIN = 1.5  # times as many frames that the cameras are aligned by: all are prepared again


class HeadStart:
    """What is done of one recording so far. Not to be shared between threads."""

    def __init__(self, options: ReconstructionOptions | None = None) -> None:
        """Begin without frames.

        Args:
            options: the user's choices, those that `reconstruct` will be given.
        """
        self._options = options or ReconstructionOptions()
        self._forget()

    def _forget(self) -> None:
        self._recording = Recording(())
        self._prepared: Prepared | None = None
        self._tracks: SequenceTracks | None = None
        self._aligning = 0

    def advance(self, recording: Recording) -> Iterator[None]:
        """Prepare and track the frames that are new, some at each step of the iterator.

        With few frames nothing is done yet: the next ones align the cameras otherwise.

        Args:
            recording: so far. One that does not go on where the last one ended is begun anew.

        Raises:
            InputError: where frames cannot be used.
        """
        with calm_blas():  # as `reconstruct`
            yield from self._advance(recording)

    def _advance(self, recording: Recording) -> Iterator[None]:
        if not _goes_on(recording, self._recording):
            self._forget()
        self._recording = recording
        count = aligning_count(recording)
        if count < ALIGNED_FRAMES:
            return
        settled = count < len(recording.frames)
        if count != self._aligning and (settled or count >= AGAIN * self._aligning):
            self._aligning = count
            self._prepared = prepare(recording, self._options.points, report=lambda _: None)
            self._tracks = SequenceTracks(self._prepared.reference, self._options)
            yield
        if self._prepared is None or count != self._aligning:
            return
        for number, frame in _new_frames(recording, self._prepared):
            self._prepared = extended(self._prepared, frame, number, self._options.points)
            yield
        yield from self._track(self._prepared)

    def prepared_of(self, recording: Recording, options: ReconstructionOptions) -> Prepared | None:
        """Return the prepared frames, if they are of this recording, for these options."""
        alike = options == self._options and _goes_on(recording, self._recording)
        return self._prepared if alike else None

    def tracks_of(self, prepared: Prepared) -> SequenceTracks | None:
        """Return the tracks, if they begin from this reference."""
        tracks = self._tracks
        return tracks if tracks is not None and tracks.reference is prepared.reference else None

    def _track(self, prepared: Prepared) -> Iterator[None]:
        if self._tracks is None or self._options.registration == "neural":
            return
        readings = relative_readings(prepared)[1] if self._options.use_readings else None
        most = FRAMES if readings is None else len(prepared.clouds)
        for number in early_sequences(prepared, readings):
            clouds = list(prepared.sequences[number][1 : 1 + most])
            for count in range(self._tracks.count(number), len(clouds)):
                self._tracks.track(number, clouds[: count + 1], lambda _: None)
                yield


def _new_frames(recording: Recording, prepared: Prepared) -> Iterator[tuple[int, Frame]]:
    """Number of the sequence and frame of all that are not prepared yet."""
    for number, sequence in enumerate(recording.sequences):
        known = len(prepared.sequences[number]) if number < len(prepared.sequences) else 0
        for frame in sequence.frames[known:]:
            yield number, frame


def _goes_on(recording: Recording, earlier: Recording) -> bool:
    """Whether a recording has all frames of an earlier one, and in the same places."""
    if len(recording.sequences) < len(earlier.sequences):
        return False
    for now, before in zip(recording.sequences, earlier.sequences, strict=False):
        if len(now.frames) < len(before.frames):
            return False
        if not all(map(_alike, now.frames, before.frames)):
            return False
    # A sequence that another one follows has ended.
    ended = zip(recording.sequences, earlier.sequences[:-1], strict=False)
    return all(len(now.frames) == len(before.frames) for now, before in ended)


def _alike(frame: Frame, other: Frame) -> bool:
    same = frame.stamp == other.stamp and frame.joint_positions == other.joint_positions
    return same and np.array_equal(frame.points, other.points)
