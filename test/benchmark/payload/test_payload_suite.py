"""Tests of the suite of payloads."""

import numpy as np
import pytest
import trimesh
from weighed_tools import WOOD, slow_motion

from autourdf_ros.benchmark.payload.added_noise import LEVELS, with_added_noise
from autourdf_ros.benchmark.payload.measure_payload import measure_payload
from autourdf_ros.benchmark.payload.payload_case import PayloadCase, payload_cases_in
from autourdf_ros.benchmark.payload.payload_table import coverage, means, payload_tables
from autourdf_ros.benchmark.payload.tool_folder import read_tool_cloud, read_tool_truth
from autourdf_ros.cli.main import main
from autourdf_ros.data.wrenches.trajectory_file import read_trajectory
from autourdf_ros.data.wrenches.wrench_table import recording_of_poses
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor

SIZE = np.array([0.2, 0.04, 0.03])
TRUTH = """OBJECT:
  MASS: {mass}
  COM_WRT_MESH: [0, 0, 0]
  INERTIA_WRT_COM: [[{0}, 0, 0], [0, {1}, 0], [0, 0, {2}]]
  GRASP_WRT_MESH: [[1, 0, 0, -0.05], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
"""


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    """A folder with one tool: a homogeneous bar."""
    folder = tmp_path_factory.mktemp("tools") / "bar"
    folder.mkdir()
    mass = WOOD * SIZE.prod()
    inertia = mass / 12 * ((SIZE**2).sum() - SIZE**2)
    (folder / "truth.yaml").write_text(TRUTH.format(*inertia, mass=mass))
    box = trimesh.creation.box(SIZE)
    box.export(folder / "mesh.ply")
    points = trimesh.sample.sample_surface(box, 1500, seed=0)[0]
    lines = [" ".join(map(str, [*point, 0.5, 0.4, 0.2, 0])) for point in points]
    names = [f"property float32 {name}" for name in ["x", "y", "z", "red", "green", "blue"]]
    head = ["ply", "format ascii 1.0", "element vertex 1500", *names]
    head += ["property uint8 segmentation", "end_header"]
    (folder / "cloud.ply").write_text("\n".join([*head, *lines]) + "\n")
    _write_trajectory(folder)
    return folder.parent


def _write_trajectory(folder):
    truth = read_tool_truth(folder / "truth.yaml")
    times, poses = slow_motion(300)
    still = recording_of_poses(times, poses, np.zeros((300, 6)), "test")
    turns = poses[:, :3, :3]

    def in_world(values):
        return np.einsum("nij,nkj->nki", turns, values.reshape(-1, 2, 3)).reshape(-1, 6)

    rest = recording_of_poses(times, np.tile(poses[:1], (300, 1, 1)), still.wrenches, "test")
    rest = type(still)(times, poses, rest.velocities, rest.accelerations, still.wrenches)
    static, moving = (recording_regressor(one) @ truth.parameters for one in (rest, still))
    np.savez(
        folder / "trajectory.npz",
        time=times,
        sensor_pose=poses,
        object_pose=poses @ truth.object_in_sensor,
        sensor_vel=in_world(still.velocities),
        sensor_acc=in_world(still.accelerations),
        wrench=in_world(2 * static - moving),  # m (g + a), as the data set has it
    )


def test_its_files_agree(tools):
    recording, pose = read_trajectory(tools / "bar/trajectory.npz", mirrored=True)
    truth = read_tool_truth(tools / "bar/truth.yaml")
    np.testing.assert_allclose(pose, truth.object_in_sensor, atol=1e-9)
    predicted = recording_regressor(recording) @ truth.parameters
    np.testing.assert_allclose(recording.wrenches, predicted, atol=1e-9)
    cloud = read_tool_cloud(tools / "bar/cloud.ply")
    assert cloud.points.shape == cloud.colours.shape == (1500, 3)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["field", "ols", "hps-true"])
def test_a_case_has_errors_at_every_level(tools, method):
    row = measure_payload(PayloadCase("bar", tools / "bar", method, draws=2))
    assert set(row["levels"]) == set(LEVELS)
    found = means([row], "Low")
    assert found["mass"] < 3
    assert (coverage([row], "Low") is None) == (method != "field")
    assert "noise: High" in payload_tables([row])


def test_noise_is_the_tools_own_and_repeats(tools):
    recording, _ = read_trajectory(tools / "bar/trajectory.npz", mirrored=True)
    one, same = (with_added_noise(recording, LEVELS["High"], "bar", 0) for _ in range(2))
    other = with_added_noise(recording, LEVELS["High"], "rod", 0)
    np.testing.assert_array_equal(one.wrenches, same.wrenches)
    assert (one.wrenches != other.wrenches).all()
    spread = (one.wrenches - recording.wrenches).std(0)
    np.testing.assert_allclose(spread, [0.2] * 3 + [0.01] * 3, rtol=0.15)


def test_what_lacks_is_named(tmp_path, tools):
    with pytest.raises(InputError, match="has no tool"):
        payload_cases_in(tmp_path, ("field",), 1, 0)
    (tmp_path / "a").mkdir()
    (tmp_path / "a/truth.yaml").write_text("OBJECT: {}")
    with pytest.raises(InputError, match=r"lacks cloud\.ply"):
        payload_cases_in(tmp_path, ("field",), 1, 0)
    with pytest.raises(InputError, match="cannot be read"):
        read_tool_truth(tmp_path / "a/truth.yaml")


def test_the_command_needs_data_and_its_own_methods(capsys):
    assert main(["benchmark", "--suite", "payload"]) == 2
    assert "needs --data" in capsys.readouterr().err
    assert main(["benchmark", "--suite", "payload", "--method", "mcts"]) == 2
    assert "is not for --suite payload" in capsys.readouterr().err


@pytest.mark.slow
def test_rows_are_not_measured_again(tools, tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    command = ["benchmark", "--suite", "payload", "--data", str(tools), "--method", "ols"]
    command += ["--draws", "1", "--rows", str(rows)]
    assert main(command) == 0
    first = capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out == first
    assert len(rows.read_text().splitlines()) == 1
