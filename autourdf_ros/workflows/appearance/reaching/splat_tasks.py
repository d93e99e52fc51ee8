"""The tasks of Hu, Yu and Tan (2025), section 4.3: losses of splats by joint values.

The paper takes splats as points, and moves them by a network; here they move by the model's screws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.geometry.arrays import Array, Labels

CLOSE = 0.001
"""m within which a task is done; the paper's, of touching."""


@dataclass(frozen=True)
class TaskState:
    """A task at one configuration.

    Attributes:
        loss: To be descended.
        slopes: (K,) its gradient by the free joints.
        distance: To the target (m).
        done: Whether the task is done.
    """

    loss: float
    slopes: Array
    distance: float
    done: bool


class SplatTask(Protocol):
    """What a robot is to do."""

    @property
    def robot(self) -> SplatRobot:
        """That moves."""

    def state(self, free: Array) -> TaskState:
        """Return loss and progress at the values (K,) of the free joints."""


@dataclass(frozen=True)
class Reach:
    """Bring a point of a link to a target (Eq. 26).

    Attributes:
        robot: That moves.
        link: Name of the link.
        point: (3,) in the link's frame (m).
        target: (3,) in the base frame (m).
    """

    robot: SplatRobot
    link: str
    point: Array
    target: Array

    def state(self, free: Array) -> TaskState:
        """Return a third of the squared distance, and what follows."""
        number = link_number(self.robot, self.link)
        motions, poses = _poses(self.robot, free)
        place = poses[number, :3, :3] @ self.point + poses[number, :3, 3]
        away = place - self.target
        slopes = _by_points(self.robot, motions, place[None], 2 / 3 * away[None], [number])
        distance = float(np.linalg.norm(away))
        return TaskState(float(away @ away) / 3, slopes, distance, distance < CLOSE)


@dataclass(frozen=True)
class Touch:
    """Bring the surface of a link to that of a ball (Eq. 27 and 28).

    The link of a splat is that of the model, where the paper takes the bone of greatest weight.

    Attributes:
        robot: That moves.
        link: Name of the link.
        center: (3,) of the ball in the base frame (m).
        radius: Of the ball (m).
    """

    robot: SplatRobot
    link: str
    center: Array
    radius: float

    def state(self, free: Array) -> TaskState:
        """Return the distance of the nearest splat from the ball's surface, and what follows."""
        number = link_number(self.robot, self.link)
        motions, poses = _poses(self.robot, free)
        own = self.robot.splats.means[self.robot.links == number].astype(float)
        if not len(own):
            raise InputError(f"link {self.link!r} has no splats; accepted is one that has some")
        away = own @ poses[number, :3, :3].T + poses[number, :3, 3] - self.center
        distances = np.linalg.norm(away, axis=1)
        nearest = int(np.argmin(distances))
        distance = float(distances[nearest]) - self.radius
        towards = away[nearest] / max(float(distances[nearest]), 1e-12)
        place = (away[nearest] + self.center)[None]
        slopes = _by_points(self.robot, motions, place, towards[None], [number])
        return TaskState(distance, slopes, distance, distance < CLOSE)


