"""Collision-free ranges of a pin, of a door before a wall, and of a slider in its rail."""

import numpy as np
import pytest
from simple_parts import bored, box, cylinder, part

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.ranges.motion_range import with_range
from autourdf_ros.estimation.parts.ranges.range_options import RangeOptions
from autourdf_ros.estimation.parts.ranges.tree_ranges import subtree

STEP = 1.5 * RangeOptions().turn


def ranged(kind, axis, point, moving, *still):
    meshes = [*still, moving]
    parts = prepare_parts(
        PartAssembly("two", tuple(part(f"part_{i}", mesh) for i, mesh in enumerate(meshes)))
    )
    joint = JointCandidate(kind, np.array(axis, float), np.array(point, float), 1.0)
    return with_range(joint, parts[-1:], parts[:-1], (0, len(still)))


@pytest.mark.slow
def test_a_pin_in_its_hole_turns_fully():
    plate = bored(box((0.2, 0.2, 0.05), (0, 0, 0)), 0.021, (0, 0, 0))
    joint = ranged("revolute", (0, 0, 1), (0, 0, 0), cylinder(0.02, 0.2, (0, 0, 0)), plate)
    assert (joint.lower, joint.upper) == (-np.inf, np.inf)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_a_door_stops_at_the_walls(scale):
    """It turns to the near side of a wall, and the other way round to the wall's corner."""
    door = box((0.5, 0.02, 0.5), (0.26, 0, 0))
    wall = box((0.1, 2.0, 0.5), (-0.06, 1.05, 0))
    for mesh in (door, wall):
        mesh.apply_scale(scale)
    joint = ranged("revolute", (0, 0, 1), (0, 0, 0), door, wall)
    assert joint.upper == pytest.approx(np.pi / 2, abs=3 * STEP)
    assert joint.lower == pytest.approx(-np.pi - np.arctan2(0.05, 0.11), abs=2 * STEP)


def test_a_slider_goes_to_the_end_of_its_rail_and_out_at_the_other():
    rail = box((1.0, 0.1, 0.1), (0, 0, -0.1))
    stop = box((0.1, 0.1, 0.4), (0.55, 0, 0))
    slider = box((0.2, 0.1, 0.1), (0, 0, 0))
    joint = ranged("prismatic", (1, 0, 0), (0, 0, 0), slider, rail, stop)
    assert joint.upper == pytest.approx(0.2)
    assert joint.lower == pytest.approx(-0.2)


def test_touching_in_the_given_pose_is_no_collision():
    door = box((0.5, 0.02, 0.5), (0.25, 0, 0))
    frame = box((0.5, 0.02, 0.5), (0.25, 0.02, 0))
    joint = ranged("revolute", (0, 0, 1), (0, 0, 0), door, frame)
    assert joint.lower < -np.pi / 2 and joint.upper < 3 * STEP


def test_a_fixed_joint_does_not_move():
    cubes = box((0.1,) * 3, (0, 0, 0)), box((0.1,) * 3, (0.1, 0, 0))
    joint = ranged("fixed", (0, 0, 1), (0, 0, 0), *cubes)
    assert (joint.lower, joint.upper) == (0.0, 0.0)


def test_the_range_is_the_same_every_time():
    door, wall = box((0.5, 0.02, 0.5), (0.26, 0, 0)), box((0.1, 2.0, 0.5), (-0.06, 1.05, 0))
    first, second = (ranged("revolute", (0, 0, 1), (0, 0, 0), door, wall) for _ in range(2))
    assert (first.lower, first.upper) == (second.lower, second.upper)


def test_a_joint_moves_all_that_hangs_on_its_child():
    assert subtree(1, [(0, 1), (0, 2), (1, 3), (3, 4)]) == {1, 3, 4}
