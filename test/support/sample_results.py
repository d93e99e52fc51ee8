"""A small result folder with its recording, for the viewer's tests."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from made_once import copy_of
from synthetic_robot import arm_reconstruction, arm_recording, posed, write_recording

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.load import load_recording
from autourdf_ros.workflows.reconstruct import write_reconstruction


@dataclass(frozen=True)
class Sample:
    """folder: of the result. recording: what it comes from. warning: a text that is no HTML."""

    folder: Path
    recording: Path
    warning: str = "Mind <script>this</script>."


def write_small_arm(folder):
    """Write the result folder of the arm with few points; its path."""
    return copy_of("small_arm", _write_small_arm, folder)


def _write_small_arm(folder):
    made = arm_reconstruction(count=30)
    write_reconstruction(made, folder, name="arm", recording=arm_recording(made))


def write_sample(folder):
    """A four-jointed arm whose joints, by their confidence, are good, fair, fair and doubtful."""
    folder = copy_of("sample", _write_sample, folder)
    return Sample(folder / "out", folder / "recording")


def _write_sample(folder):
    small = arm_reconstruction(count=70)
    start = small.motions[0].joint_values[0]
    lower, upper = np.array([[joint.lower, joint.upper] for joint in small.model.joints]).T
    motions = tuple(
        replace(
            motion, joint_values=np.clip(start + 6 * (motion.joint_values - start), lower, upper)
        )
        for motion in small.motions
    )
    small = replace(
        small,
        motions=motions,
        warnings=(Sample.warning,),
        weak_directions=(),
        patches=(),
        loops=(),
    )
    sequences = []
    for sequence, motion in zip(arm_recording(small).sequences, small.motions, strict=True):
        frames = [
            Frame(np.vstack(posed(small.model, values)).astype(np.float32), None, frame.stamp)
            for frame, values in zip(sequence.frames, motion.joint_values, strict=True)
        ]
        sequences.append(Sequence(tuple(frames), sequence.name))
    recording = write_recording(Recording(tuple(sequences)), folder / "recording")
    write_reconstruction(small, folder / "out", name="arm", recording=load_recording(recording))