@dataclass(frozen=True)
class ReachAround:
    """Bring a point to a target, and keep all splats away from a box (Eq. 26 plus Eq. 29).

    Attributes:
        reach: The point and the target.
        obstacle: In the base frame.
        margin: Distance below which a splat counts (m); the paper does not state its own.
    """

    reach: Reach
    obstacle: KeepOut
    margin: float = 0.03

    @property
    def robot(self) -> SplatRobot:
        """That moves."""
        return self.reach.robot

    def state(self, free: Array) -> TaskState:
        """Return the sum of both losses; done is when the target is reached without the second."""
        robot, first = self.robot, self.reach.state(free)
        motions, poses = _poses(robot, free)
        places, links = self._around(poses)
        distances, directions = box_distances(places, self.obstacle)
        near = distances < self.margin
        loss = first.loss + float((self.margin - distances[near]).sum())
        slopes = _by_points(robot, motions, places[near], -directions[near], links[near])
        done = first.done and not near.any()
        return TaskState(loss, first.slopes + slopes, first.distance, done)

    def _around(self, poses: Array) -> tuple[Array, Labels]:
        """Return the places (M, 3) of all splats on links that may be near, and their links."""
        centers, radii, means = self._balls
        places = np.einsum("nij,nj->ni", poses[:, :3, :3], centers) + poses[:, :3, 3]
        near = np.flatnonzero(box_distances(places, self.obstacle)[0] < radii + self.margin)
        found = [means[link] @ poses[link, :3, :3].T + poses[link, :3, 3] for link in near]
        counts = [len(own) for own in found]
        return np.concatenate([np.zeros((0, 3)), *found]), np.repeat(near, counts)

    @cached_property
    def _balls(self) -> tuple[Array, Array, list[Array]]:
        """Centres (L, 3) and radii (L,) of balls around the links' splats, and these, in frames."""
        robot = self.robot
        means = [
            robot.splats.means[robot.links == number].astype(float)
            for number in range(len(robot.tree.links))
        ]
        centers = np.array([own.mean(axis=0) if len(own) else np.zeros(3) for own in means])
        radii = np.array(
            [
                np.linalg.norm(own - center, axis=1).max() if len(own) else -np.inf
                for own, center in zip(means, centers, strict=True)
            ]
        )
        return centers, radii, means


def link_number(robot: SplatRobot, link: str) -> int:
    """Return the number of a link.

    Raises:
        InputError: The robot has none of this name.
    """
    if link not in robot.tree.links:
        raise InputError(f"link {link!r} is none; accepted are {', '.join(robot.tree.links)}")
    return robot.tree.links.index(link)


def link_center(robot: SplatRobot, link: str) -> Array:
    """Return the mean place (3,) of a link's splats in its frame (m); its origin without any."""
    own = robot.splats.means[robot.links == link_number(robot, link)].astype(float)
    return own.mean(axis=0) if len(own) else np.zeros(3)


def splat_places(robot: SplatRobot, poses: Array) -> Array:
    """Return the places (N, 3) of all splats (m), with the links at poses (L, 4, 4)."""
    places = np.empty((len(robot.links), 3))
    for number, pose in enumerate(poses):
        own = robot.links == number
        places[own] = robot.splats.means[own] @ pose[:3, :3].T + pose[:3, 3]
    return places


def box_distances(points: Array, box: KeepOut) -> tuple[Array, Array]:
    """Return the distances (N,) of points (N, 3) from a box (m), and the ways out of it (N, 3).

    Inside, a distance is minus that to the nearest side.
    """
    lower, upper = np.array(box.lower), np.array(box.upper)
    away, half = points - (lower + upper) / 2, (upper - lower) / 2
    beyond = np.abs(away) - half
    outside = beyond.clip(0)
    length = np.linalg.norm(outside, axis=1)
    deepest = beyond.max(axis=1)
    inner = np.eye(3)[beyond.argmax(axis=1)]
    ways = np.where(length[:, None] > 0, outside / length.clip(1e-12)[:, None], inner)
    return np.where(length > 0, length, deepest), ways * np.where(away < 0, -1.0, 1.0)


def _poses(robot: SplatRobot, free: Array) -> tuple[Array, Array]:
    """Return motions and poses (L, 4, 4) of the links."""
    motions = robot.tree.motions(robot.values(free))
    return motions, motions @ robot.frames


def _by_points(
    robot: SplatRobot,
    motions: Array,
    places: Array,
    by_places: Array,
    links: Sequence[int] | Labels,
) -> Array:
    """Return the gradient (K,) of a loss by the free joints.

    Args:
        robot: That moves.
        motions: (L, 4, 4) of its links.
        places: (M, 3) of points on it, base frame.
        by_places: (M, 3) gradient by these.
        links: (M,) numbers of their links.
    """
    twists = np.zeros((len(robot.tree.links), 6))
    np.add.at(twists, np.asarray(links), np.hstack([np.cross(places, by_places), by_places]))
    return robot.by_joints(motions, twists)
