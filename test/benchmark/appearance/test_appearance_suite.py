"""The suite of appearance: cases, rows, table and command."""

import json

import numpy as np
import pytest

from autourdf_ros.benchmark import case_runner
from autourdf_ros.benchmark.appearance import measure_appearance
from autourdf_ros.benchmark.appearance.appearance_case import (
    CASE_NAMES,
    FILES,
    IMAGES_ALONE,
    AppearanceCase,
    appearance_cases,
    appearance_cases_in,
    robots_alone,
)
from autourdf_ros.benchmark.appearance.appearance_table import HEAD, appearance_table
from autourdf_ros.cli.main import main
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.images.image_motions import ImageMotion
from autourdf_ros.simulation.images.image_recording import ImageOptions, record_images
from autourdf_ros.simulation.images.image_set_files import write_image_set

URDF = """<robot name="arm">
  <link name="base"><visual><geometry><box size="0.3 0.3 0.1"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/></material></visual></link>
  <link name="arm"><visual><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.3"/></geometry>
    <material name="green"><color rgba="0 1 0 1"/></material></visual></link>
  <joint name="tilt" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with one case of one's own."""
    place = tmp_path_factory.mktemp("sets")
    urdf = tmp_path_factory.mktemp("robot") / "arm.urdf"
    urdf.write_text(URDF)
    images = record_images(SimulatedRobot(urdf), ImageOptions(ImageMotion(30), size=48))
    write_image_set(images, urdf, place / "arm")
    return place


@pytest.fixture(scope="module")
def row(folder):
    (case,) = appearance_cases_in(folder, 1)
    options = AppearanceOptions(
        splats=800, fit=SplatFitOptions(coarse_steps=60, fine_steps=60), good=10.0
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure_appearance, "AppearanceOptions", lambda: options)
        return measure_appearance.measure_appearance(case)


@pytest.mark.slow
def test_a_folder_of_images_is_measured(row):
    assert row["name"] == "arm"
    assert row["psnr"] > 20
    assert row["overlap"] > 0.75  # few splats, few steps
    assert set(row["link_psnr"]) == {"base", "arm"}
    assert 0 < row["chamfer"] < 1e-3
    assert row["seconds"]["fit"] > row["seconds"]["image"] > 0
    assert json.loads(json.dumps(row)) == row


@pytest.mark.slow
def test_the_table_has_means_the_paper_and_failures(row):
    other = {**row, "psnr": row["psnr"] + 2}
    crashed = {"name": "arm", "seed": 7, "method": "splats", "error": "out of memory"}
    lines = appearance_table([row, other, crashed]).splitlines()
    assert lines[0].split()[:3] == list(HEAD[:3])
    assert lines[2].split()[:3] == ["arm", "2", f"{row['psnr'] + 1:.2f}"]
    assert "31.22" in lines[3]
    assert "2.76" in lines[3]
    assert lines[-1] == "FAILED arm, seed 7: out of memory"


def test_cases_named_real_have_noise():
    real, stated = (AppearanceCase(name) for name in ("panda_real", "panda_real_stated"))
    assert real.noise is not None and real.noise == stated.noise
    assert real.refined and not stated.refined
    assert AppearanceCase("panda").noise is None and not AppearanceCase("panda").refined
    alone = robots_alone(["ur5_robot_real"], 1, IMAGES_ALONE)
    assert alone[0].noise is not None


@pytest.mark.slow
def test_the_table_states_what_cameras_did(row):
    recorded = {
        name: {"robot_psnr": ratio, "overlap": 0.9, "black_psnr": 30.0}
        for name, ratio in (("stated", 20.0), ("refined", 25.0))
    }
    own = {**row, "recorded": recorded, "cameras": {"stated": 1.9, "left": 0.3, "said": 1.8}}
    line = appearance_table([own]).splitlines()[-1]
    assert "off by 1.90 pixels, in the end by 0.30" in line
    assert "robot 20.00 dB" in line and "robot 25.00 dB" in line


