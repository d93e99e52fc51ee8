"""What to do after a capture was stopped, and by which parameter it may be avoided."""

from __future__ import annotations

import re

from autourdf_ros.commanding.watching.machine_load import machine_load

_CHECK_CONTROLLER = "check its controller (ros2 control list_controllers)"

_STEPS: tuple[tuple[str, str], ...] = (
    (r"~/stop was called|the goal was cancelled", "nothing to change"),
    (r"is deactivated", "activate the node again (the manager of use_lifecycle_manager)"),
    (r"is shutting down", "start the node again{resume}"),
    (
        r"effort of \S+ accepted is up to|no effort of",
        "free the robot, or change NAME.stop_effort",
    ),
    (r"is stale|no joint readings", "check the robot's driver{busy}, or set joint_state_timeout"),
    (r"jumped from", "end one of the publishers, or check joint_states and the velocity limits"),
    (r"clock", "check the clocks (chrony, /clock), or use_sim_time"),
    (
        r"no clouds of the still robot",
        "check the camera and its transform{busy}, or set view_timeout and base_frame",
    ),
    (
        r"camera fails|publish /\S+ \(",
        "check the camera and what publishes its topic{busy}, or set cloud_timeout and cameras",
    ),
    (
        r"controller is gone|is inactive|broke off|did not say",
        f"{_CHECK_CONTROLLER}, or set command_interface and command_topic",
    ),
    (
        r"does not follow",
        f"free the robot and {_CHECK_CONTROLLER}, or set following_lag, following_tolerance or a "
        "lower speed",
    ),
    (
        r"did not come to rest|does not stand still",
        "check what else moves it, or set still_velocity and still_timeout",
    ),
    (
        r"stands at|stands where|no straight way",
        "move it by hand, or correct the limits, home, keep_out or model",
    ),
    (
        r"refuse[sd]?",
        f"{_CHECK_CONTROLLER} and what is near the robot, or set keep_out, model, step_max or "
        "max_refusals",
    ),
    (
        r"no frame could be taken",
        "check what the camera sees, or set box_lower, box_upper, min_points, min_coverage or "
        "retakes",
    ),
    (r"recording failed|cannot be written", "free the disk, or set recording to another folder"),
)
_RESUME = ", with resume:=RECORDING to go on with it"
_OTHERWISE = "see the node's log; config/capture.yaml has all parameters"


def next_step(reason: str, complete: bool = False) -> str:
    """Return what to do after a stop, with the parameters that concern it, as one sentence.

    Args:
        reason: why it was stopped.
        complete: whether the recording was complete, and the robot on its way back.
    """
    found = (step for pattern, step in _STEPS if re.search(pattern, reason))
    step = next(found, _OTHERWISE).format(busy=_busy(), resume="" if complete else _RESUME)
    if complete:
        return f"next: {step}; the recording is complete, ~/home brings the robot back"
    return f"next: {step}; ~/resume_recording goes on, ~/start begins anew"


def _busy() -> str:
    """Return that the machine has more to do than it can, or nothing."""
    load, cores = machine_load()
    return f" and what else loads this machine ({load:.0f} on {cores} cores)" * (load > cores)
