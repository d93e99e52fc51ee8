"""The wrench of a load from the efforts of a robot's joints, for arms without a wrist sensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.data.wrenches.wrench_table import recording_of_poses
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

_WINDOW, _ORDER = 21, 4
"""Records and order of the polynomial that joint positions are differentiated by."""
_SINGULAR = 1e-3
"""Smallest singular value of the Jacobian over its largest: a physical limit, at singular poses
efforts do not show the wrench."""


def wrenches_from_efforts(
    efforts: EffortRecording, urdf: Path, frame: str, empty: EffortRecording | None = None
) -> WrenchRecording:
    """Return the load's wrench at a frame of the URDF: Jᵀ w explains what the efforts exceed.

    The robot's own efforts are the URDF's inverse dynamics; `empty`, the same motion without the
    load, replaces them where it is given, which takes friction off as well.

    Args:
        efforts: Positions and efforts of the loaded robot.
        urdf: Robot description with masses.
        frame: Link at whose origin the wrench acts.
        empty: The same motion without the load, record by record.

    Raises:
        InputError: names the joint, the frame, or the count of records.
    """
    import pinocchio

    model, places = _model(urdf, efforts)
    if not model.existFrame(frame):
        raise InputError(f"{urdf}: has no link {frame!r}")
    number, data = model.getFrameId(frame), model.createData()
    positions, velocities, accelerations = _motion(efforts)
    own = _own_efforts(model, data, places, (positions, velocities, accelerations))
    if empty is not None:
        own = _same_motion(efforts, empty)
    poses, wrenches, kept = [], [], []
    for index, position in enumerate(positions):
        whole = _filled(pinocchio.neutral(model), places, position)
        jacobian = pinocchio.computeFrameJacobian(
            model, data, whole, number, pinocchio.ReferenceFrame.LOCAL
        )[:, places]
        values = np.linalg.svd(jacobian, compute_uv=False)
        if len(values) < 6 or values[-1] < _SINGULAR * values[0]:
            continue
        pinocchio.framesForwardKinematics(model, data, whole)
        load = efforts.efforts[index] - own[index]
        # Joints hold the load: their extra effort is minus Jᵀ times the wrench on the flange.
        wrenches.append(np.linalg.lstsq(jacobian.T, -load, rcond=None)[0])
        poses.append(data.oMf[number].homogeneous.copy())
        kept.append(index)
    if len(kept) < 2:
        raise InputError(
            f"{efforts.source}: all poses are singular; accepted are six or more joints"
        )
    times = efforts.times[kept]
    return recording_of_poses(times, np.array(poses), np.array(wrenches), efforts.source)


def _model(urdf: Path, efforts: EffortRecording) -> tuple[object, list[int]]:
    import pinocchio

    try:
        model = pinocchio.buildModelFromUrdf(str(urdf))
    except Exception as error:  # Pinocchio has errors of its own
        raise InputError(f"{urdf}: cannot be read as a URDF: {error}") from error
    places = []
    for name in efforts.joints:
        if not model.existJointName(name):
            raise InputError(f"{urdf}: has no joint {name!r}, which {efforts.source} has")
        joint = model.joints[model.getJointId(name)]
        if joint.nq != 1:
            raise InputError(f"{urdf}: joint {name!r} has {joint.nq} numbers; accepted is 1")
        places.append(joint.idx_v)
    return model, places


def _motion(efforts: EffortRecording) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations (n, J)."""
    step = float(np.median(np.diff(efforts.times)))
    if len(efforts.times) < _WINDOW:
        raise InputError(
            f"{efforts.source}: {len(efforts.times)} records; accepted are {_WINDOW} or more"
        )
    derivatives = [
        savgol_filter(efforts.positions, _WINDOW, _ORDER, order, step, axis=0) for order in range(3)
    ]
    return derivatives[0], derivatives[1], derivatives[2]


def _own_efforts(
    model: object, data: object, places: list[int], motion: tuple[Array, ...]
) -> Array:
    import pinocchio

    neutral = pinocchio.neutral(model)
    zero = np.zeros(len(neutral))
    efforts = []
    for position, velocity, acceleration in zip(*motion, strict=True):
        state = _filled(neutral, places, position)
        rates = _filled(zero, places, velocity), _filled(zero, places, acceleration)
        efforts.append(pinocchio.rnea(model, data, state, *rates)[places])
    return np.array(efforts)


def _filled(base: Array, places: list[int], values: Array) -> Array:
    whole = base.copy()
    whole[places] = values
    return whole


def _same_motion(efforts: EffortRecording, empty: EffortRecording) -> Array:
    if empty.joints != efforts.joints or len(empty.times) != len(efforts.times):
        raise InputError(
            f"{empty.source}: is not the motion of {efforts.source} without the load; accepted are "
            "the same joints and as many records"
        )
    return empty.efforts
