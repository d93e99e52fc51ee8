"""Set tools on a small disc with the centre of mass that was estimated, and see who stays there.

`.venv/bin/python studies/balancing_study.py FOLDER` takes tools as the suite `payload` has them
(`docs/payload.md`). Each draw of noise gives an estimate; its centre of mass and the tool's shape
say how the tool is set on a disc of 17.5 mm radius, and MuJoCo simulates it with its true mass for
5 s. That is the "balancing act" of Nadeau et al. 2023. `true` is set with the true centre of mass:
what stays with no estimate's error. With `--from cell` the robot of the simulated cell holds and
turns the tools, and its wrist's sensor, with a bias, and its encoders are read; with `--from live`
the identification node does that over ROS, which takes 42 s a draw and the package `autourdf_msgs`;
`--from efforts` is the same without a wrist's sensor, by the efforts of the joints.
`--rows FILE` has an act a line, is written as the acts happen, and goes on where it ended. Tools of
one part, whose centre of mass is that of their volume, are left out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import trimesh
from balancing.balancing_picture import coloured_mesh, picture, write_sheet
from balancing.cell_records import cell_recording
from balancing.disc_scene import RADIUS, TOOL, BalancedTool, disc_scene, stays
from balancing.resting_place import RestingPlace, planned_place
from numpy.typing import NDArray

from autourdf_ros.benchmark.payload.added_noise import LEVELS, with_added_noise
from autourdf_ros.benchmark.payload.measure_payload import prepared_tool
from autourdf_ros.benchmark.payload.payload_case import PayloadCase, payload_cases_in
from autourdf_ros.benchmark.payload.tool_folder import (
    ToolCloud,
    ToolTruth,
    read_tool_cloud,
    read_tool_truth,
)
from autourdf_ros.estimation.inertia.payload.payload_estimation import estimate_payload
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions
from autourdf_ros.model.inertial.inertial_parameters import moved

Array = NDArray[np.float64]

TRUE = "true"
RECORDS, CELL, LIVE, EFFORTS = SOURCES = ("records", "cell", "live", "efforts")
METHODS = ("field", "field-cloud", "hps", "ols", "geo")
_SAMPLES = 40000  # points on a tool's surface: about 1 mm apart


@dataclass(frozen=True)
class Act:
    """One tool on the disc.

    Attributes:
        tool, method: Names.
        draw: Number of the draw of noise.
        error: mm between the true and the assumed centre of mass.
        margin: mm, as planned; None where no material is above the disc.
        pose: How it is set: it lies as on a table, it stands, or it hangs below the disc.
        stays: Whether it is still there after the time.
        seconds: Of the estimate, with the weighing where there is one.
        mass: % by which the estimated mass is wrong.
        reason: Why nothing was found; else empty.
    """

    tool: str
    method: str
    draw: int
    error: float
    margin: float | None
    pose: str
    stays: bool
    seconds: float = 0.0
    reason: str = ""
    mass: float = 0.0


@dataclass(frozen=True)
class Stage:
    """A tool with all that is known of it."""

    case: PayloadCase
    cloud: ToolCloud
    truth: ToolTruth
    mesh: trimesh.Trimesh
    tool: BalancedTool

    @property
    def centre(self) -> Array:
        """(3,) true centre of mass in the tool's frame (m)."""
        return np.asarray(self.tool.parameters[1:4] / self.tool.parameters[0])


def read_stage(case: PayloadCase) -> Stage:
    """Read a tool."""
    mesh: Any = trimesh.load(case.folder / "mesh.ply", process=False)
    truth = read_tool_truth(case.folder / "truth.yaml")
    samples = trimesh.sample.sample_surface(mesh, _SAMPLES, seed=0)[0]
    points = np.concatenate([mesh.vertices, samples])
    own = moved(truth.parameters, np.linalg.inv(truth.object_in_sensor))
    cloud = read_tool_cloud(case.folder / "cloud.ply")
    return Stage(case, cloud, truth, mesh, BalancedTool(points, own))


