"""Measures whether a plain bag reconstructs as well as a native recording of the same motion.

`.venv/bin/python studies/plain_bag_study.py ROBOT...`: the simulated cell runs in continuous time,
and its robot moves from stop to stop. The messages that `ros2 bag record` would receive (clouds of
all cameras, joint states, TF) are written twice, as MCAP and as SQLite; at every stop the frame of
the capture is recorded as well. Then `autourdf extract` makes recordings of the bags, and all are
reconstructed and compared with the truth.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from scipy.spatial.transform import Rotation

from autourdf_ros.assessment.metrics.evaluation import Summary, evaluate
from autourdf_ros.assessment.metrics.truth.truth import load_truth
from autourdf_ros.commanding.session.planning import excitation_of
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.data.bags.topics import typestore
from autourdf_ros.data.extraction.extraction import extract
from autourdf_ros.data.extraction.extraction_options import CLEANING, ExtractionOptions
from autourdf_ros.data.frame import Recording
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording.frame_recorder import FrameOptions, FrameRecorder, SerializedView
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
from autourdf_ros.simulation.live.controller_commands import RefusedError
from autourdf_ros.simulation.live.live_cell import LiveCell, MotorOptions
from autourdf_ros.simulation.simulated_cell import CellOptions, Image
from autourdf_ros.simulation.truth_file import TRUTH_FILE, write_truth

TYPES: Any = typestore().types
BEGAN = 1_700_000_000.0  # stamp of time 0
STEP = 0.02  # s, in which joint states come
STOP = 1.0  # s, that the robot stands
LATENCY = 0.05  # s, from a cloud's stamp to its arrival
MOUNT_EVERY = 5  # steps: the first camera's own transform comes by /tf
WITHOUT_GROUND = replace(CLEANING, ground=None)
TRIES = 100  # targets drawn before one is not refused
CLOUD, JOINTS = "sensor_msgs/msg/PointCloud2", "sensor_msgs/msg/JointState"
TF = "tf2_msgs/msg/TFMessage"


def main() -> int:
    """Measure every robot and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="+", metavar="ROBOT")
    parser.add_argument("--sequences", type=int, default=3)
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2.0, help="clouds of a camera (Hz)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print("robot recording joints TED E_JA/deg E_perp/mm shifted/mm frames verdict", flush=True)
    for name in args.robots:
        with tempfile.TemporaryDirectory() as folder:
            measure(name, args, Path(folder))
    return 0


def measure(name: str, args: argparse.Namespace, folder: Path) -> None:
    """Record one robot in all three ways and print how each reconstructs."""
    options = CellOptions(4, 640, 480, elevations=(10.0, 60.0), noise=REAL_CAMERA)
    cell = LiveCell(SimulatedRobot(find_urdf(name)), options, MotorOptions(), seed=args.seed)
    truth = folder / TRUTH_FILE
    write_truth(cell.truth(), truth)
    record(cell, args, folder)
    # The simulated cell has no ground here.
    extraction = ExtractionOptions(cleaning=WITHOUT_GROUND)
    recordings = {"native": load_recording(folder / "native")}
    for plugin in StoragePlugin:
        kind = plugin.name.lower()
        done = extract(folder / kind, folder / f"extracted_{kind}", extraction)
        recordings[kind] = load_recording(folder / f"extracted_{kind}")
        for reason, times in done.left_out.items():
            print(f"  {name} {kind}: {times} moment(s) left out: {reason}", flush=True)
    if alike(recordings["mcap"], recordings["sqlite3"]):
        recordings["mcap=sqlite3"] = recordings.pop("mcap")
        del recordings["sqlite3"]
    for kind, recording in recordings.items():
        found = reconstruct(recording)
        summary = evaluate(found.model, load_truth(truth)).all
        print(row(name, kind, summary, len(recording.frames), found.verdict), flush=True)


def alike(one: Recording, other: Recording) -> bool:
    """Whether two recordings have the same frames."""
    pairs = list(zip(one.frames, other.frames, strict=False))
    same = all(
        np.array_equal(a.points, b.points) and a.joint_positions == b.joint_positions
        for a, b in pairs
    )
    return len(one.frames) == len(other.frames) and same


def row(name: str, kind: str, summary: Summary, frames: int, verdict: str) -> str:
    """A line of the table."""
    figures = (summary.angle, summary.perpendicular, summary.shifted)
    shown = " ".join("-" if value is None else f"{value:.2f}" for value in figures)
    return f"{name} {kind} {summary.found}/{summary.true} {summary.ted} {shown} {frames} {verdict}"


def record(cell: LiveCell, args: argparse.Namespace, folder: Path) -> None:
    """Let the robot move; write both bags and the native recording."""
    names = tuple(f"/camera_{number}/points" for number in range(len(cell.cell.cameras)))
    poses = tuple(camera.pose for camera in cell.cell.cameras)
    with ExitStack() as stack:
        run = Session(cell, args.rate, [Bag(folder, plugin, stack) for plugin in StoragePlugin])
        native = FrameRecorder(
            folder / "native",
            Setup("base_link", names, tuple(cell.names)),
            FrameOptions(WITHOUT_GROUND),
        )
        stack.callback(native.close)
        targets = excitation_of(limits_of(cell.robot), SessionSettings(seed=args.seed))
        for sequence in range(args.sequences):
            targets.start_sequence()
            native.start_sequence(f"{sequence:04d}")
            visited = [cell.readings()[0]]
            for frame in range(args.frames):
                if frame:
                    visited.append(run.go_on(targets))
                run.stand(STOP)
                clouds = tuple(serialized(*run.cloud(number)) for number in range(len(names)))
                stamps = (BEGAN + run.time,) * len(names)
                outcome = native.record_view(
                    SerializedView(names, clouds, poses, stamps), cell.readings()[0]
                )
                if outcome.rejection is not None:
                    raise RuntimeError(f"the native frame was rejected: {outcome.rejection}")
            # Back the way it came, without standing anywhere.
            for values in reversed(visited[:-1]):
                run.go_to(values)


