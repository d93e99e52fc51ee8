import mujoco
import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.forecast.state_fit import fitted_state
from autourdf_ros.estimation.dynamics.forecast.state_forecast import simulated_path
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion

PENDULUM = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <body><joint type="hinge" axis="0 1 0" damping="{damping}" stiffness="{stiffness}"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02"/>
    </body>
  </worldbody>
</mujoco>
"""
STAMPS = np.arange(10) / 30.0


def pendulum(damping=0.01, stiffness=0.0):
    return mujoco.MjModel.from_xml_string(PENDULUM.format(damping=damping, stiffness=stiffness))


def motion(positions):
    values = np.asarray(positions, float).reshape(-1, 1)
    return JointMotion(STAMPS[: len(values)], values, np.full(values.shape, 0.01))


def observed(state):
    nothing = motion(np.zeros(len(STAMPS)))
    return motion(simulated_path(pendulum(), np.asarray(state), 0.0, STAMPS, nothing))


def test_a_state_is_the_one_that_the_motion_began_with():
    state, covariance = fitted_state(pendulum(), observed([0.4, -1.2]))
    np.testing.assert_allclose(state, [0.4, -1.2], atol=1e-4)
    assert np.all(np.linalg.eigvalsh(covariance) > 0)


def test_a_mechanism_that_diverges_is_named():
    with pytest.raises(InputError, match="diverges; accepted is"):
        fitted_state(pendulum(damping=-1e6), observed([0.4, -1.2]))


def test_too_few_values_are_refused():
    with pytest.raises(InputError, match="1 joint values; accepted are 2"):
        fitted_state(pendulum(), motion([0.1]))
