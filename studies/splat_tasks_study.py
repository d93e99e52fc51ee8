"""Reach, touch and reach around an obstacle by splats, as Hu, Yu and Tan (2025) do, and by shapes.

`.venv/bin/python studies/splat_tasks_study.py --rows FILE` takes the simulated Panda: 20,000 splats
on its true surface with 1 mm of noise, and its true joints. `--model OUT` takes a result folder of
a Panda with splats instead, and its collision shapes to plan by.

From random configurations without collisions, random places are reached with the middle of a
link's splats (Eq. 26), balls there touched (Eq. 27, 28), and a cube where the fourth link came to
stand is avoided (Eq. 29), and by our search along the whole path. Self-collisions and clearances
are those of the true Panda's collision shapes, at the end and on the straight joint path.
`--pictures FOLDER` draws the first targets. Rows that are in FILE are not made again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from autourdf_ros.assessment.checks.disabled_pairs import disabled_pairs
from autourdf_ros.assessment.checks.subject import open_subject
from autourdf_ros.benchmark.appearance.known_tree import known_tree
from autourdf_ros.benchmark.appearance.measure_appearance import first_surfaces
from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.commanding.screening.link_distances import LinkDistances
from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.rasterizer.rasterize import Gaussians, rasterize
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.workflows.appearance.reaching.clear_reach import (
    ShapeSpace,
    reach_clear,
    straight,
)
from autourdf_ros.workflows.appearance.reaching.descent import TaskDescent, descend
from autourdf_ros.workflows.appearance.reaching.splat_tasks import (
    Reach,
    ReachAround,
    Touch,
    box_distances,
    link_center,
    link_number,
    splat_places,
)
from autourdf_ros.workflows.appearance.robot_pose import splat_robot

ROBOT, FOURTH = "panda", "panda_joint4"
SPLATS = 20_000
BALL = 0.05
"""Radius of the balls that are touched (m)."""
CUBE = 0.1
"""Side of the obstacle (m)."""
APART = 0.1
"""Distance of the start's shapes and of the target from the obstacle (m), at least."""
TINY = 1e-4
"""Half a side of the cube (m) that stands for the middle of a ball."""
CLEARANCE = 0.01
"""m that our search keeps from the obstacle."""
SHOWN = 3  # targets in the pictures
MOMENTS = (0.0, 0.5, 1.0)  # of a path, in the pictures


def main() -> None:
    """Run the tasks, and print how they went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="result folder with splats")
    parser.add_argument("--joint", default="panda_joint7", help="that moves the link that reaches")
    parser.add_argument("--targets", type=int, default=20)
    parser.add_argument("--margin", type=float, default=0.03, help="of Eq. 29 (m)")
    parser.add_argument("--first", type=int, default=0, help="number of the first target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--rows", type=Path, required=True)
    args = parser.parse_args()
    robot = _true_robot() if args.model is None else splat_robot(args.model)
    rows: list[dict[str, Any]] = []
    if args.rows.exists():
        rows = [json.loads(line) for line in args.rows.read_text().splitlines()]
    for number in range(args.first, args.first + args.targets):
        if number in [row["target"] for row in rows]:
            continue
        scene = _scene(robot, args.joint, np.random.default_rng([args.seed, number]))
        row, paths = _row(robot, scene, args.model or find_urdf(ROBOT), args.margin)
        rows.append({"target": number, **row})
        args.rows.write_text("".join(json.dumps(one) + "\n" for one in rows))
        print(rows[-1], flush=True)
        if args.pictures is not None and number < SHOWN:
            args.pictures.mkdir(exist_ok=True)
            _picture(robot, scene.reach, paths).save(args.pictures / f"target_{number}.png")
    print(_summary(rows))


@dataclass(frozen=True)
class _Scene:
    """A start, a target, the descent to it, a cube where the fourth link then is, and draws."""

    start: Array
    reach: Reach
    descent: TaskDescent
    cube: KeepOut
    draws: int


def _true_robot() -> SplatRobot:
    simulated = SimulatedRobot(find_urdf(ROBOT))
    tree, frames = known_tree(simulated)
    surfaces = first_surfaces(simulated, tree.links, SPLATS, 0)
    splats = first_splats(surfaces.points, surfaces.normals, surfaces.colors)
    return SplatRobot(tree, frames, splats, surfaces.links)


@cache
def _files(model: Path) -> tuple[Path, frozenset[frozenset[str]]]:
    """Return the URDF of a result folder or file, and its links that may overlap."""
    subject = open_subject(model)
    return subject.robot.path, disabled_pairs(subject)


def _true_space(robot: SplatRobot, obstacles: Sequence[KeepOut] = ()) -> ShapeSpace:
    return _space(robot, find_urdf(ROBOT), obstacles, 0.0)


def _space(robot: SplatRobot, model: Path, obstacles: Sequence[KeepOut], gap: float) -> ShapeSpace:
    """Return the shapes of a URDF or a result folder, with obstacles in its root's frame."""
    return ShapeSpace(robot, LinkDistances(*_files(model), obstacles, None, gap))


