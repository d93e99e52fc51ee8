"""A robot's model of itself: a kinematic tree, and layers of what is known of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

from autourdf_ros.errors import InputError
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.layers.appearance import AppearanceLayer
from autourdf_ros.model.layers.dynamics import DynamicsLayer
from autourdf_ros.model.layers.inertia import InertiaLayer
from autourdf_ros.model.layers.kinematics import JointEstimate, KinematicsLayer
from autourdf_ros.model.layers.layer import LAYERS, Layer, LayerName, digest_of
from autourdf_ros.model.layers.shape import NO_SURFACE, LinkShape, ShapeLayer, Surface
from autourdf_ros.model.tree_joint import TreeJoint


@dataclass(frozen=True)
class Link:
    """A link with its surface: a view that joins the tree and the shape layer."""

    name: str
    surface: Surface


@dataclass(frozen=True)
class Joint(TreeJoint):
    """A joint with its estimate: a view that joins the tree and the kinematics layer.

    Attributes:
        estimate: How sure the joint is; None for one that was not estimated.
    """

    estimate: JointEstimate | None = None


@dataclass(frozen=True)
class SelfModel:
    """A kinematic tree and the layers that are known of it.

    The base frame is the fixed frame of the data: with every joint at its reference value the
    model stands where the reference frame's data show it.

    Attributes:
        name: The robot's.
        tree: Links and joints.
        kinematics: Uncertainty and motors of the joints.
        shape: Surfaces and meshes of links.
        appearance: Gaussian splats of links.
        inertia: Masses of links.
        dynamics: Friction and armature of joints.

    Raises:
        InputError: a layer names a link or joint that the tree does not have.
    """

    name: str
    tree: KinematicTree
    kinematics: KinematicsLayer | None = None
    shape: ShapeLayer | None = None
    appearance: AppearanceLayer | None = None
    inertia: InertiaLayer | None = None
    dynamics: DynamicsLayer | None = None

    def __post_init__(self) -> None:
        for name, layer in self.layers.items():
            for key, known in (("links", self.tree.links), ("joints", self.tree.joint_names)):
                if unknown := sorted(set(getattr(layer, key, ())) - set(known)):
                    raise InputError(
                        f"layer {name}: {key} {unknown} are not in the tree; known are "
                        f"{', '.join(known)}"
                    )

    @classmethod
    def of(cls, name: str, links: Iterable[Link], joints: Iterable[Joint] = ()) -> Self:
        """Return a model of kinematics and shape, from links with surfaces and their joints."""
        links, joints = tuple(links), tuple(joints)
        tree = KinematicTree(
            tuple(link.name for link in links), tuple(_bare(joint) for joint in joints)
        )
        estimates = {one.name: one.estimate for one in joints if one.estimate is not None}
        shapes = {link.name: LinkShape(link.surface) for link in links}
        return cls(name, tree, KinematicsLayer(joints=estimates), ShapeLayer(links=shapes))

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links, each with its surface, empty where it is not in memory."""
        shapes = {} if self.shape is None else self.shape.links
        return tuple(
            Link(name, shapes[name].surface if name in shapes else NO_SURFACE)
            for name in self.tree.links
        )

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, each with its estimate."""
        estimates = {} if self.kinematics is None else self.kinematics.joints
        return tuple(
            Joint(**_fields(joint), estimate=estimates.get(joint.name))
            for joint in self.tree.joints
        )

    @property
    def reference_configuration(self) -> dict[str, float]:
        """Joint values at the reference configuration, by joint name."""
        return {joint.name: joint.reference for joint in self.tree.joints}

    @property
    def layers(self) -> dict[LayerName, Layer]:
        """The layers that the model has, by name."""
        return {name: layer for name in LAYERS if (layer := getattr(self, name)) is not None}

    @property
    def digests(self) -> dict[LayerName, str]:
        """Digest of every layer; that of kinematics covers the tree, too."""
        found = {name: digest_of(layer.content) for name, layer in self.layers.items()}
        if self.kinematics is not None:
            joints = [_fields(joint) for joint in self.tree.joints]
            found["kinematics"] = digest_of([self.tree.links, joints, self.kinematics.content])
        return found

    @property
    def stale(self) -> dict[LayerName, tuple[LayerName, ...]]:
        """Layers that rest on others which are renewed or gone by now: those others, by name."""
        now = self.digests
        changed = {
            name: tuple(other for other, then in layer.rests_on.items() if now.get(other) != then)
            for name, layer in self.layers.items()
        }
        return {name: others for name, others in changed.items() if others}

    def with_layer(self, layer: Layer) -> SelfModel:
        """Return the model with a layer added, or renewed where it has one of that kind."""
        changed: dict[str, Any] = {name_of(layer): layer}
        return replace(self, **changed)

    def with_parts(
        self, links: Iterable[Link] | None = None, joints: Iterable[Joint] | None = None
    ) -> SelfModel:
        """Return the model with other links or joints; its other layers and their origin stay."""
        made = SelfModel.of(
            self.name,
            self.links if links is None else links,
            self.joints if joints is None else joints,
        )
        assert made.kinematics is not None and made.shape is not None
        kinematics, shape = self.kinematics or KinematicsLayer(), self.shape or ShapeLayer()
        return replace(
            self,
            tree=made.tree,
            kinematics=replace(kinematics, joints=made.kinematics.joints),
            shape=replace(shape, links=made.shape.links) if links is not None else shape,
        )

    def renamed(self, name: str, links: Mapping[str, str], joints: Mapping[str, str]) -> SelfModel:
        """Return the model with other names, given by today's. No layer becomes stale by it."""
        layers: dict[str, Any] = {
            key: layer.renamed(links, joints) for key, layer in self.layers.items()
        }
        made = replace(self, name=name, tree=self.tree.renamed(links, joints), **layers)
        before = self.digests
        for key in LAYERS:  # in the order in which layers rest on one another
            layer = made.layers.get(key)
            if layer is not None and layer.rests_on:
                now = made.digests
                kept = {
                    other: now[other] if before.get(other) == then else then
                    for other, then in layer.rests_on.items()
                }
                made = made.with_layer(replace(layer, rests_on=kept))
        return made


def name_of(layer: Layer) -> LayerName:
    """Return the name under which a model has such a layer."""
    kinds: dict[type[Layer], LayerName] = {
        KinematicsLayer: "kinematics",
        ShapeLayer: "shape",
        AppearanceLayer: "appearance",
        InertiaLayer: "inertia",
        DynamicsLayer: "dynamics",
    }
    return kinds[type(layer)]


def _bare(joint: TreeJoint) -> TreeJoint:
    return TreeJoint(**_fields(joint))


def _fields(joint: TreeJoint) -> dict[str, Any]:
    """The fields of a joint of the tree, without its estimate."""
    return {item.name: getattr(joint, item.name) for item in fields(TreeJoint)}
