"""Reconstruct while frames come, so that a capture can watch the model and stop it in time.

Every frame is prepared once and tracked by the model there is. The engine of `reconstruct` finds
the whole model anew whenever there are so many more frames that all this together takes but a few
times as long as the last time alone. (Where cameras are to be aligned, the frames of the first
sequence are prepared anew with it, too, as long as it goes on: more frames correct them otherwise.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.validate import validate_frame
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import track_states, usable
from autourdf_ros.estimation.motion.found import Found
from autourdf_ros.estimation.motion.pipeline import (
    prepare_recording,
    reconstruct_prepared,
)
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import Prepared, extended
from autourdf_ros.estimation.motion.sequence_tracks import SequenceTracks
from autourdf_ros.estimation.motion.structure.candidate_model import articulated_surface
from autourdf_ros.geometry.point_cloud import Cloud, size_of
from autourdf_ros.parallel import calm_blas
from autourdf_ros.progress import Progress, silent
from autourdf_ros.stopwatch import Stopwatch

FIRST_FRAMES = 6  # for the first model: the reference, and as many as its initial estimate needs
FRAME_RATIO = 1.3  # times as many frames: the model is found anew
OUTLIERS = 3  # new frames that do not fit: the model is found anew as well,
OUTLIER_SHARE = 0.1  # if they are also this share of all there were
TAIL = 2  # frames by which it is known where the joints are, and how fast


@dataclass(frozen=True)
class FrameFit:
    """How well a frame fits the model there is.

    Attributes:
        score: mean distance of cloud and model, over the typical one.
        inlier: whether it is near enough to be used; it is not where the model is wrong, or the
            robot moved farther than can be tracked.
    """

    score: float
    inlier: bool


@dataclass(frozen=True)
class LiveEstimate:
    """What is known after a frame.

    Attributes:
        frames: how many there are.
        reconstruction: the latest, or None.
        reason: why there is none, or none that is newer; else empty.
        fit: of the latest frame, None without a model.
        stale: frames that came since the model was found.
    """

    frames: int
    reconstruction: Reconstruction | None
    reason: str
    fit: FrameFit | None
    stale: int

    @property
    def axis_std(self) -> float:
        """Largest standard deviation of a joint axis' direction (rad), NaN without any."""
        return self._largest("axis_std")

    @property
    def line_std(self) -> float:
        """Largest standard deviation of a revolute axis across itself (m), NaN without any."""
        return self._largest("line_std")

    def _largest(self, name: str) -> float:
        joints = () if self.reconstruction is None else self.reconstruction.model.joints
        found = [getattr(joint.estimate, name) for joint in joints if joint.estimate is not None]
        known = [std for std in found if np.isfinite(std)]
        return max(known, default=float("nan"))


@dataclass(frozen=True)
class _Tail:
    """The last frames of the current sequence, and the model's states in them."""

    clouds: tuple[Cloud, ...]
    states: States

    @classmethod
    def none(cls, joints: int) -> _Tail:
        """Without frames."""
        return cls((), States(np.zeros((0, joints)), np.zeros((0, 4, 4))))

    def last(self, count: int) -> _Tail:
        """With at most so many frames."""
        start = max(len(self.clouds) - count, 0)
        states = States(self.states.values[start:], self.states.base[start:])
        return _Tail(self.clouds[start:], states)


