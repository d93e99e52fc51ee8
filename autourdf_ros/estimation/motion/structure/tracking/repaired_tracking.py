"""Track a candidate through all frames, and repair those in which links or joints were lost."""

from __future__ import annotations

from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.tracking.jumps import without_jumps
from autourdf_ros.estimation.motion.structure.tracking.last_turns import with_last_links_turned
from autourdf_ros.estimation.motion.structure.tracking.lost_tracks import with_lost_tracks_recovered
from autourdf_ros.estimation.motion.structure.tracking.recording_tracking import track_recording
from autourdf_ros.progress import Progress


def track_and_repair(problem: Problem, candidate: CandidateModel, progress: Progress) -> Motion:
    """Return the motion of a candidate in all frames, tracked anew and repaired.

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        progress: is called with the stage and the share done.
    """
    return repaired(problem, candidate, track_recording(problem, candidate, progress))


def repaired(problem: Problem, candidate: CandidateModel, motion: Motion) -> Motion:
    """Return a motion with the frames tracked again in which links or joints were lost.

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        motion: of the candidate in all frames.
    """
    motion = with_lost_tracks_recovered(problem, candidate, motion)
    if problem.seeks_ends:
        motion = with_last_links_turned(problem, candidate, motion)
    return without_jumps(problem, candidate, motion)