def estimates(
    stage: Stage, level: str, source: str, draws: Sequence[int], speed: float
) -> Iterator[Array | str]:
    """Yield the parameters (10,) of draws in the tool's frame; a reason where none were found.

    Args:
        stage: A tool and the method.
        level: Of noise.
        source: Where wrenches come from: one of `SOURCES`.
        draws: Their numbers.
        speed: Of the robot over ROS, as a share of its velocity limits.
    """
    back = np.linalg.inv(stage.truth.object_in_sensor)
    for found in _estimates(stage, level, source, draws, speed):
        yield found if isinstance(found, str) else moved(found, back)


def _estimates(
    stage: Stage, level: str, source: str, draws: Sequence[int], speed: float
) -> Iterator[Array | str]:
    """Parameters (10,) of draws in the sensor's frame, or why there are none."""
    pose, noise, case = stage.truth.object_in_sensor, LEVELS[level], stage.case
    sizes = (noise.force, noise.torque)
    if source in (LIVE, EFFORTS):
        from balancing.live_weighing import LiveOptions, live_parameters  # needs autourdf_msgs

        shape, how = case.folder / "mesh.ply", LiveOptions(source == EFFORTS, speed)
        yield from live_parameters(stage.tool, shape, pose, sizes, draws, how)
        return
    data, options = prepared_tool(case, stage.cloud, stage.truth)
    for seed in (case.seed + number for number in draws):
        if source == CELL:
            read = cell_recording(stage.tool, pose, sizes, seed)
            way = IdentifyOptions(SensorOptions(gain=0.0), options)  # it is exact but noise
            yield identify_payload(replace(data, recording=read), way).estimate.parameters
        else:
            noisy = with_added_noise(data.recording, noise, case.name, seed)
            yield estimate_payload(replace(data, recording=noisy), options).parameters


def act(stage: Stage, method: str, draw: int, own: Array | str) -> tuple[Act, Array | None]:
    """Set the tool with assumed parameters (10,); also return its pose (4, 4) at the end."""
    if isinstance(own, str):
        return Act(stage.case.name, method, draw, np.nan, None, "", False, reason=own), None
    centre, mass = own[1:4] / own[0], 100 * float(own[0] / stage.tool.parameters[0] - 1)
    place = planned_place(stage.tool.points, centre, RADIUS)
    error = 1000 * float(np.linalg.norm(centre - stage.centre))
    if place is None:
        return Act(stage.case.name, method, draw, error, None, "", False, mass=mass), None
    kept, pose = simulated(stage, centre, place)
    how = "lies" if place.lies else "stands" if place.height > 0 else "hangs"
    margin = 1000 * place.margin
    return Act(stage.case.name, method, draw, error, margin, how, kept, mass=mass), pose


def simulated(stage: Stage, centre: Array, place: RestingPlace) -> tuple[bool, Array]:
    """Return whether the tool stays, and its pose (4, 4) at the end."""
    model = disc_scene(stage.tool, centre, place)
    data = mujoco.MjData(model)
    kept, pose = stays(model, data), np.eye(4)
    pose[:3, :3] = data.body(TOOL).xmat.reshape(3, 3)
    pose[:3, 3] = data.body(TOOL).xpos
    return kept, pose


def table(acts: list[Act], methods: tuple[str, ...]) -> str:
    """Return the counts as a table in Markdown: a row a tool, a column a method."""
    lines = [
        "| tool | pose, margin | " + " | ".join(methods) + " |",
        "|---" * (2 + len(methods)) + "|",
    ]
    for tool in dict.fromkeys(one.tool for one in acts):
        true = next(one for one in acts if (one.tool, one.method) == (tool, TRUE))
        none = true.margin is None
        where = "no material above" if none else f"{true.pose}, {true.margin:.1f} mm"
        cells = [_count([a for a in acts if (a.tool, a.method) == (tool, m)]) for m in methods]
        lines.append(f"| {tool} | {where} | " + " | ".join(cells) + " |")
    rates = [_rate([a for a in acts if a.method == method]) for method in methods]
    return "\n".join([*lines, "| all | | " + " | ".join(rates) + " |"])


