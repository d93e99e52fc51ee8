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


class ModelTopics:
    """`robot_description`, `robot_description_semantic` and `~/markers`."""

    def __init__(self, node: Node, settings: PublisherSettings) -> None:
        self._node = node
        self._settings = settings
        self._description = node.create_publisher(String, "robot_description", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/markers", LATCHED)
        self._semantic: Publisher[String] | None = None

    def show(self, model: LiveModel) -> None:
        """Publish a model. Raise InputError where it is damaged, before anything is published."""
        settings = self._settings
        drawn = markers(model, settings.frame_prefix, settings.mesh_prefix, settings.marker_sigmas)
        self._description.publish(String(data=model.description(settings.mesh_prefix)))
        self._show_semantic(model.semantic)
        self._markers.publish(drawn)

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
