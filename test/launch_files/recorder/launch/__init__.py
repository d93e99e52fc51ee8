"""A small recorder with the names of ROS 2's `launch`, for a machine that lacks it.

It holds what a launch file declares and resolves its substitutions; it starts nothing.
"""

from __future__ import annotations

import os
from typing import Any


class LaunchContext:
    """Values of the launch arguments."""

    def __init__(self) -> None:
        self.launch_configurations: dict[str, str] = {}
        self.environment = dict(os.environ)


class LaunchDescription:
    """What a launch file returns."""

    def __init__(self, entities: list[Any]) -> None:
        self.entities = list(entities)