def _count(acts: list[Act]) -> str:
    if not acts:
        return "-"
    error = np.nanmean([one.error for one in acts])
    return f"{sum(one.stays for one in acts)}/{len(acts)} ({error:.2f} mm)"


def _rate(acts: list[Act]) -> str:
    return f"{100 * np.mean([one.stays for one in acts]):.1f} %"


def parts_of(case: PayloadCase) -> int:
    """Return how many parts a tool has."""
    return len(np.unique(read_tool_cloud(case.folder / "cloud.ply").parts))


class Rows:
    """The acts of a study; with a file, also those of earlier runs, and a line is added for each.

    Several runs may write to one file at the same time, each for tools of its own.

    Attributes:
        acts: All.
    """

    def __init__(self, file: Path | None) -> None:
        """Read what there is."""
        self._file = file
        lines = file.read_text().splitlines() if file is not None and file.is_file() else []
        self.acts = [Act(**json.loads(line)) for line in lines]

    def add(self, one: Act) -> None:
        """Keep an act."""
        self.acts.append(one)
        if self._file is not None:
            with self._file.open("a") as stream:
                stream.write(json.dumps(asdict(one)) + "\n")

    def of(self, tool: str, method: str) -> list[Act]:
        """Return those of a tool and a method."""
        return [one for one in self.acts if (one.tool, one.method) == (tool, method)]

    def lacking(self, tool: str, method: str, draws: int) -> list[int]:
        """Return the draws, of the first so many, that are not there."""
        done = {one.draw for one in self.of(tool, method)}
        return [number for number in range(draws) if number not in done]


def main() -> None:
    """Run the study."""
    args = _arguments()
    rows, shown = Rows(args.rows), []
    for case in payload_cases_in(args.data, args.methods, args.draws, 0):
        if parts_of(case) < 2 or case.name not in (args.tools or [case.name]):
            continue
        stage = read_stage(case)
        if not rows.of(case.name, TRUE):
            rows.add(act(stage, TRUE, 0, stage.tool.parameters)[0])
        draws, began = rows.lacking(case.name, case.method, args.draws), time.monotonic()
        given = stage, args.level, args.source, draws, args.speed
        bodies = estimates(*given) if draws else ()
        for draw, own in zip(draws, bodies, strict=True):
            seconds = time.monotonic() - began
            found, pose = act(stage, case.method, draw, own)
            rows.add(replace(found, seconds=round(seconds, 2)))
            began = time.monotonic()
            if draw == 0 and pose is not None and case.method == args.methods[0]:
                painted = coloured_mesh(stage.mesh, stage.cloud.points, stage.cloud.colours)
                shown.append(picture(painted, pose))
        print(f"{case.name}, {case.method}: {_count(rows.of(case.name, case.method))} stay")
    print(table(rows.acts, (TRUE, *args.methods)))
    if args.picture:
        write_sheet(shown, args.picture)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="folder of tools")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--tools", nargs="+", help="names (default: all)")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--level", choices=tuple(LEVELS), default="High")
    parser.add_argument("--from", dest="source", choices=SOURCES, default=RECORDS)
    parser.add_argument("--speed", type=float, default=0.7, help="live: share of the limits")
    parser.add_argument("--rows", type=Path, help="JSON lines, an act a line, to go on with")
    parser.add_argument("--picture", type=Path, help="PNG to write, of the first method")
    args = parser.parse_args()
    allowed = {RECORDS: METHODS, CELL: ("field", "field-cloud")}.get(args.source, ("field",))
    if not set(args.methods) <= set(allowed):
        parser.error(f"--from {args.source} takes --methods {' '.join(allowed)}")
    return args


if __name__ == "__main__":
    main()