class StreamingReconstruction:
    """A reconstruction that is given its frames one by one. Not to be shared between threads."""

    def __init__(
        self, options: ReconstructionOptions | None = None, fixed_frame: str = "base_link"
    ) -> None:
        """Begin without frames.

        Args:
            options: the user's choices.
            fixed_frame: name of the frame that points will be given in.
        """
        self._options = options or ReconstructionOptions()
        self._fixed_frame = fixed_frame
        self._sequences: list[Sequence] = []
        self._prepared: Prepared | None = None
        self._tracks: SequenceTracks | None = None
        self._found: Found | None = None
        self._tail = _Tail.none(0)
        self._found_at = self._tried_at = self._outliers = 0  # the first two in frames
        self._reason, self._again = "", False

    @property
    def recording(self) -> Recording:
        """All frames so far."""
        sequences = tuple(sequence for sequence in self._sequences if sequence.frames)
        return Recording(sequences, fixed_frame=self._fixed_frame)

    def begin_sequence(self, name: str) -> None:
        """Begin a sequence: the next frames are near to one another, but not to those before."""
        if self._sequences and not self._sequences[-1].frames:
            self._sequences.pop()
        self._sequences.append(Sequence((), name))
        self._tail = self._tail.last(0)

    def update(self, frame: Frame, progress: Progress = silent) -> LiveEstimate:
        """Take one more frame of the current sequence; find the model anew where that is due.

        Args:
            frame: the frame.
            progress: is called with the stage and the share done; what it raises cancels the
                search, which the next frame makes up for: the frame is kept.

        Raises:
            InputError: where the frame cannot be used, which is then left out.
        """
        if not self._sequences:
            raise InputError("a frame came before any sequence; call begin_sequence first")
        current = self._sequences[-1]
        validate_frame(frame, f"sequence {current.name!r} frame {len(current.frames)}")
        self._sequences[-1] = Sequence((*current.frames, frame), current.name)
        with calm_blas():
            fit = self._follow(frame)
            if self._is_due():
                try:
                    self._find(progress)
                except InputError as error:  # a later frame may help
                    self._reason, self._outliers = str(error), 0
                    self._tried_at = self._count
                else:
                    fit = self._latest_fit()
        return self._estimate(fit)

    def result(self, progress: Progress = silent) -> Reconstruction:
        """Return the reconstruction of all frames so far, as `reconstruct` gives it.

        Raises:
            InputError: as `reconstruct`.
            ReconstructionError: as `reconstruct`.
        """
        doubted = self._found is not None and self._found.reconstruction.structure_doubted
        if self._found is None or self._found_at < self._count or (doubted and not self._again):
            with calm_blas():
                self._find(progress, again=True)
        assert self._found is not None
        return self._found.reconstruction

    @property
    def _count(self) -> int:
        return sum(len(sequence.frames) for sequence in self._sequences)

    def _is_due(self) -> bool:
        if self._count < FIRST_FRAMES:
            return False
        lost = self._outliers >= max(OUTLIERS, OUTLIER_SHARE * self._tried_at)
        return lost or self._count >= FRAME_RATIO * self._tried_at

    def _find(self, progress: Progress, *, again: bool = False) -> None:
        recording, watch = self.recording, Stopwatch()
        self._prepared = prepare_recording(
            recording, self._options, watch, progress, self._prepared
        )
        if self._tracks is None or self._tracks.reference is not self._prepared.reference:
            self._tracks = SequenceTracks(self._prepared.reference, self._options)
        found = reconstruct_prepared(
            recording,
            self._prepared,
            self._options,
            watch,
            progress,
            tracks=self._tracks,
            again=again,
        )
        self._found, self._reason, self._outliers, self._again = found, "", 0, again
        self._found_at = self._tried_at = self._count
        states = found.final.states(found.motion)
        everything = _Tail(tuple(self._prepared.clouds), states)
        self._tail = everything.last(min(TAIL, len(self._sequences[-1].frames)))

    def _follow(self, frame: Frame) -> FrameFit | None:
        """Prepare the frame, and track the model from the frames before to it, if there is one."""
        if self._prepared is None:
            return None
        number = len(self.recording.sequences) - 1
        self._prepared = extended(self._prepared, frame, number, self._options.points)
        if self._found is None:
            return None
        candidate, problem = self._found.final.candidate, self._found.problem
        clouds = (*self._tail.clouds, self._prepared.sequences[-1][-1])
        predicted = np.full((len(clouds), len(candidate.model.parents)), np.nan)
        reading = problem.relative(frame.joint_positions)
        if reading is not None:
            predicted[-1] = candidate.predicted(reading[None])[0]
        tracked = track_states(
            articulated_surface(candidate, problem.noise),
            list(clouds),
            known=self._tail.states,
            predicted=predicted,
            typical=self._found.motion.typical,
            size=size_of(problem.reference.points),
            report=lambda: None,
        )
        self._tail = _Tail(clouds, tracked.states).last(TAIL)
        fit = self._fit(float(tracked.scores[-1]))
        self._outliers += not fit.inlier
        return fit

    def _latest_fit(self) -> FrameFit:
        assert self._found is not None
        return self._fit(float(self._found.motion.scores[-1]))

    def _fit(self, score: float) -> FrameFit:
        assert self._found is not None
        typical = self._found.motion.typical
        return FrameFit(score / typical, bool(usable(np.array([score]), typical)[0]))

    def _estimate(self, fit: FrameFit | None) -> LiveEstimate:
        reason = self._reason
        if self._tried_at == 0:
            reason = f"{self._count} of the {FIRST_FRAMES} frames that a first model needs"
        if self._found is None:
            return LiveEstimate(self._count, None, reason, fit, 0)
        stale = self._count - self._found_at
        return LiveEstimate(self._count, self._found.reconstruction, reason, fit, stale)
