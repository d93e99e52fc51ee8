"""The corpus of procedural objects: repeatable, and its truth is of the written parts."""

import json

import numpy as np
import pytest
import trimesh

from autourdf_ros.benchmark.parts.procedural.procedural_objects import (
    KINDS,
    procedural_object,
    write_corpus,
)

ROUND = sum(count for _, count in KINDS)
FIRST = np.cumsum([0, *(count for _, count in KINDS[:-1])])


def test_the_same_seed_gives_the_same_object_and_another_seed_another() -> None:
    one, same, other = (procedural_object(3, seed) for seed in (1, 1, 2))
    for first, second in zip(one.bodies, same.bodies, strict=True):
        np.testing.assert_array_equal(first.mesh.vertices, second.mesh.vertices)
    assert one.bodies[0].mesh.extents.tolist() != other.bodies[0].mesh.extents.tolist()


@pytest.mark.parametrize("number", FIRST)
def test_each_joint_is_at_its_parts_and_the_parts_are_near_each_other(number: int) -> None:
    bodies = procedural_object(int(number)).bodies
    near = 0.05 * np.linalg.norm(np.ptp(np.vstack([one.mesh.bounds for one in bodies]), axis=0))
    assert len(bodies) > 1
    for body in bodies[1:]:
        (joint,), parent = body.joints, bodies[body.parent]
        assert np.linalg.norm(joint.axis) == pytest.approx(1)
        low, high = body.mesh.bounds
        assert ((joint.point > low - near) & (joint.point < high + near)).all()
        assert (np.maximum(low, parent.mesh.bounds[0]) < parent.mesh.bounds[1] + near).all()
        assert (np.minimum(high, parent.mesh.bounds[1]) > low - near).all()


def test_rounds_of_all_kinds_follow_each_other() -> None:
    names = [procedural_object(number).name for number in (0, ROUND)]
    assert names == ["cabinet_000", f"cabinet_{ROUND:03d}"]


def test_the_truth_names_the_written_parts(tmp_path) -> None:
    (mechanism,) = write_corpus(tmp_path, 1)
    truth = json.loads((tmp_path / mechanism.name / "truth.json").read_text())
    meshes = [
        trimesh.load(path, process=False)
        for path in sorted((tmp_path / mechanism.name / "parts").glob("*.ply"))
    ]
    assert len(meshes) == truth["parts"] == len(mechanism.bodies)
    for joint in truth["joints"]:
        number = int(truth["links"][joint["child"]].removeprefix("body_"))
        body = mechanism.bodies[number]
        np.testing.assert_allclose(meshes[joint["child"]].bounds, body.mesh.bounds, atol=1e-5)
        np.testing.assert_allclose(joint["axis"], body.joints[0].axis)
        assert truth["links"][joint["parent"]] == mechanism.bodies[body.parent].name
