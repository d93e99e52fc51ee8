"""The parameters of frames made from clouds. All functions raise InputError."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autourdf_ros.data.background import TOLERANCE, Background
from autourdf_ros.data.cleaning import Box, CleaningOptions, Ground
from autourdf_ros.data.load import load_background
from autourdf_ros.data.recording.frame_checks import FrameChecks
from autourdf_ros.data.recording.frame_recorder import FrameOptions
from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.parameters import Parameters


def declare_frames(parameters: Parameters, cameras: Sequence[str], base_frame: str) -> FrameOptions:
    """Declare how the clouds of these cameras are scaled, cleaned and checked."""
    cleaning = replace(
        declare_cleaning(parameters), background=declare_background(parameters, base_frame)
    )
    return FrameOptions(cleaning, declare_checks(parameters), declare_scale(parameters, cameras))


def declare_background(parameters: Parameters, base_frame: str) -> Background | None:
    """Declare the recording of the scene without the robot; None: none."""
    folder = parameters.text(
        "background", "", "recording of the scene without the robot; empty: none"
    )
    tolerance = parameters.number(
        "background_tolerance",
        TOLERANCE,
        "points nearer to the background are removed (m)",
        0.001,
        0.5,
    )
    if not folder:
        return None
    try:
        return load_background(Path(folder).expanduser(), base_frame, tolerance)
    except InputError as error:
        raise InputError(f"parameter background: {error}") from error


def declare_scale(parameters: Parameters, cameras: Sequence[str]) -> tuple[float, ...]:
    """Declare the metres in a unit of the clouds: one number for all cameras, or one for each."""
    scale = parameters.numbers(
        "cloud_scale",
        "metres in a unit of the clouds, 0.001 for millimetres: one number, or one for each of "
        "cameras; empty: 1",
    )
    if len(scale) not in (0, 1, len(cameras)) or any(item <= 0 for item in scale):
        raise InputError(
            f"parameter cloud_scale is {list(scale)}; accepted is a number above 0, or one for "
            f"each of cameras: {', '.join(cameras)}"
        )
    return scale or (1.0,)


def declare_checks(parameters: Parameters) -> FrameChecks:
    """Declare the checks of a frame."""
    default = FrameChecks()
    return FrameChecks(
        parameters.integer(
            "min_points", default.min_points, "smallest number of points of a frame", 100, 1000000
        ),
        parameters.number(
            "min_coverage",
            0.25,
            "smallest surface that every camera sees, as a share of that in earlier frames; 0: off",
            0,
            1,
        ),
        parameters.number(
            "sync_slop", 10.0, "largest difference of the cameras' stamps in a frame (s)", 0.001, 60
        ),
    )


def declare_cleaning(parameters: Parameters) -> CleaningOptions:
    """Declare how clouds are cleaned."""
    lower = parameters.vector(
        "box_lower", (-1.5, -1.5, -0.1), "lower corner of the box that is kept, in base_frame (m)"
    )
    upper = parameters.vector(
        "box_upper", (1.5, 1.5, 2.0), "upper corner of the box that is kept, in base_frame (m)"
    )
    try:
        box = Box(lower, upper)  # type: ignore[arg-type]
    except ValueError as error:
        raise InputError(f"parameters box_lower and box_upper: {error}") from error
    default = Ground()
    ground = Ground(
        parameters.number("ground_height", default.height, "z of the ground (m)", -10, 10),
        parameters.number(
            "ground_search", default.search, "largest error of ground_height (m)", 0, 1
        ),
        parameters.number(
            "ground_margin",
            default.margin,
            "points up to this height above the ground are removed (m)",
            0,
            1,
        ),
    )
    remove = parameters.flag("remove_ground", True, "whether to remove the ground plane")
    return CleaningOptions(
        box,
        ground if remove else None,
        parameters.number(
            "outlier_ratio", 5.0, "deviations that make a point an outlier; 0: off", 0, 100
        ),
        parameters.number(
            "connect_gap",
            0.05,
            "points farther than this from the largest component are removed (m); 0: off",
            0,
            1,
        ),
        parameters.integer("points", 20000, "largest number of points of a frame", 500, 1000000),
    )
