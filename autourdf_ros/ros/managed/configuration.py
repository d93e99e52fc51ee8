"""What a configuration of a node makes on it, and from which parameters the next one begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

MOTION = "allow_motion"
"""Only who starts a node lets it move a robot."""


class Configuration:
    """Publishers, subscriptions, parameters and the like that are made while a node is configured.

    rclpy lets nobody undeclare a read-only parameter, or see what a node was given: hence the
    private attributes.
    """

    def __init__(self, node: Node) -> None:
        """Begin unconfigured; what the node has now lasts."""
        self._node = node
        self._lasting = set(map(id, self._entities()))
        self._parameters = frozenset(node._parameters)
        self._node._allow_undeclared_parameters = True

    def begin(self) -> None:
        """Give the configuration what was set since the last one as if it were given at start."""
        node = self._node
        node._allow_undeclared_parameters = False
        for name in self._made():
            node._parameter_overrides[name] = node._parameters[name]
        self._forget()

    def end(self) -> None:
        """Destroy what was made since `begin`; parameters may be set again."""
        node = self._node
        ends: tuple[tuple[Iterator[Any], Callable[[Any], object]], ...] = (
            (node.services, node.destroy_service),
            (node.clients, node.destroy_client),
            (node.timers, node.destroy_timer),
            (node.guards, node.destroy_guard_condition),
            (node.subscriptions, node.destroy_subscription),
            (node.publishers, node.destroy_publisher),
            # Those of subscriptions and publishers are gone by now.
            (node.waitables, lambda waitable: waitable.destroy()),
        )
        for entities, destroy in ends:
            for entity in [one for one in entities if id(one) not in self._lasting]:
                destroy(entity)
        self._forget()
        node._allow_undeclared_parameters = True

    def accept(self, parameters: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Take parameters for the next configuration, which judges them, unless motion is let."""
        given = self._node._parameter_overrides.get(MOTION)
        if any(one.name == MOTION for one in parameters):
            reason = f"only who starts the node gives {MOTION}"
        elif given is not None and given.value:
            reason = f"with {MOTION} only who starts the node gives parameters"
        else:
            return SetParametersResult(successful=True)
        return SetParametersResult(successful=False, reason=reason)

    def _made(self) -> list[str]:
        return [name for name in self._node._parameters if name not in self._parameters]

    def _forget(self) -> None:
        for name in self._made():
            del self._node._parameters[name], self._node._descriptors[name]

    def _entities(self) -> Iterator[object]:
        node = self._node
        yield from node.services
        yield from node.clients
        yield from node.timers
        yield from node.guards
        yield from node.subscriptions
        yield from node.publishers
        yield from node.waitables
