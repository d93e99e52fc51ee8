"""The toy robot as fixtures, made once a session."""

import pytest
from toy_robot import write_toy

from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot


@pytest.fixture(scope="session")
def toy_urdf(tmp_path_factory):
    return write_toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="session")
def toy(toy_urdf):
    return SimulatedRobot(toy_urdf)
