"""Dynamics of a mechanism's folder from its joint values."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from hinged_video import hinged_video
from swinging_video import DAMPING, PERIOD, QUICK, swinging_values

from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.posterior.posterior_file import read_posterior
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.result_files import POSTERIOR, REPORT
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import add_dynamics
from autourdf_ros.workflows.mechanisms.mechanism_result import WrittenMechanism, write_mechanism
from autourdf_ros.workflows.mechanisms.model_simulator import simulated_xml

pytestmark = pytest.mark.slow

BODIES = frozenset({"cart", "bar"})


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ForceTable]:
    """A folder of a mechanism that known forces drove, and the forces."""
    out = tmp_path_factory.mktemp("moved") / "out"
    stamps = PERIOD * np.arange(120)
    forces = np.column_stack([4 * np.sin(5 * stamps), np.zeros(120)])
    values = swinging_values(120, forces)
    values += np.random.default_rng(0).standard_normal(values.shape) * [1e-4, 1e-3]
    write_mechanism(hinged_video(values), out, WrittenMechanism("cart-pole"))
    return out, ForceTable(
        stamps, forces={"cart": np.column_stack([forces[:, 0], 0 * stamps, 0 * stamps])}
    )


def test_the_simulated_model_stands_as_the_model_says(moved: tuple[Path, ForceTable]) -> None:
    model = read_self_model(moved[0])
    simulator = mujoco.MjModel.from_xml_string(simulated_xml(model, BODIES))
    data = mujoco.MjData(simulator)
    data.qpos[:] = 0.3, -0.7
    mujoco.mj_forward(simulator, data)
    poses = link_poses(model.tree, data.qpos)
    for link in BODIES:
        stated = poses[model.tree.links.index(link)]
        assert data.body(link).xpos == pytest.approx(stated[:3, 3])
        assert data.body(link).xmat.reshape(3, 3) == pytest.approx(stated[:3, :3], abs=1e-9)


def test_masses_and_damping_come_with_their_uncertainty(moved: tuple[Path, ForceTable]) -> None:
    out, forces = moved
    before = read_self_model(out).inertia
    posterior = add_dynamics(out, forces)
    model = read_self_model(out)
    assert before is not None and model.inertia is not None and model.dynamics is not None
    for link in BODIES:
        found = model.inertia.links[link]
        assert found.mass_std is not None
        assert abs(found.mass - before.links[link].mass) < 3 * found.mass_std
    assert model.inertia.links["cart"].mass_std < 0.1 * before.links["cart"].mass
    for name, true in zip(("rail", "hinge"), DAMPING, strict=True):
        found = model.dynamics.joints[name]
        assert found.damping_std is not None and 0 < found.damping_std < 0.1 * true
        assert found.damping == pytest.approx(true, rel=0.1)
    read = read_posterior(out / POSTERIOR)
    assert read.names == posterior.names
    assert read.covariance == pytest.approx(posterior.covariance)
    assert "mass of cart" in (out / REPORT).read_text()
    assert not model.stale


def test_without_known_force_the_scale_is_said_to_rest_on_the_density(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_mechanism(hinged_video(swinging_values(60)), out, WrittenMechanism("cart-pole"))
    add_dynamics(out, options=QUICK)
    inertia = read_self_model(out).inertia
    assert inertia is not None and "no force was known" in inertia.verdict.reasons[-1]


def test_forces_on_other_joints_are_refused(moved: tuple[Path, ForceTable]) -> None:
    with pytest.raises(InputError, match="joint 'door' is unknown; accepted are rail, hinge"):
        add_dynamics(moved[0], ForceTable(np.zeros(1), efforts={"door": np.zeros(1)}))
