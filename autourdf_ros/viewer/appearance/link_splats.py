"""Gaussian splats of the links in the scene; they move with the robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import viser
import viser.transforms
from numpy.typing import NDArray

from autourdf_ros.viewer.posed_robot import ROOT, PosedRobot

_UNITS = 64.0
"""Parts of a metre in which splats are sent: viser has covariances as 16-bit floats, which would
hold no fraction of a square millimetre in metres."""


@dataclass(frozen=True)
class ShownSplats:
    """N splats of a link, in its frame.

    Attributes:
        centers: (N, 3), m.
        covariances: (N, 3, 3), m^2.
        colors: (N, 3) in [0, 1].
        opacities: (N,) in (0, 1).
    """

    centers: NDArray[np.floating]
    covariances: NDArray[np.floating]
    colors: NDArray[np.floating]
    opacities: NDArray[np.floating]


class LinkSplats:
    """The splats of all links that have some."""

    def __init__(
        self, server: viser.ViserServer, splats: Mapping[str, ShownSplats], robot: PosedRobot
    ) -> None:
        """Add the splats to the scene, where the robot stands.

        Args:
            server: The page's server.
            splats: By link name.
            robot: That they belong to.
        """
        self._robot = robot
        self._root = server.scene.add_frame(f"{ROOT}/splats", show_axes=False)
        self._frames: dict[str, viser.FrameHandle] = {}
        for number, (link, own) in enumerate(splats.items()):
            name = f"{ROOT}/splats/{number}"
            self._frames[link] = server.scene.add_frame(name, show_axes=False)
            server.scene.add_gaussian_splats(
                f"{name}/gaussians",
                np.asarray(own.centers * _UNITS, np.float32),
                np.asarray(own.covariances * _UNITS**2, np.float32),
                np.asarray(own.colors, np.float32),
                np.asarray(own.opacities, np.float32)[:, None],
                scale=1 / _UNITS,
            )
        self.follow()

    def follow(self) -> None:
        """Move the splats to the robot's links."""
        for link, frame in self._frames.items():
            pose = self._robot.link_pose(link)
            frame.wxyz = viser.transforms.SO3.from_matrix(pose[:3, :3]).wxyz
            frame.position = pose[:3, 3]

    def show(self, visible: bool) -> None:
        """Show or hide the splats."""
        self._root.visible = visible