def limits_of(robot: SimulatedRobot) -> dict[str, JointLimits]:
    """Of the driven joints."""
    pairs = zip(robot.joints, robot.driven, strict=True)
    return {joint.name: JointLimits(joint.lower, joint.upper, 1.0, 1.0) for joint, d in pairs if d}


class Bag:
    """A bag as `ros2 bag record` writes it, in one of its storages."""

    def __init__(self, folder: Path, plugin: StoragePlugin, stack: ExitStack) -> None:
        path = folder / plugin.name.lower()
        self._writer = stack.enter_context(Writer(path, version=8, storage_plugin=plugin))
        self._connections: dict[str, Any] = {}

    def write(self, topic: str, kind: str, data: bytes, received: float) -> None:
        """Add a message that was received at a time (s)."""
        if topic not in self._connections:
            connection = self._writer.add_connection(topic, kind, typestore=typestore())
            self._connections[topic] = connection
        self._writer.write(self._connections[topic], round((BEGAN + received) * 1e9), data)


class Session:
    """The cell as time goes on, and all that is published meanwhile."""

    def __init__(self, cell: LiveCell, rate: float, bags: list[Bag]) -> None:
        self.time, self._cell, self._bags, self._steps = 0.0, cell, bags, 0
        self._every = max(round(1 / rate / STEP), 1)
        for number, camera in enumerate(cell.cell.cameras):
            if number:
                self._transform("/tf_static", number, camera.pose)

    def go_on(self, targets: Any) -> Mapping[str, float]:
        """Go to the next target that is not refused, and return it."""
        here = self._cell.readings()[0]
        for refusals in range(1, TRIES + 1):
            target = dict(targets.next(here))
            try:
                self.go_to(target)
            except RefusedError:
                targets.turn(refusals)
            else:
                return target
        raise RuntimeError(f"{TRIES} targets were refused")

    def go_to(self, values: Mapping[str, float]) -> None:
        """Go there, and let time pass until the robot rests."""
        self._cell.go_to([values[name] for name in self._cell.names])
        self._step()
        while self._cell.is_moving:
            self._step()

    def stand(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / STEP)):
            self._step()

    def cloud(self, number: int) -> tuple[Image, int, float]:
        """What a camera measures now, with its number and stamp."""
        return self._cell.measure(number)[1], number, self.time

    def _step(self) -> None:
        self._steps += 1
        self.time = self._steps * STEP
        self._cell.advance(self.time)
        positions = self._cell.readings()[0]
        values, none = np.array(list(positions.values())), np.zeros(0)
        message = TYPES[JOINTS](header(self.time, ""), list(positions), values, none, none)
        self._publish("/joint_states", JOINTS, message, self.time + 0.002)
        if self._steps % MOUNT_EVERY == 0:
            self._transform("/tf", 0, self._cell.cell.cameras[0].pose)
        cameras = len(self._cell.cell.cameras)
        for number in range(cameras):
            # Cameras are not synchronized.
            if (self._steps + number * self._every // cameras) % self._every == 0:
                data = serialized(*self.cloud(number))
                for bag in self._bags:
                    bag.write(f"/camera_{number}/points", CLOUD, data, self.time + LATENCY)

    def _transform(self, topic: str, number: int, pose: np.ndarray) -> None:
        turn = Rotation.from_matrix(pose[:3, :3]).as_quat().tolist()
        transform = TYPES["geometry_msgs/msg/TransformStamped"](
            header=header(self.time, "base_link"),
            child_frame_id=f"camera_{number}",
            transform=TYPES["geometry_msgs/msg/Transform"](
                translation=TYPES["geometry_msgs/msg/Vector3"](*pose[:3, 3].tolist()),
                rotation=TYPES["geometry_msgs/msg/Quaternion"](*turn),
            ),
        )
        self._publish(topic, TF, TYPES[TF](transforms=[transform]), self.time + 0.001)

    def _publish(self, topic: str, kind: str, message: Any, received: float) -> None:
        data = bytes(typestore().serialize_cdr(message, kind))
        for bag in self._bags:
            bag.write(topic, kind, data, received)


def header(time: float, frame: str) -> Any:
    """Stamp and frame of a message of a time (s)."""
    stamp = TYPES["builtin_interfaces/msg/Time"](*divmod(round((BEGAN + time) * 1e9), 10**9))
    return TYPES["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)


def serialized(image: Image, number: int, time: float) -> bytes:
    """PointCloud2 in CDR of what a camera measured: x y z rgb, only points with depth."""
    seen = np.isfinite(image.points[..., 2])
    packed = np.empty((int(seen.sum()), 4), "<f4")
    packed[:, :3] = image.points[seen]
    red, green, blue = image.colors[seen].astype("<u4").T
    packed.view("<u4")[:, 3] = red << 16 | green << 8 | blue
    field = TYPES["sensor_msgs/msg/PointField"]
    message = TYPES[CLOUD](
        header=header(time, f"camera_{number}"),
        height=1,
        width=len(packed),
        fields=[field(name, 4 * index, 7, 1) for index, name in enumerate(("x", "y", "z", "rgb"))],
        is_bigendian=False,
        point_step=16,
        row_step=packed.nbytes,
        data=packed.view(np.uint8).reshape(-1),
        is_dense=True,
    )
    return bytes(typestore().serialize_cdr(message, CLOUD))


if __name__ == "__main__":
    raise SystemExit(main())
