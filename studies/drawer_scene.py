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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import coal
import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from PIL import Image

from autourdf_ros.export.scene_folder import OBJECT, Scene, write_scene
from autourdf_ros.model.result_files import MJCF, SRDF, URDF
from autourdf_ros.model.urdf.body_surfaces import body_surfaces
from autourdf_ros.model.urdf.posed_urdf import read_urdf, visual_geometry
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics, look_at
from autourdf_ros.simulation.cameras.renderer import Renderer

HOME = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
OPEN, CLOSED = 0.04, 0.0
TIP = 0.1034  # m from the hand's frame to the fingertips
BEFORE, STEPS = 0.08, 40  # m before the handle; of a straight motion
SPEED = 0.4  # rad/s of the joints in execution
RESTARTS = 60  # of inverse kinematics
SECONDS = 20.0  # that RRT-Connect may take
PICTURE = Intrinsics.from_field_of_view(640, 480, 40.0)

Array = NDArray[np.float64]
Show = Callable[[dict[str, float]], None]


@dataclass
class Planner:
    """The scene in Pinocchio and Coal: arm joints first, then fingers and the drawer."""

    model: pin.Model
    shapes: pin.GeometryModel
    slide: str

    def __post_init__(self) -> None:
        self.data, self.found = self.model.createData(), pin.GeometryData(self.shapes)
        self.hand = self.model.getFrameId("panda_hand")
        self.arm = [
            self.model.joints[self.model.getJointId(f"panda_joint{k}")].idx_q for k in range(1, 8)
        ]
        self.low = self.model.lowerPositionLimit[self.arm]
        self.high = self.model.upperPositionLimit[self.arm]

    def whole(self, arm: Array, opened: float = 0.0, fingers: float = OPEN) -> Array:
        """The configuration of the scene."""
        q = pin.neutral(self.model)
        q[self.arm] = arm
        for name in FINGERS:
            q[self.model.joints[self.model.getJointId(name)].idx_q] = fingers
        q[self.model.joints[self.model.getJointId(self.slide)].idx_q] = opened
        return q

    def free(self, arm: Array) -> bool:
        """Whether nothing collides with the drawer closed."""
        return not pin.computeCollisions(
            self.model, self.data, self.shapes, self.found, self.whole(arm), True
        )

    def solve(self, goal: Array, start: Array) -> Array | None:
        """Inverse kinematics of the hand by damped least squares."""
        arm, target = start.copy(), pin.SE3(goal)
        for _ in range(300):
            q = self.whole(arm)
            pin.framesForwardKinematics(self.model, self.data, q)
            error = pin.log6(self.data.oMf[self.hand].actInv(target)).vector
            if np.linalg.norm(error) < 1e-5:
                return arm
            jacobian = pin.computeFrameJacobian(self.model, self.data, q, self.hand)[:, self.arm]
            step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-5 * np.eye(6), error)
            arm = np.clip(arm + np.clip(step, -0.2, 0.2), self.low + 0.02, self.high - 0.02)
        return None

    def ready(self, goal: Array, start: Array, seed: int) -> Array:
        """A free configuration with the hand at a pose, as near to the start as is found."""
        rng, found = np.random.default_rng(seed), []
        for number in range(RESTARTS):
            first = start if number == 0 else rng.uniform(self.low, self.high)
            arm = self.solve(goal, first)
            if arm is not None and self.free(arm):
                found.append(arm)
        if not found:
            raise SystemExit("the hand does not reach the handle without collision")
        return min(found, key=lambda arm: float(np.abs(arm - start).max()))

    def straight(self, goals: list[Array], start: Array) -> list[Array]:
        """Arm configurations along poses of the hand."""
        path = [start]
        for goal in goals:
            solved = self.solve(goal, path[-1])
            if solved is None:
                raise SystemExit("the hand cannot follow the path")
            path.append(solved)
        return path[1:]

    def reach(self, start: Array, goal: Array, seed: int) -> list[Array]:
        """A path of the arm without collision, by RRT-Connect."""
        from ompl import base, geometric, util

        util.RNG.setSeed(seed + 1)
        space = base.RealVectorStateSpace(7)
        bounds = base.RealVectorBounds(7)
        for k in range(7):
            bounds.setLow(k, float(self.low[k]))
            bounds.setHigh(k, float(self.high[k]))
        space.setBounds(bounds)
        setup = geometric.SimpleSetup(space)
        setup.setStateValidityChecker(
            lambda state: self.free(np.array([state[k] for k in range(7)]))
        )
        states = []
        for values in (start, goal):
            state = space.allocState()
            for k in range(7):
                state[k] = float(values[k])
            states.append(state)
        setup.setStartAndGoalStates(*states)
        setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
        if not setup.solve(SECONDS):
            raise SystemExit("RRT-Connect found no path")
        setup.simplifySolution()
        path = setup.getSolutionPath()
        path.interpolate(STEPS)
        return [np.array([state[k] for k in range(7)]) for state in path.getStates()]


def load(folder: Path, slide: str) -> Planner:
    """The written scene, without the pairs of links that its SRDF leaves out."""
    model = pin.buildModelFromUrdf(str(folder / URDF))
    shapes = pin.buildGeomFromUrdf(
        model, str(folder / URDF), pin.GeometryType.COLLISION, package_dirs=[str(folder)]
    )
    for item in shapes.geometryObjects:
        if isinstance(item.geometry, coal.BVHModelBase):
            item.geometry.buildConvexRepresentation(False)
            item.geometry = item.geometry.convex
    shapes.addAllCollisionPairs()
    pin.removeCollisionPairs(model, shapes, str(folder / SRDF))
    return Planner(model, shapes, slide)


