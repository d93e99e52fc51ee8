"""Which links of a URDF touch at which joint values, by Pinocchio with Coal."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import read_xml
from autourdf_ros.geometry.triangle_mesh import read_mesh
from autourdf_ros.model.urdf.robot_library import package_directories
from autourdf_ros.model.urdf.urdf_extras import read_mimics

Shapes = Literal["collision", "visual"]
"""The shapes of a URDF that are asked whether they touch."""

_CONVEX = 1e-6  # share of its hull's volume that a convex mesh may leave empty


class LinkCollisions:
    """The shapes of a robot's links, two by two.

    joints: names of the moving joints, in the order of all values below. lower, upper: (J,) their
    limits, rad or m; -pi and pi for a continuous joint. pairs: names of all links that have a
    shape, two by two. adjacent: (P,) whether a joint joins the two links of a pair, or joints
    and links without a shape do. neighbours: (P,) the same where links joined by fixed joints
    count as one, and whether they are one.
    """

    def __init__(self, urdf: Path, shapes: Shapes = "collision") -> None:
        """Read the shapes. Raises InputError naming the file where it cannot be used."""
        self.urdf = urdf
        mimics = read_mimics(urdf)
        self._model, self._shapes = _read(urdf, shapes)
        self._data = self._model.createData()
        self.joints = tuple(self._model.names)[1:]
        self._wide = np.array([joint.nq == 2 for joint in self._model.joints[1:]], bool)
        places = [joint.idx_q for joint in self._model.joints[1:]]
        self._places = np.array(places, int)
        self.lower = np.where(self._wide, -np.pi, self._model.lowerPositionLimit[places])
        self.upper = np.where(self._wide, np.pi, self._model.upperPositionLimit[places])
        self._mimics = [
            (self.joints.index(name), self.joints.index(source), multiplier, offset)
            for name, (source, multiplier, offset) in mimics.items()
            if name in self.joints and source in self.joints
        ]
        self._pair_shapes()

    def configuration(self, values: Mapping[str, float]) -> NDArray[np.float64]:
        """Return (J,) values by joint name; joints not named stand at 0, or the nearest limit.

        Raises InputError for a name that the robot has not.
        """
        unknown = sorted(set(values) - set(self.joints))
        if unknown:
            raise InputError(
                f"{self.urdf}: no moving joint named {', '.join(unknown)}; "
                f"it has {', '.join(self.joints)}"
            )
        nearest = np.clip(0.0, self.lower, self.upper)
        chosen = [values.get(name, nearest[index]) for index, name in enumerate(self.joints)]
        return self._followed(np.array([chosen], float))[0]

    def sampled(
        self, count: int, rng: np.random.Generator, limits: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return (count, J) values drawn evenly within the limits, or within (J, 2) others."""
        lower, upper = (self.lower, self.upper) if limits is None else limits.T
        return self._followed(rng.uniform(lower, upper, (count, len(self.joints))))

    def touching(
        self, values: NDArray[np.float64], asked: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """Return (N, P) whether the links of each pair touch at (N, J) values.

        Args:
            asked: (P,) pairs to look at, the others do not touch; None: all.
        """
        asked = np.ones(len(self.pairs), bool) if asked is None else asked
        checks = pin.GeometryData(self._shapes)
        for number, pair in enumerate(self._pair_of):
            if not asked[pair]:
                checks.deactivateCollisionPair(number)
        active = np.flatnonzero(asked[self._pair_of])
        results = [checks.collisionResults[int(number)] for number in active]
        found = np.zeros((len(values), len(self.pairs)), bool)
        for row, q in zip(found, self._vectors(values), strict=True):
            pin.computeCollisions(self._model, self._data, self._shapes, checks, q, False)
            hits = [result.isCollision() for result in results]
            row[self._pair_of[active[np.array(hits, bool)]]] = True
        return found

    def _pair_shapes(self) -> None:
        """Pairs of links in alphabetical order, and the link pair of every pair of shapes."""
        objects = self._shapes.geometryObjects
        links = [self._model.frames[item.parentFrame].name for item in objects]
        self.pairs = tuple(itertools.combinations(sorted(set(links)), 2))
        adjacent = _adjacent(self.urdf, set(links))
        self.adjacent = np.array([frozenset(pair) in adjacent for pair in self.pairs], bool)
        bodies = dict(zip(links, (item.parentJoint for item in objects), strict=True))
        parents = self._model.parents
        both = [(bodies[one], bodies[two]) for one, two in self.pairs]
        near = [a == b or parents[a] == b or parents[b] == a for a, b in both]
        self.neighbours = self.adjacent | np.array(near, bool)
        number = {frozenset(pair): index for index, pair in enumerate(self.pairs)}
        pair_of = []
        for one, two in itertools.combinations(range(len(objects)), 2):
            if links[one] != links[two]:
                self._shapes.addCollisionPair(pin.CollisionPair(one, two))
                pair_of.append(number[frozenset((links[one], links[two]))])
        self._pair_of = np.array(pair_of, int)

    def _followed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N, J) values with every mimic joint where it must be."""
        for _ in self._mimics:  # one may follow another
            for joint, source, multiplier, offset in self._mimics:
                values[:, joint] = multiplier * values[:, source] + offset
        return values

    def _vectors(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N, nq) Pinocchio's configurations."""
        vectors = np.zeros((len(values), self._model.nq))
        vectors[:, self._places] = np.where(self._wide, np.cos(values), values)
        vectors[:, self._places[self._wide] + 1] = np.sin(values[:, self._wide])
        return vectors