@pytest.mark.slow
def test_noisy_images_of_the_suite_are_fitted_with_their_cameras(folder, monkeypatch):
    robot = SimulatedRobot(folder / "arm" / "robot.urdf")
    true, tested = (
        record_images(robot, ImageOptions(ImageMotion(count), size=48, seed=seed))
        for count, seed in ((24, 0), (6, 1))
    )
    monkeypatch.setattr(measure_appearance, "true_images", lambda case: (robot, true, tested))
    options = AppearanceOptions(splats=800, fit=SplatFitOptions(60, 60), good=5.0)
    monkeypatch.setattr(measure_appearance, "AppearanceOptions", lambda: options)
    row = measure_appearance.measure_appearance(AppearanceCase("panda_real"))
    assert row["cameras"]["left"] < 0.8 * row["cameras"]["stated"]
    recorded = row["recorded"]
    assert recorded["refined"]["robot_psnr"] > recorded["stated"]["robot_psnr"]
    assert row["robot_psnr"] > recorded["stated"]["robot_psnr"]
    assert json.loads(json.dumps(row)) == row


def test_a_background_of_one_colour_is_found():
    class Recorded:
        color = np.full((4, 4, 3), 255, np.uint8)
        mask = np.zeros((4, 4), np.uint8)

    assert np.allclose(measure_appearance.background_color(Recorded), 1)
    Recorded.mask = np.full((4, 4), 255, np.uint8)
    assert np.allclose(measure_appearance.background_color(Recorded), 0)


def test_cases_differ_by_name_and_seed_and_unknown_ones_are_refused(tmp_path):
    cases = appearance_cases(CASE_NAMES, 2)
    assert len({str(case.key()) for case in cases}) == 2 * len(CASE_NAMES)
    with pytest.raises(InputError, match="--robots pand: accepted are panda, "):
        appearance_cases(["pand"], 1)
    with pytest.raises(InputError, match=FILES[1]):
        appearance_cases_in(tmp_path, 1)


def test_the_command_prints_rows_and_fails_with_a_case(tmp_path, monkeypatch, capsys, row_of):
    monkeypatch.setattr(case_runner, "measured_apart", row_of)
    command = ["benchmark", "--suite", "appearance", "--draws", "1", "--robots", "panda"]
    rows = tmp_path / "rows.jsonl"
    assert main([*command, "--rows", str(rows), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["name"] == "panda"
    assert len(rows.read_text().splitlines()) == 1
    assert main([*command, "--vary", "2"]) == 2
    assert "--vary: is not for --suite appearance" in capsys.readouterr().err
    assert main([*command, "--method", "ransac"]) == 2


def test_weights_of_lpips_are_checked_before_anything_is_drawn(tmp_path, capsys):
    pytest.importorskip("torch")
    weights = tmp_path / "weights.pt"
    weights.write_text("none")
    given = ["--lpips-weights", str(weights)]
    assert main(["benchmark", "--suite", "appearance", *given]) == 2
    assert "weights.pt: cannot be read as weights" in capsys.readouterr().err
    assert main(["benchmark", "--suite", "appearance", "--method", "images", *given]) == 2
    assert "is not for --method images" in capsys.readouterr().err
    assert main(["benchmark", "--suite", "parts", *given]) == 2
    assert "is for --suite appearance only" in capsys.readouterr().err


@pytest.fixture
def row_of():
    def measured(case: AppearanceCase):
        return {**case.title(), "robot_psnr": 30.0}

    return measured


def test_a_folder_is_measured_once_from_images_alone(tmp_path):
    (tmp_path / "arm").mkdir()
    for name in FILES:
        (tmp_path / "arm" / name).write_text("")
    assert len(appearance_cases_in(tmp_path, 3)) == 3
    assert len(appearance_cases_in(tmp_path, 3, "images")) == 1
