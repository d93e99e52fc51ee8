"""`autourdf simulate --images` as it is typed."""

import pytest

from autourdf_ros.cli.main import main
from autourdf_ros.data.images.image_folder import read_image_folder

URDF = """<robot name="arm">
  <link name="base"><visual><geometry><box size="0.3 0.3 0.1"/></geometry></visual></link>
  <link name="arm"><visual><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.3"/></geometry>
  </visual></link>
  <joint name="tilt" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    return str(path)


def simulate(*arguments):
    return main(["simulate", *map(str, arguments)])


def test_writes_images_and_the_robot(urdf, tmp_path, capsys):
    out = tmp_path / "set"
    command = [urdf, "--images", 3, "--rest", 1, "--single", 2, "--size", 32, "-o", out]
    assert simulate(*command, "--reach", 20, "--no-shadows", "--seed", 1) == 0
    captured = capsys.readouterr()
    assert captured.out.strip() == str(out)
    assert f"robot: {out / 'robot.urdf'}" in captured.err
    images = read_image_folder(out)
    assert len(images.images) == 6
    assert images.images[0].joint_positions == {"tilt": 0.0}
    assert images.images[0].color.shape == (32, 32, 3)
    assert simulate(*command) == 2
    assert "not an empty folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--frames", 3), "--frames with --images"),
        (("--scene",), "--scene with --images"),
        (("--mechanism", "door"), "--mechanism with --images"),
        (("--noise", "paper"), "--noise is paper; accepted with --images"),
        (("--rest", -1), "--rest is -1; accepted is 0"),
        (("--size", 3), "--size is 3; accepted is 16"),
        (("--seed", -2), "--seed is -2; accepted is 0"),
    ],
)
def test_bad_arguments_are_named(urdf, tmp_path, capsys, given, said):
    assert simulate(urdf, "--images", 2, "-o", tmp_path / "set", *given) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize("count", [0, -3])
def test_there_is_at_least_one_image(urdf, tmp_path, capsys, count):
    assert simulate(urdf, "--images", count, "-o", tmp_path / "set") == 2
    assert f"--images is {count}; accepted is 1 or more" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given", [("--reach", 20), ("--single", 2), ("--no-shadows",), ("--room",)]
)
def test_options_of_images_are_not_ignored(urdf, tmp_path, capsys, given):
    assert simulate(urdf, "-o", tmp_path / "set", *given) == 2
    assert f"{given[0]} without --images" in capsys.readouterr().err


def test_images_need_a_robot(tmp_path, capsys):
    assert simulate("--images", 2, "-o", tmp_path / "set") == 2
    assert "--images without ROBOT" in capsys.readouterr().err