def _scene(robot: SplatRobot, joint: str, rng: np.random.Generator) -> _Scene:
    """Return a start and a target without collisions, far enough from the cube between them."""
    alone, (lower, upper) = _true_space(robot), robot.ranges
    link = _child(robot, joint)
    point, number = link_center(robot, link), link_number(robot, link)
    for draws in range(1, 1000):
        start, end = rng.uniform(lower, upper, (2, len(lower)))
        if not (alone.free(start, start) and alone.free(end, end)):
            continue
        pose = robot.gaussians(end)[2][number]
        reach = Reach(robot, link, point, pose[:3, :3] @ point + pose[:3, 3])
        descent = descend(reach, start)
        own = robot.links == link_number(robot, _child(robot, FOURTH))
        elbow = splat_places(robot, robot.gaussians(descent.free[-1])[2])[own].mean(axis=0)
        cube = KeepOut("cube", tuple(elbow - CUBE / 2), tuple(elbow + CUBE / 2))
        apart = _true_space(robot, [cube]).clearance(start[None])
        if apart > APART and box_distances(reach.target[None], cube)[0][0] > APART:
            return _Scene(start, reach, descent, cube, draws)
    raise RuntimeError("no start and target were found that an obstacle leaves free")


def _child(robot: SplatRobot, joint: str) -> str:
    return robot.tree.joints[robot.tree.joint_names.index(joint)].child


def _row(
    robot: SplatRobot, scene: _Scene, planned_by: Path, margin: float
) -> tuple[dict[str, Any], dict[str, tuple[Array, KeepOut | None, float]]]:
    """Return what happens with one target, and the paths to draw."""
    alone, true = _true_space(robot), _true_space(robot, [scene.cube])
    start, target = scene.start, scene.reach.target
    touch = descend(Touch(robot, scene.reach.link, target, BALL), start)
    begin = time.process_time()
    around = descend(ReachAround(scene.reach, scene.cube, margin), start)
    middle = time.process_time()
    space = _space(robot, planned_by, [scene.cube], CLEARANCE)
    ours = reach_clear(scene.reach, space, start)
    end = time.process_time()
    ball = KeepOut("ball", tuple(target - TINY), tuple(target + TINY))
    row: dict[str, Any] = {
        "draws": scene.draws,
        "reach": {**_ended(scene.descent, alone), "cube": true.clearance(scene.descent.free[-1:])},
        "touch": {
            **_ended(touch, alone),
            "ball": _true_space(robot, [ball]).clearance(touch.free[-1:]) - BALL,
        },
        "paper": {
            **_ended(around, alone),
            "clearance": true.clearance(around.free[-1:]),
            "path_clearance": true.clearance(straight(start, around.free[-1])),
            "seconds": middle - begin,
        },
        "ours": {
            "done": ours.path is not None,
            "reached": ours.reached,
            "apart": ours.apart,
            "seconds": end - middle,
        },
    }
    paths: dict[str, tuple[Array, KeepOut | None, float]] = {
        "reach": (straight(start, scene.descent.free[-1]), None, 0.01),
        "touch": (straight(start, touch.free[-1]), None, BALL),
        "paper": (straight(start, around.free[-1]), scene.cube, 0.01),
    }
    if ours.path is not None:
        dense = np.concatenate([straight(*pair, 51) for pair in pairwise(ours.path)])
        row["ours"] |= {
            "lines": len(ours.path) - 1,
            "clearance": true.clearance(ours.path[-1:]),
            "path_clearance": true.clearance(dense),
            "end_free": alone.free(ours.path[-1], ours.path[-1]),
            "path_free": all(alone.free(*pair) for pair in pairwise(ours.path)),
        }
        paths["ours"] = (dense, scene.cube, 0.01)
    return row, paths


def _ended(descent: TaskDescent, alone: ShapeSpace) -> dict[str, Any]:
    start, end = descent.free[0], descent.free[-1]
    return {
        "done": descent.done,
        "distance": float(descent.distances[-1]),
        "steps": len(descent.free),
        "end_free": alone.free(end, end),
        "path_free": alone.free(start, end),
    }


