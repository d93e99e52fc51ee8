"""A result folder as the monitor reads it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_robot import arm_model, arm_reconstruction, arm_recording

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.forward_kinematics import link_motions
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.workflows.reconstruct import write_reconstruction

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = arm_reconstruction(count=200)
    out = tmp_path_factory.mktemp("result") / "out"
    write_reconstruction(found, out, name="arm", recording=arm_recording(found))
    return out


@settings(max_examples=10)
@given(values=st.tuples(*[st.floats(-0.5, 0.5)] * 4).map(np.array))
def test_bodies_are_posed_as_the_model_poses_its_links(folder, values):
    model, described = load_watched_model(folder), arm_model()
    reference = np.array([joint.reference for joint in described.joints])
    readings = dict(zip(model.motors, values, strict=True))
    np.testing.assert_allclose(model.values(readings), values - reference, atol=1e-6)
    expected = link_motions(described.tree, values)
    np.testing.assert_allclose(model.poses(model.values(readings)), expected, atol=1e-5)


def test_surface_is_that_of_the_links(folder):
    model, described = load_watched_model(folder), arm_model()
    base = model.vertices[np.unique(model.faces[model.triangle_body == 0])]
    points = described.links[0].surface.points
    np.testing.assert_allclose(base.min(axis=0), points.min(axis=0), atol=0.02)
    np.testing.assert_allclose(base.max(axis=0), points.max(axis=0), atol=0.02)
    assert model.rates({model.motors[0]: 2.0})[0] == pytest.approx(2.0)
    still = model.values({})
    np.testing.assert_allclose(transform(model.poses(still), np.zeros(3)), 0.0, atol=1e-9)
    assert sorted({segment.order for segment in model.segments if segment.body == 2}) == [0, 1, 2]


def test_folder_that_is_none_is_named(tmp_path):
    with pytest.raises(InputError, match="no result folder"):
        load_watched_model(tmp_path)
