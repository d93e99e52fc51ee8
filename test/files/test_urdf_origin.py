import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from scipy.spatial.transform import Rotation

from autourdf_ros.files.urdf_origin import numbers_text, origin_of, set_origin

ANGLE = st.floats(-np.pi, np.pi)


@given(roll=ANGLE, pitch=st.one_of(ANGLE, st.sampled_from([np.pi / 2, -np.pi / 2])), yaw=ANGLE)
def test_an_origin_reads_back_without_a_warning_at_any_pitch(roll, pitch, yaw):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
    pose[:3, 3] = 0.1, -2.0, 0.0
    element = etree.fromstring('<inertial><mass value="1"/></inertial>')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        set_origin(element, pose)
    np.testing.assert_allclose(origin_of(element), pose, atol=1e-7)
    set_origin(element, np.eye(4))
    assert [child.tag for child in element] == ["origin", "mass"]
    np.testing.assert_array_equal(origin_of(element), np.eye(4))


def test_no_origin_is_none_and_numbers_have_no_negative_zeros():
    np.testing.assert_array_equal(origin_of(etree.fromstring("<joint/>")), np.eye(4))
    assert numbers_text(np.array([-1e-15, 0.25, 1 / 3])) == "0 0.25 0.333333333333"
