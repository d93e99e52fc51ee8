"""Efforts as the node hears and writes them, to the payload: no sensor at the wrist."""

import numpy as np
import pytest
from effort_arm import held_mallet
from sensor_msgs.msg import JointState
from weighed_tools import data_of, true_parameters

from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.ros.identification.sources.effort_source import EffortSource

pytestmark = [pytest.mark.ros, pytest.mark.slow]


def test_efforts_that_were_heard_at_uneven_times_weigh_what_the_arm_holds(tmp_path):
    urdf, efforts = held_mallet(tmp_path, count=1200)
    source = EffortSource(efforts.joints, urdf, "l6", "/joint_states", 1.0)
    source.begin(tmp_path / "records.csv")
    for time, positions, values in zip(
        efforts.times, efforts.positions, efforts.efforts, strict=True
    ):
        message = JointState(
            name=list(efforts.joints), position=positions.tolist(), effort=values.tolist()
        )
        source.receive_joint_state(message, 1000.0 + time)
        source.receive_joint_state(message, 1000.0 + time)  # as a second publisher would
    assert source.end() == len(efforts.times)
    read = source.read(tmp_path / "records.csv")
    found = identify_payload(data_of(read), IdentifyOptions()).estimate
    std = np.sqrt(np.diag(found.covariance))
    assert abs(found.parameters[0] - true_parameters()[0]) < 3 * std[0] < 0.05
    assert (np.abs(found.parameters - true_parameters())[1:4] < 3 * std[1:4]).all()
