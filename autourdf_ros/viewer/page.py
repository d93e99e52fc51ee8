"""The page: the robot, its verdict and doubts, its sliders and its recorded frames."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import viser

from autourdf_ros.model.document.alternatives import in_frame
from autourdf_ros.viewer.alternative_controls import AlternativeControls
from autourdf_ros.viewer.appearance.link_splats import LinkSplats
from autourdf_ros.viewer.appearance.seen_images import ImageControls, SeenImage
from autourdf_ros.viewer.appearance.shown_appearance import ShownAppearance
from autourdf_ros.viewer.frame_controls import FrameControls
from autourdf_ros.viewer.joint_axes import JointAxes
from autourdf_ros.viewer.joint_sliders import JointSliders
from autourdf_ros.viewer.posed_robot import STEADY, PosedRobot
from autourdf_ros.viewer.recorded_frames import Moment
from autourdf_ros.viewer.trust_panel import trust_html
from autourdf_ros.viewer.viewed_result import ViewedResult

PERIOD = 0.25  # s between frames while they play


class Page:
    """A result on a server's page. No control on it accepts a path or a text."""

    def __init__(
        self,
        server: viser.ViserServer,
        result: ViewedResult,
        moments: Sequence[Moment] = (),
        problems: Sequence[str] = (),
        appearance: ShownAppearance = ShownAppearance(),  # noqa: B008  (frozen)
    ) -> None:
        """Fill the page.

        Args:
            server: Its server.
            result: The shown result.
            moments: The recorded frames.
            problems: Sentences to show beside the model's own warnings.
            appearance: Splats, and the images that they were judged by.
        """
        # Callbacks come from several threads, and the robot has one pose.
        self._lock = threading.RLock()
        self._reference = result.document["reference_configuration"]
        self._base = np.eye(4)
        links = [link["name"] for link in result.document["links"]]
        self._robot = PosedRobot(server, result.urdf, links)
        self._robot.pose(self._reference, self._base)
        bounds = self._robot.bounds()
        self._size = float(np.linalg.norm(np.ptp(bounds, axis=0)))
        self._axes = JointAxes(server, result, self._robot)
        self._splats = LinkSplats(server, appearance.splats, self._robot)
        set_the_stage(server, bounds)
        gui = server.gui
        gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
        gui.set_panel_label(f"{result.document['name']}: {result.document['verdict']}")
        gui.add_html(trust_html("verdict", result, problems))
        with gui.add_folder("how sure the joints are"):
            gui.add_html(trust_html("joints", result))
        with gui.add_folder("show"):
            self._parts = gui.add_checkbox("parts in colour", True)
            self._shown_axes = gui.add_checkbox(
                "axes", True, hint="with what they may be off by: two standard deviations"
            )
            self._shown_splats = gui.add_checkbox(
                "splats instead of meshes",
                bool(appearance.splats),
                visible=bool(appearance.splats),
                hint="under the light of the images at the reference configuration",
            )
        if appearance.images:
            with gui.add_folder("recorded images"):
                ImageControls(server, appearance.images, 0.1 * self._size, self._show_image)
        self.frames = None
        if moments:
            with gui.add_folder("recorded frames"):
                self.frames = FrameControls(server, moments, 0.0025 * self._size, self._follow)
        with gui.add_folder("joints"):
            reset = gui.add_button("back to the reference")
            self.sliders = JointSliders(server, result, self._robot.joints, self._pose)
        self._alternatives = {one.joint: one.alternatives for one in result.alternatives}
        self._children = {one["name"]: one["child"] for one in result.document["joints"]}
        self._at_reference = {
            name: self._robot.link_pose(child) for name, child in self._children.items()
        }
        AlternativeControls(server, result, self._choose)
        with gui.add_folder("links", expand_by_default=False):
            gui.add_html(trust_html("links", result))
        self._show_robot()
        self._parts.on_update(lambda _: self._show_robot())
        self._shown_splats.on_update(lambda _: self._show_robot())
        self._shown_axes.on_update(lambda _: self._axes.show(self._shown_axes.value))
        reset.on_click(lambda _: self._reset())

    def play(self, end: threading.Event) -> None:
        """Show frame after frame while `play` is ticked, until `end` is set."""
        while not end.wait(PERIOD):
            self.advance()

    def advance(self) -> None:
        """Show the next frame where `play` is ticked."""
        if self.frames is not None:
            self.frames.advance()

    def _pose(self) -> None:
        with self._lock:
            self._robot.pose(self.sliders.values, self._base)
            self._axes.follow()
            self._splats.follow()

    def _show_robot(self) -> None:
        """Show splats or meshes, as the page says."""
        splats = self._shown_splats.value
        self._splats.show(splats)
        self._robot.show_meshes(not splats, self._parts.value)

    def _show_image(self, image: SeenImage) -> None:
        """Move the robot to the configuration of a recorded image."""
        with self._lock:
            self._base = np.eye(4)
            self.sliders.show(image.values)
            self._pose()

    def _follow(self, moment: Moment) -> None:
        """Move the robot to a recorded frame's configuration."""
        with self._lock:
            self._base = moment.base
            self.sliders.show(moment.values)
            self._pose()

    def _choose(self, joint: str, place: int) -> None:
        """Show an alternative of a joint, and let its slider move the robot by it."""
        chosen = self._alternatives[joint][place]
        with self._lock:
            other = in_frame(chosen, self._at_reference[joint]) if place else None
            self._robot.move_as(joint, other)
            most = self._size if chosen.type == "prismatic" else STEADY
            bounds = (max(chosen.lower, -most), min(chosen.upper, most))
            self.sliders.change(joint, chosen.type, bounds if place else None)
            self._pose()
            self._axes.show_alternative(joint, place, chosen)

    def _reset(self) -> None:
        with self._lock:
            self._base = np.eye(4)
            self.sliders.show(self._reference)
            self._pose()


def set_the_stage(server: viser.ViserServer, bounds: np.ndarray) -> None:
    """Set ground and camera, of open pages too, for what lies within `bounds` (2, 3) (m)."""
    centre = bounds.mean(0)
    size = float(np.linalg.norm(np.ptp(bounds, axis=0)))
    server.scene.add_grid(
        "/ground",
        width=3 * size,
        height=3 * size,
        cell_size=0.1,
        section_size=0.5,
        position=(centre[0], centre[1], bounds[0, 2]),
    )
    clients = server.get_clients().values()
    cameras: list[Any] = [server.initial_camera, *(client.camera for client in clients)]
    for camera in cameras:
        camera.look_at = centre
        camera.position = centre + size * np.array([0.6, -0.7, 0.35])