def _read(urdf: Path, kind: Shapes) -> tuple[pin.Model, pin.GeometryModel]:
    try:
        model = pin.buildModelFromUrdf(str(urdf))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            shapes = pin.buildGeomFromUrdf(
                model, str(urdf), getattr(pin, kind.upper()), package_dirs=package_directories(urdf)
            )
    except (ValueError, RuntimeError) as error:
        raise InputError(f"{urdf}: not a usable URDF ({str(error).strip()})") from error
    for name, joint in zip(model.names[1:], model.joints[1:], strict=True):
        if joint.nv != 1:
            raise InputError(
                f"{urdf}: joint '{name}' has {joint.nv} degrees of freedom; accepted are revolute, "
                "continuous, prismatic and fixed joints"
            )
    for item in shapes.geometryObjects:
        if isinstance(item.geometry, coal.BVHModelBase):
            item.geometry = _solid(_whole(item))
    return model, shapes


def _whole(item: pin.GeometryObject) -> coal.BVHModelBase:
    """The mesh of a file with all of its parts: coal gives the second and later wrong triangles."""
    read = read_mesh(Path(item.meshPath)) if item.meshPath else None
    if read is None or len(read.triangles) != item.geometry.num_tris:
        return item.geometry
    mesh = coal.BVHModelOBBRSS()
    mesh.beginModel(len(read.triangles), len(read.vertices))
    mesh.addVertices(read.vertices * np.asarray(item.meshScale, float))
    mesh.addTriangles(read.triangles.astype(np.int64))
    mesh.endModel()
    return mesh


def _solid(mesh: coal.BVHModelBase) -> coal.CollisionGeometry:
    """A mesh that is convex as a solid: quicker to check, and what is within it touches it."""
    mesh.buildConvexHull(True, "Qt")
    volume = mesh.convex.computeVolume()
    return mesh.convex if abs(mesh.computeVolume() - volume) < _CONVEX * volume else mesh


def _adjacent(urdf: Path, shaped: set[str]) -> set[frozenset[str]]:
    """Pairs of links that a joint joins, or joints and links without a shape."""
    neighbours: dict[str, set[str]] = {}
    for joint in read_xml(urdf).iterfind("joint"):
        parent, child = (joint.find(end) for end in ("parent", "child"))
        if parent is not None and child is not None:
            one, two = parent.get("link", ""), child.get("link", "")
            neighbours.setdefault(one, set()).add(two)
            neighbours.setdefault(two, set()).add(one)
    for bare in set(neighbours) - shaped:
        around = neighbours.pop(bare)
        for link in around:
            neighbours[link] = (neighbours[link] | around) - {bare, link}
    return {frozenset((one, two)) for one, near in neighbours.items() for two in near}
