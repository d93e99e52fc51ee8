"""Whether a watch's memory stays flat: `studies/monitor_soak.py FOLDER`, a result folder.

Two small depth cameras see the model itself, moving to and fro, every `--period` seconds of
simulated time, with 1 mm of noise; `--observations` clouds of each are made once and repeat with
new stamps. All of the node's work but ROS is done on each: watching (in windows of nine
observations of each camera), gathering of daily work, and the drift's bins and file. Prints for
every simulated hour: this process' resident set size after a collection of garbage; how much memory
the C library has given out (it keeps a varying reserve of its own); how many blocks Python has for
its own objects, which it does not request from the C library; the observations gathered and the
bins kept. Then the increase of the three sizes from the second hour to the last: by the second hour
everything bounded has filled, except for the bins.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.watched_model import WatchedModel
from autourdf_ros.monitoring.watch_session import WatchSession
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics

NOISE = 0.001  # m
REACH = 0.5  # rad, or ten times m: of every joint to and fro
LENS = Intrinsics.from_field_of_view(64, 48, 50.0)
HOUR = 3600
IN_WINDOW = 9  # observations of a camera


def cameras(model: WatchedModel, lens: Intrinsics = LENS) -> dict[str, Camera]:
    """Return two cameras that see all of the model at the reference."""
    low, high = model.vertices.min(axis=0), model.vertices.max(axis=0)
    middle, far = (low + high) / 2, 1.6 * float(np.linalg.norm(high - low))
    ways = {"left": np.array([0.7, 0.7, 0.4]), "right": np.array([0.8, -0.7, 0.3])}
    return {
        name: Camera(lens, look_at(middle + far * way / np.linalg.norm(way), middle))
        for name, way in ways.items()
    }


def observations(model: WatchedModel, count: int) -> list[Observation]:
    """Return one observation of each camera at every instant."""
    rng = np.random.default_rng(0)
    phases = rng.uniform(0, 2 * np.pi, len(model.motors))
    turns = np.abs(model.gear[model.articulation.revolute]).sum(axis=0) > 0
    reach = np.where(turns, REACH, REACH / 10)
    seen = []
    for instant in range(count):
        # A whole number of waves, so that the last is followed by the first.
        waves = 2 * np.pi * instant / count * (11 + 3 * np.arange(len(phases)))
        row = model.transmission.readings_at_reference + reach * np.sin(waves + phases)
        readings = dict(zip(model.motors, row.tolist(), strict=True))
        for name, camera in cameras(model).items():
            points = measured(model, readings, camera, rng)
            seen.append(Observation(name, float(instant), points, camera.pose, readings))
    return seen


def measured(
    model: WatchedModel, readings: dict[str, float], camera: Camera, rng: np.random.Generator
) -> NDArray[np.float32]:
    """(N, 3) what a camera sees of the posed model, in its frame."""
    depths = ranges(model, readings, camera)
    seen = np.isfinite(depths)
    noisy = depths[seen] + rng.normal(0, NOISE, seen.sum())
    directions = camera.intrinsics.directions.reshape(-1, 3)
    return (directions[seen] * noisy[:, None]).astype(np.float32)


def ranges(model: WatchedModel, readings: dict[str, float], camera: Camera) -> NDArray[np.float32]:
    """(H * W,) how far along its direction every pixel sees the posed model; infinite: not."""
    poses = model.poses(model.values(readings))[model.segment_body[model.vertex_segment]]
    scene = o3d.t.geometry.RaycastingScene()
    vertices = transform(poses, model.vertices).astype(np.float32)
    scene.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(model.faces.astype(np.uint32)))
    directions = camera.intrinsics.directions.reshape(-1, 3).astype(np.float32)
    turned = directions @ camera.pose[:3, :3].T.astype(np.float32)
    starts = np.broadcast_to(camera.pose[:3, 3].astype(np.float32), turned.shape)
    rays = o3d.core.Tensor(np.hstack([starts, turned]))
    return scene.cast_rays(rays)["t_hit"].numpy()


def resident() -> float:
    """Return the resident set size of this process (MiB)."""
    gc.collect()
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


class _MallocInfo(ctypes.Structure):
    """`struct mallinfo2` of glibc 2.33 and later."""

    _counts = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks")
    _fields_ = [(name, ctypes.c_size_t) for name in (*_counts, "fordblks", "keepcost")]


def given_out() -> float:
    """Return the memory that the C library has given out to all threads (MiB)."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _MallocInfo
    info = libc.mallinfo2()
    return float(info.uordblks + info.hblkhd) / 2**20


def increase(sizes: list[float]) -> float:
    """Return the increase from the second hour on (%)."""
    return 100 * (sizes[-1] / sizes[min(1, len(sizes) - 1)] - 1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a result folder")
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument(
        "--period", type=float, default=2.0, help="s between observations of a camera"
    )
    parser.add_argument(
        "--observations", type=int, default=600, help="of a camera, before they repeat"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        history = ModelHistory(Path(temporary) / "models")
        history.add(args.folder)
        options = MonitorOptions(window=IN_WINDOW * args.period, learning=60.0)
        session = WatchSession(history, ("left", "right"), options)
        pool = observations(session.model, args.observations)
        points = np.mean([len(one.points) for one in pool])
        print(f"{args.observations} observations of 2 cameras, {points:.0f} points each on average")
        columns = (
            "hour",
            "RSS (MiB)",
            "given out (MiB)",
            "Python's blocks",
            "observations gathered",
        )
        print("| " + " | ".join((*columns, "bins", "changes reported", "took (s)")) + " |")
        print("|---" * 8 + "|")
        sizes, used, blocks, reported = list[float](), list[float](), list[float](), 0
        for hour in range(args.hours):
            began = time.monotonic()
            for instant in range(round(HOUR / args.period)):
                stamp = hour * HOUR + instant * args.period
                place = 2 * (instant % args.observations)
                for one in pool[place : place + 2]:
                    reported += bool(session.take(replace(one, stamp=stamp)).changes)
            sizes.append(resident())
            used.append(given_out())
            blocks.append(sys.getallocatedblocks())
            daily = session.daily
            memory = f"{sizes[-1]:.1f} | {used[-1]:.1f} | {blocks[-1]}"
            kept = f"{len(daily.comparisons)} | {len(daily.bins)}"
            row = f"{hour + 1} | {memory} | {kept} | {reported}"
            print(f"| {row} | {time.monotonic() - began:.0f} |", flush=True)
        print(
            f"increase from the second hour on: resident set {increase(sizes):.2f} %, "
            f"given out {increase(used):.2f} %, Python's blocks {increase(blocks):.2f} %"
        )


if __name__ == "__main__":
    main()
