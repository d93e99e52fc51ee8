"""Configurations of the true robot in every frame of a recording."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Recording
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot


@dataclass(frozen=True)
class TrueMotion:
    """The true robot's motion in a recording of F frames.

    Attributes:
        robot: The true robot.
        values: (F, J) joint values in the order of `robot.joints` (rad or m).
        moves: (F, 4, 4) rigid motion of each whole cloud against the fixed frame.
    """

    robot: SimulatedRobot
    values: NDArray[np.float64]
    moves: NDArray[np.float64]

    @property
    def poses(self) -> NDArray[np.float64]:
        """(F, B, 4, 4) pose of every body in every cloud."""
        poses = np.stack([self.robot.body_poses(values) for values in self.values])
        return self.moves[:, None] @ poses


def true_motion(truth_file: Path, robot: SimulatedRobot, recording: Recording) -> TrueMotion:
    """Return the motion in truth.json, or else (also for a URDF) the motion by the readings.

    Raises:
        InputError: Neither contains the joint values of every frame.
    """
    if truth_file.suffix == ".json" and "sequences" in json.loads(truth_file.read_text()):
        return written_motion(truth_file, robot, recording)
    return read_motion(robot, recording)


def written_motion(truth_file: Path, robot: SimulatedRobot, recording: Recording) -> TrueMotion:
    """Return the motion that the simulator wrote into truth.json.

    Raises:
        InputError: The file contains no motion, or the motion of another recording.
    """
    try:
        sequences = json.loads(truth_file.read_text())["sequences"]
        frames = [frame for sequence in sequences for frame in sequence["frames"]]
        values = [[frame["joints"][name] for name in robot.names] for frame in frames]
        shifts = [frame["shift"] for frame in frames]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{truth_file}: holds no joint values of every frame ({type(error).__name__}: {error})"
        ) from error
    if len(frames) != len(recording.frames):
        raise InputError(
            f"{truth_file}: has {len(frames)} frames, the recording {len(recording.frames)}"
        )
    return TrueMotion(robot, np.array(values), from_translation(np.array(shifts)))


def read_motion(robot: SimulatedRobot, recording: Recording) -> TrueMotion:
    """Return the motion by the recording's own joint readings.

    Raises:
        InputError: A frame lacks a reading.
    """
    rows = []
    for number, frame in enumerate(recording.frames):
        readings = frame.joint_positions or {}
        row = [readings.get(name, np.nan) for name in robot.names]
        driven = [name for name, drives in zip(robot.names, robot.driven, strict=True) if drives]
        missing = sorted(set(driven) - set(readings))
        if missing:
            raise InputError(f"frame {number} has no reading of joint {', '.join(missing)}")
        rows.append(robot.follow_mimics(np.array(row)))
    return TrueMotion(robot, np.array(rows), np.tile(np.eye(4), (len(rows), 1, 1)))