def _picture(
    robot: SplatRobot, reach: Reach, paths: dict[str, tuple[Array, KeepOut | None, float]]
) -> Image.Image:
    """Draw a row for each path: its start, its middle and its end."""
    pose = look_at(np.array([1.7, -1.3, 1.0]), np.array([0.1, 0.0, 0.4]))
    camera = PinholeCamera(360, 360, (420.0, 420.0), (179.5, 179.5), pose)
    rows = []
    for path, cube, radius in paths.values():
        things = [_ball(reach.target, radius, (0.1, 0.8, 0.2))]
        if cube is not None:
            things.append(_box(cube, (0.9, 0.1, 0.1)))
        cells = []
        for moment in MOMENTS:
            own = robot.gaussians(path[round(moment * (len(path) - 1))])[0]
            normals = _shaded(robot, own, path[round(moment * (len(path) - 1))])
            pixels = rasterize(_together([replace(own, colors=normals), *things]), camera).pixels
            color = pixels[..., :3] + pixels[..., 3:]  # before white
            cells.append((color.clip(0, 1) * 255).astype(np.uint8))
        rows.append(np.hstack(cells))
    return Image.fromarray(np.vstack(rows))


def _shaded(robot: SplatRobot, own: Gaussians, free: Array) -> Floats:
    """Return colours (N, 3) under a lamp, so that grey splats have a shape."""
    turns = robot.gaussians(free)[2][robot.links][:, :3, :3]
    normals = np.einsum("nij,nj->ni", turns, robot.splats.normals)
    light = 0.55 + 0.45 * (normals @ np.array([0.48, -0.4, 0.78])).clip(0, 1)
    return np.ascontiguousarray((own.colors * light[:, None]).clip(0, 1), np.float32)


def _ball(center: Array, radius: float, color: tuple[float, float, float]) -> Gaussians:
    way = np.random.default_rng(0).normal(size=(1500, 3))
    return _cloud(center + radius * way / np.linalg.norm(way, axis=1)[:, None], radius / 12, color)


def _box(box: KeepOut, color: tuple[float, float, float]) -> Gaussians:
    rng, lower, upper = np.random.default_rng(0), np.array(box.lower), np.array(box.upper)
    points = rng.uniform(lower, upper, (4000, 3))
    side, end = rng.integers(0, 3, len(points)), rng.integers(0, 2, len(points))
    rows = np.arange(len(points))
    points[rows, side] = np.where(end == 1, upper[side], lower[side])
    return _cloud(points, CUBE / 40, color)


def _cloud(points: Array, size: float, color: tuple[float, float, float]) -> Gaussians:
    count = len(points)
    covariances = np.tile(size**2 * np.array([1, 0, 0, 1, 0, 1]), (count, 1))
    shade = np.linspace(0.8, 1.0, count)[np.argsort(np.argsort(points[:, 2]))]
    arrays = points, covariances, np.full(count, 0.9), shade[:, None] * np.array(color)
    return Gaussians(*(np.ascontiguousarray(array, np.float32) for array in arrays))


def _together(groups: Sequence[Gaussians]) -> Gaussians:
    names = ("means", "covariances", "opacities", "colors")
    return Gaussians(*(np.concatenate([getattr(one, name) for one in groups]) for name in names))


def _summary(rows: Sequence[dict[str, Any]]) -> str:
    lines = [f"{len(rows)} targets of {sum(row['draws'] for row in rows)} draws"]
    for name in ("reach", "touch", "paper", "ours"):
        own = [row[name] for row in rows]
        done = [one for one in own if one["done"]]
        lines.append(
            f"{name}: done {len(done)} of {len(own)}; of these, without self-collision at the end "
            f"{sum(one['end_free'] for one in done)}, on the whole path "
            f"{sum(one['path_free'] for one in done)}; all right {sum(map(_right, done))}"
        )
        if "distance" in own[0]:
            far = np.array([one["distance"] for one in own])
            lines.append(
                f"  off the target: median {1e3 * np.median(far):.1f} mm, within 10 mm "
                f"{(far < 0.01).sum()}"
            )
        for key in ("cube", "ball", "clearance", "path_clearance"):
            found = 1e3 * np.array([one[key] for one in own if key in one])
            if len(found):
                lines.append(
                    f"  {key}: least {found.min():.1f}, median {np.median(found):.1f}, most "
                    f"{found.max():.1f} mm; 0 or less in {(found <= 0).sum()}"
                )
        for key in ("steps", "seconds"):
            if key in own[0]:
                lines.append(f"  {key}: median {np.median([one[key] for one in own]):.3g}")
    return "\n".join(lines)


def _right(one: dict[str, Any]) -> bool:
    """Return whether the whole path of a task that is done is without a collision."""
    return bool(one["path_free"] and one.get("path_clearance", 1.0) > 0)


if __name__ == "__main__":
    main()
