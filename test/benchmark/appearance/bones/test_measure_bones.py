"""The paper's own method in the suite of appearance."""

import json

import pytest

from autourdf_ros.benchmark.appearance.appearance_case import (
    BONES,
    AppearanceCase,
    appearance_cases_in,
    robots_alone,
)
from autourdf_ros.benchmark.appearance.bones.bones_table import bones_table
from autourdf_ros.cli.main import main
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.images.image_motions import ImageMotion
from autourdf_ros.simulation.images.image_recording import ImageOptions, record_images
from autourdf_ros.simulation.images.image_set_files import write_image_set

URDF = """<robot name="arm">
  <link name="base"><visual><geometry><box size="0.3 0.3 0.1"/></geometry></visual></link>
  <link name="arm"><visual><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.3"/></geometry>
    </visual></link>
  <joint name="tilt" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.mark.slow
def test_a_folder_of_images_is_fitted_and_measured(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from autourdf_ros.benchmark.appearance.bones import measure_bones

    urdf = tmp_path / "arm.urdf"
    urdf.write_text(URDF)
    images = record_images(SimulatedRobot(urdf), ImageOptions(ImageMotion(20, 10), size=48))
    write_image_set(images, urdf, tmp_path / "sets" / "arm")
    (case,) = appearance_cases_in(tmp_path / "sets", 1, BONES)
    small = measure_bones.Scale(halvings=0, points=300, steps=60, images=1, rate=1e-3)
    monkeypatch.setattr(measure_bones, "SCALES", {"cpu": small, "cuda": small})
    row = measure_bones.measure_bones(
        AppearanceCase(case.name, folder=case.folder, method=BONES, seconds=4)
    )
    assert row["images"] == 27 and row["width"] == 48
    assert row["robot_psnr"] > 3 and 0 <= row["overlap"] <= 1
    assert json.loads(json.dumps(row)) is not None
    assert "arm" in bones_table([row]).splitlines()[2]


def test_rows_name_the_limit_of_seconds():
    (case,) = robots_alone(["so101"], 1, BONES)
    assert case.title()["limit"] == 600
    assert "limit" not in AppearanceCase("panda").title()


def test_failures_stand_below_the_table():
    failed = {"name": "arm", "seed": 3, "error": "out of memory"}
    assert bones_table([failed]).splitlines()[-1] == "FAILED arm, seed 3: out of memory"


@pytest.mark.parametrize("seconds", ["0", "-3", "nan"])
def test_seconds_of_a_fit_are_above_0(seconds, capsys):
    code = main(
        ["benchmark", "--suite", "appearance", "--method", "bones", "--bones-seconds", seconds]
    )
    assert code == 2
    assert "--bones-seconds" in capsys.readouterr().err


def test_a_missing_torch_is_named(monkeypatch, capsys):
    from autourdf_ros.estimation.motion.networks import device

    monkeypatch.setattr(device, "find_spec", lambda name: None)
    assert main(["benchmark", "--suite", "appearance", "--method", "bones"]) == 2
    assert "neural bones need the package torch" in capsys.readouterr().err


def test_an_image_without_a_mask_is_named(tmp_path):
    pytest.importorskip("torch")
    from dataclasses import replace

    from autourdf_ros.estimation.appearance.bones.bone_images import posed_images

    urdf = tmp_path / "arm.urdf"
    urdf.write_text(URDF)
    images = record_images(SimulatedRobot(urdf), ImageOptions(ImageMotion(2), size=16))
    without = replace(images.images[1], mask=None)
    with pytest.raises(InputError, match="image 1 has no mask"):
        posed_images(replace(images, images=(images.images[0], without)))
