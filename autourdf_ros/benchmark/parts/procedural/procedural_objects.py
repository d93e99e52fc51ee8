"""A corpus of everyday objects with known joints, by number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from autourdf_ros.benchmark.parts.procedural import (
    appliances,
    furniture,
    hand_objects,
    kitchen,
    rolling_and_folding,
    switches_and_taps,
)
from autourdf_ros.benchmark.parts.procedural.object_builder import ObjectBuilder
from autourdf_ros.data.parts.erased.case_folder import write_case
from autourdf_ros.data.parts.erased.mechanism import Mechanism

Build = Callable[[ObjectBuilder], None]

KINDS: tuple[tuple[Build, int], ...] = (
    (furniture.cabinet, 8),
    (appliances.oven, 3),
    (appliances.microwave, 3),
    (appliances.refrigerator, 3),
    (furniture.chest, 3),
    (furniture.safe, 2),
    (furniture.room_door, 3),
    (furniture.sliding, 4),
    (rolling_and_folding.trash_can, 2),
    (hand_objects.knobs, 2),
    (hand_objects.buttons, 4),
    (hand_objects.lever, 3),
    (appliances.faucet, 2),
    (hand_objects.valve, 2),
    (hand_objects.cap, 2),
    (rolling_and_folding.caster, 1),
    (rolling_and_folding.cart, 1),
    (rolling_and_folding.chair, 1),
    (rolling_and_folding.laptop, 2),
    (rolling_and_folding.scissors, 2),
    (appliances.rocker, 2),
    (appliances.toilet, 1),
    (rolling_and_folding.suitcase, 1),
    (hand_objects.plunger, 3),
    (kitchen.sliding_fronts, 4),
    (kitchen.racks, 3),
    (kitchen.tall_refrigerator, 4),
    (kitchen.washing_machine, 2),
    (kitchen.casement, 3),
    (kitchen.tray, 3),
    (switches_and_taps.button_panel, 2),
    (switches_and_taps.press_handle, 3),
    (switches_and_taps.switch_box, 4),
    (switches_and_taps.toggle, 2),
    (switches_and_taps.tap, 3),
    (switches_and_taps.sliders, 3),
    (switches_and_taps.fan, 2),
    (switches_and_taps.lamp, 2),
    (switches_and_taps.swing_bin, 3),
    (switches_and_taps.wheel, 2),
)
"""Kinds of objects, and how many of each are in a round of the corpus."""


def procedural_object(number: int, seed: int = 0) -> Mechanism:
    """Return an object by its number; rounds of all kinds follow each other.

    Args:
        number: From 0.
        seed: Of the whole corpus.
    """
    order = [build for build, count in KINDS for _ in range(count)]
    build = order[number % len(order)]
    builder = ObjectBuilder(np.random.default_rng((seed, number)))
    build(builder)
    return builder.finished(f"{build.__name__}_{number:03d}")


def write_corpus(folder: Path, count: int, seed: int = 0) -> Iterator[Mechanism]:
    """Write each object as a case, and yield it."""
    for number in range(count):
        mechanism = procedural_object(number, seed)
        write_case(mechanism, folder / mechanism.name, seed + number)
        yield mechanism
