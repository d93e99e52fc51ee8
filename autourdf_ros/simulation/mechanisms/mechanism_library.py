"""The scenes by their names."""

from __future__ import annotations

from collections.abc import Callable

from autourdf_ros.errors import InputError
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene
from autourdf_ros.simulation.mechanisms.pushed_scenes import door, drawer, three_links
from autourdf_ros.simulation.mechanisms.swinging_scenes import (
    cart_pole,
    driven_cart_pole,
    rott_pendulum,
)

SCENES: dict[str, Callable[[], MechanismScene]] = {
    make.__name__: make
    for make in (cart_pole, driven_cart_pole, rott_pendulum, three_links, drawer, door)
}


def mechanism_scene(name: str) -> MechanismScene:
    """Return a scene with its nominal parameters.

    Raises:
        InputError: there is none of this name.
    """
    if name not in SCENES:
        raise InputError(f"mechanism {name!r} is unknown; accepted are {', '.join(SCENES)}")
    return SCENES[name]()
