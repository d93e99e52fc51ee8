"""The latched topics that describe a model."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.publisher import Publisher
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.ros.common.markers import markers
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.publisher.publisher_parameters import PublisherSettings

_SEMANTIC = "robot_description_semantic"


def drawn(model: LiveModel, settings: PublisherSettings) -> MarkerArray:
    """Return the markers of a model. Raise InputError where it is damaged."""
    return markers(model, settings.frame_prefix, settings.mesh_prefix, settings.marker_sigmas)


class ModelTopics:
    """`robot_description`, `robot_description_semantic` and `~/markers`."""

    def __init__(self, node: Node, settings: PublisherSettings) -> None:
        self._node = node
        self._settings = settings
        self._description = node.create_publisher(String, "robot_description", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/markers", LATCHED)
        self._semantic: Publisher[String] | None = None

    def show(self, model: LiveModel, markers: MarkerArray) -> None:
        """Publish a model, and what `drawn` returns of it."""
        description = model.description(self._settings.mesh_prefix)
        self._description.publish(String(data=description))
        self._show_semantic(model.semantic)
        self._markers.publish(markers)

    def destroy(self) -> None:
        """Withdraw the topics, so that nobody receives the model any more."""
        for publisher in (self._description, self._markers, self._semantic):
            if publisher is not None:
                self._node.destroy_publisher(publisher)

    def shared(self) -> bool:
        """Return whether other nodes publish a description on the same topic."""
        return bool(self._node.count_publishers(self._description.topic_name) > 1)

    def _show_semantic(self, text: str | None) -> None:
        if text is None:
            # A late subscriber would otherwise receive that of another model.
            if self._semantic is not None:
                self._node.destroy_publisher(self._semantic)
                self._semantic = None
            return
        if self._semantic is None:
            self._semantic = self._node.create_publisher(String, _SEMANTIC, LATCHED)
        self._semantic.publish(String(data=text))
