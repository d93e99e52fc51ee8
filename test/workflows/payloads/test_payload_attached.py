"""Tests of a payload that becomes the inertia of a link of a result folder."""

import json

import numpy as np
import pytest
from lxml import etree
from sample_results import write_small_arm
from weighed_tools import data_of, weighed

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.payload_estimation import (
    PayloadOptions,
    estimate_payload,
)
from autourdf_ros.model.inertial.held_payload import HeldPayload
from autourdf_ros.workflows.payloads.payload_result import attach_payload

pytestmark = pytest.mark.slow


def test_the_link_gets_mass_centre_and_covariance(tmp_path):
    out = write_small_arm(tmp_path / "out")
    estimate = estimate_payload(data_of(weighed()), PayloadOptions())
    payload = HeldPayload(estimate.parameters, estimate.covariance, "link_2")
    attach_payload(payload, estimate, (out, "link_2"))
    link = etree.parse(out / "robot.urdf").find("link[@name='link_2']/inertial")
    assert float(link.find("mass").get("value")) == pytest.approx(payload.mass, rel=1e-6)
    centre = [float(one) for one in link.find("origin").get("xyz").split()]
    np.testing.assert_allclose(centre, payload.centre, atol=1e-6)
    document = json.loads((out / "reconstruction.json").read_text())
    assert "link_2" in json.dumps(document["layers"]["inertia"])
    with pytest.raises(InputError, match="gripper"):
        attach_payload(payload, estimate, (out, "gripper"))