def grasp_pose(bar: Array, along: Array) -> Array:
    """The hand at the middle of a bar, against the way out, the fingers above and below it."""
    pose = np.eye(4)
    forward, up = -along, np.array([0.0, 0.0, 1.0])
    pose[:3, :3] = np.stack([np.cross(up, forward), up, forward], axis=1)
    pose[:3, 3] = bar - forward * (TIP - 0.008)
    return pose


def execute(
    folder: Path, slide: str, parts: list[tuple[list[Array], float]], show: Callable[[Array], None]
) -> float:
    """Run paths of arm and fingers in MuJoCo; return how far the drawer came (m)."""
    spec = mujoco.MjSpec.from_file(str(folder / MJCF))
    for body in spec.bodies:
        if not body.name.startswith(OBJECT):
            body.gravcomp = 1.0  # as the robot's own controller
    for geom in spec.geoms:
        geom.friction[0] = 1.2
    spec.joint(slide).damping, spec.joint(slide).frictionloss = np.full(3, 5.0), 1.0
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    names = [f"panda_joint{k}" for k in range(1, 8)]
    show(_values(model, data))
    for path, fingers in parts:
        previous = np.array([data.ctrl[model.actuator(name).id] for name in names])
        for goal in path:
            ticks = max(int(np.abs(goal - previous).max() / SPEED / model.opt.timestep), 20)
            for share in np.linspace(0, 1, ticks):
                for k, name in enumerate(names):
                    data.ctrl[model.actuator(name).id] = previous[k] + share * (
                        goal[k] - previous[k]
                    )
                for name in FINGERS:
                    if name in [model.actuator(i).name for i in range(model.nu)]:
                        data.ctrl[model.actuator(name).id] = fingers
                mujoco.mj_step(model, data)
            previous = goal
        for _ in range(int(0.7 / model.opt.timestep)):
            mujoco.mj_step(model, data)
        show(_values(model, data))
    return float(data.joint(slide).qpos[0])


def _values(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, float]:
    return {model.joint(k).name: float(data.joint(k).qpos[0]) for k in range(model.njnt)}


def pictures(folder: Path, out: Path, eye: Array, middle: Array) -> Show:
    """A function that draws the scene at joint values into the next file."""
    robot = read_urdf(folder / URDF)
    surfaces = body_surfaces(visual_geometry(robot), robot.model.njoints)
    camera = Camera(PICTURE, look_at(eye, middle))
    renderer, count = Renderer(surfaces, [camera]), [0]

    def show(values: dict[str, float]) -> None:
        known = {name: value for name, value in values.items() if name in robot.joint_names}
        view = renderer.render(robot.body_poses(known), 0)
        shade = np.where(np.isnan(view.depth), 1.0, 0.35 + 0.65 * np.nan_to_num(view.incidence))
        paint = np.where(np.isnan(view.depth)[..., None], 255, view.color) * shade[..., None]
        Image.fromarray(paint.astype(np.uint8)).save(out / f"drawer_{count[0]}.png")
        count[0] += 1

    return show


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
    placement[:3, :3] = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
    placement[:3, 3] = args.at
    home = dict(zip([f"panda_joint{k}" for k in range(1, 8)], HOME, strict=True))
    scene = Scene(find_urdf("panda"), args.result / URDF, placement, FINGERS, home)
    write_scene(scene, args.out)
    robot = read_urdf(args.out / URDF)
    slide = next(name for name in robot.joint_names if name.startswith(OBJECT))
    planner = load(args.out, slide)
    joint = next(one for one in robot.skeleton({}).joints if one.name == slide)
    handle = placement[:3, :3] @ np.array(args.bar) + placement[:3, 3]
    outward = np.array([-1.0, 0.0, 0.0])
    sign = 1.0 if joint.axis @ outward > 0 else -1.0
    along = sign * joint.axis
    grasp = grasp_pose(handle, outward)
    before = grasp.copy()
    before[:3, 3] += BEFORE * outward
    start = np.array(HOME)
    ready = planner.ready(before, start, args.seed)
    reach = planner.reach(start, ready, args.seed)

    def shifted(pose: Array, way: Array) -> Array:
        moved = pose.copy()
        moved[:3, 3] += way
        return moved

    approach = planner.straight(
        [shifted(before, -outward * BEFORE * s) for s in np.linspace(0, 1, STEPS)], ready
    )
    pull = planner.straight(
        [shifted(grasp, along * args.pull * s) for s in np.linspace(0, 1, STEPS)], approach[-1]
    )
    show = pictures(args.out, args.out, np.array([0.1, -1.5, 1.0]), np.array([0.35, 0.0, 0.4]))
    parts = [(reach, OPEN), (approach, OPEN), ([approach[-1]], CLOSED), (pull, CLOSED)]
    opened = execute(args.out, slide, parts, show)
    print(
        f"reach {len(reach)} states, pull {1000 * args.pull:.0f} mm along the joint; "
        f"the drawer came {1000 * sign * opened:.0f} mm"
    )


if __name__ == "__main__":
    main()
