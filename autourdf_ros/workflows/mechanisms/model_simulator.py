"""The MJCF of a model's joints and masses alone, as dynamics are fitted and forecast with it.

Nothing touches: there are no shapes and no limits of joints. Links between bodies, which joints of
several coordinates need, are joined into one body with several joints.
"""

from __future__ import annotations

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.forward_kinematics import link_frames, link_poses
from autourdf_ros.model.layers.inertia import LinkInertia
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import TreeJoint

Array = NDArray[np.float64]

TIME_STEP = 0.004
"""s of simulation by Runge-Kutta 4: far below the periods of what a camera can follow."""
_KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}


def simulated_xml(
    model: SelfModel,
    bodies: frozenset[str],
    step: float = TIME_STEP,
    moved: TreeJoint | None = None,
) -> str:
    """Return the MJCF of a model under gravity along -z, whose joint values are MuJoCo's.

    Args:
        model: With an inertia layer.
        bodies: Links that have a shape; others weigh nothing and only stand between joints.
        step: Of the simulation (s).
        moved: A joint of the model's whose axis lies elsewhere; bodies stay where they are.

    Raises:
        InputError: the model has no masses, or no joint that moves.
    """
    if model.inertia is None:
        raise InputError(f"{model.name}: has no inertia layer; accepted is a model with masses")
    if not any(joint.type != "fixed" for joint in model.tree.joints):
        raise InputError(f"{model.name}: no joint moves; accepted is one that does")
    root = etree.Element("mujoco", model="mechanism")
    etree.SubElement(root, "option", timestep=f"{step:.12g}", integrator="RK4")
    world = etree.SubElement(root, "worldbody")
    _Bodies(model, bodies, moved).add(world, model.tree.root, np.eye(4), ())
    return etree.tostring(root, pretty_print=True, encoding="unicode")


class _Bodies:
    """Writes links below each other, in the frames that they have with every joint at zero."""

    def __init__(self, model: SelfModel, bodies: frozenset[str], moved: TreeJoint | None) -> None:
        tree, self._moved = model.tree, moved
        assert model.inertia is not None
        self._tree, self._bodies, self._masses = tree, bodies, model.inertia.links
        zero = link_poses(tree, np.zeros(len(tree.joints)))
        self._zero = dict(zip(tree.links, zero, strict=True))
        self._turns = {
            name: frame[:3, :3] for name, frame in zip(tree.links, link_frames(tree), strict=True)
        }

    def add(
        self, element: etree._Element, link: str, frame: Array, pending: tuple[TreeJoint, ...]
    ) -> None:
        """Add what hangs on a link, whose body's frame is given; joints may wait for a body."""
        for joint in self._tree.joints:
            if joint.parent != link:
                continue
            waiting = (*pending, *((joint,) if joint.type != "fixed" else ()))
            child = joint.child
            if child in self._bodies or not self._is_between(child):
                own = self._zero[child]
                body = self._body(element, child, np.linalg.inv(frame) @ own)
                for one in waiting:
                    self._joint(body, one, own)
                self.add(body, child, own, ())
            else:
                self.add(element, child, frame, waiting)

    def _is_between(self, link: str) -> bool:
        """Whether exactly one link hangs on this one."""
        return sum(joint.parent == link for joint in self._tree.joints) == 1

    def _body(self, element: etree._Element, link: str, pose: Array) -> etree._Element:
        # With every joint at zero all frames are parallel: `link_frames`.
        body = etree.SubElement(element, "body", name=link, pos=_text(pose[:3, 3]))
        own = self._masses[link]
        etree.SubElement(body, "inertial", **_inertial(own))
        return body

    def _joint(self, body: etree._Element, joint: TreeJoint, frame: Array) -> None:
        origin = self._zero[joint.child][:3, 3] - frame[:3, 3]
        turn, line = self._turns[joint.child].T, joint
        if self._moved is not None and self._moved.name == joint.name:
            line = self._moved
            origin = origin + turn @ (line.point - joint.point)
        axis = turn @ line.axis
        etree.SubElement(
            body,
            "joint",
            name=joint.name,
            type=_KINDS[joint.type],
            pos=_text(origin),
            axis=_text(axis),
        )


def _inertial(own: LinkInertia) -> dict[str, str]:
    moments = own.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return {
        "pos": _text(own.centre),
        "mass": _text([own.mass]),
        "fullinertia": _text(moments),
    }


def _text(values: Array | list[float]) -> str:
    return " ".join(f"{value + 0.0:.12g}" for value in np.asarray(values, float).tolist())
