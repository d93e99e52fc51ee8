"""Which topics of a bag have colour images, and where their CameraInfo is."""

from __future__ import annotations

from collections.abc import Sequence

from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.images.image_message import CAMERA_INFO, COMPRESSED, IMAGE
from autourdf_ros.errors import InputError


def image_topics(bag: PlainBag, given: Sequence[str]) -> tuple[str, ...]:
    """Return the topics of colour images, or those given. Raise InputError naming the topic."""
    known = [*bag.of_type(IMAGE), *bag.of_type(COMPRESSED)]
    if wrong := [topic for topic in given if topic not in known]:
        raise InputError(
            f"{bag.path}: has no images on {wrong[0]}; its topics are "
            f"{', '.join(known) or '(none)'}"
        )
    # Depths, which have the same type, are found by their name before any pixel is read.
    found = tuple(given) or tuple(topic for topic in known if "depth" not in topic.lower())
    if not found:
        raise InputError(
            f"{bag.path}: has no colour image of {IMAGE} or {COMPRESSED}; its topics are "
            f"{', '.join(sorted(bag.types)) or '(none)'}"
        )
    return found


def info_topic(bag: PlainBag, images: str) -> str:
    """Return the CameraInfo beside a topic, as image_transport names it. Raise InputError."""
    known = bag.of_type(CAMERA_INFO)
    base = images.removesuffix("/compressed").rpartition("/")[0]
    if f"{base}/camera_info" in known:
        return f"{base}/camera_info"
    if len(known) == 1:
        return known[0]
    raise InputError(
        f"{bag.path}: has no {CAMERA_INFO} on {base}/camera_info, beside {images}; it has "
        f"{', '.join(known) or '(none)'}"
    )
