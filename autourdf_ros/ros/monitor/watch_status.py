"""What the monitor node reports of its inputs and of the outcome of its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticStatus

from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.estimation.extrinsics.static_transforms import publisher_lines
from autourdf_ros.monitoring.images.image_report import ImageReport
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.monitoring.repairing.refined_axes import RefinedAxes
from autourdf_ros.monitoring.watch_session import Outcome
from autourdf_ros.ros.cell.camera import Camera
from autourdf_ros.ros.common.matched_subscription import MatchedSubscription, lasting
from autourdf_ros.ros.monitor.watching_worker import WatchingWorker


@dataclass(frozen=True, eq=False)
class WatchInputs:
    """The inputs of a watch.

    Attributes:
        joint_states: Subscription of the joint states.
        readings: Of the motors.
        cameras: All cameras.
        timeout: Silence of an input that is a problem (s).
    """

    joint_states: MatchedSubscription
    readings: JointHistory
    cameras: Sequence[Camera]
    timeout: float

    def problems(self, worker: WatchingWorker, *, busy: bool) -> list[str]:
        """Return why the robot, or a part of it, is not watched.

        Args:
            worker: Judges the clouds.
            busy: Whether a task keeps the worker from clouds.
        """
        problems = list(worker.problems.values())
        if drift := worker.session.daily.problem:
            problems.append(drift)
        latest, states = self.readings.latest, self.joint_states
        if latest is None:
            names = ", ".join(self.readings.joints)
            problems.append(f"no reading yet of all of {names} on {states.topic}")
        elif states.age > self.timeout:
            problems.append(f"no joint states on {states.topic} {lasting(states.age)}")
        for camera in self.cameras:
            own = camera.problem() or camera.transform_problem
            age, stamp = worker.unjudged(camera.topic), camera.newest_stamp
            if own:
                problems.append(own)
            elif not busy and latest and stamp is not None and age > self.timeout:
                problems.append(
                    f"no cloud of {camera.topic} was judged {lasting(age)}: the newest cloud is "
                    f"of {stamp:.3f} s, the newest joint reading of {latest[0]:.3f} s"
                )
        return problems

    def camera_values(self, worker: WatchingWorker) -> dict[str, object]:
        """Return counts and latencies of the cameras, as values of a status."""
        values: dict[str, object] = {}
        for camera in self.cameras:
            counts, processed = camera.counts, worker.processed[camera.topic]
            values |= {
                f"{camera.topic} received": counts.received,
                f"{camera.topic} replaced by newer": counts.received - processed,
                f"{camera.topic} lost": counts.lost,
                f"{camera.topic} latency (s)": f"{counts.latency:.3f}",
            }
        return values


def most_urgent(
    report: Report | None,
    seen: ImageReport | None,
    together: str,
    doing: str,
    problems: Sequence[str],
) -> tuple[bytes, str]:
    """Return what matters most of a watch, as level and message of a status.

    Args:
        report: Of the clouds; None before the first.
        seen: Report of the colour images, where they are watched and newer ones come.
        together: Whether images and clouds agree, in words.
        doing: Name of the task that runs; empty: none.
        problems: Of the inputs.
    """
    if doing:
        return DiagnosticStatus.OK, doing
    if report is not None and report.changes:
        text = "; ".join(filter(None, [report.changes[0].summary, report.suspicion, together]))
        return DiagnosticStatus.WARN, text
    if report is not None and report.suspicion:
        return DiagnosticStatus.WARN, report.suspicion
    if seen is not None and seen.joint:
        return DiagnosticStatus.WARN, f"by colour images alone: {seen.text}"
    if problems:
        return DiagnosticStatus.ERROR, "; ".join(problems)
    if report is None or not report.watching:
        return DiagnosticStatus.OK, "learning the baseline: nothing may be wrong"
    return DiagnosticStatus.OK, "watching"


def outcome_text(outcome: Outcome, cameras: Sequence[Camera], base_frame: str) -> str:
    """Return the outcome of a task as a sentence; a moved camera with its new transform."""
    made = outcome.made
    if made is None:
        return f"went back to {outcome.folder}"
    if not made.accepted:
        return f"not kept: it does not explain the held-out observations better: {made.summary}"
    if isinstance(made, RefinedAxes) or made.for_model:
        return f"{made.summary}; current is {outcome.folder}"
    camera = next(one for one in cameras if one.topic == made.change.subject)
    cloud = camera.newest
    assert cloud is not None
    pose = made.camera_pose(cloud.transform)
    (line,) = publisher_lines(pose[None], base_frame, [camera.frame_id])
    return f"{made.summary}; this publishes its true pose: {line}"
