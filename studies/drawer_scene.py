"""Let a robot open a drawer whose joint was found from its parts: plan, execute, show.

`.venv/bin/python studies/drawer_scene.py OUT -o FOLDER` takes the result folder of a drawer
(`autourdf assemble`, `autourdf confirm`) with a bar for a handle, puts it before a Panda in one
description with one MoveIt configuration, plans the reach with OMPL's RRT-Connect (`pip install
ompl`, BSD licence) over Pinocchio and Coal, then a pull in which the hand follows the drawer's
joint, and executes both in MuJoCo by position actuators on the robot alone: friction moves the
drawer. It prints how far the drawer came and writes pictures.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scenes.panda_hand import ARM, CLOSED, FINGERS, HAND, HOME, OPEN, Array, grasp_pose, shifted
from scenes.path_search import search_path, seed_search
from scenes.planned_arm import PlannedArm, load_arm
from scenes.scene_pictures import ScenePictures
from scenes.simulated_scene import SimulatedScene, read_scene

from autourdf_ros.export.scene_folder import Scene, Thing, write_scene
from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.urdf.posed_urdf import read_urdf
from autourdf_ros.model.urdf.robot_library import find_urdf

BEFORE, STEPS = 0.08, 40  # m before the handle; of a straight motion
DEPTH = 0.008  # m from the fingertips to the handle
EYE, MIDDLE = np.array([0.1, -1.5, 1.0]), np.array([0.35, 0.0, 0.4])
OUTWARD = np.array([-1.0, 0.0, 0.0])
TURNED = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def plan(
    arm: PlannedArm, grasp: Array, pull: Array, seed: int
) -> tuple[list[Array], list[Array], list[Array]]:
    """Return the reach, the approach of the handle, and the pull along `pull` (3,), in metres."""
    seed_search(seed)
    home, before = np.array([HOME[name] for name in ARM]), shifted(grasp, BEFORE * OUTWARD)
    shares = np.linspace(0, 1, STEPS)
    for ready in arm.solutions(before, home, seed):
        approach = arm.straight([shifted(before, -OUTWARD * BEFORE * s) for s in shares], ready)
        if approach is None:
            continue
        pulled = arm.straight([shifted(grasp, pull * s) for s in shares], approach[-1])
        if pulled is not None:
            return search_path(arm, home, ready), approach, pulled
    raise SystemExit("the hand does not reach the handle, or cannot follow the drawer")


def execute(folder: Path, slide: str, paths: tuple[list[Array], ...]) -> float:
    """Run the paths in MuJoCo, and draw; return how far the drawer came (m)."""
    spec = read_scene(folder, ["object_"])
    spec.joint(slide).damping, spec.joint(slide).frictionloss = np.full(3, 5.0), 1.0
    scene = SimulatedScene(spec, HOME)
    pictures = ScenePictures(scene.model, folder / "drawer", EYE, MIDDLE)
    pictures.draw(scene.data)
    reach, approach, pull = paths
    for path, fingers in ((reach, OPEN), (approach, OPEN), (approach[-1:], CLOSED), (pull, CLOSED)):
        scene.follow(ARM, path, dict.fromkeys(FINGERS, fingers))
        pictures.draw(scene.data)
    return scene.value(slide)


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("result", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument(
        "--bar", type=float, nargs=3, default=(0.0, 0.742, 0.09), help="of the handle (m)"
    )
    parser.add_argument(
        "--at", type=float, nargs=3, default=(-0.15, 0.0, 0.4), help="of the object (m)"
    )
    parser.add_argument("--pull", type=float, default=0.12, help="how far (m)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    placement = np.eye(4)
    placement[:3, :3], placement[:3, 3] = TURNED, args.at
    thing = Thing(args.result / URDF, placement)
    write_scene(Scene(find_urdf("panda"), (thing,), FINGERS, HOME), args.out)
    joints = read_urdf(args.out / URDF).skeleton({}).joints
    joint = next(one for one in joints if one.name.startswith(thing.prefix))
    sign = 1.0 if joint.axis @ OUTWARD > 0 else -1.0
    handle = TURNED @ np.array(args.bar) + placement[:3, 3]
    grasp = grasp_pose(handle, -OUTWARD, np.array([0.0, 0.0, 1.0]), DEPTH)
    arm = load_arm(args.out, ARM, HAND, dict.fromkeys(FINGERS, OPEN))
    paths = plan(arm, grasp, sign * joint.axis * args.pull, args.seed)
    opened = execute(args.out, joint.name, paths)
    print(
        f"reach {len(paths[0])} states, pull {1000 * args.pull:.0f} mm along the joint; "
        f"the drawer came {1000 * sign * opened:.0f} mm"
    )


if __name__ == "__main__":
    main()
