"""Let a robot pour from a cup whose lid's hinge was found from its parts: plan, execute, count.

`.venv/bin/python studies/pouring_scene.py OUT -o FOLDER` takes the result folder of a cup with a
hinged lid (`studies/pouring_cup.py`, then `autourdf assemble --collision coacd`) and puts it on a
table before a Panda. RRT-Connect of OMPL plans the reach around the cup; with the cup in the hand
it plans the way around a wall on the manifold where the cup is upright. Then the hand tilts the
cup, whose lid the planner lets hang from its hinge. MuJoCo simulates all of it: friction holds the
cup, which is filled with balls, and gravity opens the lid. Printed is how many balls end in the
bowl; pictures are written.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import mujoco
import numpy as np
from scenes.box_furniture import write_furniture
from scenes.hanging_joint import hanging_value
from scenes.panda_hand import ARM, FINGERS, HAND, HOME, OPEN, PADS, Array, grasp_pose, shifted
from scenes.path_search import search_path, search_upright, seed_search
from scenes.planned_arm import PlannedArm, load_arm
from scenes.pouring_place import (
    BALL,
    CUP,
    RADIUS,
    TILT,
    ball_places,
    furniture,
    in_bowl,
    in_cup,
    pouring_pose,
)
from scenes.scene_pictures import ScenePictures
from scenes.simulated_scene import SimulatedScene, read_scene, set_loose, stiffen_grip

from autourdf_ros.export.scene_folder import Scene, Thing, write_scene
from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.urdf.robot_library import find_urdf

UP, FORWARD, SIDEWAYS = np.eye(3)[2], np.eye(3)[0], np.eye(3)[1]
GRIP, DEPTH = 0.05, 0.006  # m above the cup's foot; from the fingertips to the cup's axis
BEFORE, LIFT, STEPS = 0.12, 0.06, 40  # m; of a straight motion
TOUCH, SQUEEZE = 0.001, 0.025  # m inside of the cup's wall: fingers in plans, and their targets
GRIPPED = RADIUS - SQUEEZE
FRICTION = 0.3  # of a ball
POURING = 3.0  # s that the cup is held tilted
ORANGE = (0.95, 0.55, 0.1, 1.0)
EYE, MIDDLE = np.array([1.45, 0.5, 0.8]), np.array([0.4, 0.02, 0.39])
TAKEN, ABOVE, OPENING, POURED = 3, 5, 6, 7  # numbers of the pictures that are shown together


@dataclass(frozen=True)
class Plan:
    """Paths of the arm, one after the other; `held` is the folder of the scene with the cup."""

    reach: list[Array]
    approach: list[Array]
    lift: list[Array]
    transport: list[Array]
    tilt: list[Array]
    held: Path


def plan(args: argparse.Namespace, things: tuple[Thing, Thing]) -> Plan:
    """Plan by the first grasp, of two sides of the hand, with which everything is reached."""
    seed_search(args.seed)
    home = np.array([HOME[name] for name in ARM])
    arm = load_arm(args.out, ARM, HAND, dict.fromkeys(FINGERS, OPEN))
    for side in (1.0, -1.0):
        grasp = grasp_pose(CUP + GRIP * UP, FORWARD, side * SIDEWAYS, DEPTH)
        before = shifted(grasp, -BEFORE * FORWARD)
        for ready in arm.solutions(before, home, args.seed):
            approach = arm.straight(_between(before, BEFORE * FORWARD), ready)
            if approach is None or not all(arm.free(one) for one in approach):
                continue
            lift = arm.straight(_between(grasp, LIFT * UP), approach[-1])
            found = lift and plan_with_cup(args, things, grasp, lift[-1])
            if lift and found:
                return Plan(search_path(arm, home, ready), approach, lift, *found)
    raise SystemExit("the hand does not reach the cup, or cannot tilt it over the bowl")


def plan_with_cup(
    args: argparse.Namespace, things: tuple[Thing, Thing], grasp: Array, start: Array
) -> tuple[list[Array], list[Array], Path] | None:
    """Return the way to the bowl and the tilt with the cup in the hand, and that scene's folder."""
    cup, table = things
    in_hand = np.linalg.inv(grasp) @ cup.placement
    load = Thing(cup.urdf, in_hand, cup.name, HAND)
    closed = dict.fromkeys(FINGERS, RADIUS - TOUCH)
    held = args.out / "held"
    values = dict(zip(ARM, start.tolist(), strict=True)) | closed
    write_scene(Scene(find_urdf("panda"), (load, table), FINGERS, values), held)
    arm = load_arm(held, ARM, HAND, closed)
    lid = lid_of(arm, cup)
    poses = [pouring_pose(share) @ np.linalg.inv(in_hand) for share in np.linspace(0, 1, STEPS)]
    for ready in arm.solutions(poses[0], start, args.seed):
        tilt = arm.straight(poses, ready)
        if tilt and all(arm.free(one, closed | {lid: hanging(arm, lid, one)}) for one in tilt):
            return search_upright(arm, in_hand[:3, 2], start, ready), tilt, held
    return None


