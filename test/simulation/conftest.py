import pytest
from toy_fixtures import toy, toy_urdf  # noqa: F401

from autourdf_ros.simulation.workspace import Workspace


@pytest.fixture
def workspace(toy):  # noqa: F811
    return Workspace(toy)