def lid_of(arm: PlannedArm, cup: Thing) -> str:
    """Return the name of the lid's joint."""
    return next(name for name in arm.model.names if name.startswith(cup.prefix))


def hanging(arm: PlannedArm, lid: str, values: Array) -> float:
    """Return the lid's angle where it hangs (rad)."""
    return hanging_value(arm.model, lid, arm.whole(values))


def _between(pose: Array, way: Array) -> list[Array]:
    return [shifted(pose, way * share) for share in np.linspace(0, 1, STEPS)]


def add_balls(spec: mujoco.MjSpec, places: Array) -> list[str]:
    """Add loose balls of the density of water at (N, 3) places (m); return their names."""
    names = [f"ball_{number}" for number in range(len(places))]
    for name, place in zip(names, places, strict=True):
        body = spec.worldbody.add_body(name=name, pos=place)
        body.add_freejoint()
        ball = body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[BALL, 0, 0], rgba=ORANGE)
        ball.group, ball.friction[0], ball.priority = 2, FRICTION, 1  # theirs, not the cup's
    return names


def execute(folder: Path, cup: Thing, paths: Plan, count: int) -> dict[str, float]:
    """Run the paths in MuJoCo, and draw; return what happened, by name."""
    spec, body = read_scene(folder, [cup.prefix]), f"{cup.prefix}cup"
    set_loose(spec, body, cup.prefix)
    stiffen_grip(spec, PADS)
    balls = add_balls(spec, CUP + ball_places(count))
    scene = SimulatedScene(spec, HOME | dict.fromkeys(FINGERS, OPEN))
    pictures = ScenePictures(scene.model, folder / "pouring", EYE, MIDDLE)
    upright = [1.0]
    scene.watch = lambda: upright.append(float(scene.pose(body)[2, 2]))
    pictures.draw(scene.data)
    for path, fingers in (
        (paths.reach, OPEN),
        (paths.approach, OPEN),
        (paths.approach[-1:], GRIPPED),
        (paths.lift, GRIPPED),
        (paths.transport, GRIPPED),
    ):
        scene.follow(ARM, path, dict.fromkeys(FINGERS, fingers))
        pictures.draw(scene.data)
    scene.watch = None
    kept = int(in_cup(scene.places(balls), scene.pose(body)).sum())
    late = STEPS * 3 // 4
    for path in (paths.tilt[:late], paths.tilt[late:]):
        scene.follow(ARM, path, dict.fromkeys(FINGERS, GRIPPED))
        pictures.draw(scene.data)
    scene.wait(POURING)
    pictures.draw(scene.data)
    pictures.sheet([TAKEN, ABOVE, OPENING, POURED], 400)
    return {
        "lean": float(np.degrees(np.arccos(min(upright)))),
        "kept": kept,
        "landed": int(in_bowl(scene.places(balls)).sum()),
    }


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("result", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--balls", type=int, default=40, help="in the cup (default: 40)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with TemporaryDirectory() as made:
        stands = np.eye(4)
        stands[:3, 3] = CUP
        cup = Thing(args.result / URDF, stands)
        table = Thing(write_furniture(furniture(), Path(made) / "table.urdf"), np.eye(4), "table")
        write_scene(Scene(find_urdf("panda"), (cup, table), FINGERS, HOME), args.out)
        paths = plan(args, (cup, table))
    found = execute(args.out, cup, paths, args.balls)
    print(
        f"reach {len(paths.reach)} states, transport {len(paths.transport)} states; the cup leant "
        f"by at most {found['lean']:.1f}° before the tilt of {np.degrees(TILT):.0f}° and held "
        f"{found['kept']} of {args.balls} balls; {found['landed']} are in the bowl"
    )


if __name__ == "__main__":
    main()
